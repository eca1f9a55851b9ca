"""The figure of the study: curves from cosine to similarity, with their bands."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, floats, room
from gpustab.report.svg.charts import BAND, LINE, Curve, lines
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.studies.calibration.claims import TELLS, cosine, middle_of
from gpustab.studies.calibration.tables import CALIBRATED

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
    middle = middle_of(told[0], tables)
    if middle is None:
        return "The cosine tells similarity"
    return f"A similarity of {middle.similarity:.3g} begins at a cosine of {cosine(middle.cosine)}"


FIGURES: Figures = {"curves": (_CAPTION, curves)}
"""How to read the figure, and its drawing."""
