"""The figure of averages: how far two of them differ, over the number of runs that each is of."""

from __future__ import annotations

from math import sqrt

from gpustab.report.svg.axes import Axis, at
from gpustab.report.svg.charts import LINE, MARKS, WHISKERS, Curve, lines
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.results.page import number, percent
from gpustab.studies.average.study import LEVELS, gain_of


@drawn_from("levels")
def curve(table: Table, tables: Tables) -> Picture:
    """One line a group from single runs to the largest averages of which there are two; dashed, independent noise."""
    drawn, names = series(table["group"]), called(table["group"])
    curves, said, most = [], [], 1
    for group in drawn:
        levels = list(LEVELS.rows(tables, group=group))
        if len(levels) < 2 or (gain := gain_of(levels)) is None:
            continue
        xs, losses = [level.runs_beneath for level in levels], [level.loss for level in levels]
        low, high = zip(*(loss.interval for loss in losses), strict=True)
        values, first, most = [loss.value for loss in losses], losses[0].value, max(most, *xs)
        curves.append(Curve(xs, [first / sqrt(n) for n in xs], "axis", parts=("thin dash",)))
        curves.append(Curve(xs, values, *drawn[group], names[group], low, high, (LINE, WHISKERS, MARKS)))
        said.append((names[group], gain))
    if not curves:
        return Picture(missing="The curve needs four runs: two averages of two runs each.")
    panel = lines(
        Axis("runs of an average", ticks=at(2**k for k in range(most.bit_length())), log=True),
        Axis("PIP loss of two averages", low=0.0),
        curves,
        "Loss between averages over the number of runs. "
        + "; ".join(f"{name}: {number(gain.part.value, 2)} of that of runs at {gain.n}" for name, gain in said),
    )
    name, gain = said[0]
    of = f" ({name})" if len(said) > 1 else ""
    title = f"Averages of {gain.n} runs differ {percent(gain.part.value)} as much as single runs{of}"
    return Picture(title, [panel])


FIGURES: Figures = {
    "curve": (
        "Mean reduced PIP loss of two averages of equally many runs, none of which is in both, with its 95 % "
        "interval; 1 "
        "is single runs. Dashed: what independent noise would leave, 1/√n.",
        curve,
    )
}
"""How to read the figure, and its drawing."""
