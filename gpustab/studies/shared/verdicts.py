"""Rules by which an observation of the thesis is found again or not.

Every rule has a margin and an error: *yes* if the 95 % interval lies within the margin, *no* if it lies outside,
*undecided* if it reaches across. A difference that was not found is no agreement. How often each rule is wrong, and how
often it says nothing, was counted by simulation (``benchmarks/verdicts.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate

OBSERVATIONS = "Observations of the thesis, and whether these runs show them"

Verdict = Literal["yes", "no", "undecided", "no test"]
"""``no test``: these runs cannot tell, however many there were."""

WORD_BASED = ("sgns", "cbow", "glove")
AS_IN_THESIS = {"sgns": "word2vec", "glove": "GloVe", "fasttext": "fastText"}
"""Our names of the thesis' techniques."""


class Observation(NamedTuple):
    """One row of the table of observations.

    Attributes:
        source: section and number in the thesis.
        claim: what it states.
        technique: of whom; empty if of several.
        shows: what the runs show; ± is half the 95 % interval.
        agrees: whether that is what the thesis states.
        rule: by which this was decided.
    """

    source: str
    claim: str
    technique: str
    shows: str
    agrees: Verdict
    rule: str


def facts(observations: Table) -> list[tuple[str, str, str]]:
    """Return the table of observations as facts of a page."""
    return [
        (f"{row['source']}  {row['technique']}", row["agrees"], f"{row['claim']}: {row['shows']}. Rule: {row['rule']}.")
        for row in observations.rows()
    ]


def rows(tables: Mapping[str, Table], name: str, **wanted: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that have the wanted values; none of a table that is not there or has no rows."""
    table = tables.get(name)
    return table.rows(**wanted) if table else iter(())


def decide(interval: tuple[float, float], low: float, high: float) -> Verdict:
    """Tell whether an interval lies in ``low .. high`` (yes), outside (no), or across a bound; or is undefined.

    >>> decide((0.1, 0.2), 0, 1), decide((0.9, 1.1), 0, 1), decide((1.1, 1.2), 0, 1), decide((math.nan, 1), 0, 1)
    ('yes', 'undecided', 'no', 'undecided')
    """
    if any(map(math.isnan, interval)):
        return "undecided"
    if low <= interval[0] and interval[1] <= high:
        return "yes"
    return "no" if interval[1] < low or interval[0] > high else "undecided"


def within(estimate: Estimate, low: float, high: float) -> Verdict:
    """Tell whether a number lies in ``low .. high``, by its interval."""
    return decide(estimate.interval, low, high)


def above(estimate: Estimate, bound: float) -> Verdict:
    """Tell whether a number lies above a bound, by its interval.

    >>> above(Estimate(1.0, 0.1, 30), 0.5), above(Estimate(1.0, 0.1, 2), 0.7), above(Estimate(1.0, 0.1, 30), 1.5)
    ('yes', 'undecided', 'no')
    """
    return decide(estimate.interval, bound, math.inf)


def rising(estimates: Sequence[Estimate]) -> Verdict:
    """Tell whether numbers from different runs rise, each step clear of 0; no if one falls as clearly.

    >>> rising([Estimate(1.0, 0.1, 7), Estimate(2.0, 0.1, 7)]), rising([Estimate(1.0, 0.5, 7), Estimate(1.2, 0.5, 7)])
    ('yes', 'undecided')
    """
    steps = [above(after.minus(before), 0.0) for before, after in pairwise(estimates)]
    return all_of(steps) if steps else "undecided"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return no if one is no, else yes if all are yes.

    >>> all_of(["yes", "yes"]), all_of(["yes", "undecided"]), all_of(["undecided", "no"])
    ('yes', 'undecided', 'no')
    """
    if "no" in verdicts:
        return "no"
    return "yes" if all(verdict == "yes" for verdict in verdicts) else "undecided"


def shown(value: float | None, form: str) -> str:
    """Return a number in a form, ``–`` if it is undefined.

    >>> shown(0.031, ".1%"), shown(math.nan, ".1%")
    ('3.1%', '–')
    """
    return "–" if value is None or math.isnan(value) else format(value, form)
