"""Figures of the thesis, drawn from the tables of the study: chapter 2, and the list of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpustab.report.plots import BLUE, GREY, INK, RED, SERIES, Tables, by_matplotlib, new_figure, panels, svg_text
from gpustab.results import Table
from gpustab.studies.instability.averaging_figures import averaging, cosines, how_many, scores
from gpustab.studies.instability.pair_figure import one_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpustab.report.describe import Figures

_LABELS = 6
_LABEL_SIZE = (0.4, 0.07)
"""Width and height of a name, as parts of an axis."""


@by_matplotlib
def whitened(tables: Tables) -> str:
    """Figure 2.5: histogram of whitened cosines beside the law of normals at R runs, and the normal."""

    def draw(axes: Axes, rows: Table) -> None:
        width = rows["z"][1] - rows["z"][0]
        axes.bar(rows["z"], rows["density"], width, color=BLUE, alpha=0.4, label="cosines")
        axes.step(rows["z"], rows["normals"], where="mid", color=RED, lw=2, label="normals, as many runs")
        normal = [math.exp(-z * z / 2) / math.sqrt(2 * math.pi) for z in rows["z"]]
        axes.plot(rows["z"], normal, ":", color=GREY, label="normals, many runs")
        axes.set(xlabel="whitened cosine (SDs)", ylabel="density", ylim=(0, 1.45 * max(rows["density"])))

    return panels(tables.get("whitened"), draw)


@by_matplotlib
def p_values(tables: Tables) -> str:
    """Figures 2.3 and 2.4: shares of p-values beside those of simulated normals at the same R."""

    def draw(axes: Axes, rows: Table) -> None:
        for k, (test, part) in enumerate(rows.split("hypothesis")):
            colour, marker, _ = SERIES[k]
            x = [low + 0.025 for low in part["p_from"]]
            ratio = [a / b if b else math.nan for a, b in zip(part["share"], part["normals"], strict=True)]
            axes.plot(x, ratio, color=colour, marker=marker, ms=4, lw=1, label=test)
        axes.axhline(1, color=GREY, lw=1)
        axes.set(xlabel="p-value", ylabel="pairs / simulated normals", ylim=(0, 2))

    return panels(tables.get("p_values"), draw)


_MODELS = (("plain", "independent"), ("corrected", "with their correlation"))


@by_matplotlib
def predicted_1(tables: Tables) -> str:
    """Figure A.2: predicted against measured p@1, by both models."""
    return _against_measured(tables, _MODELS, 1, "predicted p@1")


@by_matplotlib
def predicted_2(tables: Tables) -> str:
    """Figure A.3: predicted against measured p@2, by both models."""
    return _against_measured(tables, _MODELS, 2, "predicted p@2")


@by_matplotlib
def predicted_10(tables: Tables) -> str:
    """The same of p@10, which the thesis does not predict."""
    return _against_measured(tables, _MODELS, 10, "predicted p@10")


@by_matplotlib
def structure(tables: Tables) -> str:
    """Figure 2.7: structure factor ρ@1 against measured p@1."""
    return _against_measured(tables, (("structure", "words"),), 1, "structure factor ρ@1")


def _against_measured(tables: Tables, models: Sequence[tuple[str, str]], n: int, label: str) -> str:
    def draw(axes: Axes, rows: Table) -> None:
        for k, (model, name) in enumerate(models[::-1]):
            colour, marker, _ = SERIES[k]
            style: dict[str, Any] = {"color": colour, "mfc": "none" if k else colour, "alpha": 0.6, "zorder": 2 - k}
            axes.plot(rows["measured"], rows[model], marker, ms=3 + 2 * k, mew=0.7 * k, label=name, **style)
        axes.plot([0, 1], [0, 1], color=INK, lw=1, zorder=3)
        for x, y, word in _furthest(rows["measured"], rows[models[-1][0]], rows["word"]):
            side: dict[str, Any] = {"xytext": (-4, 3), "ha": "right"} if y > x else {"xytext": (4, -9)}
            axes.annotate(word, (x, y), textcoords="offset points", fontsize=9, parse_math=False, **side)
        axes.set(xlabel=f"measured p@{n}", ylabel=label, xlim=(-0.03, 1.3), ylim=(-0.03, 1.03))
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])

    table = tables.get("predictions")
    return panels(table.where(n=n) if table else None, draw)


def _furthest(measured: list[float], values: list[float], words: list[str]) -> list[tuple[float, float, str]]:
    """The points furthest from the diagonal whose names do not overlap."""
    kept: list[tuple[float, float, str]] = []
    for x, y, word in sorted(zip(measured, values, words, strict=True), key=lambda row: -abs(row[0] - row[1])):
        if all(abs(x - a) > _LABEL_SIZE[0] or abs(y - b) > _LABEL_SIZE[1] for a, b, _ in kept):
            kept.append((x, y, word))
        if len(kept) == _LABELS:
            break
    return kept


@by_matplotlib
def frequency(tables: Tables) -> str:
    """Figures 2.8 and 2.9: intrinsic and extrinsic instability of words over their frequency."""
    words, batches = tables.get("words"), tables.get("batches")
    if not words or not batches or not batches["technique"]:
        return ""
    techniques = list(dict.fromkeys(words["technique"]))
    figure = new_figure(len(techniques), 2)
    axes = figure.subplots(2, len(techniques), sharex=True, sharey="row", squeeze=False)
    highest: list[list[float]] = [[], []]
    for column, name in enumerate(techniques):
        rows = words.where(technique=name)
        # ⟨d²⟩ and J², so that batches can be averaged; signed roots are what is drawn.
        squares = (rows["intrinsic_square"], rows["extrinsic_square"])
        for row, (quantity, square) in enumerate(zip(("intrinsic", "extrinsic squared"), squares, strict=True)):
            here = axes[row, column]
            colour, marker, _ = SERIES[row]
            values = [math.copysign(math.sqrt(abs(x)), x) for x in square]
            here.plot(rows["frequency"], values, ".", color=colour, ms=3, alpha=0.25, mew=0, rasterized=True)
            part = batches.where(technique=name, quantity=quantity)
            means = [x if row == 0 else math.copysign(math.sqrt(abs(x)), x) for x in part["mean"]]
            here.plot(part["frequency"], means, marker + "-", color=INK, ms=4, lw=1, label="mean of batches")
            here.set_xscale("log")
            highest[row] += [v for v in values if v == v]
        axes[0, column].set_title(name, parse_math=False)
        axes[1, column].set_xlabel("occurrences in the corpus")
        style: dict[str, Any] = {"fontsize": 8, "rotation": 45, "parse_math": False}
        for word in _frequent(rows):
            axes[0, column].annotate(*word, xytext=(1, 3), textcoords="offset points", **style)
    for row, label in enumerate(("intrinsic instability", "extrinsic instability")):
        axes[row, 0].set_ylabel(label)
        if highest[row]:
            # A few outliers would flatten everything else.
            top = sorted(highest[row])[int(0.999 * (len(highest[row]) - 1))]
            if max(highest[row]) > min(highest[row]):  # equal runs have one value
                axes[row, 0].set_ylim(min(0, min(highest[row])), 1.15 * top)
    axes[0, 0].legend(loc="lower left")
    return svg_text(figure)


def _frequent(rows: Table) -> list[tuple[str, tuple[float, float]]]:
    """A few words along the frequencies, to be named where they stand."""
    order = sorted(range(len(rows["word"])), key=lambda k: -rows["frequency"][k])
    picked = [order[k] for k in (0, 12, 150) if k < len(order)]
    return [(rows["word"][k], (rows["frequency"][k], rows["intrinsic"][k])) for k in picked]


FIGURES: Figures = {
    "figure_2_2": ("Figure 2.2: the cosine of two words over the runs, beside a normal of its mean and SD", one_pair),
    "figure_2_3": ("Figures 2.3, 2.4: p-values against those of simulated normals at as many runs", p_values),
    "figure_2_5": ("Figure 2.5: whitened cosines of random word pairs", whitened),
    "figure_a_2": ("Figure A.2: predicted against measured p@1; the words furthest off are named", predicted_1),
    "figure_a_3": ("Figure A.3: predicted against measured p@2; the words furthest off are named", predicted_2),
    "predicted_10": ("Predicted against measured p@10; the words furthest off are named", predicted_10),
    "figure_2_7": ("Figure 2.7: structure factor, from means alone, against measured p@1", structure),
    "figure_2_8": ("Figures 2.8, 2.9: instability of words over frequency", frequency),
    "figure_3_2": ("Figure 3.2: cosines of runs and of averages of two", cosines),
    "figure_3_5": ("Figure 3.5: loss between averages of n disjoint runs", averaging),
    "figure_3_6": ("Figure 3.6: scores of averages of n runs, less those of runs", scores),
    "how_many": ("How many runs: standard error by the jackknife (filled) and by subsampling (hollow)", how_many),
}
"""Caption and drawing of every figure, in reading order."""
