"""Figures of the thesis, drawn from the tables of the study: chapter 3, and how many runs suffice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from gpustab.report.svg.picture import Picture, Tables
from gpustab.report.svg.plot import Named, Plot, Ticks, room
from gpustab.results import Table
from gpustab.studies.instability.drawing import by_technique, known, short_number

_AVERAGES = (
    ("cosines", False, "ratio_cosine"),
    ("cosines, levels renormalised", True, "ratio_cosine"),
    ("dot products", False, "ratio_dot"),
    ("means of cosine matrices", False, "ratio_cosine_matrices"),
)
_PARTS = (1, 0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)
_RUNS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
_PERCENT = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)


def averaging(tables: Tables) -> Picture:
    """Figure 3.5: loss between averages of n runs over n."""

    def said(rows: Table) -> str | None:
        plain = rows.where(renormalised=False)
        value = short_number(plain["ratio_cosine"][-1])
        return f"{value} at n = {plain['runs_beneath'][-1]}" if value else None

    title = "Loss between averages of n runs, as a part of that between runs (cosines):"
    return by_technique(tables.get("figure_3_5"), _averages, title, said)


def _averages(name: str, rows: Table) -> str:
    plain = rows.where(renormalised=False)
    n = [float(x) for x in plain["runs_beneath"]]
    values = known([*plain["one_over_root_n"], *(x for _, _, column in _AVERAGES for x in rows[column])])
    values = [x for x in values if x > 0]
    low, high = 0.9 * min(values), 1.1 * max(values)
    key = [
        Named("1/√n", "ink line thin"),
        *(Named(label, f"g{k} full", k) for k, (label, _, _) in enumerate(_AVERAGES)),
    ]
    plot = Plot((n[0], max(n[-1], 1.01 * n[0])), (low, high), log=True, log_y=True, name=name, key=key)
    plot.axes("runs averaged, n", "loss / loss between runs", _counts(n), [(x, f"{x:g}") for x in _PARTS if x >= low])
    plot.curve(n, plain["one_over_root_n"], "ink line thin")
    for k, (_, renormalised, column) in enumerate(_AVERAGES):
        part = rows.where(renormalised=renormalised)
        xs, ys = [float(x) for x in part["runs_beneath"]], _above_zero(part[column])
        plot.curve(xs, ys, f"g{k} line thin").marks(xs, ys, k, f"g{k} full")
    return plot.done(f"Loss between averages of n runs, {name}")


def cosines(tables: Tables) -> Picture:
    """Figure 3.2: deviations of cosines and their means, of runs and of averages of two; two panels a technique."""
    table = tables.get("figure_3_2")
    if not table or not table.height:
        return Picture()
    deviations, means = table.where(panel="deviation"), table.where(panel="mean")
    title = "SD of the cosines about their mean, runs and averages of two:"
    left = by_technique(deviations, partial(_densities, "cosine − its mean over runs"), title, _sds)
    right = by_technique(means, partial(_densities, "mean cosine"), title, _sds)
    if not left.panels:  # runs that are all equal have no deviations
        return Picture(panels=right.panels)
    if len(left.panels) != len(right.panels):
        return Picture(left.title, left.panels + right.panels)
    pairs = zip(left.panels, right.panels, strict=True)
    return Picture(left.title, [panel for pair in pairs for panel in pair])


def _sds(rows: Table) -> str | None:
    """The SDs of the two histograms about 0."""
    found = []
    for _, part in rows.split("runs_beneath"):
        total = sum(part["density"])
        if not total > 0:
            return None
        found.append(math.sqrt(sum(w * x * x for w, x in zip(part["density"], part["cosine"], strict=True)) / total))
    return " and ".join(text for sd in found if (text := short_number(sd)))


def _densities(xtitle: str, name: str, rows: Table) -> str:
    xs, heights = known(rows["cosine"]), known(rows["density"])
    if not xs or not max(heights) > 0:
        return ""
    parts = [(int(n), part) for n, part in rows.split("runs_beneath")]
    key = [Named("runs" if n == 1 else f"averages of {n}", f"g{k} line") for k, (n, _) in enumerate(parts)]
    plot = Plot((min(xs), max(xs)), (0, 1.05 * max(heights)), name=name, key=key, height=230)
    plot.axes(xtitle, "density")
    for k, (_, part) in enumerate(parts):
        plot.curve(part["cosine"], part["density"], f"g{k} line")
    return plot.done(f"Densities, {xtitle}, {name}")


def scores(tables: Tables) -> Picture:
    """Figure 3.6: mean score of averages of n runs over n, as a difference from that of runs."""

    def said(rows: Table) -> str | None:
        gains = {test: _gains(part)[0][-1] for test, part in rows.split("test")}
        best = max(gains, key=lambda test: gains[test] if math.isfinite(gains[test]) else -math.inf)
        return f"{gains[best]:+.1f} ({best})" if math.isfinite(gains[best]) else None

    title = "Points that the largest averages gain on runs, of the test with the largest gain:"
    return by_technique(tables.get("scores"), _score_gains, title, said)


def _gains(part: Table) -> tuple[list[float], list[float]]:
    """Points on runs, and their errors as if of other runs."""
    values, n = [math.nan if x is None else x for x in part["mean"]], part["spaces"]
    own = [(sd or 0) / math.sqrt(count) for sd, count in zip(part["sd"], n, strict=True)]
    errors = [0.0, *(100 * math.hypot(own[0], error) for error in own[1:])]
    return [100 * (x - values[0]) for x in values], errors


def _score_gains(name: str, rows: Table) -> str:
    parts = [(str(test), part, *_gains(part)) for test, part in rows.split("test")]
    spans = [(g - e, g + e) for _, _, gains, errors in parts for g, e in zip(gains, errors, strict=True)]
    ends = known(end for span in spans for end in span)
    if not ends:
        return ""
    counts = sorted({float(n) for n in rows["runs_beneath"]})
    pad = 0.08 * (max(ends) - min(ends)) or 1.0
    x = (0.9 * counts[0], 1.12 * counts[-1])
    plot = Plot(x, (min(ends) - pad, max(ends) + pad), log=True, name=name, right=room([test for test, *_ in parts]))
    plot.axes("runs averaged, n", "gain, points ± SE", _counts(counts)).level(0, "")
    labels = []
    for k, (test, part, gains, errors) in enumerate(parts):
        xs = [n * 1.04 ** (k - 1) for n in part["runs_beneath"]]  # bars stand beside each other
        low, high = ([g + sign * e for g, e in zip(gains, errors, strict=True)] for sign in (-1, 1))
        plot.errors(xs, low, high, f"g{k % 7} line thin")
        plot.curve(xs, gains, f"g{k % 7} line thin").marks(xs, gains, k, f"g{k % 7} full")
        labels.append((test, gains[-1] if math.isfinite(gains[-1]) else 0.0, f"g{k % 7}"))
    return plot.labels(labels).done(f"Gain of averages of n runs, {name}")


def how_many(tables: Tables) -> Picture:
    """Relative standard error against the number of runs: by the jackknife (filled), by subsampling (hollow)."""

    def said(rows: Table) -> str | None:
        last = max(rows["runs"])
        errors = {row["quantity"]: row["jackknife"] for row in rows.records(runs=last) if known([row["jackknife"]])}
        if not errors:
            return None
        worst = max(errors, key=lambda name: errors[name])
        return f"{100 * errors[worst]:.2g} % ({worst}) with {last} runs"

    return by_technique(tables.get("how_many"), _errors, "Largest standard error of a value:", said)


def _errors(name: str, rows: Table) -> str:
    """Errors in percent; errors of equal runs are 0, and have no place on a logarithmic axis."""
    values = [100 * x for x in known([*rows["jackknife"], *rows["subsampling"]]) if x > 0]
    if not values:
        return ""
    counts = sorted({float(n) for n in rows["runs"]})
    parts = [(str(quantity), part) for quantity, part in rows.split("quantity")]
    key = [Named(label, f"g{k % 7} full", k) for k, (label, _) in enumerate(parts)]
    key.append(Named("by subsampling", "hollow ink", 0))
    x = (counts[0], max(counts[-1], 1.01 * counts[0]))
    plot = Plot(x, (0.85 * min(values), 1.18 * max(values)), log=True, log_y=True, name=name, key=key)
    ticks = [(float(t), f"{t:g} %") for t in _PERCENT if plot.y[0] <= t <= plot.y[1]]
    plot.axes("runs, R", "standard error of the value", _counts([n for n in counts if n in _RUNS]), ticks or None)
    for k, (_, part) in enumerate(parts):
        xs = [float(n) for n in part["runs"]]
        for column, line, mark in (("jackknife", "line thin", "full"), ("subsampling", "line thin dash", "hollow")):
            ys = _above_zero(100 * x if x is not None else None for x in part[column])
            plot.curve(xs, ys, f"g{k % 7} {line}").marks(xs, ys, k, f"g{k % 7} {mark}")
    return plot.done(f"Standard errors against the number of runs, {name}")


def _counts(values: list[float]) -> Ticks:
    return [(n, f"{n:g}") for n in values]


def _above_zero(values: Iterable[float | None]) -> list[float]:
    """Values for a logarithmic axis; what has no place there is undefined."""
    return [x if x is not None and x > 0 else math.nan for x in values]
