"""The figure of layers: how alike models are in each, by three measures, with the level of rows that are dealt out."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.report.svg.axes import Axis
from gpustab.report.svg.charts import LINE, MARKS, WHISKERS, Curve, lines
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.layers.claims import LEAST, PARTED, SAME, Parted, is_same, layer_called
from gpustab.studies.layers.tables import FROM_BASE, Layer

_DEALT = {"cka": "cka_dealt", "loss": "loss_dealt", "shared": "chance"}


@drawn_from("layers")
def by_layer(table: Table[Layer], tables: Tables) -> Picture:
    """Three panels over the layers: the models between each other, from their base, and by chance."""
    rows = list(table.rows())
    (row,) = PARTED.rows(tables)
    title = (
        "The models are the same in every layer"
        if is_same(row)
        else f"{_where(row)} two models share {number(row.n * row.shared, 2)} of {row.n} nearest sentences"
    )
    return Picture(title, [_panel(name, rows, tables, row.n) for name in _DEALT])


def _where(row: Parted) -> str:
    """Return the layer of the title, as least alike only where the claim says so."""
    called = layer_called(row.least)
    return f"Least alike is {called}, where" if LEAST.judge(row) == "yes" else f"In {called}"


def _panel(name: str, rows: Sequence[Layer], tables: Tables, n: int) -> str:
    """One measure: the differences on a scale of their own, with the level of chance in words where it is far away."""
    xs = [float(row.layer) for row in rows]

    def shown(value: float) -> float:
        return {"cka": 1 - value, "loss": value, "shared": n * value}[name]

    columns = (name, f"{name}_low", f"{name}_high", _DEALT[name])
    values, low, high, dealt = ([shown(getattr(row, column)) for row in rows] for column in columns)
    if name == "cka":
        low, high = high, low
    curves = [Curve(xs, values, "g0", 0, "between fine-tunings", low, high, (LINE, WHISKERS, MARKS))]
    base = list(FROM_BASE.rows(tables))
    if base:
        own = [[shown(getattr(row, name)) for row in base if row.layer == layer.layer] for layer in rows]
        curves.append(Curve(xs, [sum(x) / len(x) for x in own], "g1", 1, "from the base", parts=(LINE, MARKS)))
    unrelated = f"{number(min(dealt), 2)} or more in unrelated models"
    if name == "shared":
        curves.append(Curve(xs, dealt, "axis", 0, "dealt out: unrelated", parts=("line dash",)))
        axis = Axis(f"shared of {n} nearest sentences: {n} is the same", low=0.0, high=float(n))
    else:
        largest = max([SAME, *(x for curve in curves for part in (curve.y, curve.high) for x in part or ())])
        noun = {"cka": "1 − CKA", "loss": "Procrustes loss"}[name]
        axis = Axis(f"{noun}: 0 is the same, {unrelated}", low=0.0, high=largest)
    ticks = [(x, f"{x:.0f}") for x in xs]
    ends = "; ".join(f"layer {row.layer} {number(value, 3)}" for row, value in zip(rows, values, strict=True))
    label = f"{axis.title}. {ends}"
    return lines(Axis("layer (0 is the input embedding)", ticks=ticks), axis, curves, label, keyed=True, height=210)


FIGURES: Figures = {
    "by_layer": (
        "Left is what the models read, right what they give out. Marks with 95 % intervals compare the fine-tunings "
        "with each other, marks without compare them with their base, where it was given. Upper panels: where the "
        "difference rises, the models part. Their scale ends where the models do; what unrelated models would show "
        "(the vectors of one dealt out to other sentences) stands beside the axis. Last panel: where shared sentences "
        "fall, they part.",
        by_layer,
    )
}
