"""Figures 2.8 and 2.9 of Rettenmeier 2020: the instability of words over their frequency."""

from __future__ import annotations

import math

from gpustab.report.svg.elements import Point, text
from gpustab.report.svg.picture import Picture, Tables
from gpustab.report.svg.plot import Plot, hexagons
from gpustab.results import Table
from gpustab.studies.instability.drawing import by_technique, known, short_number

_NAMED = (0, 12, 150)
"""Ranks of the words that are named."""
_SHOWN = 0.999
"""A few outliers would flatten everything else: words above this quantile are not in the picture."""
_QUANTITIES = (("intrinsic", "intrinsic instability"), ("extrinsic squared", "extrinsic instability"))


def frequency(tables: Tables) -> Picture:
    """Figures 2.8 and 2.9: intrinsic and extrinsic instability of words, and the means of batches."""
    words, batches = tables.get("words"), tables.get("batches")
    if not words or not batches or not batches.height:
        return Picture()
    points = {name: dict(words.where(technique=name)) for name in dict.fromkeys(batches["technique"])}
    panels = []
    for quantity, ytitle in _QUANTITIES:
        part = batches.where(quantity=quantity)

        def panel(name: str, rows: Table, ytitle: str = ytitle) -> str:
            return _panel(name, Table(points[name]), rows, ytitle)

        panels.append(by_technique(part, panel, "", lambda _: None).panels)
    title = by_technique(
        batches.where(quantity="intrinsic"),
        lambda *_: "",
        "Mean intrinsic instability of the rarest and of the most frequent words:",
        _said,
    ).title
    return Picture(title, [panel for pair in _by_turns(panels) for panel in pair])


def _by_turns(panels: list[list[str]]) -> list[list[str]]:
    """Both quantities of a technique side by side, where both are there."""
    first, second = panels
    return [[a, b] for a, b in zip(first, second, strict=True)] if len(first) == len(second) else [first + second]


def _said(rows: Table) -> str | None:
    ends = [short_number(rows["mean"][k]) for k in (0, -1)]
    return f"{ends[0]} and {ends[1]}" if all(ends) else None


def _panel(name: str, words: Table, batches: Table, ytitle: str) -> str:
    """One quantity; ⟨d²⟩ and J² can be averaged, their signed roots are drawn."""
    intrinsic = ytitle.startswith("intrinsic")
    values = [_root(x) for x in words["intrinsic_square" if intrinsic else "extrinsic_square"]]
    points = [(x, y) for x, y in zip(words["frequency"], values, strict=True) if x > 0 and math.isfinite(y)]
    if not points:
        return ""
    means = [x if intrinsic else _root(x) for x in batches["mean"]]
    ordered = sorted(y for _, y in points)
    top = max([ordered[int(_SHOWN * (len(ordered) - 1))], *known(means)])
    low = min(0.0, ordered[0], *known(means))
    xs = [x for x, _ in points]
    plot = Plot((min(xs), max(max(xs), 1.01 * min(xs))), (low, 1.15 * top or 1.0), log=True, name=name)
    plot.axes("occurrences in the corpus", ytitle).add(*hexagons(plot, points, "g0" if intrinsic else "g1"))
    plot.curve(batches["frequency"], means, "ink line thin").marks(batches["frequency"], means, 0, "ink full", 3)
    for word, (x, y) in _frequent(words, values) if intrinsic else ():
        left, up = plot.at(x, min(max(y, low), plot.y[1]))
        plot.add(text(left - 3, up - 6, word, "soft halo", "end"))
    return plot.done(f"{ytitle} over frequency, {name}")


def _root(square: float | None) -> float:
    return math.nan if square is None else math.copysign(math.sqrt(abs(square)), square)


def _frequent(words: Table, values: list[float]) -> list[tuple[str, Point]]:
    """A few words along the frequencies, to be named where they stand."""
    order = sorted(range(words.height), key=lambda k: -words["frequency"][k])
    picked = [order[k] for k in _NAMED if k < len(order) and math.isfinite(values[order[k]])]
    return [(words["word"][k], (words["frequency"][k], values[k])) for k in picked]
