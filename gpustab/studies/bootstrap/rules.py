"""By which rules the paper's findings are judged, what they are called, and where they stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.tables import estimate
from gpustab.studies.shared.claims import Observation, Verdict, within

Row = dict[str, Any]

ALIKE = math.log(1.25)
"""Two spreads within a factor of 1.25 are alike."""
FIRM_LISTS = 0.5
"""Two lists with a set Jaccard of one half share two of three words."""
SUFFICIENT = 0.9
"""Averaged lists of which nine in ten words come back are stable."""
FLAT = 0.97
"""Mean cosine with the ten closest words above which a space does not tell near words apart."""
FLAT_RULE = f"no test where the mean cosine with the closest words is above {FLAT}: near-ties are compared"
"""Stands for the rule of a finding on a group that is flat."""
BIAS_ALONE = 0.1
"""What is left of figure 6's rise after its bias counts from this logarithm on: a tenth."""


def ratio(first: Row, second: Row, name: str = "log_spread") -> Estimate:
    """Return the logarithm of the ratio of two groups' spreads."""
    return estimate(first, name).minus(estimate(second, name))


def alike(difference: Estimate) -> Verdict:
    """Tell whether two spreads are within a factor of 1.25.

    >>> alike(Estimate(0.0, 0.02, 9)), alike(Estimate(0.0, 0.2, 9)), alike(Estimate(0.6, 0.02, 9))
    ('yes', 'undecided', 'no')
    """
    return within(difference, -ALIKE, ALIKE)


def below(estimate: Estimate, bound: float) -> Verdict:
    """Tell whether a number lies below a bound.

    >>> below(Estimate(0.2, 0.1, 9), 0.5), below(Estimate(0.5, 0.1, 9), 0.5), below(Estimate(0.9, 0.1, 9), 0.5)
    ('yes', 'undecided', 'no')
    """
    return within(estimate, -math.inf, bound)


def is_flat(row: Row) -> bool:
    """Tell whether the nearest words of a group all have nearly the query's own direction.

    Their order is then a matter of the third decimal, and SDs of cosines near 1 are small whatever the runs are.
    """
    return bool(row["mean_value"] > FLAT)


def leaves(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """By technique, unit, fraction and part: the rows by sampling."""
    found: dict[Any, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(all_but(row, "sampling"), {})[row["sampling"]] = row
    return list(found.values())


def all_but(row: Row, name: str) -> tuple[Any, ...]:
    """Return what a group is, without one field."""
    return tuple(row[field] for field in ("technique", "sampling", "unit", "fraction", "part") if field != name)


def seen(claim: str, rows: Sequence[Row], shows: str, agrees: Verdict, rule: str) -> Observation:
    """Return a finding on the first of the groups that are compared; there is no test where one of them is flat."""
    if any(map(is_flat, rows)):
        agrees, rule = "no test", FLAT_RULE
    return Observation(SOURCE[claim], claim, rows[0]["group"], shows, agrees, rule)


def factor(difference: Estimate) -> str:
    """Return a difference of logarithms as a factor with its interval."""
    low, high = difference.interval
    if math.isnan(difference.value):
        return "–"
    span = "no interval" if math.isnan(low) else f"{math.exp(low):.2f}–{math.exp(min(high, 700)):.2f}"
    return f"× {math.exp(difference.value):.2f} ({span})"


SMALL = "Each technique has a small variation over fixed runs"
ORDER_CLAIM = "The order of the documents has no effect on the variation"
WIDER = "Bootstrap runs vary more: which documents are there matters"
LOWER = "Bootstrap runs have lower mean cosines"
LEAST = "GloVe and LSA vary least over fixed and shuffled runs"
MOST = "PPMI varies most in all settings"
WEAKER = "The effect of bootstrap is weakest for PPMI, whose fixed runs are closest to its bootstrap runs"
JACCARD = "Lists of the nearest words agree much less over bootstrap runs"
PPMI_LISTS = "The lists of PPMI agree least"
TOP_TWO = "Even very highly ranked words drop out of the list"
DISJOINT = "Two bootstrap runs may have no word of ten in common"
RANKS = "Words change their rank under bootstrap"
SENTENCE = "Sentences as units vary less than whole documents"
SIZE = "A smaller corpus varies more"
STABILISES = "The variability rises with the number of runs and stabilises at about 25"
AVERAGE = "Averaging over bootstrap runs is sufficient for stable results"

SOURCE = {
    SMALL: "§7",
    ORDER_CLAIM: "§7, §8",
    WIDER: "§7, figure 1",
    LOWER: "§7, table 4",
    LEAST: "§7, figure 1",
    MOST: "§7, figure 1",
    WEAKER: "§7, §8",
    JACCARD: "§7, figure 2",
    PPMI_LISTS: "§7, figure 2",
    TOP_TWO: "§7, figure 2",
    DISJOINT: "§1",
    RANKS: "§7, figure 3",
    SENTENCE: "§7, figure 4",
    SIZE: "§7, figure 5",
    STABILISES: "§7, figure 6",
    AVERAGE: "§1",
}
ORDERED = list(SOURCE)
