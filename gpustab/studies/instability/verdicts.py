"""Rules by which an observation of the thesis is found again or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot, isnan
from typing import Any, Literal, NamedTuple

from gpustab.results import Table

Verdict = Literal["yes", "no", "undecided"]

WORD_BASED = ("sgns", "cbow", "glove")
AS_IN_THESIS = {"sgns": "word2vec", "glove": "GloVe", "fasttext": "fastText"}
"""Our names of the thesis' techniques."""


class Observation(NamedTuple):
    """One row of the table of observations.

    Attributes:
        source: section and number in the thesis.
        claim: what it states.
        technique: of whom; empty if of several.
        shows: what the runs show.
        agrees: whether that is what the thesis states.
        rule: by which this was decided.
    """

    source: str
    claim: str
    technique: str
    shows: str
    agrees: Verdict
    rule: str


def rows(tables: Mapping[str, Table], name: str, **wanted: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that have the wanted values; none of a table that is not there."""
    return tables[name].rows(**wanted) if name in tables else iter(())


def within(value: float, half: float, low: float, high: float) -> Verdict:
    """Tell whether an interval ``value ± half`` lies in ``low .. high`` (yes), outside (no), or across a bound.

    >>> within(0.1, 0.02, -0.2, 0.2), within(0.19, 0.02, -0.2, 0.2), within(0.3, 0.02, -0.2, 0.2)
    ('yes', 'undecided', 'no')
    """
    if isnan(value) or isnan(half):
        return "undecided"
    if low <= value - half and value + half <= high:
        return "yes"
    return "no" if value + half < low or value - half > high else "undecided"


def rising(values: Sequence[tuple[float, float]]) -> Verdict:
    """Tell whether values with standard errors rise, each step by more than two errors of the difference.

    >>> rising([(1.0, 0.1), (2.0, 0.1)]), rising([(1.0, 0.5), (1.2, 0.5)]), rising([(2.0, 0.1), (1.0, 0.1)])
    ('yes', 'undecided', 'no')
    """
    steps = [
        (after - before) / hypot(error, next_error) if error or next_error else (after - before) * float("inf")
        for (before, error), (after, next_error) in pairwise(values)
    ]
    if not steps or any(isnan(step) for step in steps):
        return "undecided"
    return "yes" if min(steps) > 2 else "no" if min(steps) < -2 else "undecided"
