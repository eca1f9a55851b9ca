"""What claims are asked on the documentation's page of sentences: by id of a claim, what is judged, with real numbers.

A module a study, each with ``EXAMPLES``. No verdict stands here: the claim gives it, and a test wants one of each kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from gpustab.statistics.intervals import Estimate

R = TypeVar("R", bound=tuple[Any, ...])


def made(kind: type[R], /, **values: Any) -> R:
    """Return a row of a table with some of its values; the others are 0."""
    row: R = kind(**dict.fromkeys(getattr(kind, "_fields"), 0) | values)  # noqa: B009  # a named tuple's
    return row


def over(value: float, se: float, runs: int = 8) -> Estimate:
    """Return a number with its error over so many runs."""
    return Estimate.of_runs(value, se, runs)


def examples() -> dict[str, Sequence[Any]]:
    """Return what every claim is asked, by its id."""
    found: dict[str, Sequence[Any]] = {}
    for name in sorted(module.name for module in iter_modules(__path__)):
        of_study: Mapping[str, Sequence[Any]] = import_module(f"{__name__}.{name}").EXAMPLES
        found |= of_study
    return found
