"""Loss and shared neighbours of words over their frequency: Rettenmeier 2020, figures 2.8 and 2.9, of all words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import text
from gpustab.report.svg.hexagons import hexagons
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot, short
from gpustab.report.svg.series import called, series, told
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.stability.measured import length

Values = np.ndarray[tuple[int], np.dtype[np.float64]]

_BATCHES = 16
_FEWEST = 200
"""Words that the picture needs at least: a dozen in each batch."""
_MOST_GROUPS = 4


class Band(NamedTuple):
    """Quantiles of words of like frequency: 0.1, 0.5 and 0.9 of each batch, at the batch's mean log frequency."""

    x: Values
    low: Values
    middle: Values
    high: Values


def frequency(tables: Tables) -> Picture:
    """One panel for the loss and one for p@n, per group."""
    table = tables.get("words")
    if not table or not table.height:
        return Picture()
    groups = [(group, part, _counts(part)) for group, part in table.split("group")]
    groups = [(group, part, counts) for group, part, counts in groups if (counts > 0).sum() >= _FEWEST]
    if not groups:
        return Picture(
            missing=f"The pictures over frequency need the counts of {_FEWEST} words, which these files do not have."
        )
    panels, said = [], []
    n = length(table)
    columns = [("pip_mean", "PIP loss of a word"), *([(f"p@{n}", f"p@{n} of a word")] if n else [])]
    drawn = series(table["group"])
    for group, part, counts in groups[:_MOST_GROUPS]:
        for column, title in columns:
            values = np.asarray(part[column], np.float64)
            known = np.isfinite(values) & (counts > 0)
            if known.sum() >= _FEWEST:
                band = by_frequency(counts[known], values[known])
                panels.append(_panel(counts[known], values[known], band, group, drawn[group].style, title, column))
                said.append((group, column, band))
    return Picture(_title(said, n), panels)


def by_frequency(counts: Values, values: Values) -> Band:
    """Return quantiles of sixteen batches of equally many words, from the rarest to the most frequent."""
    order = np.argsort(counts, kind="stable")
    parts = np.array_split(order, _BATCHES)
    x = np.array([np.exp(np.log(counts[part]).mean()) for part in parts])
    low, middle, high = np.array([np.quantile(values[part], (0.1, 0.5, 0.9)) for part in parts]).T
    return Band(x, low, middle, high)


def _panel(counts: Values, values: Values, band: Band, group: str, style: str, title: str, column: str) -> str:
    losses = column == "pip_mean"
    top = float(np.quantile(values, 0.995)) * 1.1 if losses else 1.0
    plot = Plot((float(counts.min()), float(counts.max())), (0.0, top), height=240, log=True)
    plot.axes("occurrences in what one run reads", title)
    plot.add(*hexagons(plot, zip(counts, values, strict=True), style))
    for ys, line in ((band.low, "ink line thin dash"), (band.high, "ink line thin dash"), (band.middle, "ink line")):
        plot.curve(list(band.x), list(np.minimum(ys, top)), line)
    plot.add(text(plot.right, 11, short(group, 30), f"{style} own bold", "end"))
    return plot.done(
        f"{title} over its frequency, {group}. Median {number(band.middle[0], 3)} for the rarest sixteenth of the "
        f"words, {number(band.middle[-1], 3)} for the most frequent."
    )


def _title(said: list[tuple[str, str, Band]], n: int | None) -> str:
    """From the rarest to the most frequent words, of p@n where there is one: the same scale for all."""
    wanted = f"p@{n}" if n and any(column == f"p@{n}" for _, column, _ in said) else "pip_mean"
    names = called(group for group, _, _ in said)
    name = "PIP loss" if wanted == "pip_mean" else wanted
    bands = [(names[group], band) for group, column, band in said if column == wanted]
    each = told((group, f"{number(band.middle[0], 2)} to {number(band.middle[-1], 2)}") for group, band in bands)
    return f"From the rarest to the most frequent words the median {name} goes from {each}"


def _counts(part: Table) -> Values:
    return np.array([0.0 if x is None else float(x) for x in part["count"]])
