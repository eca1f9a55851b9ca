"""Margins and the rules that they decide: each is asked just inside and just outside, and what it says is written down.

A study's own edges stand in ``tests/studies/edges_of_<study>.py`` as ``EDGES``: by id of a margin (see
:func:`gpustab.studies.shared.claims.every_margin`) an :class:`Edge`; ``tests/studies/test_margins.py`` asks them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from gpustab.statistics.intervals import Estimate

STEP = 1e-9


class Edge(NamedTuple):
    """What a rule says on both sides of its margin.

    Attributes:
        of: the rule, as a function of the number that the margin bounds.
        below: what it says of a number just below the margin.
        above: what it says of one just above.
        step: how far off the margin is asked; 1 for counts.
    """

    of: Callable[[float], Any]
    below: Any
    above: Any
    step: float = STEP


def sure(value: float, freedom: int = 9) -> Estimate:
    """An estimate whose interval has no width to speak of."""
    return Estimate(value, 0.0, freedom)
