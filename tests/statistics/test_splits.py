"""Permutation tests beside naive loops over all splits, and draws beside all of them."""

from itertools import combinations

import numpy as np
import pytest

from gpustab.statistics import splits
from gpustab.statistics.splits import least_p, split_test


def naive(values, first):
    """The share of all splits whose means are as far apart, one split after the other."""
    n = len(values)

    def apart(own):
        others = [values[k] for k in range(n) if k not in own]
        return abs(np.mean([values[k] for k in own]) - np.mean(others))

    every = [apart(own) for own in combinations(range(n), first)]
    return np.mean([x >= apart(range(first)) - 1e-9 for x in every])


@pytest.mark.parametrize(("n", "first"), [(4, 2), (7, 3), (9, 1), (10, 5)])
def test_p_is_that_of_a_loop_over_all_splits(n, first):
    values = np.random.default_rng(n).normal(size=(5, n)) + 1e3
    found = split_test(values, first)
    assert found.exact
    assert found.error.tolist() == [0] * 5
    assert found.p == pytest.approx([naive(row.tolist(), first) for row in values])


def test_ties_count_and_all_alike_is_no_finding():
    assert split_test(np.ones((1, 8)) * 0.1, 4).p.tolist() == [1.0]
    tied = np.array([[0.3, 0.3, 0.1, 0.1, 0.1, 0.3]])
    assert split_test(tied, 3).p == pytest.approx([naive(tied[0].tolist(), 3)])


def test_order_within_a_set_sign_and_scale_change_nothing():
    values = np.random.default_rng(1).normal(size=(1, 9))
    p = split_test(values, 4).p
    for other in (values[:, [3, 1, 2, 0, 8, 7, 6, 5, 4]], -values, 1e-9 * values, values[:, ::-1]):
        first = 5 if other[0, 0] == values[0, -1] else 4
        assert split_test(other, first).p == pytest.approx(p)


def test_drawn_splits_agree_with_all_of_them(monkeypatch):
    values = np.random.default_rng(2).normal(size=(20, 12)) + np.where(np.arange(12) < 6, 0.5, 0)
    exact = split_test(values, 6)
    monkeypatch.setattr(splits, "MOST", 100)
    splits._splits.cache_clear()
    drawn = split_test(values, 6, seed=3)
    again = split_test(values, 6, seed=3)
    splits._splits.cache_clear()
    assert not drawn.exact
    assert drawn.splits == splits.DRAWN + 1
    assert drawn.p.min() > 0
    assert (np.abs(drawn.p - exact.p) < 5 * drawn.error + 1e-3).all()
    assert drawn.p.tolist() == again.p.tolist()


@pytest.mark.parametrize(("first", "second"), [(2, 2), (3, 3), (2, 4), (1, 5), (5, 5)])
def test_no_p_is_below_the_least_one(first, second):
    far = np.array([[10.0**k for k in range(first)] + [-(10.0**k) for k in range(second)]])
    far[:, :first] += 1e9
    assert split_test(far, first).p == pytest.approx([least_p(first, second)])
