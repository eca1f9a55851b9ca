import itertools
import weakref

import numpy as np
import pytest
import torch

from gpustab.kernels.averaging import AlignmentError, aligned_average, leaf, levels_above, tree_average
from tests import generators, oracles


def test_average_of_two_is_equation_3_2():
    x, y = generators.noisy_copies(2, 60, 7)
    got = aligned_average(leaf(x, 0), leaf(y, 1))
    np.testing.assert_allclose(got.vectors, oracles.aligned_average(x.numpy(), y.numpy()), atol=1e-12)
    assert got.weights.tolist() == [2] * 60


@pytest.mark.parametrize("runs", [2, 3, 5, 8])
@pytest.mark.parametrize("renormalise", [False, True])
def test_rotated_copies_average_to_the_original(runs, renormalise):
    stack = generators.noisy_copies(runs, 50, 6, noise=0)
    top = tree_average(stack, renormalise=renormalise)[-1][0]
    torch.testing.assert_close(top.vectors @ top.vectors.T, stack[0] @ stack[0].T)


@pytest.mark.parametrize(("runs", "sizes"), [(5, [5, 3, 2, 1]), (8, [8, 4, 2, 1]), (6, [6, 3, 2, 1]), (2, [2, 1])])
def test_levels_hold_every_run_once(runs, sizes):
    levels = tree_average(generators.noisy_copies(runs, 20, 4))
    assert [len(level) for level in levels] == sizes
    for level in levels:
        assert sorted(itertools.chain(*(node.runs for node in level))) == list(range(runs))


def test_every_run_has_equal_weight_for_any_number_of_runs():
    """One word of one run in five is moved, too little to turn an alignment: the average moves by a fifth."""
    stack = generators.noisy_copies(1, 4000, 5, noise=0).repeat(5, 1, 1)
    for moved in range(5):
        shifted = stack.clone()
        shifted[moved, 7] += 1e-4
        change = tree_average(shifted)[-1][0].vectors[7] - tree_average(stack)[-1][0].vectors[7]
        torch.testing.assert_close(change, torch.full((5,), 2e-5, dtype=torch.float64), rtol=0.05, atol=0)


def test_union_rule_word_by_word():
    stack = generators.noisy_copies(3, 30, 5, noise=0)
    present = torch.ones(3, 30, dtype=torch.bool)
    present[0, 1] = present[1:, 2] = present[:, 3] = False
    garbage = torch.where(present[:, :, None], stack, 9.0)
    top = tree_average(garbage, present=present)[-1][0]
    assert top.weights[[0, 1, 2, 3]].tolist() == [3, 2, 1, 0]
    assert (top.vectors[3] == 0).all()
    kept = torch.tensor([i for i in range(30) if i != 3])
    gram = top.vectors[kept] @ top.vectors[kept].T
    torch.testing.assert_close(gram, stack[0][kept] @ stack[0][kept].T)


def test_no_common_word():
    x, y = generators.noisy_copies(2, 6, 3)
    a = leaf(x, 0, torch.arange(6) < 3)
    with pytest.raises(AlignmentError, match="share no word"):
        aligned_average(a, leaf(y, 1, torch.arange(6) >= 3))


def test_no_common_direction_and_values_that_are_not_finite():
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    y = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(AlignmentError, match="run 4 and run 7 share no direction") as caught:
        aligned_average(leaf(x, 4), leaf(y, 7))
    assert (caught.value.first, caught.value.second) == ((4,), (7,))
    with pytest.raises(AlignmentError, match="not finite"):
        aligned_average(leaf(x, 0), leaf(y * torch.nan, 1))


def turned_otherwise(a, b, sign):
    """The average by another map that aligns the common words as well: anything in the directions that are open.

    Two signs give two maps, however many directions are open and whatever vectors the decomposition has for them.
    """
    both = (a.weights > 0) & (b.weights > 0)
    left, values, right = torch.linalg.svd(a.vectors[both].T @ b.vectors[both])
    rank = int((values > 1e-12 * values[0]).sum())
    middle = torch.block_diag(torch.eye(rank).double(), sign * generators.rotation(len(values) - rank))
    weights = torch.stack([a.weights, b.weights]).double()[:, :, None]
    return (weights[0] * (a.vectors @ left @ middle @ right) + weights[1] * b.vectors) / weights.sum(0).clamp(min=1)


@pytest.mark.parametrize(
    ("common", "dimension", "narrow", "open_to"),
    [
        (3, 10, None, 20),  # three common words of a union: the case of the issue
        (30, 10, None, 0),
        (10, 10, None, 0),
        (9, 10, None, 20),
        (12, 10, "first", 0),  # one space has fewer dimensions, padded with zeros: nothing of it lies in the others
        (12, 10, "second", 0),
        (3, 10, "both", 20),
    ],
)
def test_an_average_is_one_of_many_just_where_another_map_gives_another(common, dimension, narrow, open_to):
    x, y = generators.noisy_copies(2, common + 40, dimension)
    if narrow in ("first", "both"):
        x = torch.nn.functional.pad(x[:, :6], (0, 4))
    if narrow in ("second", "both"):
        y = torch.nn.functional.pad(y[:, :6], (0, 4))
    own = torch.arange(common + 40)
    a = leaf(x, 0, own < common + 20)
    b = leaf(y, 1, (own < common) | (own >= common + 20))
    got = aligned_average(a, b)
    grams = [vectors @ vectors.T for vectors in (got.vectors, turned_otherwise(a, b, 1), turned_otherwise(a, b, -1))]
    same = torch.allclose(grams[0], grams[1]) and torch.allclose(grams[1], grams[2])
    assert same == (not got.undetermined) == (not open_to)
    for found in got.undetermined:
        assert (found.first, found.second, found.common) == ((0,), (1,), common)
        assert found.rank == min(common, 6 if narrow else dimension)
        assert set(range(common, common + 20)) == set(found.words.tolist())


def test_fewer_words_than_dimensions_determine_all_that_there_is():
    a, b = (leaf(x, r) for r, x in enumerate(generators.noisy_copies(2, 3, 5)))
    got = aligned_average(a, b)
    assert not got.undetermined
    torch.testing.assert_close(got.vectors, turned_otherwise(a, b, 1))


def test_what_is_open_beneath_stays_said():
    stack = generators.noisy_copies(4, 43, 10)
    present = torch.ones(4, 43, dtype=torch.bool)
    present[0, 23:] = present[1, :20] = False
    top = tree_average(stack, present=present)[-1][0]
    assert [(found.first, found.second) for found in top.undetermined] == [((0,), (1,))]


def test_averages_are_nearer_to_the_truth_than_runs():
    runs, v = 16, 300
    truth = generators.noisy_copies(1, v, 10, noise=0)[0].numpy()
    levels = tree_average(generators.noisy_copies(runs, v, 10, noise=0.1))
    losses = [np.mean([oracles.reduced_pip(oracles.unit(n.vectors), truth) for n in level]) for level in levels]
    assert all(a > b for a, b in itertools.pairwise(losses))
    assert losses[0] / losses[-1] > 2.5


def test_inputs_stay_as_they_are():
    stack = generators.noisy_copies(3, 20, 4)
    before = stack.clone()
    tree_average(stack, renormalise=True)
    assert torch.equal(stack, before)


@pytest.mark.parametrize("runs", [2, 3, 7])
def test_levels_one_by_one_are_those_of_the_tree_and_let_go_of_what_is_merged(runs):
    stack = generators.noisy_copies(runs, 20, 4)
    want = tree_average(stack)[1:]
    found = []
    for level in levels_above(leaf(run, r) for r, run in enumerate(stack)):
        found.append([(node.vectors, node.runs) for node in level])
        alive = weakref.ref(level[0].vectors)
        below = level
    assert [[node.runs for node in level] for level in want] == [[beneath for _, beneath in level] for level in found]
    for a, b in zip(want, found, strict=True):
        assert all(torch.equal(node.vectors, vectors) for node, (vectors, _) in zip(a, b, strict=True))
    del found, want
    assert len(below) == 1
    assert alive() is below[0].vectors


def test_a_level_is_emptied_as_the_next_one_is_made():
    levels = levels_above(leaf(run, r) for r, run in enumerate(generators.noisy_copies(8, 20, 4)))
    first = next(levels)
    assert len(first) == 4
    alive = weakref.ref(first[0].vectors)
    assert len(next(levels)) == 2
    assert not first
    assert alive() is None
