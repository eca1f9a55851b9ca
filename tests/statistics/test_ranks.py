import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, spearmanr

from gpustab.statistics.ranks import rank_correlation, rank_correlations, shift_p, spearman


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=30))
def test_spearman_is_that_of_scipy(pairs):
    x, y = torch.tensor(pairs, dtype=torch.float64).T
    found = spearman(x[None], y[None]).item()
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)


def test_columns_with_ties_correlate_as_scipy_says():
    columns = torch.from_numpy(np.random.default_rng(0).integers(0, 5, (40, 3)).astype(float))
    np.testing.assert_allclose(rank_correlations(columns), spearmanr(columns.numpy()).statistic)
    assert rank_correlation(columns[:, 0], columns[:, 1])[0] == pytest.approx(float(rank_correlations(columns)[0, 1]))


def test_rows_with_a_gap_are_left_out_and_constants_have_no_rank():
    columns = torch.tensor([[1.0, 3.0], [math.nan, 9.0], [2.0, 2.0], [3.0, 1.0]])
    assert rank_correlations(columns).tolist() == [pytest.approx([1, -1]), pytest.approx([-1, 1])]
    assert all(map(math.isnan, rank_correlation(torch.ones(5), torch.arange(5))))


@pytest.mark.parametrize(("n", "m", "values"), [(1, 2, 50), (7, 12, 4), (30, 31, 10), (100, 9, 1000)])
def test_shifted_samples_are_told_as_scipy_tells_them(n, m, values):
    drawn = np.random.default_rng(n).integers(0, values, n + m).astype(float)
    drawn[:n] += values / 3
    found = shift_p(torch.from_numpy(drawn[:n]), torch.from_numpy(drawn[n:]))
    assert found == pytest.approx(mannwhitneyu(drawn[:n], drawn[n:], method="asymptotic").pvalue, rel=1e-9)
    assert math.isnan(shift_p(torch.ones(n), torch.ones(m)))
