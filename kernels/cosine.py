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
    return product(unit[queries], unit.mT).clamp_(-1, 1)


def unit_rows(x: Tensor) -> Tensor:
    """Return rows of length 1 in float64, NaN for a zero row; ``(..., d)``."""
    x = x.double()
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length


class RunningStatistics:
    """Mean and SD over runs of tensors of equal shape, fed one run at a time; NaN means absent.

    Sums of the steps from each number's first value, and of their squares: equal values have no spread, and as the
    first value is one of them, the subtraction magnifies rounding by no more than the number of runs.
    """

    def __init__(self) -> None:
        self._first: Tensor | None = None
        self._sum = self._squares = torch.empty(0, device="cpu")
        self._runs: int | Tensor = 0

    def add(self, values: Tensor) -> None:
        """Take in one run."""
        values = values.double()
        if self._first is None:
            self._first, self._sum, self._squares = values.clone(), torch.zeros_like(values), torch.zeros_like(values)
        if isinstance(self._runs, int) and not values.sum().isnan():  # one look instead of three
            step: Tensor = values - self._first
            self._runs += 1
        else:
            here = ~values.isnan()
            self._first = self._first.where(~self._first.isnan(), values)
            step = torch.where(here, values - self._first, 0)
            self._runs = self._runs + here.double()
        self._sum += step
        self._squares.addcmul_(step, step)

    def found(self) -> CosineStatistics:
        """Return what the runs so far say.

        Raises:
            ValueError: if there was none.
        """
        if self._first is None:
            raise ValueError("no runs were given")
        runs = self._runs if isinstance(self._runs, Tensor) else torch.full_like(self._first, self._runs)
        mean = self._first + self._sum / runs
        moment = (self._squares - self._sum.square() / runs).clamp(min=0)
        sd = (moment / (runs - 1)).sqrt().where(runs > 1, torch.nan)
        return CosineStatistics(mean.where(runs > 0, torch.nan), sd, runs.long())


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
