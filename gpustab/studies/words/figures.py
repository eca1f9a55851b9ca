"""The figure of factors: what each does to the words' stability, by both measures, with its interval."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, Named
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import CLOSE, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.results.page import signed
from gpustab.studies.shared.wording import capital, group_in_words
from gpustab.studies.words.claims import MATTERS, Effect
from gpustab.studies.words.factors import CLASSES, FACTORS

_STYLES = ("g0", "g1")
_BESIDE = 12.0
"""From the mark of one measure to that of the other."""
_FRAME = CLOSE._replace(top=66, row=46, foot=24)
"""Names above both marks, and a key above all."""


@drawn_from("effects", "The picture of factors needs a regression.")
def factors(effects: Table[Effect], _: Tables) -> Picture:
    """One panel a group: a row for each factor, a mark for each measure of stability."""
    panels, said, by = [], [], ""
    for group, part in effects.split("group"):
        rows = list(part.rows())
        measures = list(dict.fromkeys(row.measure for row in rows))
        key = [Named(f"stability by {name}", f"{_STYLES[k]} full", k) for k, name in enumerate(measures)]
        lines = []
        for name in FACTORS:
            own = [row for row in rows if row.factor == name]
            if own:
                marks = [
                    Dot(row.effect, _STYLES[k], k, row.low, row.high, below=_BESIDE * k)
                    for row in own
                    for k in [measures.index(row.measure)]
                ]
                title = FACTORS[name].title + (", beside nouns" if name in CLASSES else "")
                lines.append(Row(capital(title), [Upright(0.0, "axis dash", (-6, 18)), *marks]))
        axis = Axis(
            "effect, in standard deviations of the words' stability", reaches=0.0, low=_low(rows), high=_high(rows)
        )
        by = measures[0]
        largest = max((row for row in rows if row.measure == by), key=lambda row: abs(row.effect))
        label = "; ".join(f"{FACTORS[row.factor].title} {signed(row.effect)} by {row.measure}" for row in rows)
        panels.append(dots(lines, axis, _FRAME, label, heading=capital(group_in_words(str(group))), key=key))
        said.append(f"{FACTORS[largest.factor].title} ({group_in_words(str(group))})")
    if len(said) == 1:
        said = [said[0].partition(" (")[0]]
    return Picture(f"The largest effect on the words' stability by {by} has: {', '.join(said[:4])}", panels)


def _low(rows: list[Effect]) -> float:
    return min(-2 * MATTERS, *(row.effect if row.low != row.low else row.low for row in rows))


def _high(rows: list[Effect]) -> float:
    return max(2 * MATTERS, *(row.effect if row.high != row.high else row.high for row in rows))


FIGURES: Figures = {
    "factors": (
        "Each row is a factor. A mark right of 0 says that more of it goes with more stable words, all other factors "
        "the same. The line is the 95 % interval, of other runs and other words. For a number, the mark is the change "
        "by one standard deviation of it; for a part of speech, the difference from nouns. By PIP loss, words whose "
        "cosines with all words change least are the most stable.",
        factors,
    )
}
