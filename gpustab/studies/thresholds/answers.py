"""The sentences of single questions: the paper's rule, the shapes of distributions, tests without pairs below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpustab.statistics.intervals import Estimate
from gpustab.studies.thresholds.over_runs import error_of
from gpustab.studies.thresholds.sentences import Tables, cosine, higher, rows_of
from gpustab.studies.thresholds.shapes import SAME

_MANY = 6
"""Of more pairs of groups it is only told how many have one shape."""

WIDE = 0.05
"""The paper's threshold depends on the group size if sizes move it by more."""

_BEYOND = 3
"""By so many standard deviations of random draws ρ must be lower: with six tests a false verdict in one of 120."""


def of_paper(tables: Tables) -> Iterator[str]:
    """The paper's threshold is a matter of how many pairs the lowest group has.

    Over runs the two sizes furthest apart must differ by an interval that allows for the choice; one run is what it is.
    """
    for row in rows_of(tables, "thresholds", kind="value", rule="paper", found=0):
        yield (
            f"{row['group']}: with the least number of pairs that was asked for, the paper's rule finds no threshold: "
            "no group has so many, or none is higher than the lowest."
        )
    for group in dict.fromkeys(row["group"] for row in rows_of(tables, "paper_sizes")):
        own = [row for row in rows_of(tables, "paper_sizes", group=group) if row["next_higher"] is not None]
        own = [row for row in own if row["min_pairs"] >= 30]
        if len(own) < 2:
            continue
        low, high = min(own, key=lambda row: row["next_higher"]), max(own, key=lambda row: row["next_higher"])
        if high["next_higher"] - low["next_higher"] > WIDE and _sure(high, low, len(own)):
            yield (
                f"{group}: the paper's threshold is no property of the space: it is {cosine(high['next_higher'])} if a "
                f"group must have {high['min_pairs']:,} pairs, and {cosine(low['next_higher'])} at "
                f"{low['min_pairs']:,}."
            )


def _sure(high: Mapping[str, Any], low: Mapping[str, Any], sizes: int) -> bool:
    """Tell whether the paper's thresholds at two of so many sizes differ by more than runs do."""
    if min(high["runs"], low["runs"]) == 1:
        return True
    first, second = (
        Estimate.of_runs(row["next_higher"], error_of(row["sd"], row["runs_with_one"]), row["runs_with_one"])
        for row in (high, low)
    )
    return higher(first, second, sizes * (sizes - 1) // 2) == "yes"


def of_shapes(tables: Tables) -> Iterator[str]:
    """Are the distributions of one shape (hypothesis 2)?"""
    between = [row for row in rows_of(tables, "shapes") if row["first"] != row["second"]]
    if len(between) > _MANY:
        yield _counted(between)
        return
    for row in between:
        both = f"{row['first']} and {row['second']}, scaled to mean 0 and SD 1,"
        if row["shape"] == "same":
            yield f"{both} have one shape: they are at most {row['highest']:.3f} apart, and {SAME} counts as one."
        elif row["shape"] == "different":
            told = f"samples of 1,000 tell them apart in {row['rejected']:.0%} of draws"
            yield f"{both} have different shapes: they are at least {row['lowest']:.3f} apart; {told}."
        else:
            span = f"{row['lowest']:.3f} to {row['highest']:.3f}"
            yield f"{both}: whether their shapes differ is not clear: they are {span} apart, and {SAME} counts as one."


def _counted(rows: Sequence[Mapping[str, Any]]) -> str:
    """Of many pairs of groups: how many have one shape, and which are furthest apart."""
    number = Counter(row["shape"] for row in rows)
    far = max(rows, key=lambda row: row["distance"])
    return (
        f"Scaled to mean 0 and SD 1, {number['same']} of {len(rows)} pairs have one shape (at most {SAME} apart), "
        f"{number['different']} have different ones, of {number['undecided']} it is not clear. Furthest apart are "
        f"{far['first']} and {far['second']}: {far['distance']:.3f}."
    )


def of_scores(tables: Tables) -> Iterator[str]:
    """Leaving out pairs below the threshold narrows the range."""
    for group in dict.fromkeys(row["group"] for row in rows_of(tables, "scores")):
        rows = [row for row in rows_of(tables, "scores", group=group, rule="chance") if row["below"] >= 1]
        rows = [row for row in rows if row["above"] is not None and row["draw_sd"] is not None]
        lower = [row for row in rows if row["above"] < row["dropped"] - _BEYOND * row["draw_sd"]]
        if lower:
            worst = max(lower, key=lambda row: row["dropped"] - row["above"])
            yield (
                f"{group}: leaving out the pairs below the threshold lowers ρ more than leaving out as many at random "
                f"in {len(lower)} of {len(rows)} tests ({worst['test']}: {worst['above']:.2f} against "
                f"{worst['dropped']:.2f}): it narrows the range that is correlated, and is no better evaluation."
            )
