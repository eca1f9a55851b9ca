"""The figures of the words' stability: how their losses are spread, and how loss and p@n go with frequency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from gpustab.report.origin import in_words
from gpustab.report.svg.axes import Axis
from gpustab.report.svg.charts import Cloud, Curve, corner, lines
from gpustab.report.svg.colours import called, listing, series
from gpustab.report.svg.picture import Picture, Tables, drawn_from
from gpustab.report.svg.rows import Ridge, ridges
from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.statistics.ranks import shift_p

Values = np.ndarray[tuple[int], np.dtype[np.float64]]

_BATCHES = 16
_FEWEST = 200
"""Words that the picture over frequency needs at least: a dozen in each batch."""
_SOME = 20
_MOST_GROUPS = 4
_LEAST, _SURE = 0.05, 0.01
"""Difference of median p@n that a title speaks of, and the p-value that it needs."""
_NOISE = 1e-6
"""Losses of equal runs are rounding errors of float32, and have no distribution."""


def lengths(table: Table) -> list[int]:
    """Return the list lengths n of which a table has p@n."""
    return sorted(int(name[2:]) for name in table if name.startswith("p@") and name[2:].isdecimal())


def length(table: Table) -> int | None:
    """Return the list length that figures speak of: 10, else the next shorter one, else the shortest."""
    known = lengths(table)
    return max((n for n in known if n <= 10), default=min(known, default=None))


@drawn_from("words")
def words(table: Table, _: Tables) -> Picture:
    """Ridges of equal height over one axis, each with its median; the largest losses are cut off, and counted."""
    parts = [(group, _known(part["pip_mean"])) for group, part in table.split("group")]
    parts = [(group, values) for group, values in parts if len(values) >= _SOME and values.max() > _NOISE]
    if not parts:
        return Picture(missing=f"The distribution of the words' losses needs {_SOME} words whose losses differ.")
    low = min(float(np.quantile(values, 0.001)) for _, values in parts)
    high = max(float(np.quantile(values, 0.995)) for _, values in parts)
    drawn, names = series(group for group, _ in parts), called(group for group, _ in parts)
    nine = listing((names[group], f"{_quantile(v, 0.05)}–{_quantile(v, 0.95)}") for group, v in parts)
    panel = ridges(
        [Ridge(in_words(group), values, drawn[group].style) for group, values in parts],
        Axis("PIP loss of a word, mean over pairs of runs", low, high),
        f"Distribution of the words' losses: nine of ten lie within {nine}",
    )
    beyond = sum(int((values > high).sum()) for _, values in parts)
    caption = "All hills have equal heights; the upright line is the median."
    caption += f" Beyond the right end: {counted(beyond, 'word')}." if beyond else ""
    return Picture(f"Nine of ten words have a loss of {nine}", [panel], caption=caption)


def _quantile(values: Values, q: float) -> str:
    return number(float(np.quantile(values, q)), 2)


def _counts(column: object) -> Values:
    """Counts of words; 0 where they are not known."""
    return np.nan_to_num(np.asarray(column, np.float64))


def _known(column: object) -> Values:
    values = np.asarray(column, np.float64)
    return values[np.isfinite(values)]


class Band(NamedTuple):
    """Quantiles of words of like frequency: 0.1, 0.5 and 0.9 of each batch, at the batch's mean log frequency.

    Of the rarest and of the most frequent batch, the least and the largest count.
    """

    x: Values
    low: Values
    middle: Values
    high: Values
    rarest: tuple[float, float]
    commonest: tuple[float, float]


def _span(ends: tuple[float, float]) -> str:
    low, high = (f"{end:,.0f}" for end in ends)
    return low if low == high else f"{low}–{high}"


@drawn_from("words")
def frequency(table: Table, _: Tables) -> Picture:
    """Per group one panel for the loss of words over their frequency, one for p@n: Rettenmeier 2020, 2.8 and 2.9."""
    groups = [(group, part, _counts(part["count"])) for group, part in table.split("group")]
    groups = [(group, part, counts) for group, part, counts in groups if (counts > 0).sum() >= _FEWEST]
    if not groups:
        return Picture(
            missing=f"The pictures over frequency need the counts of {_FEWEST} words, which these files do not have."
        )
    n, drawn = length(table), series(table["group"])
    columns = ["pip_mean", *([f"p@{n}"] if n else [])]
    panels, bands = [], []
    ends: dict[tuple[str, str], tuple[Values, Values]] = {}
    for group, part, counts in groups[:_MOST_GROUPS]:
        for column in columns:
            values = np.asarray(part[column], np.float64)
            known = np.isfinite(values) & (counts > 0)
            if known.sum() >= _FEWEST:
                band = by_frequency(counts[known], values[known])
                panels.append(_over_frequency(counts[known], values[known], band, group, drawn[group].style, column))
                bands.append((group, column, band))
                ends[group, column] = _extremes(counts[known], values[known])
    return Picture(_ends(bands, columns[-1], ends), panels)


def _extremes(counts: Values, values: Values) -> tuple[Values, Values]:
    """The values of the rarest and of the most frequent sixteenth of the words."""
    first, *_, last = np.array_split(np.argsort(counts, kind="stable"), _BATCHES)
    return values[first], values[last]


def by_frequency(counts: Values, values: Values) -> Band:
    """Return quantiles of sixteen batches of equally many words, from the rarest to the most frequent."""
    parts = np.array_split(np.argsort(counts, kind="stable"), _BATCHES)
    x = np.array([np.exp(np.log(counts[part]).mean()) for part in parts])
    low, middle, high = np.array([np.quantile(values[part], (0.1, 0.5, 0.9)) for part in parts]).T
    rarest, commonest = ((float(counts[part].min()), float(counts[part].max())) for part in (parts[0], parts[-1]))
    return Band(x, low, middle, high, rarest, commonest)


def _over_frequency(counts: Values, values: Values, band: Band, group: str, style: str, column: str) -> str:
    losses = column == "pip_mean"
    title = "PIP loss of a word" if losses else f"{column} of a word"
    top = float(np.quantile(values, 0.995)) * 1.1 if losses else 1.0
    quantiles = ((band.low, "line thin dash"), (band.high, "line thin dash"), (band.middle, "line"))
    return lines(
        Axis("how often a word stands in what a run reads", float(counts.min()), float(counts.max()), log=True),
        Axis(title, 0.0, top),
        [
            Cloud(zip(counts, values, strict=True), style),
            *(Curve(list(band.x), list(np.minimum(ys, top)), "ink", parts=(part,)) for ys, part in quantiles),
        ],
        f"{title} over its frequency, {group}. Median {number(band.middle[0], 3)} for the rarest sixteenth of the "
        f"words, {number(band.middle[-1], 3)} for the most frequent.",
        over=[corner(in_words(group), f"{style} own bold")],
        height=240,
        words=(group, "count", column),
    )


def _ends(
    bands: list[tuple[str, str, Band]], column: str, ends: Mapping[tuple[str, str], tuple[Values, Values]]
) -> str:
    """From the rarest to the most frequent words, of p@n where there is one: the same scale for all.

    Where bootstrap runs part the two surely (rank-sum test over words, p below 0.01) and by half a neighbour of ten or
    more, that is the finding.
    """
    for group, of, band in bands:
        low, high = band.middle[0], band.middle[-1]
        apart = group.endswith("bootstrap") and of == column != "pip_mean" and abs(high - low) >= _LEAST
        if apart and shift_p(*map(torch.from_numpy, ends[group, of])) < _SURE:
            return (
                f"Rare words depend {'more' if low < high else 'less'} on the choice of documents: in bootstrap runs "
                f"the median {of} is {number(low, 2)} for the rarest sixteenth ({_span(band.rarest)} occurrences in a "
                f"run) and {number(high, 2)} for the most frequent ({_span(band.commonest)})"
            )
    wanted = column if any(of == column for _, of, _ in bands) else "pip_mean"
    names = called(group for group, _, _ in bands)
    name = "PIP loss" if wanted == "pip_mean" else wanted
    said = [(names[group], band.middle) for group, of, band in bands if of == wanted]
    each = listing((group, f"{number(middle[0], 2)} to {number(middle[-1], 2)}") for group, middle in said)
    return f"From the rarest to the most frequent sixteenth of the words the median {name} goes from {each}"
