"""Rank correlations (Spearman 1904); ties share their mean rank."""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product

_ALL_ORDERS = 8
"""Values of which all 40,320 orders are looked at."""


def centred_ranks(rows: Tensor) -> Tensor:
    """Return the mean ranks of every row's ``(M, T)`` values less the row's mean rank, float64 multiples of one half.

    >>> centred_ranks(torch.tensor([[3.0, 1.0, 3.0, 5.0]])).tolist()
    [[0.0, -1.5, 0.0, 1.5]]
    """
    values, order = rows.double().sort(dim=1)
    places = torch.arange(rows.shape[1], dtype=torch.float64, device=rows.device).expand_as(values)
    apart = values[:, 1:] != values[:, :-1]
    edge = torch.ones_like(values[:, :1], dtype=torch.bool)
    first = places.masked_fill(~torch.cat([edge, apart], 1), 0).cummax(1).values
    last = places.masked_fill(~torch.cat([apart, edge], 1), torch.inf).flip(1).cummin(1).values.flip(1)
    ranks = torch.empty_like(values).scatter_(1, order, (first + last) / 2)
    return ranks - (rows.shape[1] - 1) / 2


def spearman(first: Tensor, second: Tensor) -> Tensor:
    """Return Spearman's ρ of paired rows, ``(M,)`` of ``(M, T)`` twice; NaN where a row is constant.

    >>> spearman(torch.tensor([[1.0, 2.0, 2.0, 4.0]]), torch.tensor([[1.0, 3.0, 2.0, 4.0]])).item()
    0.9486832980505138
    """
    a, b = centred_ranks(first), centred_ranks(second)
    return ((a * b).sum(1) / (a.square().sum(1) * b.square().sum(1)).sqrt()).clamp(-1, 1)


def spearman_p(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Return :func:`spearman` of paired rows and its two-sided p-values (Student's t), each ``(M,)``.

    Raises:
        InputError: unless both are ``(M, R)`` with R of at least 3.
    """
    from scipy.special import stdtr  # not scipy.stats, which takes over a second to import

    if first.shape != second.shape or first.ndim != 2 or first.shape[1] < 3:
        shapes = f"{tuple(first.shape)} and {tuple(second.shape)}"
        raise InputError(f"first and second have shapes {shapes}, wanted (M, R) twice with R of at least 3")
    correlation, freedom = spearman(first, second), first.shape[1] - 2
    statistic = correlation * (freedom / (1 - correlation.square())).sqrt()
    return correlation, torch.from_numpy(2 * stdtr(freedom, -statistic.abs().cpu().numpy()))


def spearman_interval(correlation: float, count: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of Spearman's ρ of so many pairs of values that are independent of each other.

    Fisher's z with the variance ``(1 + ρ²/2)/(n − 3)`` (Bonett & Wright 2000); NaN for fewer than four pairs.

    >>> [round(end, 3) for end in spearman_interval(0.5, 40)], spearman_interval(0.5, 3)
    ([0.205, 0.712], (nan, nan))
    """
    from scipy.special import ndtri

    if count < 4:
        return math.nan, math.nan
    if abs(correlation) == 1:
        return correlation, correlation
    half = float(ndtri((1 + level) / 2)) * math.sqrt((1 + correlation**2 / 2) / (count - 3))
    return math.tanh(math.atanh(correlation) - half), math.tanh(math.atanh(correlation) + half)


def shift_p(first: Tensor, second: Tensor) -> float:
    """Return the two-sided p-value of Mann and Whitney's test, whether ``(n,)`` values are shifted against ``(m,)``.

    The normal approximation with a correction for ties; NaN where all values are equal.

    >>> round(shift_p(torch.arange(20.0), torch.arange(10.0, 30.0)), 6)
    5.2e-05
    """
    n, m = len(first), len(second)
    ranks = centred_ranks(torch.cat([first, second]).double()[None])[0]
    variance = float(ranks.square().sum()) * n * m / ((n + m) * (n + m - 1))
    beyond = max(0.0, abs(float(ranks[:n].sum())) - 0.5)
    return math.erfc(beyond / math.sqrt(2 * variance)) if variance else math.nan


def rank_correlation(first: Tensor, second: Tensor) -> tuple[float, float]:
    """Return Spearman's ρ of two columns ``(T,)`` and its two-sided p-value; NaN if one is constant.

    >>> round(rank_correlation(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([2.0, 1.0, 3.0, 4.0]))[0], 6)
    0.8
    """
    correlation, p = spearman_p(first[None].cpu(), second[None].cpu())
    return float(correlation), float(p)


def permuted_correlation(first: Tensor, second: Tensor) -> tuple[float, float]:
    """Return Spearman's ρ of two short columns ``(T,)`` and its two-sided p-value by all their orders; NaN if constant.

    Student's t gives a ρ of 1 of four values p = 0, but one order in 24 has it, and one in 24 has −1. Above eight
    values it is near enough, and taken.

    >>> permuted_correlation(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (1.0, 0.08333333333333333)
    """
    if len(first) > _ALL_ORDERS:
        return rank_correlation(first, second)
    rho = float(spearman(first[None], second[None]))
    orders = torch.tensor(list(itertools.permutations(range(len(first)))), device="cpu")
    every = spearman(first[None].expand(len(orders), -1), second[orders])
    far = (every.abs() >= abs(rho) - 1e-12).double().mean()
    return rho, float(far) if rho == rho else rho


def rank_correlations(columns: Tensor) -> Tensor:
    """Return Spearman's ρ of all pairs of N columns over T rows, ``(N, N)``; NaN where a column is constant.

    Args:
        columns: ``(T, N)``; rows with a NaN are left out.

    >>> rank_correlations(torch.tensor([[1.0, 9.0], [2.0, 4.0], [3.0, 1.0]])).round(decimals=6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    ranks = centred_ranks(columns[~columns.isnan().any(1)].mT.cpu())
    unit = ranks / torch.linalg.vector_norm(ranks, dim=1, keepdim=True)
    correlations: Tensor = product(unit, unit.mT).clamp(-1, 1)
    return correlations
