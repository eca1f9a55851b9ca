"""The figure of the study: curves from cosine to similarity, with their bands."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, floats, room
from gpustab.report.svg.charts import BAND, LINE, Curve, lines
from gpustab.report.svg.colours import called, series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.results import Table
from gpustab.studies.calibration.claims import cosine, is_useful, middle_of
from gpustab.studies.calibration.tables import CALIBRATED

_CAPTION = (
    "Mean similarity of pairs of a cosine, in units of the scores. The band is the 95 % interval at each cosine by "
    "itself; the whole curve lies within it less often. A steep curve tells similarities apart, a level one does not."
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
    useful = [row for row in rows if is_useful(row)]
    more = " more than shared words do" if any(row.beyond for row in rows) else ""
    if not useful:
        return "These cosines do not surely tell" + (more or " similarity")
    if len(rows) > 1:
        return f"The cosine tells{more or ' similarity'} in {len(useful)} of {len(rows)}"
    middle = middle_of(useful[0], tables)
    if middle is None:
        return "The cosine tells" + (more or " similarity")
    return f"Pairs with a cosine of {cosine(middle.cosine)} have a similarity of {middle.similarity:.3g} on average"


FIGURES: Figures = {"curves": (_CAPTION, curves)}
"""How to read the figure, and its drawing."""
