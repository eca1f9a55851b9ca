"""Mean, spread and uncertainty of a number that was measured on all pairs of runs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

__all__ = ["PairStatistics", "jackknife", "pair_errors", "pair_matrix", "pair_means", "pair_statistics"]


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
    """What the pairs of runs that have a value say together.

    Attributes:
        mean: over these pairs; NaN without one.
        sd: over them, ``ddof = 1``; NaN for fewer than two.
        se: error of the mean by the jackknife over the runs that are in such a pair; NaN for fewer than three, or where
            all pairs share one run.
        pairs: how many pairs have a value.
    """

    mean: float
    sd: float
    se: float
    pairs: int


def pair_matrix(values: Tensor, runs: int) -> Tensor:
    """Return the symmetric ``(R, R)`` matrix, zero diagonal, of ``(R(R-1)/2,)`` values of the pairs ``i < j``.

    >>> pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    """
    # The indices of half a million pairs would be twice as large as the matrix.
    upper = torch.ones(runs, runs, dtype=torch.bool, device=values.device).triu_(1)
    matrix = values.new_zeros(runs, runs).masked_scatter(upper, values)
    return matrix + matrix.mT


def pair_means(pairs: Tensor) -> tuple[Tensor, Tensor]:
    """Return means over all pairs of runs, and without each run; NaN without a pair.

    Args:
        pairs: ``(t, R, R)`` symmetric; the diagonal is not read.

    Returns:
        ``(t,)`` and ``(R, t)``.

    >>> mean, without = pair_means(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3)[None])
    >>> mean.tolist(), without.flatten().tolist()
    ([2.0], [3.0, 2.0, 1.0])
    """
    n = pairs.shape[1]
    sums = (pairs.sum(2) - pairs.diagonal(dim1=1, dim2=2)).T
    total = sums.sum(0) / 2
    return total / (n * (n - 1) / 2 or torch.nan), (total - sums) / ((n - 1) * (n - 2) / 2 or torch.nan)


def pair_statistics(matrix: Tensor) -> PairStatistics:
    """Return mean, SD and standard error over the pairs of an ``(R, R)`` pair matrix (zero diagonal).

    Pairs without a value (NaN) are left out: under the union rule two runs may share no target word.

    >>> found = pair_statistics(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3))
    >>> [round(x, 6) for x in found]
    [2.0, 1.0, 1.154701, 3]
    """
    upper = torch.ones_like(matrix, dtype=torch.bool).triu_(1)
    values = matrix[upper & ~matrix.isnan()].double()
    mean = float(values.mean()) if len(values) else float("nan")
    sd = float(values.std()) if len(values) > 1 else float("nan")
    return PairStatistics(mean, sd, float(pair_errors(matrix)[1]), len(values))


def pair_errors(matrices: Tensor, subsets: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return mean and standard error over the pairs of each of some pair matrices, as :func:`pair_statistics` does.

    Args:
        matrices: ``(..., R, R)``.
        subsets: ``(S, R)`` bool, some of the runs each: mean and error are of every subset then.

    Returns:
        both ``(...)`` float64, or ``(..., S)`` of subsets.

    >>> mean, error = pair_errors(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3)[None])
    >>> round(float(mean), 6), round(float(error), 6)
    (2.0, 1.154701)
    """
    known = ~matrices.isnan()
    known.diagonal(dim1=-2, dim2=-1).fill_(False)
    values = torch.where(known, matrices, 0).double()
    if subsets is None:
        counts, sums = known.sum(-1).double(), values.sum(-1)
    else:
        members = subsets.double()
        counts, sums = (product(members, x) * members for x in (known.double(), values))
    pairs, total = counts.sum(-1) / 2, sums.sum(-1) / 2
    taking_part = counts > 0
    runs = taking_part.sum(-1, dtype=torch.float64)
    rest = pairs[..., None] - counts  # pairs that are left without run i
    left_out = torch.where(taking_part, (total[..., None] - sums) / rest, 0)
    scatter = torch.where(taking_part, left_out - left_out.sum(-1, keepdim=True) / runs[..., None], 0).square().sum(-1)
    error = ((runs - 1) / runs * scatter).sqrt()
    undefined = (runs < 3) | (taking_part & (rest == 0)).any(-1)
    return total / pairs, error.masked_fill(undefined, torch.nan)
