"""The sentences of the study; each is chosen by a rule that has a margin and an error.

How often the rules err, at 3 to 16 runs and at some hundred to a thousand words: ``benchmarks/threshold_verdicts.py``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

from gpustab.results import Table
from gpustab.results.page import counted, minus
from gpustab.statistics.intervals import LEVEL, Estimate, sd_interval, t_quantile
from gpustab.studies.shared.claims import Verdict, above, decide
from gpustab.studies.shared.spaces import COLLAPSED
from gpustab.studies.thresholds.distributions import Distribution
from gpustab.studies.thresholds.one_run import RunFound

STABLE = 0.02
"""Largest standard deviation of a threshold over runs that counts as stable."""

_STEP_SD = 0.01 / math.sqrt(12)
"""Standard deviation within the step in which thresholds are told."""

MANY = 4
"""Of more groups not all pairs are told, only the highest threshold and the lowest."""

FEW_PAIRS = 1_000
"""Fewer pairs say nothing of thresholds of a hundredth."""

_FAR = 0.2

Tables = Mapping[str, Table]


def alarms_of(
    group: str, runs: Sequence[str], distributions: Sequence[Distribution], found: Sequence[RunFound]
) -> list[str]:
    """Return what forbids to read the numbers of a group as they stand."""
    alarms = []
    collapsed = [n for n, own in zip(runs, distributions, strict=True) if own.law.moments.mean > COLLAPSED]
    if collapsed:
        alarms.append(
            f"{group}: {', '.join(collapsed)} {'is' if len(collapsed) == 1 else 'are'} collapsed: all words point one "
            f"way (mean cosine above {COLLAPSED}), so that thresholds of similarity mean nothing. Train longer."
        )
    if found and found[0].pairs < FEW_PAIRS:
        alarms.append(
            f"{group}: the baseline knows {counted(int(found[0].pairs), 'pair')} of words: too few for thresholds. "
            "Read nothing from them."
        )
    return alarms


def verdict(tables: Tables, silent: Collection[str] = (), without: Mapping[str, str] | None = None) -> list[str]:
    """Return the answer in sentences: where thresholds lie, whether they differ, whether training moves them.

    Args:
        tables: of the study.
        silent: groups whose numbers an alarm forbids to read.
        without: why a group has no thresholds.
    """
    table = tables.get("thresholds", Table())
    spoken = {"thresholds": table.take(k for k in range(table.height) if table["group"][k] not in silent)}
    lacking = {group: why for group, why in (without or {}).items() if group not in silent}
    return [*_lead(spoken), *_compared(spoken), *_stable(spoken), *_without(tables, lacking)]


def _without(tables: Tables, why: Mapping[str, str]) -> Iterator[str]:
    """Groups of documents, n-grams, or words that the baseline does not know."""
    for group, reason in why.items():
        means = [row["mean"] for row in rows_of(tables, "moments", group=group)]
        over = f", SD {stdev(means):.3f} over {len(means)} runs" if len(means) > 1 else ""
        yield f"{group}: no thresholds: {reason}. The mean cosine of two of its items is {cosine(fmean(means))}{over}."


def stable(sd: float, runs: int) -> Verdict:
    """Tell whether a threshold stays where it is over runs: its SD is at most 0.02, by a 95 % interval.

    Thresholds are told in steps of 0.01, so that an SD of 0 is one of at most 0.003.

    >>> stable(0.005, 8), stable(0.005, 3), stable(0.1, 8)
    ('yes', 'undecided', 'no')
    """
    return decide(sd_interval(math.hypot(sd, _STEP_SD), runs), 0.0, STABLE)


def higher(first: Estimate, second: Estimate, pairs: int = 1) -> Verdict:
    """Tell whether a threshold is higher than another, by a t interval of the difference over runs.

    Args:
        first: of one group.
        second: of another.
        pairs: how many pairs of groups these two were picked from: the interval is that of 95 % for all of them.

    >>> a, b = Estimate(0.26, 0.004, 3), Estimate(0.07, 0.004, 3)
    >>> higher(a, b), higher(b, a), higher(a, Estimate(0.25, math.nan, 0))
    ('yes', 'no', 'undecided')
    """
    gap = first.minus(second)
    if pairs == 1 or gap.freedom < 1:
        return above(gap, 0.0)
    half = t_quantile(gap.freedom, 1 - (1 - LEVEL) / pairs) * gap.se
    return decide((gap.value - half, gap.value + half), 0.0, math.inf)


def rows_of(tables: Tables, name: str, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table that have some values; none of a table that is not there."""
    return list(tables[name].records(**wanted)) if name in tables else []


def _estimate(row: Mapping[str, Any]) -> Estimate:
    return Estimate.of_runs(row["mean"], row["error"], row["found"])


def cosine(value: float) -> str:
    """Return a cosine for people.

    >>> cosine(-0.19), cosine(0.264)
    ('−0.19', '0.26')
    """
    return minus(f"{value:.2f}")


def _lead(tables: Tables) -> Iterator[str]:
    """Every group's threshold above chance, in every case that there is."""
    for row, clear in _pairs(tables):
        yield _where(row, clear) + (_adjusted(tables, row["group"]) if _lacking(row, clear) else "")


def _pairs(tables: Tables) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Both thresholds of every group."""
    for row in rows_of(tables, "thresholds", kind="value", rule="chance"):
        yield row, next(iter(rows_of(tables, "thresholds", kind="value", rule="clear", group=row["group"])))


def _lacking(row: Mapping[str, Any], clear: Mapping[str, Any]) -> int:
    """Runs that have not both thresholds: a level that is reached nowhere, or everywhere, is none."""
    return int(row["runs"] - min(row["found"], clear["found"]))


def _where(row: Mapping[str, Any], clear: Mapping[str, Any]) -> str:
    if lacking := _lacking(row, clear):
        return (
            f"{row['group']}: no threshold: in {lacking} of {row['runs']} runs no cosine sets pairs clearly apart from "
            "the least similar hundredth."
        )
    place = (
        f"{row['group']}: above a cosine of {cosine(row['mean'])}{_sure(row)} words are nearer than pairs on average"
    )
    share, edge = f"{row['below']:.0%} of all pairs lie below", f"{cosine(clear['mean'])}{_sure(clear)}"
    if clear["mean"] > row["mean"]:
        return f"{place}; {share}. Clearly apart from the least similar hundredth they are only above {edge}."
    return f"{place}; {share}. Up to {edge} they are hardly told from the least similar hundredth."


def _adjusted(tables: Tables, group: str) -> str:
    """What is there once a word's nearness to everything is taken away; it has an error over runs only."""
    rows = rows_of(tables, "thresholds", kind="value", rule="chance adjusted", group=group)
    if not rows or rows[0]["found"] < rows[0]["runs"]:
        return ""
    half = "" if rows[0]["half"] is None else f" ± {rows[0]['half']:.2f} over runs"
    return (
        f" Without what each word has in common with all others they are nearer than average above "
        f"{cosine(rows[0]['mean'])}{half}."
    )


def _sure(row: Mapping[str, Any]) -> str:
    """What the choice of words leaves open; an end far away is no interval but a lack of proof."""
    low, high = row["proven_from"], row["proven_to"]
    if high is None or low is None or high < low:
        return " (from where on, these words cannot prove)"
    return f" ({cosine(low)} to {cosine(high)})" if proven_near(row) else f" (surely only above {cosine(high)})"


def proven_near(row: Mapping[str, Any]) -> bool:
    """Tell whether a threshold is there in every run, and proven by the words not far from where it is."""
    if row["mean"] is None or row["proven_to"] is None or row["found"] < row["runs"]:
        return False
    return row["kind"] != "value" or bool(row["proven_to"] - row["mean"] <= _FAR)


def _compared(tables: Tables) -> Iterator[str]:
    """Which group needs the higher cosine: hypothesis 1, that no threshold fits all models."""
    rows = [row for row, clear in _pairs(tables) if not _lacking(row, clear)]
    if len(rows) > MANY:
        yield _extremes(rows)
        return
    for first, second in combinations(rows, 2):
        a, b = (first, second) if first["mean"] >= second["mean"] else (second, first)
        gap = f"{cosine(a['mean'])} against {cosine(b['mean'])}"
        if higher(_estimate(a), _estimate(b)) == "yes":
            yield f"No threshold fits both: that of {a['group']} is higher than that of {b['group']}, {gap}."
        else:
            yield f"Whether that of {a['group']} is higher than that of {b['group']} these runs cannot tell: {gap}."


def _extremes(rows: Sequence[Mapping[str, Any]]) -> str:
    """Of many groups, as a sweep has them: the highest threshold and the lowest, and whether they differ."""
    a, b = max(rows, key=lambda row: row["mean"]), min(rows, key=lambda row: row["mean"])
    gap = f"from {cosine(b['mean'])} in {b['group']} to {cosine(a['mean'])} in {a['group']}"
    if higher(_estimate(a), _estimate(b), len(rows) * (len(rows) - 1) // 2) == "yes":
        return f"No threshold fits all {len(rows)} groups: theirs reach {gap}."
    return f"Whether one threshold fits all {len(rows)} groups these runs cannot tell: theirs reach {gap}."


def _stable(tables: Tables) -> Iterator[str]:
    """Does training again move the thresholds?"""
    rows = [row for row, clear in _pairs(tables) if row["sd"] is not None and not _lacking(row, clear)]
    told = [(row, stable(row["sd"], row["found"])) for row in rows]
    if len(told) > MANY:
        number = Counter(answer for _, answer in told)
        most = max(row["sd"] for row in rows)
        yield (
            f"Training again leaves the threshold where it is in {number['yes']} of {len(told)} groups, moves it in "
            f"{number['no']}, and of {number['undecided']} these runs cannot tell; its SD is {most:.3f} at most."
        )
        return
    for row, answer in told:
        size = f"{row['sd']:.3f}" if row["sd"] > _STEP_SD else f"below {_STEP_SD:.3f}"
        over = f"SD {size} over {counted(row['found'], 'run')}"
        if answer == "yes":
            yield f"{row['group']}: training again leaves the threshold where it is ({over})."
        elif answer == "no":
            yield f"{row['group']}: training again moves the threshold ({over}): one run does not fix it."
        else:
            yield f"{row['group']}: whether training again moves the threshold these runs cannot tell ({over})."
