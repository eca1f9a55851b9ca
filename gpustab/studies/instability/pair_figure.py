"""Figure 2.2 of Rettenmeier 2020: the cosine of two words over the runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpustab.report.plots import BLUE, RED, Tables, by_matplotlib, panels
from gpustab.results import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHARP = 1e-9
"""Standard deviations up to this count as 0, as in :mod:`gpustab.kernels.prediction`."""


@by_matplotlib
def one_pair(tables: Tables) -> str:
    """Figure 2.2: a histogram over the runs, a tick per run, and a normal of the same mean and SD (``ddof = 1``)."""

    def draw(axes: Axes, rows: Table) -> None:
        values = np.asarray(rows["cosine"], np.float64)
        mean, sd = values.mean(), values.std(ddof=1)
        varies = sd > _SHARP  # bars and normals of rounding errors cannot be drawn
        bins, span = max(4, round(math.sqrt(len(values)))), None if varies else (mean - 0.01, mean + 0.01)
        axes.hist(values, bins, range=span, density=True, color=BLUE, alpha=0.4, label="runs")
        axes.plot(values, np.zeros(len(values)), "|", color=BLUE, ms=14)
        if varies:
            x = np.linspace(mean - 4 * sd, mean + 4 * sd, 200)
            axes.plot(
                x, np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi)), color=RED, label="normal"
            )
        axes.set_xlabel(f"cosine of {rows['first'][0]} and {rows['second'][0]}", parse_math=False)
        axes.set_ylabel("density")

    return panels(tables.get("figure_2_2"), draw)
