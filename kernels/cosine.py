"""Mean and standard deviation of cosines over runs, for word pairs and for query words against all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want


class CosineStatistics(NamedTuple):
    """Cosines over runs.

    Attributes:
        mean: in [−1, 1]; NaN where no run has both words.
        sd: standard deviation with ``ddof = 1``; NaN for fewer than two runs.
        runs: in how many runs both words are present.
    """

    mean: Tensor
    sd: Tensor
    runs: Tensor


def cosines(x: Tensor, y: Tensor) -> Tensor:
    """Return the cosines of paired rows, float64, NaN for a zero row.

    Args:
        x: ``(..., d)``.
        y: ``(..., d)``, paired with the rows of x.
    """
    return (_unit(x) * _unit(y)).sum(-1).clamp(-1, 1)


def query_cosines(vectors: Tensor, queries: Tensor) -> Tensor:
    """Return the cosines of some rows with all rows of one run, float64, NaN for a zero row.

    Args:
        vectors: ``(v, d)``.
        queries: ``(q,)`` row numbers.

    Returns:
        ``(q, v)``.
    """
    want("vectors", vectors, "(v, d)")
    unit = _unit(vectors)
    return product(unit[queries], unit.mT).clamp(-1, 1)


def _unit(x: Tensor) -> Tensor:
    x = x.double()
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length


def over_runs(values: Iterable[Tensor]) -> CosineStatistics:
    """Return mean and SD over runs of tensors of equal shape, one run at a time (Welford); NaN means absent.

    Example:
        >>> s = over_runs([torch.tensor([0.5, 1.0]), torch.tensor([1.0, torch.nan])])
        >>> s.mean.tolist(), round(s.sd[0].item(), 6), s.runs.tolist()
        ([0.75, 1.0], 0.353553, [2, 1])
    """
    mean, moment, runs = None, torch.empty(0), torch.empty(0)
    for value in values:
        value = value.double()
        if mean is None:
            mean, moment, runs = (torch.zeros_like(value) for _ in range(3))
        here = ~value.isnan()
        runs += here
        step = torch.where(here, value - mean, 0)
        mean = mean + step / runs.clamp(min=1)
        moment += step * torch.where(here, value - mean, 0)
    if mean is None:
        raise ValueError("no runs were given")
    sd = (moment.clamp(min=0) / (runs - 1)).sqrt().where(runs > 1, torch.nan)
    return CosineStatistics(mean.where(runs > 0, torch.nan), sd, runs.long())
