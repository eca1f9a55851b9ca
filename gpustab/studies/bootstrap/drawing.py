"""What the figures of the study draw alike: rows of marks with whiskers, axes, and which groups are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gpustab.report.svg.colours import Series, called, series
from gpustab.report.svg.elements import WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Tables
from gpustab.report.svg.plot import round_ticks, short
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap.rules import is_flat
from gpustab.studies.bootstrap.tables import estimate

Row = dict[str, Any]
Bar = tuple[str, float, float, float]
"""Name of a group, value, ends of its interval."""

ROW, TOP = 40.0, 30.0
_SAMPLINGS = {"bootstrap": ("bootstrap", 0), "shuffled": ("shuffled", 1), "fixed": ("fixed", 2)}


def settings_of(tables: Tables) -> list[Row]:
    """Return the rows of the table of settings."""
    table = tables.get("settings")
    return list(table.records()) if table else []


def drawn_as(groups: Iterable[str]) -> dict[str, Series]:
    """Every group in the colour of its sampling, whatever its technique is; other groups in a colour of their own."""
    names = list(dict.fromkeys(groups))
    own = series(names)
    found = {name: next((s for s in _SAMPLINGS if f"/{s}" in name), "") for name in names}
    return {name: Series(*_SAMPLINGS[kind]) if kind else own[name] for name, kind in found.items()}


def ends(found: Estimate) -> tuple[float, float, float]:
    """Return a number with the ends of its interval."""
    return found.value, *found.interval


def bar_of_log(row: Row, name: str) -> Bar:
    """Return a bar of a number that the row holds as a logarithm."""
    value, low, high = (math.exp(min(x, 50)) if x == x else math.nan for x in ends(estimate(row, name)))
    return row["group"], value, low, high


def bars(bars: Sequence[Bar], rows: Sequence[Row], axis: str, top: float = 0.0) -> str:
    """A row for every group: its value with its interval, from 0 on."""
    drawn = drawn_as([row["group"] for row in rows])
    largest = max((value for _, value, _, _ in bars if value == value), default=1.0)
    ends = [min(high, 1.6 * largest) for _, _, _, high in bars if high == high]
    top = top or 1.05 * max(largest, *ends, 1e-9)  # an interval without bound shall not squeeze the others

    def across(value: float) -> float:
        return 6 + (WIDTH - 12) * min(max(value, 0.0), top) / top

    parts: list[str] = []
    for k, (name, value, low, high) in enumerate(bars):
        if value != value:
            continue
        y, style = TOP + ROW * k, drawn[name].style
        parts += [
            text(0, y - 12, f"{short(name, 30)}: {_with_ends(value, low, high)}", f"{style} own bold"),
            line(across(0), y, across(top), y, "grid"),
            whisker(across(low), across(high), y, f"{style} line") if low == low else "",
            mark(across(value), y, drawn[name].shape, f"{style} full", 5),
        ]
    bottom = TOP + ROW * len(bars) - 16
    parts += axis_below(round_ticks(0, top, 5), across, bottom, axis)
    label = "; ".join(f"{name} {_with_ends(value, low, high)}" for name, value, low, high in bars)
    return figure(bottom + 44, parts, f"{axis}. {label}")


def _with_ends(value: float, low: float, high: float) -> str:
    return number(value, 2) if low != low else f"{number(value, 2)} ({number(low, 2)} – {number(high, 2)})"


def axis_below(
    ticks: Sequence[tuple[float, str]], across: Callable[[float], float], bottom: float, title: str
) -> list[str]:
    """Return an axis below rows of marks, with its ticks and its title."""
    parts = [line(across(ticks[0][0]), bottom, WIDTH - 6, bottom)]
    for value, label in ticks:
        x = across(value)
        where = "start" if x < 20 else "end" if x > WIDTH - 20 else "middle"
        parts += [line(x, bottom, x, bottom + 4), text(x, bottom + 17, label, "soft", where)]
    return [*parts, text(WIDTH / 2, bottom + 35, title, "soft", "middle")]


def told(rows: Sequence[Row], form: Callable[[Row], str]) -> str:
    """Return what is said of each group as a list for a title."""
    names = called(row["group"] for row in rows)
    said = ", ".join(f"{names[row['group']]} {form(row)}" for row in rows[:6])
    return said + ", …" * (len(rows) > 6)


def telling(tables: Tables, rows: list[Row]) -> list[Row]:
    """The rows of groups that tell near words apart; all where none does."""
    flat = {row["group"] for row in settings_of(tables) if is_flat(row)}
    return [row for row in rows if row["group"] not in flat] or rows
