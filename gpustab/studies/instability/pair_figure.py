"""Figure 2.2 of Rettenmeier 2020: the cosine of two words over the runs."""

from __future__ import annotations

import math

import numpy as np

from gpustab.report.svg.elements import line
from gpustab.report.svg.picture import Picture, Tables
from gpustab.report.svg.plot import Named, Plot
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.instability.drawing import by_technique

_SHARP = 1e-9
"""Standard deviations up to this count as 0, as in :mod:`gpustab.kernels.prediction`."""
_RUNS, _NORMAL = Named("runs", "g0 area", 1), Named("normal", "g1 line")


def one_pair(tables: Tables) -> Picture:
    """Figure 2.2: a histogram over the runs, a tick per run, and a normal of the same mean and SD (``ddof = 1``)."""
    table = tables.get("figure_2_2")
    pair = f"{table['first'][0]} and {table['second'][0]}" if table and table.height else ""
    return by_technique(table, _panel, f"The cosine of {pair} over the runs, mean ± SD:", _said)


def _said(rows: Table) -> str:
    return f"{number(np.mean(rows['cosine']), 3)} ± {number(np.std(rows['cosine'], ddof=1), 2)}"


def _panel(name: str, rows: Table) -> str:
    values = np.asarray(rows["cosine"], np.float64)
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    varies = sd > _SHARP  # bars and normals of rounding errors cannot be drawn
    spread = 4 * sd if varies else 0.01
    x = (min(mean - spread, values.min()), max(mean + spread, values.max()))
    bins = max(4, round(math.sqrt(len(values))))
    ends = None if varies else (mean - spread, mean + spread)
    heights, edges = np.histogram(values, bins, range=ends, density=True)
    top = 1.08 * max(heights.max(), 1 / (sd * math.sqrt(2 * math.pi)) if varies else 0)
    plot = Plot(x, (0, top), name=name, key=[_RUNS, _NORMAL] if varies else [_RUNS])
    plot.axes(f"cosine of {rows['first'][0]} and {rows['second'][0]}", "density")
    plot.bars(edges.tolist(), heights.tolist(), "g0 area")
    plot.add(*(line(plot.across(v), plot.bottom, plot.across(v), plot.bottom - 9, "g0 line thin") for v in values))
    if varies:
        xs = np.linspace(*x, 120)
        normal = np.exp(-(((xs - mean) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
        plot.curve(xs.tolist(), normal.tolist(), "g1 line")
    return plot.done(f"Cosine of {rows['first'][0]} and {rows['second'][0]} over {len(values)} runs, {name}")
