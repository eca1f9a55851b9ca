"""Mean and standard deviation of cosines over runs, for word pairs and for query words against all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want

__all__ = ["CosineStatistics", "RunningStatistics", "cosines", "over_runs", "query_cosines", "unit_rows"]


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
    return (unit_rows(x) * unit_rows(y)).sum(-1).clamp(-1, 1)


def query_cosines(vectors: Tensor, queries: Tensor) -> Tensor:
    """Return the cosines of some rows with all rows of one run, float64, NaN for a zero row.

    Args:
        vectors: ``(v, d)``.
        queries: ``(q,)`` row numbers.

    Returns:
        ``(q, v)``.
    """
    want("vectors", vectors, "(v, d)")
    unit = unit_rows(vectors)
    return product(unit[queries], unit.mT).clamp(-1, 1)


def unit_rows(x: Tensor) -> Tensor:
    """Return rows of length 1 in float64, NaN for a zero row; ``(..., d)``."""
    x = x.double()
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length


class RunningStatistics:
    """Mean and SD over runs of tensors of equal shape, fed one run at a time (Welford); NaN means absent."""

    def __init__(self) -> None:
        self._mean: Tensor | None = None
        self._moment = self._runs = torch.empty(0, device="cpu")

    def add(self, values: Tensor) -> None:
        """Take in one run."""
        values = values.double()
        if self._mean is None:
            self._mean, self._moment, self._runs = (torch.zeros_like(values) for _ in range(3))
        here = ~values.isnan()
        self._runs = self._runs + here
        step = torch.where(here, values - self._mean, 0)
        self._mean = self._mean + step / self._runs.clamp(min=1)
        self._moment = self._moment + step * torch.where(here, values - self._mean, 0)

    def found(self) -> CosineStatistics:
        """Return what the runs so far say.

        Raises:
            ValueError: if there was none.
        """
        if self._mean is None:
            raise ValueError("no runs were given")
        sd = (self._moment.clamp(min=0) / (self._runs - 1)).sqrt().where(self._runs > 1, torch.nan)
        return CosineStatistics(self._mean.where(self._runs > 0, torch.nan), sd, self._runs.long())


def over_runs(values: Iterable[Tensor]) -> CosineStatistics:
    """Return mean and SD over runs of tensors of equal shape, one run at a time; NaN means absent.

    Example:
        >>> s = over_runs([torch.tensor([0.5, 1.0]), torch.tensor([1.0, torch.nan])])
        >>> s.mean.tolist(), round(s.sd[0].item(), 6), s.runs.tolist()
        ([0.75, 1.0], 0.353553, [2, 1])
    """
    running = RunningStatistics()
    for value in values:
        running.add(value)
    return running.found()
