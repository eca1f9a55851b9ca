"""The figure of usages: how far the words lie beyond two samplings of one period, with the level of chance."""

from __future__ import annotations

from gpustab.report.svg.axes import Axis, Named
from gpustab.report.svg.picture import Figures, Picture, Tables, drawn_from
from gpustab.report.svg.rows import CLOSE, Dot, Row, Upright, dots
from gpustab.results import Table
from gpustab.results.page import counted, number
from gpustab.studies.usage.claims import COMPARED, PAIRS, WORD_DIFFERS, Compared, Pair, leading

_FRAME = CLOSE._replace(top=44, row=30, foot=10)
_MOST = 20


@drawn_from("pairs")
def words(_: Table[Pair], tables: Tables) -> Picture:
    """One panel for two periods: a row for each of the leading words, and the level of chance of each."""
    panels, found, tested = [], 0, 0
    for pair in PAIRS.rows(tables, measure="apd"):
        rows = leading(list(COMPARED.rows(tables, first=pair.first, second=pair.second)))
        rows = [row for row in rows if WORD_DIFFERS.judge(row) != "no test"][:_MOST]
        found, tested = found + pair.found, tested + pair.tested
        if rows:
            panels.append(_panel(pair, rows))
    return Picture(f"{counted(found, 'word', 'is/are', of=tested)} used differently", panels)


def _panel(pair: Pair, rows: list[Compared]) -> str:
    lines = []
    for row in rows:
        low, high = row.excess.interval
        style = "g0" if WORD_DIFFERS.judge(row) == "yes" else "g1"
        chance = Upright(row.chance, "axis dash", (-8, 8))
        lines.append(Row(row.word, [Upright(0.0, "axis", (-4, 4)), chance, Dot(row.beyond, style, 0, low, high)]))
    ends = [end for row in rows for end in (*row.excess.interval, row.chance)]
    axis = Axis("cosine distance beyond two samplings of one period", low=min(0.0, *ends), high=max(ends))
    label = f"{pair.first} to {pair.second}: " + "; ".join(f"{row.word} {number(row.beyond, 2)}" for row in rows)
    key = [Named("used differently", "g0 full", 0), Named("not surely", "g1 full", 0)]
    return dots(lines, axis, _FRAME, label, heading=f"{pair.first} to {pair.second}", key=key)


FIGURES: Figures = {
    "words": (
        "Each row is a word: those that are used differently come first, the farthest apart at the top. The mark is "
        "how much farther usages of the two periods lie apart than those of one period. Random deals of the documents "
        "lie left of the dashed line in 95 of 100 cases: a mark is to be right of it, and farther the more words are "
        "tested. The line through the mark is the 95 % interval by left-out documents. It says how far, and does not "
        "decide.",
        words,
    )
}
