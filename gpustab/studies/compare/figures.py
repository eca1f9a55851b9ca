"""The figures of a comparison: both measures of both groups, and every word in both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gpustab.report.describe import SUMMARIES
from gpustab.report.origin import in_words
from gpustab.report.svg.axes import Axis, round_ticks, short
from gpustab.report.svg.charts import Cloud, Curve, Diagonal, Layer, lines
from gpustab.report.svg.colours import Series, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import HEADED, Dot, Row, dots
from gpustab.results import Table
from gpustab.results.page import number, percent
from gpustab.studies.compare.spaces import SPACES, UNLIKE
from gpustab.studies.compare.study import WORDS

_MARKED = 3.5


@drawn_from(SUMMARIES)
def measures(groups: Table, _: Tables) -> Picture:
    """Each measure of both groups with its interval, in percent: shared neighbours, and losses in parts of chance."""
    pair = list(groups.records())
    shared = next((name for name in groups if name.startswith("p@")), None)
    if shared is None or len(pair) != 2:
        return Picture()
    drawn = _looks(groups["name"])
    panels = [
        _measure(pair, shared, f"shared neighbours, {shared} (more is more stable)", drawn),
        _measure(pair, "of_chance", "PIP loss in parts of chance (less is more stable)", drawn),
    ]
    one, other = (f"{100 * row[shared]['mean']:.0f} %" for row in pair)
    names = [in_words(row["name"]) for row in pair]
    return Picture(f"Two runs share {one} of their neighbours in {names[0]}, {other} in {names[1]}", panels)


def _looks(names: Any) -> dict[str, Series]:
    return series(names)


def _measure(pair: list[dict[str, Any]], name: str, title: str, drawn: Mapping[str, Series]) -> str:
    rows = []
    for row in pair:
        estimate, (style, shape) = row[name], drawn[row["name"]]
        low, high = estimate["interval"]
        dot = Dot(estimate["mean"], style, shape, low, high)
        rows.append(Row(f"{short(in_words(row['name']), 44)}: {100 * estimate['mean']:.1f} %", [dot], style))
    ticks = [(value, f"{100 * value:.0f} %") for value, _ in round_ticks(0, 1, 5)]
    said = "; ".join(f"{in_words(row['name'])} {number(row[name]['mean'], 3)}" for row in pair)
    return dots(rows, Axis(title, 0, 1, ticks), HEADED, f"{title}. {said}")


@drawn_from(WORDS.name)
def words(table: Table, tables: Tables) -> Picture:
    """Every word by its shared neighbours in both groups; those that surely are at a disadvantage in one are marked."""
    groups = tables.get(SUMMARIES, Table())
    names, one, other = groups["name"], *(np.asarray(table[name], np.float64) for name in ("p_first", "p_second"))
    known = np.isfinite(one) & np.isfinite(other)
    if not known.any():
        return Picture(missing="The picture of words needs words whose neighbours were compared in both groups.")
    drawn = _looks(names)
    marked = {place: list(WORDS.rows({WORDS.name: table}, surely=place)) for place in ("first", "second")}
    layers = [Diagonal(), Cloud(zip(one[known], other[known], strict=True), "ink")]
    layers += [
        Curve([r.p_first for r in rows], [r.p_second for r in rows], *drawn[name], parts=("full",), size=_MARKED)
        for name, rows in zip(names, marked.values(), strict=True)
        if rows
    ]
    first, second = (short(in_words(name), 30) for name in names)
    above = float((other[known] > one[known]).mean())
    panel = lines(
        Axis(f"{first}: share of neighbours", 0.0, 1.0),
        Axis(f"{second}: share of neighbours", 0.0, 1.0),
        layers,
        f"Words by their shared neighbours in {first} and in {second}; {percent(above)} lie above the diagonal",
        height=330,
    )
    return Picture(f"{percent(above)} of the words keep more neighbours in {second} than in {first}", [panel])


@drawn_from(WORDS.name)
def spaces(table: Table, tables: Tables) -> Picture:
    """Every word by what two runs of one group share and what a run of each shares; those seen differently marked."""
    within = (np.asarray(table["p_first"], np.float64) + np.asarray(table["p_second"], np.float64)) / 2
    between = np.asarray(table["p_between"], np.float64)
    known = np.isfinite(within) & np.isfinite(between)
    if not known.any():
        return Picture(missing="The picture of spaces needs words whose neighbours were compared in both groups.")
    layers: list[Layer] = [Diagonal(), Cloud(zip(within[known], between[known], strict=True), "ink")]
    marked = list(UNLIKE.rows(tables))
    if marked:
        x = [(row.first + row.second) / 2 for row in marked]
        layers.append(Curve(x, [row.between for row in marked], "g2", 2, parts=("full",), size=_MARKED))
    agreement = next(iter(SPACES.rows(tables))).agreement
    title = f"Neighbours of both groups agree by {number(agreement, 2)}, the noise of single runs taken out"
    if math.isnan(agreement):
        title = "How far the neighbours of both groups agree, nobody can tell from these runs"
    panel = lines(
        Axis("share of neighbours of two runs of one group", 0.0, 1.0),
        Axis("share of a run of each", 0.0, 1.0),
        layers,
        f"Words by the neighbours that two runs of one group share and a run of each shares; {len(marked)} are marked",
        height=330,
    )
    return Picture(title, [panel])


FIGURES: Figures = {
    "spaces": (
        "Every word by the neighbours that two runs of one group share (mean of both) and that a run of each shares. "
        "On the dashed line the groups differ by no more than the noise of single runs; below it they have other "
        "neighbours. "
        "Marked: words seen more differently than words as frequent.",
        spaces,
    ),
    "measures": ("Mean over pairs of runs with its 95 % interval; 100 % of chance: unrelated spaces.", measures),
    "words": (
        "Every word by the share of its nearest neighbours that two runs have in common; stronger where more words "
        "lie. On "
        "the dashed line both groups are alike. Marked in a group's colour: words surely at a disadvantage there, "
        "beside "
        "words as frequent.",
        words,
    ),
}
"""How to read every figure, and its drawing."""
