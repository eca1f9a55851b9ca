import warnings

import numpy as np
import pytest
import torch

from gpustab.kernels.cosine import cosines, over_runs, query_cosines
from tests import generators, oracles


def test_pairs_and_queries_over_runs():
    stack = generators.noisy_copies(5, 40, 6)
    first, second = torch.tensor([0, 3, 9]), torch.tensor([1, 4, 39])
    got = over_runs(cosines(run[first], run[second]) for run in stack)
    full = np.array([oracles.unit(run) @ oracles.unit(run).T for run in stack])
    np.testing.assert_allclose(got.mean, full[:, first, second].mean(0), atol=1e-13)
    np.testing.assert_allclose(got.sd, full[:, first, second].std(0, ddof=1), atol=1e-13)
    queries = over_runs(query_cosines(run, first) for run in stack)
    np.testing.assert_allclose(queries.mean, full[:, first].mean(0), atol=1e-13)
    np.testing.assert_allclose(queries.sd, full[:, first].std(0, ddof=1), atol=1e-13)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_vector_with_itself(dtype):
    """0 ... 83: the float32 cosine with itself is 1.0000001, whose arccos is NaN."""
    x = torch.arange(84, dtype=dtype)[None]
    got = over_runs([cosines(x, x)] * 3)
    assert got.mean.item() == pytest.approx(1, abs=1e-6)
    assert got.mean.item() <= 1
    assert got.sd.item() <= 1e-6
    assert not torch.arccos(cosines(x, x)).isnan().any()


def test_zero_vectors_are_undefined_and_counted():
    run = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1e-30, 0.0]])
    other = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    got = over_runs([query_cosines(run, torch.tensor([1])), query_cosines(other, torch.tensor([1]))])
    assert got.runs.tolist() == [[1, 2, 2, 2]]
    assert got.mean.tolist() == [[1, 1, 0, 1]]
    assert got.sd[0, 0].isnan()


@pytest.mark.parametrize("from_run", [0, 1, 4])
def test_runs_that_lack_a_pair_are_left_out_whenever_they_come(from_run):
    values = torch.rand(6, 5, dtype=torch.float64, generator=generators.generator(2))
    values[from_run:, 3] = torch.nan
    values[from_run, 1] = torch.nan
    got = over_runs(values)
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of no run, and of one
        np.testing.assert_allclose(got.mean, np.nanmean(values, 0), atol=1e-15)
        np.testing.assert_allclose(got.sd, np.nanstd(values, 0, ddof=1), atol=1e-15)
    assert got.runs.tolist() == (~values.isnan()).sum(0).tolist()


def test_equal_runs_have_no_spread_and_a_small_one_is_resolved():
    values = torch.rand(7, dtype=torch.float64, generator=generators.generator(3))
    assert not over_runs([values] * 5).sd.any()
    steps = 1e-9 * torch.randn(5, 7, dtype=torch.float64, generator=generators.generator(4))
    moved = values + steps
    np.testing.assert_allclose(over_runs(moved).sd, (moved - values).std(0), rtol=1e-9)


def test_no_runs():
    with pytest.raises(ValueError, match="no runs"):
        over_runs([])
