"""The figures of the study, from its tables: figures 1 to 24 of the paper, several spaces in each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from gpustab.report.svg.axes import Axis, floats, room
from gpustab.report.svg.charts import BAND, LINE, Curve, Cuts, Diagonal, Layer, lines
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.thresholds.claims import MANY, cosine, proven_near
from gpustab.studies.thresholds.tables import THRESHOLDS

_PART = 1e-4
"""Groups with less than this part of the pairs are noise, and are not drawn."""

_POINTS = 120
"""Points of a curve over places: more are not visible."""

Points = tuple[list[float], list[float], list[float], list[float]]
"""x, and mean, least and largest y over runs."""


@drawn_from("groups")
def by_similarity(table: Table, tables: Tables) -> Picture:
    """Figure 20: mean of the baseline by similarity, as it is and without word effects."""
    kept = {}
    for group, rows in table.split("group"):
        least = _PART * sum(rows["pairs"]) / len(set(rows["run"]))
        kept[group] = rows.take(k for k in range(rows.height) if rows["pairs"][k] >= least)
    kept = {group: rows for group, rows in kept.items() if rows.height}
    cuts, names, looks = _cuts(tables, "value"), called(table["group"]), series(kept)
    title = "No cosine is proven from which on pairs of words are more related than on average"
    if cuts:
        title = f"Pairs of words are more related than on average {_where(cuts, lambda x: f'above {cosine(x)}')}"
    over = [Cuts([cut], f"{looks[group].style} line thin dash") for group, cut in cuts.items() if group in looks]
    panels = []
    for column, said in (("mean", "mean of the baseline"), ("adjusted", "the same without word effects")):
        points = {group: _over_runs(rows, "similarity", column) for group, rows in kept.items()}
        y, above = Axis(said), over if column == "mean" else []
        panels.append(_panel(f"{title}. ", points, names, Axis("cosine"), y, above))
    return Picture(title, panels, caption=_BY_SIMILARITY.format(_DASHED if over else ""))


@drawn_from("windows")
def by_place(table: Table, tables: Tables) -> Picture:
    """Figures 21 and 24: mean of the baseline by place in the list."""
    points = {group: _over_runs(rows, "last", "mean") for group, rows in table.split("group")}
    cuts, names = _cuts(tables, "place", proven=True), called(table["group"])
    title = "No place is proven down to which the words of a list are more related than on average"
    if cuts:
        where = _where(cuts, lambda x: f"down to place {x:,.0f}")
        title = f"The words of a list are surely more related than on average {where}"
    x, y = Axis("place in the list", log=True), Axis("mean of the baseline")
    return Picture(title, [_panel(f"{title}. ", points, names, x, y)])


@drawn_from("groups")
def next_different(table: Table, _: Tables) -> Picture:
    """Figure 22: for every group the next one that Welch's test finds higher."""
    rows = table.take(k for k in range(table.height) if table["next_different"][k] is not None)
    if not rows.height:
        return Picture(missing="No group of similarity is significantly higher than another in the baseline.")
    points = {group: _over_runs(part, "similarity", "next_different") for group, part in rows.split("group")}
    x, y = Axis("cosine of a group"), Axis("next group that is higher")
    panel = _panel("", points, called(table["group"]), x, y, [Diagonal()])
    return Picture("How far up the next group that Welch's test tells apart lies", [panel])


@drawn_from("next_places")
def next_place(table: Table, _: Tables) -> Picture:
    """Figures 23 and 26: for places of the lists the next one that Welch's test finds to differ."""
    points: dict[str, Points] = {}
    for group, rows in table.split("group"):
        known = [k for k in range(rows.height) if rows["runs_with_one"][k] == rows["runs"][k]]
        kept = rows.take(_apart(known, rows["place"]))
        xs, means, least, largest = (floats(kept[name]) for name in ("place", "next_place", "lowest", "highest"))
        points[group] = xs, means, least, largest
    if not any(xs for xs, *_ in points.values()):
        return Picture(missing="No place of the lists differs from another in the baseline.")
    x, y = Axis("place in the list", log=True), Axis("next place that differs", log=True)
    panel = _panel("", points, called(table["group"]), x, y, [Diagonal()])
    return Picture("How far down the next place that Welch's test tells apart lies", [panel])


@drawn_from("similarities")
def distributions(table: Table, tables: Tables) -> Picture:
    """Figures 1, 3, 5 ...: how similarities are distributed."""
    moments = tables.get("moments")
    if not moments:
        return Picture()
    points, names = (
        {group: _range(rows, "similarity", "share") for group, rows in table.split("group")},
        called(table["group"]),
    )
    means = {group: fmean(rows["mean"]) for group, rows in moments.split("group")}
    title = f"The mean cosine of two words is {_listed(means, names, cosine)}"
    y = Axis("share of word pairs in 0.01", reaches=0)
    return Picture(title, [_panel(f"{title}. ", points, names, Axis("cosine"), y)])


@drawn_from("similarity_by_place")
def similarity_by_place(table: Table, _: Tables) -> Picture:
    """Figures 2, 4, 6 ...: mean similarity of a word to its j-th most similar word."""
    kept = {group: rows.take(_thinned(rows.height)) for group, rows in table.split("group")}
    points, names = {group: _range(rows, "place", "similarity") for group, rows in kept.items()}, called(table["group"])
    tops = {group: means[0] for group, (_, means, _, _) in points.items()}
    title = f"The most similar word has a mean cosine of {_listed(tops, names, cosine)}"
    x, y = Axis("place in the list", log=True), Axis("mean cosine", reaches=0)
    return Picture(title, [_panel(f"{title}. ", points, names, x, y)])


def _panel(
    title: str, points: Mapping[str, Points], names: Mapping[str, str], x: Axis, y: Axis, over: Sequence[Layer] = ()
) -> str:
    """A line and a band a group."""
    points = {group: curve for group, curve in points.items() if curve[0]}
    looks = series(points)
    drawn = [
        Curve(xs, means, looks[group].style, 0, names[group], least, largest, (BAND, LINE))
        for group, (xs, means, least, largest) in points.items()
    ]
    said = "; ".join(
        f"{names[group]}: {number(means[0], 3)} at {number(xs[0], 2)}, {number(means[-1], 3)} at {number(xs[-1], 2)}"
        for group, (xs, means, _, _) in points.items()
    )
    return lines(x, y, drawn, f"{title}{said}", over=over, right=room(curve.name for curve in drawn))


def _range(rows: Table, x: str, y: str) -> Points:
    """A mean over runs with the least and the largest, as the table has them."""
    xs, means, least, largest = (floats(rows[name]) for name in (x, y, "least", "largest"))
    return xs, means, least, largest


def _thinned(height: int) -> list[int]:
    """Rows that are about evenly apart on a logarithmic axis."""
    return sorted({round(height ** (k / (_POINTS - 1))) - 1 for k in range(_POINTS)})


def _apart(rows: Sequence[int], places: Sequence[int]) -> Iterator[int]:
    """Rows whose places are an eighth apart or more: more are not visible on a logarithmic axis."""
    last = 0.0
    for k in rows:
        if places[k] >= 1.125 * last:
            last = places[k]
            yield k


def _over_runs(table: Table, x: str, y: str) -> Points:
    """Mean, least and largest value over runs, at every x that each run has."""
    runs = len(dict.fromkeys(table["run"]))
    values: dict[float, list[float]] = {}
    for at, value in zip(table[x], table[y], strict=True):
        if value == value:
            values.setdefault(float(at), []).append(float(value))
    xs = sorted(at for at, of_runs in values.items() if len(of_runs) == runs)
    means, lows, highs = ([function(values[at]) for at in xs] for function in (fmean, min, max))
    return xs, means, lows, highs


def _cuts(tables: Tables, kind: str, *, proven: bool = False) -> dict[str, float]:
    """The thresholds above chance of all groups that have one in every run, proven near it; or what is proven."""
    rows = [row for row in THRESHOLDS.rows(tables, kind=kind, rule="chance") if proven_near(row)]
    values = [(row.group, row.proven_to if proven else row.mean) for row in rows]
    return {group: value for group, value in values if value is not None}


def _where(cuts: dict[str, float], form: Callable[[float], str]) -> str:
    return _listed({group: cut for group, cut in cuts.items() if math.isfinite(cut)}, called(cuts), form)


def _listed(values: dict[str, float], names: dict[str, str], form: Callable[[float], str]) -> str:
    """Values with their groups for a title; of many, as a sweep has them, the least and the largest."""
    parts = [f"{form(value)} in {names[group]}" for group, value in sorted(values.items(), key=lambda pair: pair[1])]
    if len(parts) > MANY:
        return f"{parts[0]} to {parts[-1]}"
    return ", ".join(f"{form(value)} in {names[group]}" for group, value in values.items())


_BANDS = "Bands are the range over runs."

_BY_SIMILARITY = (
    "Mean of the baseline over the word pairs in each 0.01 of cosine that holds 0.01 % of them{}. Second: without what "
    f"each word has in common with all others. {_BANDS} Figure 20 of the paper."
)
_DASHED = "; dashed: from where on it is above the mean of all pairs"

FIGURES: Figures = {
    "baseline_by_similarity": (_BY_SIMILARITY.format(_DASHED), by_similarity),
    "baseline_by_place": (
        f"Mean of the baseline over the words that stand so far down in the lists. {_BANDS} Figure 21 of the paper.",
        by_place,
    ),
    "next_different": (
        "Next group of higher cosine whose mean is significantly higher by Welch's test; dashed: a group itself. The "
        f"distance from it is lack of pairs as much as likeness. {_BANDS} Figure 22 of the paper.",
        next_different,
    ),
    "next_place": (
        "For places of the lists of most similar words the next place further down whose mean in the baseline differs "
        "by Welch's test, higher or lower; dashed: a place itself. Level stretches are single places of an unusual "
        f"mean, which many others meet first. {_BANDS} Figures 23 and 26 of the paper.",
        next_place,
    ),
    "distributions": (
        f"Share of the word pairs in each 0.01 of cosine. {_BANDS} Figures 1, 3, 5 ... of the paper.",
        distributions,
    ),
    "similarity_by_place": (
        f"Mean cosine of words to their j-th most similar word. {_BANDS} Figures 2, 4, 6 ... of the paper.",
        similarity_by_place,
    ),
}
"""How to read every figure, and its drawing, in reading order."""
