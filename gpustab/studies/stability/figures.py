"""The figures of stability, from its tables of pairs and words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpustab.report.describe import Tables
from gpustab.report.svg.elements import text
from gpustab.report.svg.picture import Picture
from gpustab.report.svg.plot import Plot, room, short
from gpustab.report.svg.series import called, series, told
from gpustab.results.page import number
from gpustab.statistics.intervals import Estimate
from gpustab.studies.stability.frequency_figure import frequency
from gpustab.studies.stability.group_figures import runs, side_by_side
from gpustab.studies.stability.measured import estimate, length, lengths
from gpustab.studies.stability.word_figure import words

if TYPE_CHECKING:
    from gpustab.report.describe import Figures


def neighbours(tables: Tables) -> Picture:
    """Shared neighbours over the length of the lists, with 95 % intervals over runs, and chance."""
    pairs = tables.get("pairs")
    if not pairs or not pairs.height:
        return Picture()
    ns, n = lengths(pairs), length(pairs) or 0
    if len(ns) < 2:
        return Picture(missing="The picture of p@n over n needs two list lengths or more, such as 1 and 10.")
    drawn, names = series(pairs["group"]), called(pairs["group"])
    plot = Plot((ns[0], ns[-1]), (0, 1), right=room(map(short, names.values())), log=True)
    plot.axes("n nearest neighbours", "share that two runs have in common, p@n", [(k, str(k)) for k in _apart(ns)])
    ends, said, of_n = [], [], []
    for group, part in pairs.split("group"):
        style, shape = drawn[group]
        found = [estimate(part, f"p@{k}") for k in ns]
        low, high = zip(*(each.interval for each in found), strict=True)
        values = [each.value for each in found]
        plot.band(ns, low, high, f"{style} area").curve(ns, values, f"{style} line")
        plot.marks(ns, values, shape, f"{style} full")
        ends.append((short(names[group]), next((x for x in reversed(values) if x == x), 0.0), style))
        said.append(f"{names[group]}: " + ", ".join(f"{number(x, 2)} at {k}" for k, x in zip(ns, values, strict=True)))
        of_n.append((names[group], _of(found[ns.index(n)], n)))
    _draw_chance(plot, tables, ns)
    plot.labels(ends)
    title = f"Of the {n} nearest neighbours two runs have in common: {told(of_n)}"
    return Picture(title, [plot.done(f"Shared neighbours over the length of the lists. {'; '.join(said)}")])


def _draw_chance(plot: Plot, tables: Tables, ns: list[int]) -> None:
    """What unrelated runs would share: n of the v − 1 other words."""
    table = tables.get("words")
    v = max((part.height for _, part in table.split("group")), default=0) if table else 0
    if v > ns[-1] + 1:
        levels = [n / (v - 1) for n in ns]
        plot.curve(ns, levels, "axis thin dash")
        plot.add(text(plot.right, plot.up(levels[-1]) - 5, "chance", "soft halo", "end"))


def _apart(ns: list[int]) -> list[int]:
    """Lengths whose numbers do not run into each other on the axis."""
    found = ns[:1]
    for n in ns[1:]:
        if math.log(n / found[-1]) > 0.07 * math.log(ns[-1] / ns[0]):
            found.append(n)
    return found


def _of(found: Estimate, n: int) -> str:
    """A mean number of neighbours, with its interval where there is one."""
    low, high = (n * min(max(x, 0.0), 1.0) for x in found.interval)
    span = f" ({low:.1f}–{high:.1f})" if low == low else ""
    return f"{n * found.value:.1f}{span}"


FIGURES: Figures = {
    "neighbours": (
        "Share of a word's n nearest neighbours in one run that are among the n nearest in another: mean over words "
        "and pairs of runs. Bands are 95 % intervals over runs; dashed: what unrelated runs would share.",
        neighbours,
    ),
    "groups": (
        "Mean reduced PIP loss over pairs of runs, with its 95 % interval over runs; dashed: unrelated spaces of the "
        "same mean cosine.",
        side_by_side,
    ),
    "losses": ("", words),
    "runs": (
        "Each cell is a pair of runs: the stronger, the further apart, from identical to chance. Runs stand in the "
        "order of their likeness (average linkage), so that odd ones come last; groups are measured apart.",
        runs,
    ),
    "frequency": (
        "Every word by how often it occurs; stronger where more words lie. Line: median; dashed: the middle 80 % of "
        "words of like frequency.",
        frequency,
    ),
}
"""How to read every figure, and its drawing, in reading order."""
