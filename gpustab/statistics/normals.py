"""What normals look like at R runs once they are whitened."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from gpustab.errors import InputError


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
