"""Figures of the study: cosines beside their null level, and how they grow with the sentences of a sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpustab.report.svg.elements import WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot
from gpustab.report.svg.scales import round_ticks
from gpustab.results import Table
from gpustab.studies.consistency.sentences import grows

if TYPE_CHECKING:
    from gpustab.report.describe import Figures, Tables


_ROW, _LEFT, _TOP, _RIGHT = 44.0, 8.0, 14.0, WIDTH - 46.0
_BOTH = (("same", "g0", 0), ("null", "g1", 1))
"""Column, style and mark of pairs of one term and of different terms."""


def same_and_null(tables: Tables) -> Picture:
    """Every model's cosine of samples of one term, and of different terms, with intervals over terms."""
    table = tables.get("consistency", Table())
    if not table.height:
        return Picture(missing="No model was measured.")
    rows = list(table.rows(group=table["group"][0]))
    low = min(0.0, *(row["null"] for row in rows))
    parts = [piece for k, row in enumerate(rows) for piece in _model(row, _TOP + k * _ROW, low)]
    bottom = _TOP + len(rows) * _ROW
    for value, label in round_ticks(low, 1.0, most=5):
        parts.append(text(_across(value, low), bottom + 16, label, "soft", "middle"))
        parts.append(line(_across(value, low), bottom, _across(value, low), bottom + 4))
    parts.append(line(_LEFT, bottom, _RIGHT, bottom))
    parts.append(text((_LEFT + _RIGHT) / 2, bottom + 34, "cosine of two samples", "soft", "middle"))
    first = rows[0]
    title = f"{first['same']:.3f} for one term, {first['null']:.3f} for two: a cosine needs its null level"
    label = "; ".join(f"{row['model']}: same {row['same']:.3f}, different {row['null']:.3f}" for row in rows)
    return Picture(title, [figure(bottom + 42, parts, label)])


def _model(row: dict[str, Any], y: float, low: float) -> list[str]:
    """One model's line: its name, both cosines with whiskers, and its AUC."""
    parts = [text(_LEFT, y, row["model"]), text(WIDTH, y, f"AUC {row['auc']:.2f}", "soft", "end")]
    for name, style, shape in _BOTH:
        ends = row[f"{name}_low"], row[f"{name}_high"]
        if all(map(math.isfinite, ends)):
            left, right = (_across(min(max(x, low), 1.0), low) for x in ends)
            parts.append(whisker(left, right, y + 13 + 6 * shape, f"{style} line thin"))
        parts.append(mark(_across(row[name], low), y + 13 + 6 * shape, shape, f"{style} full"))
    return parts


def _across(value: float, low: float) -> float:
    return _LEFT + (value - low) / (1.0 - low) * (_RIGHT - _LEFT)


def by_size(tables: Tables) -> Picture:
    """Cosine over the number of sentences, with the law of sums and the null level."""
    table = tables.get("sizes", Table())
    if table.height < 2:
        return Picture(missing="Samples of two sizes are needed: more sentences with the terms.")
    rows = list(table.rows(group=table["group"][0]))
    xs = [float(row["n"]) for row in rows]
    low = min(min(row["null"], row["law"], row["same_low"]) for row in rows)
    plot = Plot((0.0, max(xs)), (min(low, 0.9), 1.0), right=110)
    plot.axes("sentences of a sample", "cosine of two samples")
    plot.curve(xs, [row["law"] for row in rows], "axis thin dash")
    plot.curve(xs, [row["same"] for row in rows], "g0 line")
    plot.errors(xs, [row["same_low"] for row in rows], [row["same_high"] for row in rows], "g0 line thin")
    plot.marks(xs, [row["same"] for row in rows], 0, "g0 full")
    plot.curve(xs, [row["null"] for row in rows], "g1 line")
    plot.marks(xs, [row["null"] for row in rows], 1, "g1 full")
    plot.labels([("one term", rows[-1]["same"], "g0"), ("two terms", rows[-1]["null"], "g1")])
    title = grows(table.where(group=table["group"][0]))[1].partition(";")[0] + "."
    return Picture(title.replace("..", "."), [plot.done(title)])


FIGURES: Figures = {
    "same_and_null": (
        "Circles: samples of one term; squares: of different terms. Whiskers: 95 % over terms. AUC: how often the "
        "first is nearer, 0.5 by chance",
        same_and_null,
    ),
    "by_size": ("Whiskers: 95 % over terms. Dashed: the law of sums, its constant from the largest size", by_size),
}
"""Caption and drawing of every figure, in reading order."""
