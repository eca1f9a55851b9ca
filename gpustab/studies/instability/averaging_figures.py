"""Figures of the thesis, drawn from the tables of the study: chapter 3, and how many runs suffice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpustab.report.plots import GREY, SERIES, Tables, by_matplotlib, new_figure, panels, svg_text
from gpustab.results import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@by_matplotlib
def averaging(tables: Tables) -> str:
    """Figure 3.5: loss between averages of n runs over n."""

    def draw(axes: Axes, rows: Table) -> None:
        plain, scaled = (rows.where(renormalised=choice) for choice in (False, True))
        n = plain["runs_beneath"]
        axes.plot(n, plain["one_over_root_n"], color=GREY, lw=2, label="1/√n")
        for k, (part, column, label) in enumerate(
            (
                (plain, "ratio_cosine", "cosines"),
                (scaled, "ratio_cosine", "cosines, levels renormalised"),
                (plain, "ratio_dot", "dot products"),
                (plain, "ratio_cosine_matrices", "means of cosine matrices"),
            )
        ):
            colour, marker, line = SERIES[k]
            style: dict[str, Any] = {"color": colour, "marker": marker, "ls": line, "mfc": "none"}
            axes.plot(part["runs_beneath"], part[column], **style, label=label)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.set_xticks(n, [str(x) for x in n])
        ticks = [x for x in (1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09) if x > 0.9 * min(plain["one_over_root_n"])]
        axes.set_yticks(ticks, [str(x) for x in ticks])
        axes.set(xlabel="runs averaged, n", ylabel="loss / loss between runs")

    return panels(tables.get("figure_3_5"), draw)


@by_matplotlib
def cosines(tables: Tables) -> str:
    """Figure 3.2: deviations of cosines and their means, of runs and of averages of two."""
    table = tables.get("figure_3_2")
    if not table or not table["technique"]:
        return ""
    techniques = list(dict.fromkeys(table["technique"]))
    figure = new_figure(len(techniques), 2)
    axes = figure.subplots(2, len(techniques), squeeze=False)
    for column, name in enumerate(techniques):
        for row, panel in enumerate(("deviation", "mean")):
            part = table.where(technique=name, panel=panel)
            for k, (n, rows) in enumerate(part.split("runs_beneath")):
                label = "runs" if n == 1 else f"averages of {n}"
                axes[row, column].plot(
                    rows["cosine"], rows["density"], SERIES[k][2], color=SERIES[k][0], lw=2, label=label
                )
        axes[0, column].set_title(name, parse_math=False)
        axes[0, column].set_xlabel("cosine − its mean over runs")
        axes[1, column].set(xlabel="mean cosine")
    for row in range(2):
        axes[row, 0].set_ylabel("density")
    if axes[0, 0].has_data():  # runs that are all equal have no deviations
        axes[0, 0].legend(loc="upper right", fontsize=9)
    return svg_text(figure)


@by_matplotlib
def scores(tables: Tables) -> str:
    """Figure 3.6: mean score of averages of n runs over n, as a difference from that of runs."""

    def draw(axes: Axes, rows: Table) -> None:
        for k, (test, part) in enumerate(rows.split("test")):
            colour, marker, line = SERIES[k]
            base = part["mean"][0]
            own = [(sd or 0) / math.sqrt(n) for sd, n in zip(part["sd"], part["spaces"], strict=True)]
            errors = [0.0, *(100 * math.hypot(own[0], error) for error in own[1:])]  # as if of other runs
            shift = [n * 1.04 ** (k - 1) for n in part["runs_beneath"]]  # bars stand beside each other
            gains = [100 * (x - base) for x in part["mean"]]
            axes.errorbar(shift, gains, errors, color=colour, marker=marker, ls=line, label=test)
        axes.axhline(0, color=GREY, lw=1)
        axes.set_xscale("log", base=2)
        ticks = sorted(set(rows["runs_beneath"]))
        axes.set_xticks(ticks, [str(n) for n in ticks])
        axes.set(xlabel="runs averaged, n", ylabel="gain (points) ± SE")

    return panels(tables.get("scores"), draw)


@by_matplotlib
def how_many(tables: Tables) -> str:
    """Relative standard error against the number of runs."""

    def draw(axes: Axes, rows: Table) -> None:
        for k, (quantity, part) in enumerate(rows.split("quantity")):
            colour, marker, _ = SERIES[k]
            own, subsets = ([100 * x for x in part[column]] for column in ("jackknife", "subsampling"))
            axes.plot(part["runs"], own, "-", color=colour, marker=marker, label=quantity)
            axes.plot(part["runs"], subsets, ":", color=colour, marker=marker, mfc="none")
        axes.plot([], [], ":o", color=GREY, mfc="none", label="by subsampling")
        axes.set_xscale("log")
        if any(x > 0 for x in [*rows["jackknife"], *rows["subsampling"]]):  # errors of equal runs are 0
            axes.set_yscale("log")
        ticks = sorted(set(rows["runs"]))
        shown = [n for n in ticks if n in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)]
        axes.set_xticks(shown, [str(n) for n in shown])
        axes.xaxis.set_minor_formatter("")
        axes.yaxis.set_major_formatter("{x:g} %")
        axes.set(xlabel="runs, R", ylabel="standard error of the value")

    return panels(tables.get("how_many"), draw)
