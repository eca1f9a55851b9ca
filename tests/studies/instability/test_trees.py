"""Trees of averages beside averages onto one reference, against their definition."""

import itertools

import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.engine import neighbour_pass
from gpustab.machine.device import Compute
from gpustab.studies.instability.technique import draw_words
from gpustab.studies.instability.trees import (
    alignment_tables,
    as_runs,
    joint_rows,
    keep_stem,
    levels_of,
    naive_average,
    orders_of,
    stem_of,
    top_of,
    tops_of,
)
from tests import oracles
from tests.generators import noisy_copies, rotation, runs_of
from tests.kernels.test_memory import peak
from tests.studies.instability.made import technique


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
    table = alignment_tables(technique(runs_of(stack), pairs=30))["alignment_term"]
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
    table = alignment_tables(technique(runs_of(noisy_copies(8, 80, 8, noise=0.4)), pairs=30))["table_tree"]
    tree, reference = table["same_runs"]
    assert 0 < tree < reference < 1
    assert table["halves_of"] == [4, 4]


def test_losses_between_halves_are_the_naive_mean_over_splits():
    stack = noisy_copies(6, 50, 6, noise=0.3)
    unit = [oracles.unit(x) for x in stack]
    rows = {
        row["average"]: row for row in alignment_tables(technique(runs_of(stack), pairs=30))["table_tree"].records()
    }
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


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("runs", [3, 4, 5, 6, 8, 9, 12])
def test_a_tree_and_those_of_its_halves_have_a_stem_in_common(runs, kept):
    """Twelve runs: averages of two; nine: of four, and a run; six and three: nothing."""
    whole = technique(runs_of(noisy_copies(runs, 30, 4, noise=0.3)))
    order, half = orders_of(runs, 0)[1], runs // 2
    for level in levels_of(whole.runs, order, renormalise=False) if kept else ():
        keep_stem(whole, order, level)
    assert bool(whole.stems) == (kept and runs not in (3, 6))
    top, halves = tops_of(whole, order, half)
    parts = [order, order[:half], order[half : 2 * half]]
    for found, part in zip((top, *halves), parts, strict=True):
        torch.testing.assert_close(found, top_of(whole.runs.take(part)).vectors, atol=1e-12, rtol=0)
    assert not whole.stems  # let go
    assert bool(stem_of(whole, order)) == (runs not in (3, 6))


def test_averages_of_unequal_dimension_are_compared():
    words = [f"w{k}" for k in range(40)]
    runs = load_runs([(words, np.random.default_rng(d).normal(size=(40, d))) for d in (4, 5, 6, 7)])
    table = alignment_tables(technique(runs, pairs=20))["table_tree"]
    assert all(0 < x < 2 for x in table["between_halves"])


@pytest.mark.parametrize(
    ("runs", "wanted"), [(3, [(1, 3)]), (4, [(1, 4), (2, 2)]), (5, [(1, 5), (2, 2)]), (7, [(1, 7), (2, 3)])]
)
def test_levels_hold_equal_averages_of_disjoint_runs(runs, wanted):
    found = [*levels_of(runs_of(noisy_copies(runs, 40, 5)), orders_of(runs, 0)[1], renormalise=False)]
    assert [(level.beneath, len(level.averages)) for level in found] == wanted
    for level in found:
        beneath = [r for group in level.runs for r in group]
        assert len(set(beneath)) == len(beneath) == level.beneath * len(level.averages)


def test_an_average_knows_its_runs_in_any_order():
    stack = noisy_copies(4, 40, 5)
    level = [*levels_of(runs_of(stack), [2, 0, 3, 1], renormalise=False)][1]
    assert level.runs == [[2, 0], [3, 1]]
    wanted = oracles.aligned_average(stack[2].numpy(), stack[0].numpy())
    np.testing.assert_allclose(level.averages[0].vectors, wanted, atol=1e-6)


def test_averages_are_measured_as_runs_are():
    runs = runs_of(noisy_copies(4, 40, 5))
    nodes = [*levels_of(runs, [0, 1, 2, 3], renormalise=False)][1].averages
    own = as_runs(runs, nodes)
    torch.testing.assert_close(own.stack().norm(dim=2), torch.ones(2, 40, dtype=torch.float64))
    found = neighbour_pass(own, torch.tensor([3]), 5, Compute()).indices[1, 0].tolist()
    assert found == oracles.top_k(nodes[1].vectors.numpy(), 3, 5)


def test_the_orders_are_drawn_by_the_seed():
    assert orders_of(6, 3) == orders_of(6, 3)
    assert orders_of(6, 3)[0] == list(range(6))


@pytest.mark.parametrize(("runs", "wanted"), [(3, 3), (4, 3), (5, 4), (9, 4)])
def test_no_two_orders_are_of_one_tree(runs, wanted):
    """3 and 4 runs have 3 trees; a tree twice would have a loss of 0 to itself."""
    orders = orders_of(runs, 0)
    assert len(orders) == wanted
    trees_found = [
        sorted(map(sorted, [*levels_of(runs_of(noisy_copies(runs, 9, 3)), o, renormalise=False)][-1].runs))
        for o in orders
    ]
    assert runs != 4 or len({str(t) for t in trees_found}) == 3
    assert all(sorted(order) == list(range(runs)) for order in orders)


def test_runs_are_read_one_by_one_where_an_average_takes_one_by_one():
    """Beside two runs, what is made of them, and the mean, nothing is held, however many runs there are."""
    v, d = 400, 12
    every = runs_of(noisy_copies(24, v, d))
    taken = []
    for count in (6, 24):
        runs = every.take(list(range(count)))
        rows = joint_rows(runs, runs.joint.nonzero().flatten())
        taken.append(peak(lambda rows=rows: naive_average(rows, 0)))
    assert taken[1] <= taken[0] + 1000
    assert taken[1] < 8 * v * d * 8


def test_levels_are_let_go_as_the_next_is_formed():
    """Of 32 runs there are as many averages of two as half of the runs, and as many again above them."""
    v, d = 400, 12
    runs = runs_of(noisy_copies(32, v, d))
    taken = peak(lambda: [level.beneath for level in levels_of(runs, list(range(32)), renormalise=False)])
    assert taken < (16 + 8 + 8) * v * d * 8  # all levels but the runs: 31 averages and what one of them takes
