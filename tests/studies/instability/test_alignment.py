import itertools

import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.studies.instability.alignment import alignment_tables, naive_average
from gpustab.studies.instability.cosines import draw_words
from gpustab.studies.instability.trees import orders_of
from tests import oracles
from tests.generators import noisy_copies, rotation, runs_of


def test_equal_spaces_average_onto_the_reference():
    base = noisy_copies(1, 50, 6)[0]
    stack = torch.stack([base, base @ rotation(6, 1), base @ rotation(6, 2)])
    torch.testing.assert_close(naive_average(stack, 1), stack[1])


def test_the_naive_average_is_the_mean_of_aligned_runs():
    stack = noisy_copies(3, 50, 6)
    x = stack.numpy()
    wanted = np.mean([a @ oracles.procrustes(a, x[2]) for a in x], axis=0)
    np.testing.assert_allclose(naive_average(stack, 2), wanted, atol=1e-10)


def test_the_aligning_term_is_that_of_equation_3_4():
    stack = noisy_copies(4, 60, 6)
    table = alignment_tables("x", runs_of(stack), 30, 0)["alignment_term"]
    first, second = draw_words(60, 30, 0)[:, :2].T.numpy()
    terms = []
    for u, w in ((0, 1), (2, 3)):
        x, y = oracles.unit(stack[u]), oracles.unit(stack[w])
        rest = x @ oracles.procrustes(x, y) - y
        terms.append(-(rest[first] * rest[second]).sum(1) / 4)
    assert table["mean"] == pytest.approx([np.mean(terms)], abs=1e-8)
    assert table["se"] == pytest.approx([np.mean(terms, axis=1).std(ddof=1) / np.sqrt(2)], abs=1e-8)
    unit = oracles.unit(stack)
    cosines = (unit[:, first] * unit[:, second]).sum(2)
    wanted = np.var(terms, axis=0, ddof=1).mean() / (cosines.var(axis=0, ddof=1).mean() / 2)
    assert table["variance_of_half"] == pytest.approx([wanted])


def test_a_tree_depends_less_on_the_order_than_one_reference_on_its_choice():
    table = alignment_tables("x", runs_of(noisy_copies(8, 80, 8, noise=0.4)), 30, 0)["table_tree"]
    tree, reference = table["same_runs"]
    assert 0 < tree < reference < 1
    assert table["halves_of"] == [4, 4]


def test_losses_between_halves_are_the_naive_mean_over_splits():
    stack = noisy_copies(6, 50, 6, noise=0.3)
    unit = [oracles.unit(x) for x in stack]
    rows = {row["average"]: row for row in alignment_tables("x", runs_of(stack), 30, 0)["table_tree"].records()}
    base = np.sqrt(np.mean([oracles.reduced_pip(a, b) ** 2 for a, b in itertools.combinations(unit, 2)]))
    found = []
    for order in orders_of(6, 0):
        means = [
            oracles.unit(np.mean([unit[r] @ oracles.procrustes(unit[r], unit[half[0]]) for r in half], axis=0))
            for half in (order[:3], order[3:])
        ]
        found.append(oracles.reduced_pip(*means) / base)
    one = rows["one reference"]
    assert one["splits"] == len(found) == 4
    assert one["between_halves"] == pytest.approx(np.mean(found), rel=1e-6)
    assert one["between_halves_sd"] == pytest.approx(np.std(found, ddof=1), rel=1e-4)


def test_averages_of_unequal_dimension_are_compared():
    words = [f"w{k}" for k in range(40)]
    runs = load_runs([(words, np.random.default_rng(d).normal(size=(40, d))) for d in (4, 5, 6, 7)])
    table = alignment_tables("runs", runs, 20, 0)["table_tree"]
    assert all(0 < x < 2 for x in table["between_halves"])
