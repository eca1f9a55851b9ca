"""The figures of change: floors, the ways of words, and the law of frequency over the number of averaged runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import LETTER, WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot, room, short
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate

if TYPE_CHECKING:
    from gpustab.report.describe import Figures

_ROW = 30.0
_MARKS = {
    "change": ("change between two runs", "g0", 1),
    "corrected": ("without training noise", "g2", 2),
    "training_floor": ("training floor", "g3", 3),
    "sampling_floor": ("sampling floor", "g1", 0),
}


def floors(tables: Tables) -> Picture:
    """One panel per series: for every pair of epochs the change, the corrected one and both floors on one line."""
    pairs = tables.get("pairs")
    if not pairs or not pairs.height:
        return Picture()
    largest = max(value for row in pairs.rows() for name in _MARKS if (value := _known(row[name])) is not None)
    panels = [_floors(series, part, largest * 1.1) for series, part in pairs.split("series")]
    row = next((row for row in pairs.rows() if row["sampling_floor"] is not None), next(pairs.rows()))
    beside = (
        ("training_floor", "within an epoch") if row["sampling_floor"] is None else ("sampling_floor", "of sampling")
    )
    title = (
        f"Words moved by {number(row['change'], 2)} from {row['first']} to {row['second']}; the floor {beside[1]} is "
        f"{number(row[beside[0]], 2)}"
    )
    return Picture(title, panels)


def _floors(series: str, part: Table, largest: float) -> str:
    rows = list(part.rows())
    names = [short(f"{row['first']} → {row['second']}", 24) for row in rows]
    left, top = 14 + LETTER * max(map(len, names)), 64.0
    scale = (WIDTH - left - 12) / largest
    parts = [text(0, 11, short(series, 50), "bold")]
    for k, (label, style, shape) in enumerate(_MARKS.values()):
        x, y = (k % 2) * 190 + 6, 27.0 + 15 * (k // 2)
        parts += [mark(x, y - 4, shape, f"{style} full", 3.5), text(x + 9, y, label, f"{style} own")]
    bottom = top + _ROW * len(rows)
    for step in (0.0, 0.25, 0.5, 0.75, 1.0):
        if step <= largest:
            parts.append(line(left + step * scale, top - 6, left + step * scale, bottom - 8, "grid"))
            parts.append(text(left + step * scale, bottom + 6, f"{step:g}", "soft", "middle"))
    for k, row in enumerate(rows):
        y = top + _ROW * k + 8
        parts.append(text(left - 8, y + 4, names[k], "", "end"))
        for name, (_, style, shape) in _MARKS.items():
            value = _known(row[name])
            if value is None:
                continue
            half = _half(row, name)
            if half:
                parts.append(
                    whisker(left + max(value - half, 0) * scale, left + (value + half) * scale, y, f"{style} line thin")
                )
            parts.append(mark(left + max(value, 0) * scale, y, shape, f"{style} full", 4))
    said = "; ".join(f"{name} {number(row['change'], 3)}" for name, row in zip(names, rows, strict=True))
    return figure(bottom + 12, parts, f"Change and its floors, {series}: {said}")


def _half(row: dict[str, Any], name: str) -> float:
    error = row[{"change": "change_se", "corrected": "corrected_se"}.get(name, name.replace("_floor", "_se"))]
    if _known(error) is None:
        return 0.0
    half = Estimate(row[name], error, min(row["runs_first"], row["runs_second"]) - 1).half
    return half if math.isfinite(half) else 0.0


def ways(tables: Tables) -> Picture:
    """One panel per series: the change of every followed word against the reference epoch, with its band."""
    table = tables.get("trajectories")
    if not table or not table.height:
        return Picture()
    panels, top = [], max(table["change"]) * 1.25 or 1.0
    for series, part in table.split("series"):
        words = part.split("word")
        epochs = list(dict.fromkeys(table["epoch"]))
        names = [word for word, _ in words]
        plot = Plot((0.0, max(len(epochs) - 1.0, 1.0)), (0.0, top), right=room(names), height=260)
        plot.axes(
            f"epoch ({short(series, 34)})",
            f"change from {part['reference'][0]}",
            [(float(k), short(e, 10)) for k, e in enumerate(epochs)],
        )
        ends = []
        for k, (word, own) in enumerate(words):
            xs, ys = [float(epochs.index(e)) for e in own["epoch"]], list(own["change"])
            half = [Estimate(*row).half for row in zip(ys, own["se"], own["freedom"], strict=True)]
            style = f"g{k % 7}"
            plot.band(
                xs,
                [y - h for y, h in zip(ys, half, strict=True)],
                [y + h for y, h in zip(ys, half, strict=True)],
                f"{style} area",
            )
            plot.curve(xs, ys, f"{style} line").marks(xs, ys, k, f"{style} full")
            ends.append((word, ys[-1], style))
        panels.append(plot.labels(ends).done(f"Change of {', '.join(names)} over epochs, {series}"))
    first = table["word"][0]
    far = max(table.where(word=first).rows(), key=lambda row: row["change"])
    return Picture(
        f"“{first}” is farthest from {far['reference']} in {far['epoch']} ({number(far['change'], 2)})", panels
    )


def laws(tables: Tables) -> Picture:
    """R² of frequency over the number of averaged runs, a line for every series."""
    table = tables.get("laws")
    if not table or not table.height:
        return Picture()
    lines = table.split("series")
    if max(table["n"]) < 2:
        return Picture(missing="The law over the number of averaged runs needs two runs or more of every epoch.")
    names = {series: _called(part) for series, part in lines}
    top = max(table["r2_marginal"]) * 1.25 or 1.0
    plot = Plot((1.0, float(max(table["n"]))), (0.0, top), right=room(names.values()), log=True)
    plot.axes("runs averaged", "R² of frequency", [(float(n), str(n)) for n in sorted(set(table["n"]))])
    ends = []
    for k, (series, part) in enumerate(lines):
        xs, ys = list(map(float, part["n"])), list(part["r2_marginal"])
        plot.curve(xs, ys, f"g{k % 7} line" + (" dash" if part["control"][0] else "")).marks(
            xs, ys, k, f"g{k % 7} full"
        )
        half = [1.96 * se for se in part["r2_se"]]
        plot.errors(
            xs,
            [y - h for y, h in zip(ys, half, strict=True)],
            [y + h for y, h in zip(ys, half, strict=True)],
            f"g{k % 7} line thin",
        )
        ends.append((names[series], ys[-1], f"g{k % 7}"))
    told = ", ".join(f"{names[s]} {p['r2_marginal'][0]:.0%} to {p['r2_marginal'][-1]:.0%}" for s, p in lines[:4])
    title = f"From one run to the average of {max(table['n'])} the share of frequency goes: {told}"
    return Picture(title, [plot.labels(ends).done(title)])


def _called(part: Table) -> str:
    return short(part["series"][0].rpartition("/")[2] if part["control"][0] else part["series"][0], 20)


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


FIGURES: Figures = {
    "floors": (
        "Mean over words of one minus the cosine, with 95 % intervals over runs. What lies left of the sampling floor "
        "is no more than two samplings of one epoch's documents differ by.",
        floors,
    ),
    "ways": (
        "Change of a word's average vector against the reference epoch, bands 95 % over runs. An "
        "epoch without the word has no mark.",
        ways,
    ),
    "laws": (
        "Share of the variance of log change that log frequency explains, over the number of averaged runs; dashed "
        "where nothing changed. Whiskers: 95 %, over words.",
        laws,
    ),
}
"""How to read each figure, and its drawing."""
