"""Figures of the study: cosines beside their null level, and how they grow with the sentences of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot
from gpustab.results import Table
from gpustab.studies.consistency.sentences import grows

if TYPE_CHECKING:
    from gpustab.report.describe import Figures, Tables


def same_and_null(tables: Tables) -> Picture:
    """Every model's cosine of samples of one term, and of different terms, with intervals over terms."""
    table = tables.get("consistency", Table())
    if not table.height:
        return Picture(missing="No model was measured.")
    group = table["group"][0]
    rows = list(table.rows(group=group))
    low = min(0.0, *(row["null"] for row in rows))
    plot = Plot((-0.6, len(rows) - 0.4), (low, 1.0), right=14, height=280)
    plot.axes("", "cosine of two samples", [(float(k), _short(row["model"])) for k, row in enumerate(rows)])
    for shape, (name, style, shift) in enumerate((("same", "g0", -0.08), ("null", "g1", 0.08))):
        xs = [k + shift for k in range(len(rows))]
        plot.errors(xs, [row[f"{name}_low"] for row in rows], [row[f"{name}_high"] for row in rows], style)
        plot.marks(xs, [row[name] for row in rows], shape, style)
    first = rows[0]
    title = f"{first['same']:.3f} for one term, {first['null']:.3f} for two: a cosine needs its null level"
    label = "; ".join(f"{row['model']}: same {row['same']:.3f}, different {row['null']:.3f}" for row in rows)
    return Picture(title, [plot.done(label)])


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
    plot.curve(xs, [row["law"] for row in rows], "axis dash")
    plot.curve(xs, [row["same"] for row in rows], "line g0")
    plot.errors(xs, [row["same_low"] for row in rows], [row["same_high"] for row in rows], "g0")
    plot.marks(xs, [row["same"] for row in rows], 0, "g0")
    plot.curve(xs, [row["null"] for row in rows], "line g1")
    plot.marks(xs, [row["null"] for row in rows], 1, "g1")
    plot.labels([("one term", rows[-1]["same"], "g0"), ("two terms", rows[-1]["null"], "g1")])
    title = grows(table.where(group=table["group"][0]))[1].partition(";")[0] + "."
    return Picture(title.replace("..", "."), [plot.done(title)])


def _short(model: str) -> str:
    return model.replace("additive, centred", "centred").replace("Nonce2Vec", "N2V")


FIGURES: Figures = {
    "same_and_null": (
        "Circles: samples of one term; squares: of different terms. Whiskers: 95 % over terms",
        same_and_null,
    ),
    "by_size": ("Whiskers: 95 % over terms. Dashed: the law of sums, its constant from the largest size", by_size),
}
"""Caption and drawing of every figure, in reading order."""
