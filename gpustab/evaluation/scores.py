"""One score per run, and what the runs say together."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class RunScores:
    """The scores of R runs on one test. A single number hides their spread (Rettenmeier 2020, tables 1.4 and 2.1).

    Attributes:
        values: one per run, in the order of the runs; ``None`` where the score is undefined.

    Example:
        >>> scores = RunScores((0.25, 0.5, None, 0.75))
        >>> scores.n, scores.mean, scores.sd, scores.best, scores.worst
        (3, 0.5, 0.25, 0.75, 0.25)
    """

    values: tuple[float | None, ...]

    @property
    def defined(self) -> tuple[float, ...]:
        """The scores of the runs that have one."""
        return tuple(value for value in self.values if value is not None)

    @property
    def n(self) -> int:
        """In how many runs the score is defined."""
        return len(self.defined)

    @property
    def mean(self) -> float | None:
        """Mean over the runs that have a score."""
        return statistics.fmean(self.defined) if self.n else None

    @property
    def sd(self) -> float | None:
        """Standard deviation over the runs with ``ddof = 1``; ``None`` for fewer than two."""
        return statistics.stdev(self.defined) if self.n > 1 else None

    @property
    def best(self) -> float | None:
        """Highest score."""
        return max(self.defined, default=None)

    @property
    def worst(self) -> float | None:
        """Lowest score."""
        return min(self.defined, default=None)
