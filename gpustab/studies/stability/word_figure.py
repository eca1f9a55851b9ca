"""How the losses of words are distributed: one ridge per group."""

from __future__ import annotations

import numpy as np

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import WIDTH, line, path, text
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot, short
from gpustab.report.svg.scales import round_ticks
from gpustab.report.svg.series import called, series, told
from gpustab.results.page import counted, number

Values = np.ndarray[tuple[int], np.dtype[np.float64]]

_ROW, _BINS, _FEWEST = 84, 60, 20
_NOISE = 1e-6
"""Losses of equal runs are rounding errors of float32, and have no distribution."""


def words(tables: Tables) -> Picture:
    """Ridges of equal area over one axis, each with its median; the largest losses are cut off, and counted."""
    table = tables.get("words")
    if not table or not table.height:
        return Picture()
    parts = [(group, _known(part["pip_mean"])) for group, part in table.split("group")]
    parts = [(group, values) for group, values in parts if len(values) >= _FEWEST and values.max() > _NOISE]
    if not parts:
        return Picture(missing=f"The distribution of the words' losses needs {_FEWEST} words whose losses differ.")
    low = min(float(np.quantile(values, 0.001)) for _, values in parts)
    high = max(float(np.quantile(values, 0.995)) for _, values in parts)
    plot = Plot((low, high), (0, 1), height=68 + _ROW * len(parts))
    plot.left = 6
    drawn, names = series(group for group, _ in parts), called(group for group, _ in parts)
    for k, (group, values) in enumerate(parts):
        plot.add(*_ridge(plot, group, values, drawn[group].style, 18 + _ROW * (k + 1)))
    for value, label in round_ticks(low, high):
        x = plot.across(value)
        plot.add(line(x, plot.bottom, x, plot.bottom + 4), text(x, plot.bottom + 17, label, "soft", "middle"))
    plot.add(line(plot.left, plot.bottom, plot.right, plot.bottom))
    plot.add(text(WIDTH / 2, plot.bottom + 35, "PIP loss of a word, mean over pairs of runs", "soft", "middle"))
    nine = told((names[group], f"{_quantile(v, 0.05)}–{_quantile(v, 0.95)}") for group, v in parts)
    beyond = sum(int((values > high).sum()) for _, values in parts)
    caption = "Ridges have equal areas; the upright line is the median."
    caption += f" Beyond the right end: {counted(beyond, 'word')}." if beyond else ""
    panel = plot.done(f"Distribution of the words' losses: nine of ten lie within {nine}")
    return Picture(f"Nine of ten words have a loss of {nine}", [panel], caption=caption)


def _ridge(plot: Plot, group: str, values: Values, style: str, base: float) -> list[str]:
    """One histogram upon its base line."""
    edges = np.linspace(*plot.x, _BINS + 1)
    density = np.histogram(values, edges)[0].astype(float)
    tall = (_ROW - 24) / density.max()
    middles = (edges[1:] + edges[:-1]) / 2
    ridge = [(plot.across(x), base - tall * y) for x, y in zip(middles, density, strict=True)]
    middle = float(np.median(values))
    return [
        path([(ridge[0][0], base), *ridge, (ridge[-1][0], base)], f"{style} area", closed=True),
        path(ridge, f"{style} line thin"),
        line(plot.across(middle), base, plot.across(middle), base - _ROW + 24, f"{style} line thin"),
        line(plot.left, base, plot.right, base, "grid"),
        text(0, base - _ROW + 18, short(group, 34), f"{style} own bold halo"),
        text(plot.right, base - _ROW + 18, f"median {number(middle, 3)}", "soft halo", "end"),
    ]


def _quantile(values: Values, q: float) -> str:
    return number(float(np.quantile(values, q)), 2)


def _known(column: object) -> Values:
    values = np.asarray(column, np.float64)
    return values[np.isfinite(values)]
