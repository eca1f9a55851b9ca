"""The figures of the study, from its tables: figures 1 to 24 of the paper, several spaces in each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean

from gpustab.report.svg.colours import called, series
from gpustab.report.svg.elements import line
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import Plot, room, short
from gpustab.results import Table
from gpustab.studies.thresholds.sentences import MANY, cosine, proven_near

_PART = 1e-4
"""Groups with less than this part of the pairs are noise, and are not drawn."""

_POINTS = 120
"""Points of a curve over places: more are not seen."""

Curve = tuple[list[float], list[float], list[float], list[float]]
"""x, and mean, least and largest y over runs."""


def by_similarity(tables: Tables) -> Picture:
    """Figure 20: mean of the baseline by similarity, as it is and without word effects."""
    table = tables.get("groups")
    if not table or not table.height:
        return Picture()
    kept = {}
    for group, own in table.split("group"):
        least = _PART * sum(own["pairs"]) / len(set(own["run"]))
        kept[group] = own.take(k for k in range(own.height) if own["pairs"][k] >= least)
    cuts, names = _cuts(tables, "value"), called(table["group"])
    title = f"Words are nearer than pairs on average {_where(cuts, lambda x: f'above {cosine(x)}')}" if cuts else ""
    panels = []
    for column, said in (("mean", "mean of the baseline"), ("adjusted", "the same without word effects")):
        curves = {group: _over_runs(own, "similarity", column) for group, own in kept.items() if own.height}
        plot, label = _drawn(curves, "cosine", f"{said} (0 not in view)", named=names)
        panels.append(_with_cuts(plot, curves, cuts if column == "mean" else {}).done(f"{title or said}. {label}"))
    return Picture(title, panels)


def _with_cuts(plot: Plot, curves: dict[str, Curve], cuts: dict[str, float]) -> Plot:
    """Draw thresholds as upright dashed lines."""
    styles = series(curves)
    for group, cut in cuts.items():
        if plot.x[0] <= cut <= plot.x[1]:
            style = f"{styles[group].style} line thin dash"
            plot.add(line(plot.across(cut), plot.top, plot.across(cut), plot.bottom, style))
    return plot


def by_place(tables: Tables) -> Picture:
    """Figures 21 and 24: mean of the baseline by place in the list."""
    table = tables.get("windows")
    if not table or not table.height:
        return Picture()
    curves = {group: _over_runs(own, "last", "mean") for group, own in table.split("group")}
    cuts = _cuts(tables, "place")
    title = f"In lists words are nearer than on average {_where(cuts, lambda x: f'to place {x:,.0f}')}" if cuts else ""
    names = called(table["group"])
    plot, label = _drawn(curves, "place in the list", "mean of the baseline (0 not in view)", named=names, log=True)
    return Picture(title, [plot.done(f"{title}. {label}")])


def next_different(tables: Tables) -> Picture:
    """Figure 22: for every group the next one that Welch's test finds higher."""
    table = tables.get("groups")
    if not table or not table.height:
        return Picture()
    rows = table.take(k for k in range(table.height) if table["next_different"][k] is not None)
    if not rows.height:
        return Picture(missing="No group of similarity is significantly higher than another in the baseline.")
    curves = {group: _over_runs(own, "similarity", "next_different") for group, own in rows.split("group")}
    plot, label = _drawn(curves, "cosine of a group", "next group that is higher", named=called(table["group"]))
    low, high = max(plot.x[0], plot.y[0]), min(plot.x[1], plot.y[1])
    if low < high:
        plot.add(line(*plot.at(low, low), *plot.at(high, high), "axis dash"))
    return Picture("How far up the next group that Welch's test tells apart lies", [plot.done(label)])


def distributions(tables: Tables) -> Picture:
    """Figures 1, 3, 5 ...: how similarities are distributed."""
    table, moments = tables.get("similarities"), tables.get("moments")
    if not table or not table.height or not moments:
        return Picture()
    curves = {
        group: (list(own["similarity"]), list(own["share"]), list(own["least"]), list(own["largest"]))
        for group, own in table.split("group")
    }
    names = called(table["group"])
    means = _listed({group: fmean(own["mean"]) for group, own in moments.split("group")}, names, cosine)
    plot, label = _drawn(curves, "cosine", "share of word pairs in 0.01", named=names, zero=True)
    title = f"The mean cosine of two words is {means}"
    return Picture(title, [plot.done(f"{title}. {label}")])


def similarity_by_place(tables: Tables) -> Picture:
    """Figures 2, 4, 6 ...: mean similarity of a word to its j-th most similar word."""
    table = tables.get("similarity_by_place")
    if not table or not table.height:
        return Picture()
    curves = {}
    for group, own in table.split("group"):
        kept = own.take(_thinned(own.height))
        curves[group] = (list(kept["place"]), list(kept["similarity"]), list(kept["least"]), list(kept["largest"]))
    names = called(table["group"])
    tops = _listed({group: curve[1][0] for group, curve in curves.items()}, names, cosine)
    plot, label = _drawn(curves, "place in the list", "mean cosine", named=names, log=True, zero=True)
    title = f"The most similar word has a mean cosine of {tops}"
    return Picture(title, [plot.done(f"{title}. {label}")])


def _thinned(height: int) -> list[int]:
    """Rows that are about evenly apart on a logarithmic axis."""
    return sorted({round(height ** (k / (_POINTS - 1))) - 1 for k in range(_POINTS)})


def _over_runs(table: Table, x: str, y: str) -> Curve:
    """Mean, least and largest value over runs, at every x that each run has."""
    runs = len(dict.fromkeys(table["run"]))
    found: dict[float, list[float]] = {}
    for at, value in zip(table[x], table[y], strict=True):
        if value == value:
            found.setdefault(float(at), []).append(float(value))
    xs = sorted(at for at, values in found.items() if len(values) == runs)
    means, lows, highs = ([function(found[at]) for at in xs] for function in (fmean, min, max))
    return xs, means, lows, highs


def _drawn(
    curves: dict[str, Curve],
    xtitle: str,
    ytitle: str,
    *,
    named: dict[str, str],
    log: bool = False,
    zero: bool = False,
) -> tuple[Plot, str]:
    """Return one panel with a line and a band a group, and what it shows in words."""
    curves = {group: curve for group, curve in curves.items() if curve[0]}
    xs = [x for curve in curves.values() for x in curve[0]] or [1.0]
    ys = [y for curve in curves.values() for part in curve[2:] for y in part] or [0.0]
    low = min(0.0, *ys) if zero else min(ys)
    styles = series(curves)
    plot = Plot(_ends(xs), _ends([low, *ys]), right=room(short(named[group]) for group in curves), log=log)
    plot.axes(xtitle, ytitle)
    ends, said = [], []
    for group, (x, mean, least, largest) in curves.items():
        style = styles[group].style
        plot.band(x, least, largest, f"{style} area").curve(x, mean, f"{style} line")
        ends.append((short(named[group]), mean[-1], style))
        said.append(f"{named[group]}: {mean[0]:.3g} at {x[0]:g}, {mean[-1]:.3g} at {x[-1]:g}")
    return plot.labels(ends), "; ".join(said)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low, low + (abs(low) or 1.0))


def _cuts(tables: Tables, kind: str) -> dict[str, float]:
    """The thresholds above chance of all groups that have one in every run, proven near it."""
    table = tables.get("thresholds")
    rows = table.records(kind=kind, rule="chance") if table else iter(())
    return {row["group"]: row["mean"] for row in rows if proven_near(row)}


def _where(cuts: dict[str, float], form: Callable[[float], str]) -> str:
    return _listed({group: cut for group, cut in cuts.items() if math.isfinite(cut)}, called(cuts), form)


def _listed(values: dict[str, float], names: dict[str, str], form: Callable[[float], str]) -> str:
    """Values with their groups for a title; of many, as a sweep has them, the least and the largest."""
    parts = [f"{form(value)} in {names[group]}" for group, value in sorted(values.items(), key=lambda pair: pair[1])]
    if len(parts) > MANY:
        return f"{parts[0]} to {parts[-1]}"
    return ", ".join(f"{form(value)} in {names[group]}" for group, value in values.items())


_BANDS = "Bands are the range over runs."

FIGURES: Figures = {
    "baseline_by_similarity": (
        "Mean of the baseline over the word pairs in each 0.01 of cosine that holds 0.01 % of them; dashed: from where "
        "on it is above the mean of all pairs. Second: without what each word has in common with all others. "
        f"{_BANDS} Figure 20 of the paper.",
        by_similarity,
    ),
    "baseline_by_place": (
        f"Mean of the baseline over the words that stand so far down in the lists. {_BANDS} Figure 21 of the paper.",
        by_place,
    ),
    "next_different": (
        "Next group of higher cosine whose mean is significantly higher by Welch's test; dashed: a group itself. The "
        f"distance from it is lack of pairs as much as likeness. {_BANDS} Figure 22 of the paper.",
        next_different,
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
