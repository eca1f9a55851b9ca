import math

import numpy as np
import pytest
import torch

from gpustab.kernels.jackknife import jackknife, pair_errors, pair_matrix, pair_statistics
from tests import generators, oracles


@pytest.mark.parametrize("runs", [3, 4, 7, 16])
def test_equals_leaving_every_run_out(runs):
    values = torch.rand(runs * (runs - 1) // 2, generator=generators.generator(runs), dtype=torch.float64)
    matrix = pair_matrix(values, runs)
    got = pair_statistics(matrix)
    assert got.mean == pytest.approx(values.mean().item())
    assert got.sd == pytest.approx(values.std().item())
    assert got.se == pytest.approx(oracles.jackknife(matrix.numpy()))
    per_run = matrix.sum(1) / (runs - 1)
    formula = 4 * (runs - 1) / (runs * (runs - 2) ** 2) * (per_run - values.mean()).square().sum()
    assert got.se == pytest.approx(formula.sqrt().item())


def test_two_runs_have_neither_spread_nor_error():
    got = pair_statistics(pair_matrix(torch.tensor([0.5]), 2))
    assert got.mean == 0.5
    assert math.isnan(got.sd)
    assert math.isnan(got.se)


def test_is_right_where_the_naive_error_is_three_times_too_small():
    """Pairs share runs: d_ij = a_i + a_j has a mean with standard error 2 sd(a)/√R."""
    runs, trials = 16, 400
    g = generators.generator(0)
    means, errors = [], []
    for _ in range(trials):
        a = torch.randn(runs, 1, generator=g, dtype=torch.float64)
        matrix = (a + a.T).fill_diagonal_(0)
        statistics = pair_statistics(matrix)
        means.append(statistics.mean)
        errors.append(statistics.se**2)
    true = torch.tensor(means).std().item()
    assert (sum(errors) / trials) ** 0.5 == pytest.approx(true, rel=0.1)


def naive(matrix):
    """Mean, SD, and the error by leaving out every run, of the pairs that have a value."""
    pairs = [(i, j) for i in range(len(matrix)) for j in range(i) if matrix[i, j] == matrix[i, j]]
    runs = sorted({r for pair in pairs for r in pair})
    without = [np.mean([matrix[p] for p in pairs if r not in p]) for r in runs]
    se = math.sqrt((len(runs) - 1) / len(runs) * np.square(np.array(without) - np.mean(without)).sum())
    values = [matrix[p] for p in pairs]
    return np.mean(values), np.std(values, ddof=1), se, len(pairs)


def test_pairs_without_a_value_are_left_out():
    matrix = pair_matrix(torch.rand(15, generator=generators.generator(3), dtype=torch.float64), 6)
    for i, j in ((0, 1), (2, 5), (3, 0), (3, 1), (3, 2), (3, 4), (3, 5)):  # run 3 has no pair at all
        matrix[i, j] = matrix[j, i] = math.nan
    assert pair_statistics(matrix) == pytest.approx(naive(matrix.numpy()))


def test_pairs_that_all_share_one_run_have_a_mean_but_no_error():
    matrix = torch.full((4, 4), math.nan).fill_diagonal_(0)
    matrix[0, 1:] = matrix[1:, 0] = torch.tensor([1.0, 2.0, 6.0])
    found = pair_statistics(matrix)
    assert (found.mean, found.pairs) == (3.0, 3)
    assert math.isnan(found.se)
    nothing = pair_statistics(torch.full((3, 3), math.nan).fill_diagonal_(0))
    assert nothing.pairs == 0
    assert all(math.isnan(x) for x in nothing[:3])


def test_absent_runs_take_no_part():
    matrix = pair_matrix(torch.rand(6, generator=generators.generator(3), dtype=torch.float64), 4)
    matrix[2] = matrix[:, 2] = 0
    present = torch.tensor([True, True, False, True])[:, None]
    keep = matrix[[0, 1, 3]][:, [0, 1, 3]]
    assert jackknife(matrix.sum(1, keepdim=True), present).item() == pytest.approx(oracles.jackknife(keep.numpy()))


def test_many_matrices_at_once_are_one_after_the_other():
    g = torch.Generator().manual_seed(3)
    matrices = torch.rand(40, 6, 6, generator=g, dtype=torch.float64)
    matrices = (matrices + matrices.mT).masked_fill(torch.rand(40, 6, 6, generator=g) < 0.3, torch.nan)
    matrices = torch.maximum(matrices.triu(1), matrices.triu(1).mT)  # NaN stays NaN
    matrices[0, 1:] = matrices[0, :, 1:] = torch.nan
    matrices[1] = torch.nan
    for found in (matrices, matrices[:, :2, :2], matrices[:, :3, :3]):
        mean, error = pair_errors(found)
        each = [pair_statistics(one) for one in found]
        torch.testing.assert_close(mean, torch.tensor([one.mean for one in each]).double(), equal_nan=True)
        naive = [_left_out(one) for one in found]
        torch.testing.assert_close(error, torch.tensor(naive).double(), equal_nan=True)


def _left_out(matrix):
    """The jackknife over runs that share a value with any, each left out in turn."""
    matrix = matrix.clone().fill_diagonal_(torch.nan)
    runs = [i for i in range(len(matrix)) if not matrix[i].isnan().all()]
    means = [float(matrix[[j for j in runs if j != i]][:, [j for j in runs if j != i]].nanmean()) for i in runs]
    if len(runs) < 3 or any(mean != mean for mean in means):
        return float("nan")
    centre = sum(means) / len(means)
    return ((len(runs) - 1) / len(runs) * sum((mean - centre) ** 2 for mean in means)) ** 0.5
