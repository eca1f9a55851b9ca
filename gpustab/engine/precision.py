"""How exact products must be for what is asked, and how exact a result is then.

Differences of nearly equal numbers amplify relative rounding errors by a condition number κ; all bounds are per unit of
κ and were measured: 20 spaces of 3,000 to 20,000 words, d = 50 to 300, mean cosines of 0.02 to 0.9, κ from 2 to 9e5,
against float64.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs

_FLOAT32_TOTAL, _FLOAT32_LEAST = 1.2e-8, 2.0**-24
"""Relative error of a PIP loss from float32 products in short sums, and what it is however small κ.

Measured 1.1e-8 in nearly collapsed spaces, else 5e-9; 4e-8 of 400 words where κ is 1. The loss of a word errs as little
where its own products are float64, whatever those of the Gram were.
"""
_FLOAT32_WORD = 4e-8
"""Relative error of a word's mean loss by float32 products, times √d: 1.8e-7 at d = 50, 6e-7 at 300."""
FLOAT64 = 2.0**-52
WANTED = 1e-3
"""Relative error that no PIP loss may exceed, while the vectors themselves resolve it."""
_AUTO = 1e-6
"""Relative error up to which ``precision="auto"`` takes the faster products on a CPU, and ``"1e-6"`` anywhere."""
_SURELY = 0.8
"""Share of what is allowed that an estimate may reach."""
_SAMPLE = 256
_WORTH = 5e9
"""Operations from which on it matters which products are faster: 0.1 s of float64 on one CPU core."""


def worst_condition(condition: Tensor) -> float:
    """Return the largest condition number; equal runs (infinite) have no relative error to speak of."""
    finite = condition[condition.isfinite()]
    return float(finite.max()) if len(finite) else 0.0


def rounding_error(condition: Tensor, dtype: torch.dtype) -> Tensor:
    """Return bounds on the relative errors of PIP losses by their condition numbers and the dtype of the products."""
    return condition * FLOAT64 if dtype == torch.float64 else condition * _FLOAT32_TOTAL + _FLOAT32_LEAST


def largest_condition(compute: Compute, dimension: int) -> float:
    """Return up to which condition number float32 products are exact enough."""
    if _chooses(compute):
        return (_AUTO - _FLOAT32_LEAST) / _FLOAT32_TOTAL
    return WANTED / (_FLOAT32_WORD * math.sqrt(dimension))


def dtype_of_products(runs: Runs, compute: Compute, counted: Tensor) -> torch.dtype:
    """Return the dtype in which a block Gram is formed; where a bound is asked for, a few words are looked at first.

    Float32 takes half the time. A result that turns out not to be resolved is computed again, so that the guess costs
    time at worst.
    """
    if not _chooses(compute):
        return torch.float64 if compute.precision == "fast" else compute.dtype
    if len(runs) * (len(runs) + 1) * runs.dimension**2 * float(counted.sum()) < _WORTH:
        return torch.float64
    likely = likely_condition(runs, counted) <= _SURELY * largest_condition(compute, runs.dimension)
    return torch.float32 if likely else torch.float64


def tolerated(compute: Compute) -> float:
    """Return the relative error up to which plain float64 products will do; beyond it, deviations are measured."""
    return _AUTO if compute.precision == "1e-6" else WANTED


def _chooses(compute: Compute) -> bool:
    return compute.precision == "1e-6" or (compute.precision == "auto" and compute.device.type == "cpu")


def likely_condition(runs: Runs, counted: Tensor) -> float:
    """Estimate the largest condition number of the losses of neighbouring runs from the cosines of 256 words.

    ``κ = (‖C_ii‖² + ‖C_jj‖²) / total²`` are sums over pairs of words. Those of a word with itself count for more in a
    sample than in the whole, so the two kinds are scaled up one by one.
    """
    words = counted.nonzero().flatten()
    v, m = len(words), min(_SAMPLE, len(words))
    words = words[torch.arange(m, device=words.device) * v // m]
    scale = torch.full((m, m), v * (v - 1) / max(m * (m - 1), 1), dtype=torch.float64, device=words.device)
    scale.fill_diagonal_(v / m)
    worst, before = 0.0, None
    for r in range(len(runs)):
        rows = runs.select(r, words)
        cosines = product(rows, rows.mT)
        if before is not None:
            size = float((scale * (before.square() + cosines.square())).sum())
            square = float((scale * (before - cosines).square()).sum())
            worst = max(worst, size / square if square else 0.0)
        before = cosines
    return worst
