"""The figures of change: changes beside what they are compared with, the ways of words, and the law of frequency."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from statistics import median
from typing import NamedTuple

from gpustab.report.svg.axes import Axis, Named, at, known, round_ticks, short
from gpustab.report.svg.charts import BANDED, LINE, MARKS, WHISKERS, Cloud, Curve, Layer, Note, lines
from gpustab.report.svg.colours import nth
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from, each
from gpustab.report.svg.rows import PAIRED, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.results.page import number, percent
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.tables import (
    Excess,
    Kept,
    Pair,
    Word,
    arrow,
    at_random,
    beside_splits,
    called,
    compared,
    first_words,
    main_series,
    splits_of,
)


class _Mark(NamedTuple):
    """A number of a pair of periods: what it is, its class and form, and the column of its standard error."""

    label: str
    style: str
    shape: int
    error: str
    below: float = 17
    """Units from the name of the pair to its line, of which the lower is free of training noise."""

    @property
    def named(self) -> Named:
        """What stands in the key."""
        return Named(self.label, f"{self.style} full", self.shape)


_MARKS = {
    "change": _Mark("change", "g0", 0, "change_se"),
    "training_floor": _Mark("two runs of one period", "g3", 3, "training_se"),
    "sampling_floor": _Mark("two samplings of one", "g1", 1, "sampling_se"),
    "corrected": _Mark("change without training noise", "g2", 2, "corrected_se", 34),
}
_AT_RANDOM = _Mark("documents dealt out at random", "g4", 4, "corrected_se", 34)
_UNLIKE = Named("two different words", "ink line thin dash")
_STEPS = 40
"""Points of a curve."""


@drawn_from("pairs")
def floors(pairs: Table[Pair], _: Tables) -> Picture:
    """A panel for every series that answers the question: changes beside what training, sampling and chance come to."""
    series = main_series(pairs)
    row = next(pairs.rows(series=series[0])) if series else next(pairs.rows())
    floor, what = row.sampling_floor, "two samplings of one period differ by"
    if floor is None:
        floor, what = row.training_floor, "two runs of one period differ by"
    title = (
        f"Words moved by {number(row.change, 2)} from {row.first} to {row.second}; {what} {number(floor, 2)}, "
        f"two different words by {number(row.unlike, 2)}"
    )
    return Picture(title, _floors(pairs, series))


@drawn_from("pairs")
def floors_of_others(pairs: Table[Pair], _: Tables) -> Picture:
    """The same of documents dealt out at random and of bootstrap runs."""
    return Picture("", _floors(pairs, _others(pairs)))


def _others(pairs: Table[Pair]) -> list[str]:
    answering = main_series(pairs)
    return [series for series in called(pairs) if series not in answering]


def _floors(pairs: Table[Pair], series: Sequence[str]) -> list[str]:
    names = called(pairs)
    shown = [[row.unlike, *(getattr(row, name) for name in _MARKS)] for row in pairs.rows()]
    largest = 1.05 * max(max(known(numbers), default=1.0) for numbers in shown)
    axis = Axis("change: 0 is the same use, 2 the most there can be", 0, largest, round_ticks(0.0, largest, most=6))
    return [_floor(pairs, name, names[name] if len(names) > 1 else "", axis) for name in series]


def _floor(pairs: Table[Pair], series: str, title: str, axis: Axis) -> str:
    """One row for every pair of periods: two lines of marks below its name."""
    rows = [(row, splits_of(pairs, row)) for row in pairs.rows(series=series)]
    key = [mark.named for name, mark in _MARKS.items() if known(getattr(row, name) for row, _ in rows)]
    key += [_AT_RANDOM.named] * any(map(math.isfinite, (at_random(row, splits) for row, splits in rows)))
    drawn = [Row(row.periods, [Upright(row.unlike, _UNLIKE.style, (8, 42.5)), *_marks(row, s)]) for row, s in rows]
    said = "; ".join(f"{row.periods} {number(row.change, 3)}" for row, _ in rows)
    label = f"Change and what it is compared with, {title or series}: {said}"
    return dots(drawn, axis, PAIRED, label, heading=short(title, 60), key=[*key, _UNLIKE])


def _marks(row: Pair, splits: Sequence[Pair]) -> Iterator[Dot]:
    marks = [(row, *mark) for mark in _MARKS.items()]
    beside, mark_of_split = str(beside_splits(row)), _AT_RANDOM
    if beside == "change":  # on the line of the change as it is
        mark_of_split = _AT_RANDOM._replace(error="change_se", below=17)
    marks += [(split, beside, mark_of_split) for split in splits]
    for pair, name, mark in marks:
        estimate = pair.estimate(getattr(pair, name), getattr(pair, mark.error))
        ends = estimate.interval if estimate.half > 0 else (math.nan, math.nan)
        yield Dot(estimate.value, mark.style, mark.shape, *ends, below=mark.below)


@drawn_from("trajectories")
def ways(table: Table, tables: Tables) -> Picture:
    """One panel for every series that answers the question, see :func:`_ways`."""
    first = table["word"][0]
    series = main_series(tables["pairs"]) or list(dict.fromkeys(table["series"]))
    rows = list(each(table.where(word=first), "series", "change", "reference", "epoch"))
    of_these = [row for row in rows if row[0] in series]
    _, change, reference, period = max(of_these or rows, key=lambda row: row[1])
    title = f"“{first}” is farthest from {reference} in {period} ({number(change, 2)})"
    return Picture(title, _ways(table, tables["pairs"], series))


@drawn_from("trajectories")
def ways_of_others(table: Table, tables: Tables) -> Picture:
    """The same of documents dealt out at random and of bootstrap runs."""
    pairs = tables.get("pairs", Table())
    return Picture("", _ways(table, pairs, _others(pairs)))


def _ways(table: Table, pairs: Table[Pair], series: Sequence[str]) -> list[str]:
    """The change of every followed word against the reference period, with its band; all panels on one scale."""
    top, titles, periods = max(table["change"]) * 1.25 or 1.0, called(pairs), _in_time(table, pairs)
    ticks = [(float(k), short(period, 10)) for k, period in enumerate(periods)]
    panels = []
    for name in series:
        part = table.where(series=name)
        if part.height:
            drawn = [_way(word, k, rows, periods) for k, (word, rows) in enumerate(part.split("word"))]
            title = titles.get(name, name)
            x = Axis(f"period ({short(title, 34)})", 0.0, max(len(periods) - 1.0, 1.0), ticks)
            y = Axis(f"change from {part['reference'][0]}", 0.0, top)
            words = ", ".join(each.name for each in drawn)
            panels.append(lines(x, y, drawn, f"Change of {words} over periods, {title}", height=260))
    return panels


def _way(word: str, k: int, rows: Table, periods: Sequence[str]) -> Curve:
    ends = [Estimate(*numbers).interval for numbers in each(rows, "change", "se", "freedom")]
    low, high = zip(*ends, strict=True)
    return Curve([periods.index(e) for e in rows["epoch"]], rows["change"], *nth(k), word, low, high, BANDED)


def _in_time(table: Table, pairs: Table[Pair]) -> list[str]:
    """The periods that have rows, in order of time: what comes before what is in the pairs, and in every word's rows.

    A word that lacks a period does not say where it stands.
    """
    periods = [list(part["epoch"]) for _, of_series in table.split("series") for _, part in of_series.split("word")]
    after: dict[str, set[str]] = {}
    for one, two in [*each(pairs, "first", "second"), *chain(*map(pairwise, periods))]:
        after.setdefault(one, set())
        after.setdefault(two, set()).add(one)
    there = dict.fromkeys(table["epoch"])
    try:
        order = list(TopologicalSorter(after).static_order())
    except CycleError:  # series that order the same names otherwise
        order = []
    return sorted(there, key=lambda period: order.index(period) if period in order else -1)


@drawn_from("excess")
def displacement(excess: Table[Excess], tables: Tables) -> Picture:
    """The change of every word over its frequency, with the law: a panel for every series and pair of periods."""
    series = main_series(tables["pairs"])
    panels, said = [], []
    for name, of_series in excess.split("series"):
        for first, part in of_series.split("first") if name in series else ():
            periods = arrow(first, part["second"][0])
            rarest, most = (_typical(part.rows(), end) for end in (False, True))
            said.append(f"{periods} {number(rarest, 2)} and {number(most, 2)}")
            panels.append(_over_frequency(part, f"{periods}, {name}" if len(series) > 1 else periods))
    title = f"Change of the rarest and of the most frequent tenth of the words, median: {'; '.join(said[:3])}"
    return Picture(title if said else "", panels)


def _typical(rows: Iterable[Excess], most: bool) -> float:
    """The median change of the rarest tenth of the words, or of the most frequent one."""
    order = sorted(rows, key=lambda row: row.frequency, reverse=most)
    return median(row.change for row in order[: max(len(order) // 10, 1)])


def _over_frequency(part: Table[Excess], name: str) -> str:
    rows = sorted(part.rows(), key=lambda row: row.frequency)
    points = [(1e6 * row.frequency, row.change) for row in rows if row.change > 0]
    curve = [*rows[:: max(1, len(rows) // _STEPS)], rows[-1]]
    return lines(
        Axis("occurrences per million words, in the earlier period", points[0][0], points[-1][0], log=True),
        Axis("change", min(y for _, y in points), max(y for _, y in points), log=True),
        [
            Cloud(points, "g0"),
            Curve([1e6 * row.frequency for row in curve], [row.expected for row in curve], "ink", name="expected"),
        ],
        f"Change of {len(rows):,} words over their frequency, {name}",
        name=short(name, 40),
    )


@drawn_from("kept")
def kept(table: Table[Kept], tables: Tables) -> Picture:
    """Neighbours lost over displacement, a panel for every pair of periods that answers the question."""
    main, words = main_series(tables["pairs"]), tables["words"]
    rows = [row for row in table.rows() if row.series in main and math.isfinite(row.agreement)]
    said = ", ".join(f"{row.periods} {number(row.agreement, 2)}" for row in rows[:3])
    title = f"How far neighbours and displacement agree on the words (Spearman's ρ, frequency taken out): {said}"
    names = {row: row.periods + (f", {row.series}" if len(main) > 1 else "") for row in rows}
    panels = [
        _both_measures(list(words.rows(series=row.series, first=row.first, second=row.second)), names[row])
        for row in rows
    ]
    return Picture(title if panels else "", panels)


_NAMED = 1
"""So many words of a kind have their names in the picture: those of more lie on each other."""


def _both_measures(words: Sequence[Word], name: str) -> str:
    """Every word by its change between averages and its neighbours lost; those that either measure names stand out."""
    known = [word for word in words if math.isfinite(word.lost)]
    lost, moved = first_words(known)
    kinds = (
        ("named by both", lost & moved, "g1", 1),
        ("by neighbours alone", lost - moved, "g2", 2),
        ("by displacement alone", moved - lost, "g3", 3),
    )
    layers: list[Layer] = [Cloud([(word.averaged, word.lost) for word in known], "ink")]
    notes: list[Layer] = []
    for label, names, style, shape in kinds:
        some = sorted((word for word in known if word.word in names), key=lambda word: -word.lost - word.averaged)
        layers.append(
            Curve([word.averaged for word in some], [word.lost for word in some], style, shape, label, parts=(MARKS,))
        )
        notes += [Note(word.word, word.averaged, word.lost, dx=-7, dy=4) for word in some[:_NAMED]]
    across, up = [word.averaged for word in known], [word.lost for word in known]
    return lines(
        Axis("change between averages, after alignment (0: the same use)", min(0.0, *across), max(across)),
        Axis("neighbours lost (0: none, 1: all)", min(0.0, *up), max(up)),
        layers,
        f"Neighbours lost over change of {len(known):,} words, {name}",
        over=notes,
        keyed=True,
        name=short(name, 40),
    )


@drawn_from("laws")
def laws(table: Table, tables: Tables) -> Picture:
    """R² of frequency over the number of averaged runs: a line for what answers the question, and for its controls."""
    if min(len(set(part["n"])) for _, part in table.split("series")) < 2:
        return Picture(missing="The law over the number of averaged runs needs two runs or more of every period.")
    shown, titles = compared(tables["pairs"]), called(tables["pairs"])
    parts = [(titles[series], part) for series, part in table.split("series") if series in shown]
    said = ", ".join(
        f"{name} {percent(part['r2_marginal'][0])} to {percent(part['r2_marginal'][-1])}" for name, part in parts[:4]
    )
    title = f"What frequency explains of the change, from one run to the average of {max(table['n'])}: {said}"
    x = Axis("runs averaged", 1.0, max(table["n"]), at(sorted(set(table["n"]))), log=True)
    y = Axis("R² of frequency", 0.0, max(table["r2_marginal"]) * 1.25 or 1.0)
    return Picture(title, [lines(x, y, [_law(name, k, part) for k, (name, part) in enumerate(parts)], title)])


def _law(name: str, k: int, rows: Table) -> Curve:
    """The share at every number of runs, dashed where nothing changed; its error is that over words."""
    ends = [Estimate.of_runs(*numbers).interval for numbers in each(rows, "r2_marginal", "r2_se", "words")]
    low, high = zip(*ends, strict=True)
    parts = (f"{LINE} dash" if rows["control"][0] else LINE, MARKS, WHISKERS)
    return Curve(rows["n"], rows["r2_marginal"], *nth(k), name, low, high, parts)


FIGURES: Figures = {
    "kept": (
        "Every word by how far it moved and by which part of its neighbours it lost. The first tenth by either measure "
        "stands out. Words far above the rest lost neighbours without moving much; words far to the right moved, and "
        "kept them.",
        kept,
    ),
    "floors": (
        "Means over words, with 95 % intervals over runs. Above: the change between a run of each, beside what two "
        "runs and two samplings of one period differ by. Below, where the training noise is known: the change without "
        "it. Documents dealt out at random, between which nothing changed, stand on the line that they are to be "
        "compared with.",
        floors,
    ),
    "floors_of_others": ("The same of what the change is compared with, on the same scale.", floors_of_others),
    "ways": (
        "Change of a word's average vector against the reference period, bands 95 % over runs. A period without the "
        "word has no mark.",
        ways,
    ),
    "ways_of_others": ("The followed words in what they are compared with, on the same scale.", ways_of_others),
    "displacement": (
        "Every word by its frequency and its change between the averages of all runs, both on logarithmic scales; "
        "stronger where more words lie. The curve is the change expected at a frequency. (Figure 4.1 of the thesis, "
        "of averages instead of single runs.)",
        displacement,
    ),
    "laws": (
        "Share of the variance of log change that log frequency explains, over the number of averaged runs; dashed "
        "where nothing changed. Whiskers: 95 %, over words.",
        laws,
    ),
}
"""How to read each figure, and its drawing."""
