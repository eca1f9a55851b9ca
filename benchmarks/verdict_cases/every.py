"""Every case that `benchmarks.verdicts` counts verdicts on."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.verdict_cases import averages, cosines, frequency, losses, neighbours
from benchmarks.verdict_cases.case import Case


def cases() -> Iterator[Case]:
    """Yield the cases of every kind."""
    for kind in (cosines, neighbours, losses, frequency, averages):
        yield from kind.cases()
