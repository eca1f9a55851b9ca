"""Costs against counting the products one by one."""

import pytest

from gpustab.bench import steps


def products(shapes):
    """Operations of matrix products of (m, k) and (k, n)."""
    return sum(2 * m * k * n for m, k, n in shapes)


def test_gram_and_words():
    runs, v, d = 5, 70, 6
    blocks = [(i, j) for i in range(runs) for j in range(i, runs)]
    found = steps.gram(runs, v, d)
    assert found.flop == products([(d, v, d) for _ in blocks])
    assert found.bytes == 4 * runs * v * d + 8 * len(blocks) * d * d
    assert steps.wordwise(runs, v, d).flop == products([(v, d, d) for _ in blocks])


def test_the_work_that_the_goals_were_set_for():
    assert steps.wordwise(128, 200_000, 300).flop == pytest.approx(2.9e14, rel=0.05)
    assert steps.gram(128, 200_000, 300).bytes == pytest.approx(30.7e9, rel=0.25)


def test_procrustes():
    d, pairs = 7, 10
    found = steps.procrustes(5, d)
    assert found.flop == products([(d, d, d)] * 2 * steps.POLAR_STEPS * pairs)
    assert found.bytes == 2 * pairs * d * d * 8


def test_average():
    v, d = 70, 6
    found = steps.average(4, v, d)
    merge = [(d, v, d), (v, d, d), *[(d, d, d)] * 2 * steps.POLAR_STEPS]
    assert found.flop == 3 * products(merge)
    assert found.bytes == 3 * 3 * v * d * 4


def test_search_and_overlap():
    assert steps.search(3, 70, 6, 11).flop == 3 * products([(11, 6, 70)])
    assert steps.search(3, 70, 6, 11).bytes == 3 * 70 * 6 * 4
    assert steps.overlap(3, 11, [1, 5]).flop == 11 * 2 * products([(3, 5, 3)])
