"""Tables of the thesis that follow from other tables of the study: 2.1, 2.7, 2.9 and 2.10 of Rettenmeier 2020."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpustab.results import Table
from gpustab.statistics.intervals import Estimate, sd_interval


class Extremes(NamedTuple):
    """Table 2.1: lowest and highest score of runs made alike, the difference in percent of the lowest.

    The difference grows with the number of runs, and extremes have no jackknife error; the relative SD, in percent of
    the mean, does not grow and has a 95 % interval (χ² of R − 1; the mean's own error is left out).
    """

    technique: str
    test: str
    runs: int
    lowest: float
    highest: float
    relative_difference: float
    relative_sd: float
    low: float
    high: float


class Scored(NamedTuple):
    """Table 2.10: mean and SD of scores over runs; the mean's 95 % interval (Student's t of R − 1)."""

    technique: str
    test: str
    runs: int
    mean: float
    sd: float
    low: float
    high: float


class Place(NamedTuple):
    """Table 2.9: techniques from stable (place 1) to unstable; how far the next one is, with its standard error."""

    sampling: str
    place: int
    technique: str
    reduced_pip: float
    se: float
    to_next: float
    to_next_se: float


class Criterion(NamedTuple):
    """Table 2.7: one criterion, for measures by nearest neighbours and for the word-wise PIP loss.

    The formal criteria hold for both (§2.2.1); there is nothing to measure.
    """

    technique: str
    criterion: str
    measured: str
    neighbours: float
    pip: float


def closing_tables(
    tables: Mapping[str, Table], groups: Sequence[Mapping[str, Any]], silent: Collection[str] = ()
) -> dict[str, Table]:
    """Return ``table_2_1``, ``table_2_7``, ``table_2_9`` and ``table_2_10``.

    Args:
        tables: the study's other tables, of all techniques; what is missing (a chapter that was left out) is NaN here,
            or has no row.
        groups: summaries of the techniques: name, words and dimension.
        silent: techniques on which no verdict is given: they have no place among the others.
    """
    tables = defaultdict(Table, tables)
    single = list(tables["scores"].records(runs_beneath=1))
    return {
        "table_2_1": Table.of(map(_extremes, single), Extremes._fields),
        "table_2_7": Table.of([row for group in groups for row in _criteria(tables, group)], Criterion._fields),
        "table_2_9": Table.of(_places(tables["table_2_8"], silent), Place._fields),
        "table_2_10": Table.of(map(_scored, single), Scored._fields),
    }


def _extremes(row: Mapping[str, Any]) -> Extremes:
    runs, lowest, highest = row["spaces"], _number(row["worst"]), _number(row["best"])
    sd = _number(row["sd"])
    # Percent of what is not above 0 means nothing.
    difference = 100 * (highest / lowest - 1) if lowest > 0 else math.nan
    relative = 100 * sd / row["mean"] if row["mean"] > 0 else math.nan
    low, high = sd_interval(relative, runs)
    return Extremes(row["technique"], row["test"], runs, lowest, highest, difference, relative, low, high)


def _scored(row: Mapping[str, Any]) -> Scored:
    runs, mean, sd = row["spaces"], row["mean"], _number(row["sd"])
    interval = Estimate.of_runs(mean, sd / math.sqrt(runs), runs).interval
    return Scored(row["technique"], row["test"], runs, mean, sd, *interval)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _places(losses: Table, silent: Collection[str]) -> Iterator[Place]:
    for sampling, rows in losses.split("sampling"):
        judged = (row for row in rows.records() if row["technique"] not in silent)
        ordered = sorted(judged, key=lambda row: row["reduced_pip"])
        for place, row in enumerate(ordered, 1):
            value, se = row["reduced_pip"], row["se"]
            following = ordered[place] if place < len(ordered) else {"reduced_pip": math.nan, "se": math.nan}
            apart = following["reduced_pip"] - value, math.hypot(following["se"], se)
            yield Place(sampling, place, row["technique"], value, se, *apart)


def _criteria(tables: Mapping[str, Table], group: Mapping[str, Any]) -> Iterator[Criterion]:
    name, v, d = group["name"], group["words"], group["dimension"]
    by_n = [
        value
        for row in tables["table_2_3"].records(technique=name, metric="p")
        for n, value in row.items()
        if n.startswith("@") and n != f"@{row['n']}"
    ]
    by_proxy = [
        value
        for row in tables["table_2_6"].records(technique=name, words="all")
        for m, value in row.items()
        if m.isdigit()
    ]
    consistency = "lowest Spearman's ρ over words: of any two n; of fewer words with all"
    yield Criterion(name, "consistency", consistency, _lowest(by_n), _lowest(by_proxy))
    independence = "Pearson's ρ over words with the structure factor ρ@1, which knows means alone"
    yield Criterion(name, "independence", independence, *_with_structure(tables, name))
    complexity = "multiplications per word and pair of runs: 2vd; 6d² with the Grams' share"
    yield Criterion(name, "complexity", complexity, 2.0 * v * d, 6.0 * d * d)


def _lowest(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return min(known, default=math.nan)


def _with_structure(tables: Mapping[str, Table], name: str) -> tuple[float, float]:
    """Pearson's ρ of measured p@1, and of the PIP loss, with the structure factor over the predicted words."""
    losses = {row["word"]: row["intrinsic"] for row in tables["words"].records(technique=name)}
    rows = [row for row in tables["predictions"].records(technique=name, n=1) if row["word"] in losses]
    structure = [row["structure"] for row in rows]
    return pearson(structure, [row["measured"] for row in rows]), pearson(structure, [losses[r["word"]] for r in rows])


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Pearson's ρ; NaN for fewer than 3 values, or where one side is constant."""
    x, y = (np.asarray(values, np.float64) for values in (first, second))
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])
