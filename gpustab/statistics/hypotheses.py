"""Tests of normality and of independence over R runs, calibrated by simulated normals and by permuted runs.

And what normals look like at R runs once they are whitened.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product
from gpustab.statistics.ranks import centred_ranks, spearman_p

_KS_95 = 1.358
"""95 % quantile of the Kolmogorov distribution."""
SIMULATED = 10_000
"""Default number of rows of simulated normals."""


class Uniformity(NamedTuple):
    """Whether p-values look as they would if the null hypothesis were true.

    Attributes:
        tested: how many there are; undefined ones are left out.
        low: share of them below 0.05.
        null_low: share of the simulated ones below 0.05.
        distance: largest distance between their distribution and the simulated one, in [0, 1].
        band: by so much the distance errs in 95 % of the cases, of p-values that do not depend on each other.
        p: of that distance.
        naive_p: Kolmogorov-Smirnov test against the uniform law, which is wrong for few runs.
    """

    tested: int
    low: float
    null_low: float
    distance: float
    band: float
    p: float
    naive_p: float


class Independence(NamedTuple):
    """Spearman correlations over runs between the cosines of two word pairs, for many such couples.

    Attributes:
        correlation: their mean, in [−1, 1].
        spread: standard error of that mean: root mean square of it over permutations of the *runs*. Couples of the same
            runs stay together, so it holds also where couples depend on each other.
        p: of the mean, two-sided: share of these permutations with a mean as far from 0. All orders of few runs, those
            of 4 give no p below 1/24.
        p_values: ``(M,)`` of every couple.
        uniformity: of the p-values, which takes the couples for independent of each other.
    """

    correlation: float
    spread: float
    p: float
    p_values: Tensor
    uniformity: Uniformity


def shapiro_p(values: Tensor) -> Tensor:
    """Return Shapiro-Wilk p-values of ``(N, R)`` values, R ≥ 3, ``(N,)``; NaN for a pair that does not vary."""
    from scipy.stats import shapiro

    if values.ndim != 2 or values.shape[1] < 3:
        raise InputError(f"values have shape {tuple(values.shape)}, wanted (N, R) with R of at least 3")
    rows = values.double().numpy()
    varies = np.ptp(rows, axis=1) > 0
    p = np.full(len(rows), math.nan)
    if varies.any():
        p[varies] = shapiro(rows[varies], axis=1).pvalue  # at once: a call a row takes three times as long
    return torch.from_numpy(p)


def independence(
    first: Tensor, second: Tensor, seed: int, *, permutations: int = 999, simulated: int = SIMULATED
) -> Independence:
    """Test whether paired rows are independent over the runs; rows that do not vary are left out.

    Args:
        first: ``(M, R)``, R ≥ 3.
        second: ``(M, R)``.
        seed: of the permutations and the simulated normals.
        permutations: how many orders of the runs are drawn; all of them where there are no more.
        simulated: rows of normals that the p-values are compared with, two rows to a p-value.
    """
    correlation, p_values = spearman_p(first, second)
    # Ranks of unit length, so that a correlation is a product; NaN where a row does not vary.
    a, b = (torch.nn.functional.normalize(centred_ranks(x), dim=1, eps=0) for x in (first, second))
    varies = ~(a.isnan() | b.isnan()).any(1)
    # The mean over couples is a product of an (R, R) matrix with a permutation: no couple is looked at again.
    table = product(a[varies].mT, b[varies]) / int(varies.sum())  # (R, R)
    mean = float(correlation[varies].mean())
    spread, p = _permuted(table, mean, permutations, seed)
    null = simulated_p(paired_p, first.shape[1], seed, count=simulated)
    return Independence(mean, spread, p, p_values, uniformity(p_values, null))


def paired_p(values: Tensor) -> Tensor:
    """Return the p-values of Spearman's ρ between every other row of ``(2N, R)`` values and the next one, ``(N,)``."""
    return spearman_p(values[0::2], values[1::2])[1]


def _permuted(table: Tensor, mean: float, permutations: int, seed: int) -> tuple[float, float]:
    """Return the spread over permuted runs of the mean correlation, and the share with a mean as far from 0."""
    runs = len(table)
    places = torch.arange(runs, device="cpu")
    every = math.factorial(runs) <= permutations
    generator = torch.Generator().manual_seed(seed)
    orders = (
        (torch.tensor(order, device="cpu") for order in itertools.permutations(range(runs)))
        if every
        else (torch.randperm(runs, generator=generator, device="cpu") for _ in range(permutations))
    )
    means = torch.stack([table[places, order].sum() for order in orders])
    far = int((means.abs() >= abs(mean) - 1e-12).sum())
    p = far / len(means) if every else (1 + far) / (1 + permutations)
    return float(means.square().mean().sqrt()), p


@lru_cache(maxsize=8)
def simulated_p(test: Callable[[Tensor], Tensor], runs: int, seed: int, *, count: int = SIMULATED) -> Tensor:
    """Return the p-values that a test gives for ``(count, R)`` independent normals."""
    generator = torch.Generator().manual_seed(seed)
    return test(torch.randn(count, runs, dtype=torch.float64, generator=generator, device="cpu"))


def uniformity(p_values: Tensor, null: Tensor) -> Uniformity:
    """Compare p-values with those that simulated normals give at the same R (two-sample Kolmogorov-Smirnov)."""
    from scipy.stats import ks_2samp, kstest

    found, simulated = (x[~x.isnan()].numpy() for x in (p_values, null))
    if not len(found) or not len(simulated):
        raise InputError("no p-value is defined: no word pair varies over the runs")
    test = ks_2samp(found, simulated, method="asymp")
    low, null_low = (float((x < 0.05).mean()) for x in (found, simulated))
    naive = float(kstest(found, "uniform", method="asymp").pvalue)
    band = _KS_95 * math.sqrt(1 / len(found) + 1 / len(simulated))
    return Uniformity(len(found), low, null_low, float(test.statistic), band, float(test.pvalue), naive)


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
