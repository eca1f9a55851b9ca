"""The figures of consistency: cosines beside their null level, how they grow with a sample, and the nearest words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gpustab.report.svg.axes import Axis, short
from gpustab.report.svg.charts import LINE, MARKS, WHISKERS, curve, lines
from gpustab.report.svg.colours import nth
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from, each
from gpustab.report.svg.rows import NAMED, Dot, Listed, Row, dots, listed
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.studies.consistency.claims_of_sums import GROWS
from gpustab.studies.consistency.claims_of_vectors import CLOSEST_GROUP, OWN_NEARER, neighbours_shared

_PANELS = 6
_TWO_SIZES = "Samples of two sizes are needed: more sentences with the terms."
_FEW_TERMS = "The background has fewer than two of the terms."
_NO_TEXT = "The picture of the rarer words needs a text of general language: --general TEXT adds it."


class _Beside(NamedTuple):
    """A cosine beside its null level, each with the ends of its interval."""

    name: str
    aside: str
    same: tuple[float, float, float]
    null: tuple[float, float, float]


@drawn_from("consistency", missing="No model was measured.")
def same_and_null(table: Table, _: Tables) -> Picture:
    """Every model's cosine of samples of one term, and of different terms, with intervals over terms."""
    same, null = table["same"][0], table["null"][0]
    title = f"Two samples of one term have a cosine of {same:.3f}, samples of two terms {null:.3f}"
    return _by_group(table, title, _of_models, "cosine of two samples")


def _of_models(rows: Table) -> list[_Beside]:
    same, null = (list(each(rows, name, f"{name}_low", f"{name}_high")) for name in ("same", "null"))
    named = each(rows, "model", "auc")
    return [_Beside(model, f"AUC {auc:.2f}", *ends) for (model, auc), *ends in zip(named, same, null, strict=True)]


def _by_group(table: Table, title: str, compare: Callable[[Table], list[_Beside]], axis: str) -> Picture:
    """One panel for each background and text, six at most; their names stand at the axis where they are several."""
    groups = table.split("group")
    panels = [_beside(compare(rows), f"{axis}, {name}" if len(groups) > 1 else axis) for name, rows in groups[:_PANELS]]
    return Picture(_of_first(table, title), panels)


def _of_first(table: Table, title: str) -> str:
    """The title that is of the first background and text, with their name where they are several."""
    return f"{table['group'][0]}: {title}" if len(set(table["group"])) > 1 else title


def _beside(compared: Sequence[_Beside], axis: str) -> str:
    """Cosines (circles) beside their null levels (squares)."""
    low = min(0.0, *(x for one in compared for x in (*one.same, *one.null) if math.isfinite(x)))
    rows = [Row(one.name, [_dot(0, *one.same), _dot(1, *one.null)], aside=one.aside) for one in compared]
    label = "; ".join(f"{one.name}: {one.same[0]:.3f} beside {one.null[0]:.3f}" for one in compared)
    return dots(rows, Axis(axis, low, 1.0), NAMED, label)


def _dot(k: int, value: float, low: float, high: float) -> Dot:
    low, high = (low, high) if low < high else (math.nan, math.nan)
    return Dot(value, *nth(k), low, high, below=13 + 6 * k)


@drawn_from("sizes", missing=_TWO_SIZES)
def by_size(table: Table, _: Tables) -> Picture:
    """Cosine over the number of sentences, with the law of sums and the null level; a panel for each text."""
    sized = table.take(k for k, n in enumerate(table["n"]) if n is not None)
    parts = [(name, rows) for name, rows in sized.split("group") if rows.height > 1]
    if not parts:
        return Picture(missing=_TWO_SIZES)
    low = min(x for _, rows in parts for levels in each(rows, "null", "law", "same_low") for x in levels)
    said = [GROWS.sentence(list(rows.rows())).partition(";")[0].rstrip(".") + "." for _, rows in parts]
    names = [name if len(parts) > 1 else "" for name, _ in parts]
    panels = [
        _by_size(rows, min(low, 0.9), name, label)
        for (_, rows), name, label in zip(parts[:_PANELS], names, said, strict=False)
    ]
    return Picture(f"{names[0]}: {said[0]}" if names[0] else said[0], panels)


def _by_size(rows: Table, low: float, name: str, label: str) -> str:
    """A panel, on the scale of all."""
    drawn = [
        curve(rows, "n", "law", "axis", "thin dash"),
        curve(rows, "n", "same", nth(0), LINE, WHISKERS, MARKS, name="one term", low="same_low", high="same_high"),
        curve(rows, "n", "null", nth(1), LINE, MARKS, name="two terms"),
    ]
    x, y = Axis("sentences of a sample", 0.0), Axis("cosine", low, 1.0)
    return lines(x, y, drawn, label, name=short(name, 34), right=110)


@drawn_from("own", missing=_FEW_TERMS)
def own_place(table: Table, _: Tables) -> Picture:
    """How near learned vectors are to the background's own vector of the term, and to those of other terms."""
    rows = table.take(k for k, terms in enumerate(table["terms"]) if terms > 1)
    if not rows.height:
        return Picture(missing=_FEW_TERMS)
    compare = partial(_with_excess, name="model", aside="place", text="place {:,.0f}".format)
    title = OWN_NEARER.sentence(next(rows.rows()))
    return _by_group(rows, title, compare, "cosine to the background's vector")


@drawn_from("domain", missing=_NO_TEXT)
def by_frequency(table: Table, _: Tables) -> Picture:
    """Cosine of terms in the text to themselves in the general text, by groups of frequency, with a matched null."""
    rows = table.take(k for k, terms in enumerate(table["terms"]) if terms)
    if not rows.height:
        return Picture(missing=_NO_TEXT)
    compare = partial(_with_excess, name="terms_of", aside="terms", text=partial(counted, noun="term"))
    title = CLOSEST_GROUP.sentence(list(rows.rows(group=rows["group"][0])))
    return _by_group(rows, title, compare, "cosine of a term to itself in the general text")


def _with_excess(rows: Table, name: str, aside: str, text: Callable[[Any], str]) -> list[_Beside]:
    """Cosines with the interval of their excess: the null level is where it lies, the interval says how far above."""
    columns = each(rows, name, aside, "cosine", "null", "excess_low", "excess_high")
    return [
        _Beside(of, text(beside), (cosine, null + low, null + high), (null, math.nan, math.nan))
        for of, beside, cosine, null, low, high in columns
    ]


@drawn_from("neighbours", missing="No term was measured.")
def nearest_words(table: Table, _: Tables) -> Picture:
    """The nearest words of the first two samples of some terms; those that both have are marked."""
    groups = table.split("group")
    parts = [
        (", ".join([name] * (len(groups) > 1) + [model] * (len(set(rows["model"])) > 1)), of_model)
        for name, rows in groups
        for model, of_model in rows.split("model")
    ]
    panels = [
        listed(_nearest(rows), neighbours_shared(list(rows.rows())), short(name, 50)) for name, rows in parts[:_PANELS]
    ]
    return Picture(_of_first(table, neighbours_shared(list(groups[0][1].rows()))), panels)


def _nearest(rows: Table) -> list[Listed]:
    samples = [(term, cosine, nearest.split(", ")) for term, cosine, nearest in each(rows, "term", "cosine", "nearest")]
    return [
        Listed(term, f"cosine {cosine:.2f}", (one, two), set(one) & set(two))
        for (term, cosine, one), (_, _, two) in zip(samples[::2], samples[1::2], strict=True)
    ]


FIGURES: Figures = {
    "same_and_null": (
        "Circles: samples of one term; squares: of different terms. Whiskers: 95 % over terms. AUC: how often the "
        "first is nearer, 0.5 by chance",
        same_and_null,
    ),
    "own_place": (
        "Circles: cosine of a sample to its term's own vector; squares: to those of other terms. Whiskers: 95 % over "
        "terms of the excess. Place: of the own vector among all words",
        own_place,
    ),
    "by_frequency": (
        "Circles: a term and itself; squares: the ten other terms of the most like frequencies. Whiskers: 95 % over "
        "terms of the excess",
        by_frequency,
    ),
    "nearest_words": ("Upper line: first sample, lower: second. In blue the words that both have", nearest_words),
    "by_size": ("Whiskers: 95 % over terms. Dashed: the law of sums, its constant from the largest size", by_size),
}
"""Caption and drawing of every figure, in reading order."""
