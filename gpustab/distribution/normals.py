"""What normals look like at R runs: whitened values, and the intervals of a pair's mean and of one more run."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError


class PairSummary(NamedTuple):
    """Cosines of given pairs, every field ``(N,)``.

    Attributes:
        mean: over the runs.
        sd: with ``ddof = 1``.
        low, high: Student's interval of the mean.
        run_low, run_high: interval in which one more run falls.
    """

    mean: Tensor
    sd: Tensor
    low: Tensor
    high: Tensor
    run_low: Tensor
    run_high: Tensor


def whiten(values: Tensor) -> Tensor:
    """Return ``(x − mean) / SD`` of every row, ``ddof = 1``; within ±(R − 1)/√R, NaN where a row does not vary."""
    centred = values.double() - values.double().mean(1, keepdim=True)
    sd = centred.std(1, keepdim=True)
    constant = values.amax(1, keepdim=True) == values.amin(1, keepdim=True)
    return (centred / sd).masked_fill(constant, torch.nan)


def kurtosis(whitened: Tensor) -> float:
    """Return ``E[z⁴] / E[z²]²`` of all defined whitened values together."""
    square = whitened[~whitened.isnan()].square()
    return float(square.square().mean() / square.mean().square())


def whitened_kurtosis(runs: int) -> float:
    """Return the kurtosis of whitened normals at R runs, ``3(R − 1)/(R + 1)``: below the 3 of a normal.

    >>> round(whitened_kurtosis(16), 4)
    2.6471
    """
    return 3 * (runs - 1) / (runs + 1)


def whitened_density(z: Tensor, runs: int) -> Tensor:
    """Return the density of whitened normals at R ≥ 3 runs, to be drawn over their histogram.

    ``z² R/(R − 1)²`` is Beta(½, (R − 2)/2): values are bounded by ``(R − 1)/√R``, and only for large R normal.

    >>> [round(x, 6) for x in whitened_density(torch.tensor([0.0, 2.0]), 4).tolist()]
    [0.333333, 0.0]
    """
    if runs < 3:
        raise InputError(f"runs is {runs}, wanted at least 3")
    bound = (runs - 1) / math.sqrt(runs)
    u = z.double() / bound
    log_beta = math.lgamma(0.5) + math.lgamma((runs - 2) / 2) - math.lgamma((runs - 1) / 2)
    inside = (1 - u.square()).clamp(min=0) ** ((runs - 4) / 2)
    return torch.where(u.abs() < 1, inside * math.exp(-log_beta) / bound, 0)


def pair_summary(values: Tensor, level: float = 0.95) -> PairSummary:
    """Return mean, SD and intervals of ``(N, R)`` cosines, R ≥ 2; the level holds for normals.

    >>> s = pair_summary(torch.tensor([[0.68, 0.69, 0.70]]))
    >>> [round(x.item(), 3) for x in s]
    [0.69, 0.01, 0.665, 0.715, 0.64, 0.74]
    """
    from scipy.stats import t

    runs = values.shape[1]
    if runs < 2 or not 0 < level < 1:
        raise InputError(f"level is {level} and values have shape {tuple(values.shape)}, wanted 0 .. 1 and R ≥ 2")
    mean, sd = values.double().mean(1), values.double().std(1)
    quantile = float(t.ppf((1 + level) / 2, runs - 1))
    of_mean, of_run = quantile * sd / math.sqrt(runs), quantile * sd * math.sqrt(1 + 1 / runs)
    return PairSummary(mean, sd, mean - of_mean, mean + of_mean, mean - of_run, mean + of_run)
