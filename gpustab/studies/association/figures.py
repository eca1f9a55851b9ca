"""The figure of associations: the effect in every run, its interval for another run, and the line of none."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, Named
from gpustab.report.svg.colours import series
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import CLOSE, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.results.page import counted, signed
from gpustab.studies.association.claims import TESTS, THERE, Tested, deciding
from gpustab.studies.association.effects import RUN_ROWS
from gpustab.studies.shared.wording import capital, group_in_words

_FRAME = CLOSE._replace(top=66, row=44, foot=20)
_MEAN, _RUN = 0, 1
_MOST = 40
"""So many single runs are drawn of a group."""


@drawn_from("tests")
def effects(_: Table[Tested], tables: Tables) -> Picture:
    """One panel a test: a row for each group, with a small mark for every run and a large one for their mean."""
    panels, there = [], 0
    styles = series({row.group: None for row in TESTS.rows(tables)})
    rows = list(TESTS.rows(tables))
    for test in dict.fromkeys(row.test for row in rows):
        own = [row for row in rows if row.test == test]
        lines = []
        for row in own:
            style = styles[row.group].style
            runs = [one.effect for one in RUN_ROWS.rows(tables, group=row.group, test=test)][:_MOST]
            single = [Dot(value, style, _RUN, below=9) for value in runs]
            mean = Dot(row.effect, style, _MEAN, row.run_low, row.run_high)
            lines.append(Row(capital(group_in_words(row.group)), [Upright(0.0, "axis dash", (-8, 16)), mean, *single]))
        ends = [end for row in own for end in (row.run_low, row.run_high, row.least, row.most) if end == end]
        axis = Axis("effect size d", low=min(0.0, *ends), high=max(0.0, *ends))
        label = f"{test}: " + "; ".join(f"{group_in_words(row.group)} d = {signed(row.effect)}" for row in own)
        key = [Named("mean, and 95 % of other runs", "g0 full", _MEAN), Named("single runs", "g0 full", _RUN)]
        names = own[0]
        heading = f"{capital(names.first)} less {names.second}, toward {names.toward} against {names.against}"
        panels.append(dots(lines, axis, _FRAME, label, heading=heading, key=key))
        there += any(THERE.judge(row) == "yes" for row in deciding(rows, test))
    where = "bootstrap runs" if any(row.differ_by == "documents" for row in rows) else "some group"
    title = f"{counted(there, 'test', 'shows/show', of=len(panels))} an association beyond one run's luck in {where}"
    return Picture(title, panels)


FIGURES: Figures = {
    "effects": (
        "Each panel is a test, each row a group of runs. Small marks are single runs: any of them could have been "
        "published. The large mark is their mean; its line holds 95 % of other runs. Right of the dashed line the "
        "first set lies nearer to the first attributes, left of it the second does.",
        effects,
    )
}
