"""Figures of whole groups: side by side, and run by run."""

from __future__ import annotations

import math

import numpy as np

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.matrix import Array, Cell, by_likeness, matrix
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import short
from gpustab.report.svg.scales import round_ticks
from gpustab.report.svg.series import Series, called, series, told
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.stability.measured import Measured, distances, losses, runs_of

_ROW, _TOP = 46, 34


def side_by_side(tables: Tables) -> Picture:
    """The loss of every group between identical and chance, each with its interval."""
    pairs = tables.get("pairs")
    found = losses(pairs) if pairs and pairs.height else []
    if len(found) < 2:
        return Picture()
    drawn = series(each.group for each in found)
    top = 1.03 * max(x for each in found for x in (*each.found.interval, each.found.value, each.chance) if x == x)
    parts: list[str] = []
    for k, each in enumerate(found):
        parts += _row(each, drawn[each.group], _TOP + _ROW * k, top, k == 0)
    bottom = _TOP + _ROW * len(found) - 14
    for value, label in round_ticks(0, top):
        x = _across(value, top)
        parts += [line(x, bottom, x, bottom + 4), text(x, bottom + 17, label, "soft", "middle" if value else "start")]
    parts.append(line(_across(0, top), bottom, _across(top, top), bottom))
    parts.append(text(WIDTH / 2, bottom + 35, "reduced PIP loss (0: identical)", "soft", "middle"))
    names = called(each.group for each in found)
    shares = told((names[each.group], _percent(each.found.value, each.chance)) for each in found)
    title = f"How far the runs of a group lie apart, in parts of chance: {shares}"
    label = "; ".join(f"{each.group} {_with_error(each.found)}" for each in found)
    return Picture(title, [figure(bottom + 44, parts, f"Groups side by side. {label}")])


def _row(each: Measured, drawn: Series, y: float, top: float, first: bool) -> list[str]:
    """One group: its name and number above a line from identical on, its interval and chance on it."""
    low, high = each.found.interval
    parts = [
        text(0, y - 14, f"{short(each.group, 30)}: {_with_error(each.found)}", f"{drawn.style} own bold"),
        line(_across(0, top), y, _across(top, top), y, "grid"),
    ]
    if low == low:
        parts.append(whisker(_across(low, top), _across(high, top), y, f"{drawn.style} line"))
    parts.append(mark(_across(each.found.value, top), y, drawn.shape, f"{drawn.style} full", 5))
    if each.chance == each.chance:
        x = _across(each.chance, top)
        parts.append(line(x, y - 7, x, y + 7, "axis dash"))
        parts += [text(x, y - 14, "chance", "soft", "end")] if first else []
    return parts


def _across(value: float, top: float) -> float:
    return 6 + (WIDTH - 12) * min(max(value, 0.0), top) / top


def runs(tables: Tables) -> Picture:
    """Run by run: groups apart, runs in order of likeness."""
    pairs = tables.get("pairs")
    parts = [(group, part) for group, part in pairs.split("group") if part.height > 1] if pairs and pairs.height else []
    if not parts:
        return Picture()
    drawn = series(group for group, _ in parts)
    names = [runs_of(part) for _, part in parts]
    values = [distances(part, "reduced_pip") for _, part in parts]
    chances = [distances(part, "chance_reduced_pip") for _, part in parts]
    places = [(group, run) for group, own in enumerate(values) for run in by_likeness(own)]
    styles = [drawn[parts[group][0]].style for group, _ in places]
    gaps = [k for k in range(1, len(places)) if places[k][0] != places[k - 1][0]]

    def cell(i: int, j: int) -> Cell | None:
        (group, a), (other, b) = places[i], places[j]
        if group != other:
            return None
        if a == b:
            return Cell(0.0, "", names[group][a])
        value, chance = values[group][a, b], chances[group][a, b]
        title = f"{names[group][a]} and {names[group][b]}: {number(value)}, {_percent(value, chance)} of chance"
        share = value / chance if chance > 0 else math.nan
        return Cell(share, f"{100 * share:.0f}" if share == share else "", title)

    called_so = called(group for group, _ in parts)
    spans = [(called_so[group], _span(v, c)) for (group, _), v, c in zip(parts, values, chances, strict=True)]
    label = f"Run by run, percent of chance. {told(spans)}"
    title = f"Two runs of a group are apart, in percent of chance: {told(spans)}"
    return Picture(title, [matrix([short(names[g][r], 14) for g, r in places], styles, cell, label, gaps)])


def _span(values: Array, chances: Array) -> str:
    """The nearest and the furthest pair, in percent of chance."""
    upper = np.triu_indices(len(values), 1)
    shares = 100 * values[upper] / np.where(chances[upper] > 0, chances[upper], np.nan)
    shares = shares[~np.isnan(shares)]
    if not len(shares):
        return "–"
    low, high = f"{shares.min():.0f}", f"{shares.max():.0f}"
    return low if low == high else f"{low}–{high}"


def _with_error(found: Estimate) -> str:
    half = found.half
    return f"{number(found.value)} ± {number(half, 2)}" if half == half else number(found.value)


def _percent(value: float, chance: float) -> str:
    return f"{100 * value / chance:.0f} %" if chance > 0 else "–"
