import math

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab.studies.instability.ranks import rank_correlation, rank_correlations


def test_columns_with_ties_correlate_as_scipy_says():
    columns = torch.from_numpy(np.random.default_rng(0).integers(0, 5, (40, 3)).astype(float))
    np.testing.assert_allclose(rank_correlations(columns), spearmanr(columns.numpy()).statistic)
    assert rank_correlation(columns[:, 0], columns[:, 1])[0] == pytest.approx(float(rank_correlations(columns)[0, 1]))


def test_rows_with_a_gap_are_left_out_and_constants_have_no_rank():
    columns = torch.tensor([[1.0, 3.0], [math.nan, 9.0], [2.0, 2.0], [3.0, 1.0]])
    assert rank_correlations(columns).tolist() == [pytest.approx([1, -1]), pytest.approx([-1, 1])]
    assert all(map(math.isnan, rank_correlation(torch.ones(5), torch.arange(5))))
