"""Mean, spread and uncertainty of a number that was measured on all pairs of runs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.gram import run_pairs


def jackknife(sums: Tensor, present: Tensor) -> Tensor:
    """Return the standard error of a mean over all pairs of runs, by the jackknife over runs.

    ``SE² = (R−1)/R · Σ_i (θ_(i) − θ)²`` with ``θ_(i)`` the mean over the pairs without run i; in terms of h_i, the
    mean over run i's pairs, that is ``4(R−1)/(R(R−2)²) · Σ_i (h_i − θ)²``. Pairs share runs, so SD/√pairs is far
    too small (a third at 16 runs).

    Args:
        sums: ``(R, c)``, for every run the sum of the values of its pairs.
        present: ``(R, c)`` bool, which runs take part.

    Returns:
        ``(c,)``; NaN for fewer than three runs.
    """
    runs = present.sum(0).double()
    left_out = (sums.sum(0) / 2 - sums) / ((runs - 1) * (runs - 2) / 2)  # (R, c): θ_(i)
    centre = torch.where(present, left_out, 0).sum(0) / runs
    spread = torch.where(present, left_out - centre, 0).square().sum(0)
    return ((runs - 1) / runs * spread).sqrt().where(runs > 2, torch.nan)


class PairStatistics(NamedTuple):
    """Mean over the pairs of runs, SD over them (``ddof = 1``, NaN for one pair), jackknife error of the mean."""

    mean: float
    sd: float
    se: float


def pair_matrix(values: Tensor, runs: int) -> Tensor:
    """Return the symmetric ``(R, R)`` matrix, zero diagonal, of ``(R(R-1)/2,)`` values of the pairs ``i < j``.

    >>> pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    """
    i, j = run_pairs(runs, values.device)
    matrix = values.new_zeros(runs, runs)
    matrix[i, j] = matrix[j, i] = values
    return matrix


def pair_statistics(matrix: Tensor) -> PairStatistics:
    """Return mean, SD and standard error over the pairs of an ``(R, R)`` pair matrix (zero diagonal).

    >>> [round(x, 6) for x in pair_statistics(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3))]
    [2.0, 1.0, 1.154701]
    """
    runs = matrix.shape[0]
    i, j = run_pairs(runs, matrix.device)
    values = matrix[i, j].double()
    everyone = torch.ones(runs, 1, dtype=torch.bool, device=matrix.device)
    se = jackknife(matrix.double().sum(1, keepdim=True), everyone)
    sd = float(values.std()) if len(values) > 1 else float("nan")
    return PairStatistics(float(values.mean()), sd, float(se))
