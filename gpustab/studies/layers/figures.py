"""The figure of layers: how alike models are in each, by three measures, with the level of rows that are dealt out."""

from __future__ import annotations

from collections.abc import Sequence

from gpustab.report.svg.axes import Axis
from gpustab.report.svg.charts import LINE, MARKS, WHISKERS, Curve, lines
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.results.page import number
from gpustab.studies.layers.claims import PARTED, is_same, layer_called
from gpustab.studies.layers.study import FROM_BASE, Layer

_AXES = {
    "cka": "CKA: 1 is the same",
    "loss": "Procrustes loss: 0 is the same",
    "shared": "shared nearest sentences, part of a list: 1 is the same",
}
_DEALT = {"cka": "cka_dealt", "loss": "loss_dealt", "shared": "chance"}


@drawn_from("layers")
def by_layer(table: Table[Layer], tables: Tables) -> Picture:
    """Three panels over the layers: the models between each other, from their base, and by chance."""
    rows = list(table.rows())
    panels = [_panel(name, rows, tables) for name in _AXES]
    (row,) = PARTED.rows(tables)
    title = (
        "The models are the same in every layer"
        if is_same(row)
        else f"Least alike is {layer_called(row.least)}, where two models share {number(row.n * row.shared, 2)} of "
        f"{row.n} nearest sentences"
    )
    return Picture(title, panels)


def _panel(name: str, rows: Sequence[Layer], tables: Tables) -> str:
    xs = [float(row.layer) for row in rows]
    columns = (name, f"{name}_low", f"{name}_high", _DEALT[name])
    values, low, high, dealt = ([getattr(row, column) for row in rows] for column in columns)
    curves = [
        Curve(xs, values, "g0", 0, "between fine-tunings", low, high, (LINE, WHISKERS, MARKS)),
        Curve(xs, dealt, "axis", 0, "dealt out: unrelated", parts=("line dash",)),
    ]
    base = list(FROM_BASE.rows(tables))
    if base:
        own = [[getattr(row, name) for row in base if row.layer == layer.layer] for layer in rows]
        curves.insert(1, Curve(xs, [sum(x) / len(x) for x in own], "g1", 1, "from the base", parts=(LINE, MARKS)))
    ticks = [(x, f"{x:.0f}") for x in xs]
    ends = "; ".join(f"layer {row.layer} {number(getattr(row, name), 3)}" for row in rows)
    return lines(
        Axis("layer (0 is the input embedding)", ticks=ticks),
        Axis(_AXES[name], low=min(0.0, *dealt), high=1.0),
        curves,
        f"{_AXES[name]}. {ends}",
        keyed=True,
        height=210,
    )


FIGURES: Figures = {
    "by_layer": (
        "Left is what the models read, right what they give out. The solid line compares the fine-tunings with each "
        "other, with 95 % intervals. The dashed line is what models would show that have nothing in common: "
        "the vectors of one are dealt out to other sentences. Where CKA or the shared sentences fall, or the loss "
        "rises, the models part.",
        by_layer,
    )
}
