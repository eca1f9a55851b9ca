"""Figures of the thesis, drawn from the tables of the study: chapter 2, and the list of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from gpustab.report.svg.elements import text
from gpustab.report.svg.picture import Figures, Picture, Tables
from gpustab.report.svg.plot import Named, Plot
from gpustab.results import Table
from gpustab.studies.instability.averaging_figures import averaging, cosines, how_many, scores
from gpustab.studies.instability.drawing import Say, by_technique, known, short_number
from gpustab.studies.instability.frequency_figure import frequency
from gpustab.studies.instability.pair_figure import one_pair
from gpustab.studies.instability.tables import pearson

_LABELS = 6
_LABEL_SIZE = (0.3, 0.06)
"""Width and height of a name, as parts of an axis."""
_MODELS = (("plain", "independent"), ("corrected", "with their correlation"))
_STRUCTURE = (("structure", "words"),)


def whitened(tables: Tables) -> Picture:
    """Figure 2.5: histogram of whitened cosines beside the law of normals at R runs, and the normal."""

    def said(rows: Table) -> str | None:
        differences = known(a - b for a, b in zip(rows["density"], rows["normals"], strict=True))
        return short_number(max(map(abs, differences))) if differences else None

    title = "The density of whitened cosines differs from that of normals by at most:"
    return by_technique(tables.get("whitened"), _whitened, title, said)


def _whitened(name: str, rows: Table) -> str:
    z, width = list(rows["z"]), rows["z"][1] - rows["z"][0]
    key = [
        Named("cosines", "g0 area", 1),
        Named("normals, as many runs", "g1 line"),
        Named("normals, many runs", "ink line thin dash"),
    ]
    plot = Plot((z[0] - width / 2, z[-1] + width / 2), (0, 1.05 * max([*rows["density"], 0.4])), name=name, key=key)
    plot.axes("whitened cosine (SDs)", "density")
    plot.bars([*(x - width / 2 for x in z), z[-1] + width / 2], rows["density"], "g0 area")
    steps = [x + side * width / 2 for x in z for side in (-1, 1)]
    plot.curve(steps, [y for y in rows["normals"] for _ in range(2)], "g1 line")
    plot.curve(z, [math.exp(-x * x / 2) / math.sqrt(2 * math.pi) for x in z], "ink line thin dash")
    return plot.done(f"Whitened cosines, {name}")


def p_values(tables: Tables) -> Picture:
    """Figures 2.3 and 2.4: shares of p-values beside those of simulated normals at the same R."""

    def said(rows: Table) -> str | None:
        low = min(rows["p_from"])
        found = [(test, short_number(_ratios(part.where(p_from=low))[0])) for test, part in rows.split("hypothesis")]
        return "; ".join(f"× {ratio} ({test})" for test, ratio in found if ratio) or None

    title = "Pairs with the smallest p-values, against simulated normals:"
    return by_technique(tables.get("p_values"), _p_values, title, said)


def _ratios(part: Table) -> list[float]:
    return [a / b if b else math.nan for a, b in zip(part["share"], part["normals"], strict=True)]


def _p_values(name: str, rows: Table) -> str:
    parts = [(str(test), part) for test, part in rows.split("hypothesis")]
    key = [Named(test, f"g{k} full", k) for k, (test, _) in enumerate(parts)]
    top = max(2.0, 1.05 * max(known(x for _, part in parts for x in _ratios(part)), default=2.0))
    plot = Plot((0, 1), (0, top), name=name, key=key).axes("p-value", "pairs / simulated normals").level(1, "")
    for k, (_, part) in enumerate(parts):
        xs = [low + 0.025 for low in part["p_from"]]
        plot.curve(xs, _ratios(part), f"g{k} line thin").marks(xs, _ratios(part), k, f"g{k} full", 3)
    return plot.done(f"p-values against those of normals, {name}")


def predicted(n: int, tables: Tables) -> Picture:
    """Figures A.2 and A.3: predicted against measured p@n, by both models."""

    def said(rows: Table) -> str | None:
        errors = known(abs(a - b) for a, b in zip(rows["corrected"], rows["measured"], strict=True))
        return short_number(sum(errors) / len(errors)) if errors else None

    title = f"Predicted p@{n} is off by, on average over words:"
    return _against_measured(tables, _MODELS, n, f"predicted p@{n}", title, said)


def structure(tables: Tables) -> Picture:
    """Figure 2.7: structure factor ρ@1 against measured p@1."""

    def said(rows: Table) -> str | None:
        pairs = [(a, b) for a, b in zip(rows["structure"], rows["measured"], strict=True) if math.isfinite(a + b)]
        return short_number(pearson([a for a, _ in pairs], [b for _, b in pairs]))

    title = "Correlation of the structure factor with measured p@1:"
    return _against_measured(tables, _STRUCTURE, 1, "structure factor ρ@1", title, said)


def _against_measured(
    tables: Tables, models: Sequence[tuple[str, str]], n: int, ytitle: str, title: str, said: Say
) -> Picture:
    def panel(name: str, rows: Table) -> str:
        named = [Named(label, f"g{k} {_fill(k)}", k) for k, (_, label) in enumerate(models)]
        plot = Plot((0, 1.3), (-0.03, 1.03), name=name, key=named if len(models) > 1 else [])
        plot.axes(f"measured p@{n}", ytitle, [(x / 5, f"{x / 5:g}") for x in range(6)]).curve([0, 1], [0, 1], "axis")
        for k, (model, _) in enumerate(models):
            plot.marks(rows["measured"], rows[model], k, f"g{k} {_fill(k)}", 2.6)
        for x, y, word in _furthest(rows["measured"], rows[models[-1][0]], rows["word"]):
            left, up = plot.at(x, y)
            above = y > x and x > 0.3
            plot.add(text(left - 5 if above else left + 5, up - 3, word, "soft halo", "end" if above else "start"))
        return plot.done(f"{ytitle} against measured p@{n}, {name}")

    table = tables.get("predictions")
    return by_technique(table.where(n=n) if table else None, panel, title, said)


def _fill(k: int) -> str:
    return "full" if k else "hollow"


def _furthest(measured: list[float], values: list[float], words: list[str]) -> list[tuple[float, float, str]]:
    """The points furthest from the diagonal whose names do not overlap."""
    kept: list[tuple[float, float, str]] = []
    for x, y, word in sorted(zip(measured, values, words, strict=True), key=lambda row: -abs(row[0] - row[1])):
        if math.isfinite(x + y) and all(abs(x - a) > _LABEL_SIZE[0] or abs(y - b) > _LABEL_SIZE[1] for a, b, _ in kept):
            kept.append((x, y, word))
        if len(kept) == _LABELS:
            break
    return kept


FIGURES: Figures = {
    "figure_2_2": ("Figure 2.2: the cosine of two words over the runs, beside a normal of its mean and SD", one_pair),
    "figure_2_3": ("Figures 2.3, 2.4: p-values against those of simulated normals at as many runs", p_values),
    "figure_2_5": ("Figure 2.5: whitened cosines of random word pairs", whitened),
    "figure_a_2": (
        "Figure A.2: predicted against measured p@1; the words furthest off are named",
        partial(predicted, 1),
    ),
    "figure_a_3": (
        "Figure A.3: predicted against measured p@2; the words furthest off are named",
        partial(predicted, 2),
    ),
    "predicted_10": ("Predicted against measured p@10; the words furthest off are named", partial(predicted, 10)),
    "figure_2_7": ("Figure 2.7: structure factor, from means alone, against measured p@1", structure),
    "figure_2_8": ("Figures 2.8, 2.9: instability of words over frequency", frequency),
    "figure_3_2": ("Figure 3.2: cosines of runs and of averages of two", cosines),
    "figure_3_5": ("Figure 3.5: loss between averages of n disjoint runs", averaging),
    "figure_3_6": ("Figure 3.6: scores of averages of n runs, less those of runs", scores),
    "how_many": ("How many runs: standard error by the jackknife (filled) and by subsampling (hollow)", how_many),
}
"""Caption and drawing of every figure, in reading order."""
