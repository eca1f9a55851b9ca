import itertools

import numpy as np
import pytest
import torch

from gpustab.kernels.averaging import aligned_average, leaf, tree_average
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
    with pytest.raises(ValueError, match="share no word"):
        aligned_average(a, leaf(y, 1, torch.arange(6) >= 3))


def test_fewer_words_than_dimensions_is_flagged():
    assert not tree_average(generators.noisy_copies(2, 3, 5))[-1][0].unique
    assert tree_average(generators.noisy_copies(2, 30, 5))[-1][0].unique


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
