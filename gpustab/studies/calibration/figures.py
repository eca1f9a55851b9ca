"""The figure of the study: curves from cosine to similarity, with their bands."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, floats, room
from gpustab.report.svg.charts import BAND, LINE, Curve, lines
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.studies.calibration.claims import TELLS
from gpustab.studies.calibration.tables import CALIBRATED, NAMED

_CAPTION = (
    "Mean similarity of pairs of a cosine, in units of the scores, with its 95 % band. A steep curve tells "
    "similarities apart, a level one does not."
)


@drawn_from("curves")
def curves(table: Table, tables: Tables) -> Picture:
    """One curve and its band for each model or space."""
    names, looks = called(table["group"]), series(table["group"])
    columns = ("cosine", "similarity", "lower", "upper")
    drawn = [
        Curve(x, y, looks[group].style, 0, names[group], low, high, (BAND, LINE))
        for group, part in table.split("group")
        for x, y, low, high in [[floats(part[name]) for name in columns]]
    ]
    title = _title(tables)
    panel = lines(Axis("cosine"), Axis("similarity"), drawn, title, right=room(curve.name for curve in drawn))
    return Picture(title, [panel])


def _title(tables: Tables) -> str:
    rows = list(CALIBRATED.rows(tables))
    told = [row for row in rows if TELLS.judge(row) == "yes"]
    if not told:
        return "These cosines do not tell similarity"
    if len(rows) > 1:
        return f"The cosine tells similarity in {len(told)} of {len(rows)}"
    named = [row for row in NAMED.rows(tables, group=told[0].group) if row.cosine is not None]
    if not named:
        return "The cosine tells similarity"
    middle = named[len(named) // 2]
    return f"A similarity of {middle.similarity:.3g} begins at a cosine of {middle.cosine:.2f}"


FIGURES: Figures = {"curves": (_CAPTION, curves)}
"""How to read the figure, and its drawing."""
