"""The figure of info: how often the most frequent words of a corpus occur."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, short
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import NAMED, Dot, Row, dots
from gpustab.results import Table
from gpustab.studies.info.study import FREQUENT

_SHOWN = 15


@drawn_from("frequent")
def frequent(table: Table, _: Tables) -> Picture:
    """One panel a corpus: its most frequent words, each with its count."""
    panels, said = [], []
    for corpus, part in list(table.split("corpus"))[:4]:
        rows = list(FREQUENT.rows({FREQUENT.name: part}))[:_SHOWN]
        top = max(row.occurrences for row in rows)
        lines = [
            Row(
                short(row.word, 20),
                [Dot(row.occurrences, "g0", spans=((0, row.occurrences, "line thin"),))],
                aside=f"{row.occurrences:,}",
            )
            for row in rows
        ]
        label = f"Most frequent words of {corpus}: " + ", ".join(f"{row.word} {row.occurrences:,}" for row in rows[:5])
        panels.append(
            dots(
                lines,
                Axis("how often the word stands there", 0, 1.05 * top),
                NAMED._replace(row=22, left=120, name=(8, 4)),
                label,
            )
        )
        said.append(", ".join(row.word for row in rows[:3]))
    return Picture(f"The most frequent words are {'; '.join(said)}", panels)


FIGURES: Figures = {
    "frequent": (
        "The fifteen most frequent words as the training will see them. Words of markup, of a licence or of page "
        "heads here "
        "mean that the text holds more than its author wrote.",
        frequent,
    )
}
"""How to read the figure, and its drawing."""
