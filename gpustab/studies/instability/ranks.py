"""Rank correlations."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def rank_correlations(columns: Tensor) -> Tensor:
    """Return Spearman's ρ of all pairs of N columns over T rows, ``(N, N)``; NaN where a column is constant.

    Args:
        columns: ``(T, N)``; rows with a NaN are left out.

    >>> rank_correlations(torch.tensor([[1.0, 9.0], [2.0, 4.0], [3.0, 1.0]])).round(decimals=6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    from scipy.stats import rankdata

    defined = columns[~columns.isnan().any(1)].double().cpu()
    ranks = torch.from_numpy(rankdata(defined.numpy(), axis=0))
    centred = ranks - ranks.mean(0)
    unit = centred / torch.linalg.vector_norm(centred, dim=0)
    correlations: Tensor = (unit.mT @ unit).clamp(-1, 1)
    return correlations


def rank_correlation(first: Tensor, second: Tensor) -> tuple[float, float]:
    """Return Spearman's ρ of two columns ``(T,)`` and its two-sided p-value (Student's t); NaN if one is constant.

    >>> round(rank_correlation(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([2.0, 1.0, 3.0, 4.0]))[0], 6)
    0.8
    """
    from scipy.stats import spearmanr

    if any(bool((column == column[:1]).all()) for column in (first, second)):
        return math.nan, math.nan
    found = spearmanr(first.double().cpu().numpy(), second.double().cpu().numpy())
    return float(found.statistic), float(found.pvalue)
