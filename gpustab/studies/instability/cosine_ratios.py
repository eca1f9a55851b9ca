"""What averaging does to means and SDs of cosines, with errors. Rettenmeier 2020, eq. 3.6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

Values = tuple[Tensor, Tensor]
"""Dot products and cosines of word pairs, each ``(pairs, k)`` in k spaces."""

_ERRORS_FROM_0 = 5
"""A mean cosine nearer to 0 than so many of its errors has no ratio to speak of."""


class CosineRatios(NamedTuple):
    """Eq. 3.6: means and SDs of cosines of averages, as parts of those of runs.

    Attributes:
        averages: behind each number; errors are by leaving out one of them with its runs.
        mean: ratio of the mean cosines; NaN where that of the runs is 0 within its error, as in a space that is
            centred: there noise decides even its sign.
        slope: of the averages' mean cosines on the runs' over word pairs, through 0: the same bias where ``mean`` is
            undefined.
        sd: ratio of mean SDs; ``rms_sd`` of their root mean squares; ``dot_``: of dot products.
    """

    technique: str
    renormalised: bool
    runs_beneath: int
    averages: int
    mean: float
    slope: float
    slope_se: float
    sd: float
    sd_se: float
    rms_sd: float
    dot_mean: float
    dot_sd: float


def cosine_ratios(
    name: str, renormalised: bool, beneath: int, orders: Sequence[tuple[list[list[int]], Values]], single: Values
) -> CosineRatios:
    """Compare one level of some trees with the runs.

    Args:
        name: of the technique.
        renormalised: whether levels are scaled to unit length.
        beneath: runs beneath each average.
        orders: for every order of the runs, which runs are beneath each average, and the values in the averages.
        single: the values in the runs.
    """
    dot, cosine = single
    found, errors = [], []
    for groups, (dots, cosines) in orders:
        ratios = torch.stack([slope(cosines, cosine), sd_ratio(cosines, cosine)])
        rms = (cosines.var(1).mean() / cosine.var(1).mean()).sqrt()
        means = [(x.mean() / y.mean()) for x, y in ((cosines, cosine), (dots, dot))]
        found.append(torch.stack([*ratios, rms, *means, sd_ratio(dots, dot)]))
        errors.append(_variances(groups, cosines, cosine))
    numbers = torch.stack(found).mean(0).nan_to_num(math.nan, math.nan, math.nan).tolist()
    rise, sd, rms_sd, mean, dot_mean, dot_sd = numbers
    if not _clear_of_0(cosine):
        mean = dot_mean = math.nan
    if math.isnan(rms_sd):  # equal runs have nothing that averaging could change
        rise = math.nan
    rise_se, sd_se = torch.stack(errors).mean(0).sqrt().tolist()
    averages = len(orders[0][0])
    return CosineRatios(name, renormalised, beneath, averages, mean, rise, rise_se, sd, sd_se, rms_sd, dot_mean, dot_sd)


def slope(averages: Tensor, runs: Tensor) -> Tensor:
    """Return the slope through 0 of the mean values of word pairs in averages ``(pairs, k)`` on those in runs."""
    x, y = runs.mean(1), averages.mean(1)
    return (x * y).sum() / x.square().sum()


def sd_ratio(averages: Tensor, runs: Tensor) -> Tensor:
    """Return the mean SD over averages as a part of that over runs, each freed of the bias of an SD of few values."""
    a, b = (
        x.std(1).mean() / expected_sd(x.shape[1]) if x.shape[1] > 1 else x.new_tensor(math.nan)
        for x in (averages, runs)
    )
    return a / b


def expected_sd(n: int) -> float:
    """E[SD]/σ of n normal values, ddof 1: 0.798 for two, 0.965 for eight."""
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))


def _variances(groups: list[list[int]], averages: Tensor, runs: Tensor) -> Tensor:
    """Squared jackknife errors of slope and SD ratio, leaving out one average with the runs beneath it, (2,)."""
    k = len(groups)
    left_out = []
    for a in range(k):
        rest = [r for r in range(runs.shape[1]) if r not in groups[a]]
        others = averages[:, [b for b in range(k) if b != a]]
        if not rest or k < 2:
            return runs.new_full((2,), math.nan)
        left_out.append(torch.stack([slope(others, runs[:, rest]), sd_ratio(others, runs[:, rest])]))
    return (k - 1) * torch.stack(left_out).var(0, correction=0)


def _clear_of_0(cosines: Tensor) -> bool:
    means = cosines.mean(1)
    error = float(means.std()) / math.sqrt(len(means)) if len(means) > 1 else math.nan
    return abs(float(means.mean())) > _ERRORS_FROM_0 * error
