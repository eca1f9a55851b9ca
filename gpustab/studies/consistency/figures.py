"""Figures of the study: cosines beside their null level, and how they grow with the sentences of a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpustab.report.svg.elements import figure, text
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import Plot, short
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.studies.consistency.claims import GROWS
from gpustab.studies.consistency.claims_of_vectors import CLOSEST_GROUP, OWN_NEARER, neighbours_shared
from gpustab.studies.consistency.drawing import BOTH, Line, beside_null, cut, words_of
from gpustab.studies.consistency.tables import Domain, Neighbours, OwnVectors, Size

_PANELS = 6


def same_and_null(tables: Tables) -> Picture:
    """Every model's cosine of samples of one term, and of different terms, with intervals over terms."""
    groups = _groups(tables.get("consistency", Table()))
    if not groups:
        return Picture(missing="No model was measured.")
    first = next(iter(groups.values()))[0]
    title = (
        f"Cosine {first['same']:.3f} for one term, {first['null']:.3f} for two: it needs its level for different terms"
    )
    return Picture(_of_first(groups, title), _panels(groups, _line_of_model, "cosine of two samples"))


def _groups(table: Table) -> dict[str, list[dict[str, Any]]]:
    """Rows by background and text."""
    names = dict.fromkeys(table.get("group", []))
    return {name: list(table.records(group=name)) for name in names}


def _of_first(groups: Mapping[str, Any], title: str) -> str:
    """The title that is of the first background and text, with their name where they are several."""
    return f"{next(iter(groups))}: {title}" if len(groups) > 1 else title


def _panels(groups: dict[str, list[dict[str, Any]]], line: Callable[[dict[str, Any]], Line], axis: str) -> list[str]:
    """One panel for each background and text, six at most; their names stand at the axis where they are several."""
    found = []
    for name, rows in list(groups.items())[:_PANELS]:
        label = "; ".join(f"{one.name}: {one.same[0]:.3f} beside {one.null[0]:.3f}" for one in map(line, rows))
        of = f"{axis}, {name}" if len(groups) > 1 else axis
        found.append(beside_null([line(row) for row in rows], of, label))
    return found


def _line_of_model(row: dict[str, Any]) -> Line:
    return Line(row["model"], f"AUC {row['auc']:.2f}", *((row[n], row[f"{n}_low"], row[f"{n}_high"]) for n in BOTH))


def by_size(tables: Tables) -> Picture:
    """Cosine over the number of sentences, with the law of sums and the null level; a panel for each text."""
    table = tables.get("sizes", Table())
    groups = {name: rows for name, rows in _groups(table).items() if len(rows) > 1}
    if not groups:
        return Picture(missing="Samples of two sizes are needed: more sentences with the terms.")
    low = min(min(row["null"], row["law"], row["same_low"]) for rows in groups.values() for row in rows)
    said = {
        name: GROWS.sentence([Size(**row) for row in rows]).partition(";")[0].rstrip(".") + "."
        for name, rows in groups.items()
    }
    panels = [
        _by_size(rows, min(low, 0.9), name if len(groups) > 1 else "", said[name])
        for name, rows in list(groups.items())[:_PANELS]
    ]
    return Picture(_of_first(groups, next(iter(said.values()))), panels)


def _by_size(rows: Sequence[dict[str, Any]], low: float, name: str, label: str) -> str:
    """A panel, on the scale of all."""
    xs = [float(row["n"]) for row in rows]
    plot = Plot((0.0, max(xs)), (low, 1.0), right=110, name=short(name, 34))
    plot.axes("sentences of a sample", "cosine")
    plot.curve(xs, [row["law"] for row in rows], "axis thin dash")
    plot.curve(xs, [row["same"] for row in rows], "g0 line")
    plot.errors(xs, [row["same_low"] for row in rows], [row["same_high"] for row in rows], "g0 line thin")
    plot.marks(xs, [row["same"] for row in rows], 0, "g0 full")
    plot.curve(xs, [row["null"] for row in rows], "g1 line")
    plot.marks(xs, [row["null"] for row in rows], 1, "g1 full")
    return plot.labels([("one term", rows[-1]["same"], "g0"), ("two terms", rows[-1]["null"], "g1")]).done(label)


def own_place(tables: Tables) -> Picture:
    """How near learned vectors are to the background's own vector of the term, and to those of other terms."""
    table = tables.get("own", Table())
    found = {name: [row for row in rows if row["terms"] > 1] for name, rows in _groups(table).items()}
    groups = {name: rows for name, rows in found.items() if rows}
    if not groups:
        return Picture(missing="The background has fewer than two of the terms.")

    def line(row: dict[str, Any]) -> Line:
        return Line(row["model"], f"place {row['place']:,.0f}", _with_excess(row), (row["null"],) * 3)

    title = _of_first(groups, OWN_NEARER.sentence(OwnVectors(**next(iter(groups.values()))[0])))
    return Picture(title, _panels(groups, line, "cosine to the background's vector"))


def by_frequency(tables: Tables) -> Picture:
    """Cosine of terms in the text to themselves in the general text, by groups of frequency, with a matched null."""
    found = _groups(tables.get("domain", Table()))
    groups = {name: [row for row in rows if row["terms"]] for name, rows in found.items()}
    groups = {name: rows for name, rows in groups.items() if rows}
    if not groups:
        return Picture(missing="A general text is needed.")

    def line(row: dict[str, Any]) -> Line:
        return Line(row["terms_of"], counted(row["terms"], "term"), _with_excess(row), (row["null"],) * 3)

    title = _of_first(groups, CLOSEST_GROUP.sentence([Domain(**row) for row in next(iter(groups.values()))]))
    return Picture(title, _panels(groups, line, "cosine of a term to itself in the general text"))


def _with_excess(row: dict[str, Any]) -> tuple[float, float, float]:
    """A cosine with the interval of its excess: the null level is where it lies, the interval says how far above."""
    return row["cosine"], row["null"] + row["excess_low"], row["null"] + row["excess_high"]


def nearest_words(tables: Tables) -> Picture:
    """The nearest words of the first two samples of some terms; those that both have are marked."""
    table = tables.get("neighbours", Table())
    if not table.height:
        return Picture(missing="No term was measured.")
    groups = _groups(table)
    panels = [_nearest(rows, name if len(groups) > 1 else "") for name, rows in list(groups.items())[:_PANELS]]
    return Picture(_of_first(groups, _shared(next(iter(groups.values())))), panels)


def _nearest(rows: Sequence[dict[str, Any]], name: str) -> str:
    parts, y = ([text(0, 11, short(name, 50), "bold")], 36.0) if name else (list[str](), 14.0)
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        both = set(first["nearest"].split(", ")) & set(second["nearest"].split(", "))
        parts += [text(0, y, cut(first["term"], 18)), text(0, y + 15, f"cosine {first['cosine']:.2f}", "soft")]
        for k, row in enumerate((first, second)):
            parts += words_of(row["nearest"].split(", "), both, y + 15 * k)
        y += 42
    return figure(y - 20, parts, _shared(rows))


def _shared(rows: Sequence[dict[str, Any]]) -> str:
    return neighbours_shared([Neighbours(**row) for row in rows])


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
