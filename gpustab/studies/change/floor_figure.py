"""The figure of changes beside what training, sampling and chance come to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gpustab.report.svg.elements import WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Picture, Tables
from gpustab.report.svg.plot import Named, key_of, round_ticks, short
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.named import asked, called, fewest_runs, pair_of, splits_of
from gpustab.studies.change.sentences import unlike

Row = Mapping[str, Any]

_PAIR, _STEP = 58.0, 17.0
"""Height of a pair of periods, and between its lines."""
_LEFT, _RIGHT = 6.0, WIDTH - 10


class _Mark(NamedTuple):
    """A number of the figure.

    Attributes:
        label: what it is.
        style: its class.
        shape: its form.
        error: column of its standard error.
        below: whether it stands on the line of what is free of training noise.
    """

    label: str
    style: str
    shape: int
    error: str
    below: bool = False


_MARKS = {
    "change": _Mark("change", "g0", 0, "change_se"),
    "training_floor": _Mark("two runs of one period", "g3", 3, "training_se"),
    "sampling_floor": _Mark("two samplings of one", "g1", 1, "sampling_se"),
    "corrected": _Mark("change without training noise", "g2", 2, "corrected_se", True),
}
_AT_RANDOM = _Mark("that of documents dealt out at random", "g4", 4, "corrected_se", True)
_UNLIKE = Named("two different words", "ink line thin dash")


def floors(tables: Tables) -> Picture:
    """A panel for every series that answers the question."""
    pairs = tables.get("pairs")
    if not pairs or not pairs.height:
        return Picture()
    series = asked(pairs)
    row = next(pairs.records(series=series[0])) if series else next(pairs.records())
    floor, what = row["sampling_floor"], "two samplings of one period differ by"
    if floor is None:
        floor, what = row["training_floor"], "two runs of one period differ by"
    title = (
        f"Words moved by {number(row['change'], 2)} from {row['first']} to {row['second']}; {what} {number(floor, 2)}, "
        f"two different words by {number(unlike(row), 2)}"
    )
    return Picture(title, _panels(pairs, series))


def floors_of_others(tables: Tables) -> Picture:
    """The same of documents dealt out at random and of bootstrap runs."""
    pairs = tables.get("pairs")
    if not pairs or not pairs.height:
        return Picture()
    own = asked(pairs)
    return Picture("", _panels(pairs, [series for series in called(pairs) if series not in own]))


def _panels(pairs: Table, series: Sequence[str]) -> list[str]:
    """Panels of one scale."""
    names, largest = called(pairs), max(_largest(row) for row in pairs.records()) * 1.05
    return [_panel(names[name] if len(names) > 1 else "", pairs, name, largest) for name in series]


def _largest(row: Row) -> float:
    values = [unlike(row), *(row[name] for name in _MARKS)]
    return max((value for value in values if value is not None and math.isfinite(value)), default=1.0)


def _panel(title: str, pairs: Table, series: str, largest: float) -> str:
    rows = list(pairs.records(series=series))
    named = [
        Named(own.label, f"{own.style} full", own.shape)
        for name, own in _MARKS.items()
        if any(row[name] is not None and math.isfinite(row[name]) for row in rows)
    ]
    if any(splits_of(pairs, row) for row in rows):
        named.append(Named(_AT_RANDOM.label, f"{_AT_RANDOM.style} full", _AT_RANDOM.shape))
    lines, key = key_of([*named, _UNLIKE], 28)
    top = 28 + 15.0 * lines + 8
    bottom, scale = top + _PAIR * len(rows), (_RIGHT - _LEFT) / largest
    parts = [text(0, 11, short(title, 50), "bold"), *key]
    for value, tick in round_ticks(0.0, largest, most=6):
        x = _LEFT + value * scale
        parts += [line(x, top - 4, x, bottom, "grid"), text(x, bottom + 14, tick, "soft", "middle")]
    for k, row in enumerate(rows):
        parts += _pair(row, splits_of(pairs, row), top + _PAIR * k + 8, scale)
    parts.append(
        text((_LEFT + _RIGHT) / 2, bottom + 31, "change: 0 is the same use, 2 the most there can be", "soft", "middle")
    )
    said = "; ".join(f"{pair_of(row)} {number(row['change'], 3)}" for row in rows)
    return figure(bottom + 38, parts, f"Change and what it is compared with, {title or series}: {said}")


def _pair(row: Row, splits: Sequence[Row], y: float, scale: float) -> Iterator[str]:
    """The name of two periods, and below it two lines of marks with their intervals."""
    yield text(_LEFT, y + 3, pair_of(row), "halo")
    x = _LEFT + unlike(row) * scale
    yield line(x, y + 8, x, y + 2.5 * _STEP, _UNLIKE.style)
    for name, own in _MARKS.items():
        yield from _drawn(row, name, own, y, scale)
    for split in splits:
        yield from _drawn(split, "corrected", _AT_RANDOM, y, scale)


def _drawn(row: Row, name: str, own: _Mark, y: float, scale: float) -> Iterator[str]:
    value, level = row[name], y + _STEP * (2 if own.below else 1)
    if value is None or not math.isfinite(value):
        return
    half = Estimate.of_runs(value, row[own.error], fewest_runs(row)).half
    if half > 0:
        low, high = (_LEFT + max(end, 0) * scale for end in (value - half, value + half))
        yield whisker(low, high, level, f"{own.style} line thin")
    yield mark(_LEFT + max(value, 0) * scale, level, own.shape, f"{own.style} full", 4.5)
