import math

import numpy as np
import pytest
import torch

from gpustab.machine.device import Compute
from gpustab.studies.instability.how_many import errors, how_many_table, word_matrices
from tests import oracles
from tests.generators import noisy_copies, runs_of


def additive(runs):
    """Distances a_i + a_j, whose mean over the pairs of r runs is twice the mean of their a."""
    a = torch.randn(runs, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 9
    return a, (a[:, None] + a).fill_diagonal_(0)


@pytest.mark.parametrize("size", [3, 4, 6])
def test_both_errors_are_exact_where_runs_add_up(size):
    a, matrix = additive(8)
    wanted = 2 * float(a.std()) / math.sqrt(size) / (2 * float(a.mean()))
    assert errors(matrix, size, 0) == pytest.approx((wanted, wanted))


def test_all_runs_have_no_subsets_and_two_no_jackknife():
    _, matrix = additive(5)
    jackknife, subsampling = errors(matrix, 5, 0)
    value = matrix.sum() / 20
    assert jackknife == pytest.approx(oracles.jackknife(matrix.numpy()) / float(value))
    assert math.isnan(subsampling)
    assert math.isnan(errors(matrix, 2, 0)[0])


def test_drawn_subsets_stand_for_all():
    a, matrix = additive(16)  # 12,870 subsets of eight
    wanted = float(a.std() / math.sqrt(8) / a.mean())
    assert errors(matrix, 8, 0) == pytest.approx((wanted, wanted), rel=0.15)


def test_the_losses_of_single_words_are_the_naive_ones():
    stack = noisy_copies(3, 40, 6)
    found = word_matrices(runs_of(stack), torch.tensor([5, 31]), Compute())
    for i, j in oracles.pairs(3):
        wanted = oracles.wordwise_pip(oracles.unit(stack[i]), oracles.unit(stack[j]))[[5, 31]]
        np.testing.assert_allclose(found[:, i, j], wanted, atol=1e-12)
        np.testing.assert_allclose(found[:, j, i], wanted, atol=1e-12)


def test_the_table_has_all_three_numbers_and_an_outlook_at_the_end():
    table = how_many_table("x", runs_of(noisy_copies(4, 40, 6)), 0, Compute())
    assert table["quantity"] == [q for q in ("reduced PIP loss", "p@10", "one word's PIP loss") for _ in range(3)]
    assert table["runs"] == [2, 3, 4] * 3
    assert table["for_1_percent"][:2] == [None, None]
    assert table["for_1_percent"][2] == math.ceil(4 * (table["jackknife"][2] / 0.01) ** 2)
