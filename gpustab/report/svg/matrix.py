"""Matrices as values: runs by runs in order of likeness, groups apart; and words by runs, a dot beside each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpustab.report.svg.elements import LETTER, WIDTH, Point, box, figure, line, mark, text, whisker
from gpustab.report.svg.rows import Dot

Array = np.ndarray[tuple[int, int], np.dtype[np.float64]]

_GAP = 5.0
_NUMBERS = 12
"""Up to so many runs the number stands in the cell."""
_MOST = 40
"""Up to so many runs every cell has a name under the pointer."""
_NAMED = 11.0
"""Cells of this width leave room for the name of each row."""
_DRAWN = 360
"""So many cells stand in a row of a large matrix at most: about as many as a screen shows, and 2 MB of them."""
_GRADES = 20
"""Of opacity, where cells are not drawn one by one."""
_LEGEND, _STEPS = 32.0, 11
"""Height of the scale of shades, and its boxes."""
_ROW, _TOP = 17.0, 44.0
_SHARES = 96.0
"""Width of the shares with their intervals."""
_RANKED = 13.0
"""Cells of this width hold their number."""
PAPER_ABOVE = 0.72
"""Opacity of a cell above which its letters are those of paper: there both kinds read worst, on light and on dark."""


class Cell(NamedTuple):
    """One cell: how dark, what stands in it, what is said under the pointer."""

    shade: float
    number: str
    title: str


def by_likeness(distances: Array) -> list[int]:
    """Return an order of runs in which like ones stand together, by average linkage; odd ones come last.

    Args:
        distances: ``(R, R)``, symmetric; what is unknown (NaN) counts as the largest.

    >>> by_likeness(np.array([[0, 9, 1], [9, 0, 9], [1, 9, 0.0]]))
    [0, 2, 1]
    """
    known = np.isfinite(distances)
    d = np.where(known, distances, np.max(distances, where=known, initial=0.0)).astype(float, copy=False)
    near = np.where(np.tri(len(d), k=-1, dtype=bool), d, np.inf)  # each pair once; of what was joined, infinite
    clusters = {k: [k] for k in range(len(d))}
    while len(clusters) > 1:
        j, i = divmod(int(near.argmin()), len(d))
        a, b = len(clusters[i]), len(clusters[j])
        d[i] = d[:, i] = (a * d[i] + b * d[j]) / (a + b)
        d[j] = d[:, j] = near[j] = near[:, j] = np.inf
        near[i, :i], near[i + 1 :, i] = d[i, :i], d[i + 1 :, i]
        joined = [clusters[i], clusters.pop(j)]
        clusters[i] = [run for part in sorted(joined, key=lambda part: (-len(part), part)) for run in part]
    return clusters[0] if clusters else []


def matrix(
    names: Sequence[str],
    styles: Sequence[str],
    cell: Callable[[int, int], Cell],
    label: str,
    gaps: Sequence[int],
    *,
    shades: Array | None = None,
    groups: Sequence[str] = (),
    block: Callable[[int, int], Cell | None] = lambda *_: None,
    ends: tuple[str, str] = ("identical", "unrelated"),
) -> str:
    """Draw a square matrix with a name at the start of each row, and the scale of its shades below.

    Args:
        names: of rows and columns.
        styles: the class of each name.
        cell: of a row and a column of one group.
        label: title and main numbers.
        gaps: numbers of the rows before which a new group begins.
        shades: ``(n, n)`` of all cells, by which a large matrix is drawn; default: those that ``cell`` gives.
        groups: their names, which stand at their first rows where there is no room for those of all rows.
        block: of two groups as a whole, by their numbers; ``None`` where there is none.
        ends: what no shade and full shade mean.
    """
    starts = [0, *gaps]
    size = min((WIDTH - 12 - LETTER * max(map(len, names)) - _GAP * len(gaps)) / len(names), 44.0)
    named = size >= _NAMED
    shown = names if named else [groups[starts.index(k)] if groups and k in starts else "" for k in range(len(names))]
    left = 12 + LETTER * max(map(len, shown))
    size = min((WIDTH - left - _GAP * len(gaps)) / len(names), 44.0)
    places = [k * size + _GAP * sum(k >= gap for gap in gaps) for k in range(len(names))]
    parts = [
        text(left - 8, y + (size / 2 + 4 if named else 10), shown[i], f"{styles[i]} own", "end")
        for i, y in enumerate(places)
        if shown[i]
    ]
    spans = list(zip(starts, [*gaps, len(names)], strict=True))
    for g, (first, last) in enumerate(spans):
        inside, corner = range(first, last), (left + places[first], places[first])
        if len(names) > _MOST:  # a page of 400 runs is some megabytes otherwise; the table of pairs has every value
            of_all = np.array([[cell(i, j).shade for j in inside] for i in inside]) if shades is None else shades
            own = of_all if shades is None else of_all[first:last, first:last]
            drawn = means_of_squares(_opacity(own), side_of_square(len(names)))
            wide = size * len(own) / len(drawn)
            parts += _by_grades(drawn, corner, (wide, wide))
        else:
            parts += _square(cell, inside, corner, size, len(names) <= _NUMBERS)
        for h, (one, end) in enumerate(spans):
            if h != g and (whole := block(g, h)):
                wide, tall = places[end - 1] + size - places[one], places[last - 1] + size - places[first]
                place = (left + places[one], places[first])
                parts += _cell(whole, float(_opacity(whole.shade)), place, (wide - 1, tall - 1), tall / 2 + 4)
    foot = places[-1] + size + _LEGEND
    return figure(foot, [*parts, *_scale(left, foot - 16, ends)], label)


def _square(
    cell: Callable[[int, int], Cell], inside: Sequence[int], corner: Point, size: float, numbers: bool
) -> list[str]:
    """The cells of one group, each with what is said under the pointer, and with its number where there is room."""
    parts = []
    for i in inside:
        for j in inside:
            one = cell(i, j)
            place = (corner[0] + (j - inside[0]) * size, corner[1] + (i - inside[0]) * size)
            drawn = one if numbers else one._replace(number="")
            parts += _cell(drawn, float(_opacity(one.shade)), place, (size - 1, size - 1), size / 2 + 4)
    return parts


def side_of_square(rows: int) -> int:
    """Return of how many rows, and columns, one cell of so large a matrix is drawn."""
    return -(-rows // _DRAWN)


def means_of_squares(values: Array, side: int) -> Array:
    """Return the means of squares of cells, those at the ends of fewer.

    >>> means_of_squares(np.array([[0.0, 2, 4], [2, 0, 6], [4, 6, 1]]), 2).tolist()
    [[1.0, 5.0], [5.0, 1.0]]
    """
    starts = np.arange(0, len(values), side)
    cells = np.diff(np.append(starts, len(values)))
    sums = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
    means: Array = sums / np.outer(cells, cells)
    return means


def _by_grades(opacity: Array, corner: Point, size: Point) -> list[str]:
    """One path a grade of opacity: a level stroke for those cells of a row that have it and stand beside each other.

    Args:
        opacity: ``(rows, columns)``.
        corner: of the first cell.
        size: width and height of one, which are the units of the path: a cell takes a few bytes.
    """
    grades = np.rint(opacity * _GRADES).astype(np.int8)
    differs = np.ones((grades.shape[0], grades.shape[1] + 1), bool)
    differs[:, 1:-1] = grades[:, 1:] != grades[:, :-1]
    rows, starts = differs[:, :-1].nonzero()
    lengths = differs[:, 1:].nonzero()[1] + 1 - starts
    of_stroke = grades[rows, starts]
    (x, y), (wide, tall) = corner, size
    place = f"translate({x:.2f} {y + tall / 2:.2f}) scale({wide:.4f} {tall:.4f})"
    parts = []
    for grade in range(1, _GRADES + 1):
        its = of_stroke == grade
        strokes = zip(starts[its].tolist(), rows[its].tolist(), lengths[its].tolist(), strict=True)
        if way := "".join(f"M{start} {row}h{length}" for start, row, length in strokes):
            parts.append(
                f'<path class="heat line" stroke-width="1" stroke-opacity="{grade / _GRADES:.2f}" '
                f'transform="{place}" d="{way}"/>'
            )
    return parts


def _opacity(shade: Any) -> Any:
    """Of one shade or many, in one copy of these; what is not known is nearly white."""
    opacity = np.where(np.isfinite(shade), shade, 0.0)
    np.clip(opacity, 0.0, 1.0, out=opacity)
    opacity *= 0.97
    opacity += 0.03
    return opacity


def _scale(left: float, y: float, ends: tuple[str, str]) -> list[str]:
    """From no shade to full shade, with what both mean."""
    low, high = f"0 % {ends[0]}", f"100 % {ends[1]}"
    start = left + 8 + LETTER * len(low)
    wide = max(WIDTH - start - 8 - LETTER * len(high), 40.0) / _STEPS
    steps = [
        box(start + k * wide, y, wide, 11, "heat full", round(float(_opacity(k / (_STEPS - 1))), 2))
        for k in range(_STEPS)
    ]
    return [text(left, y + 10, low, "soft"), *steps, text(start + _STEPS * wide + 8, y + 10, high, "soft")]


class Line(NamedTuple):
    """One row of a lattice.

    Attributes:
        name: what it is of.
        style: classes of its name.
        cells: one for every column; ``None`` where there is none.
        share: a dot between 0 and 1.
    """

    name: str
    style: str
    cells: Sequence[Cell | None]
    share: Dot


def lattice(lines: Sequence[Line], heading: str, style: str, axis: str, label: str) -> str:
    """Draw rows of cells, and right of each a dot with its interval between 0 and 1.

    Args:
        lines: from above, all with as many cells.
        heading: stands above them.
        style: its class.
        axis: what the dots are.
        label: title and main numbers.
    """
    left, right = 12 + LETTER * max(4, *(len(each.name) for each in lines)), WIDTH - _SHARES - 16
    start, bottom, columns = right + 16, _TOP + _ROW * len(lines), len(lines[0].cells)
    size = min((right - left) / columns, 22.0)
    parts = [text(0, 11, heading, f"{style} own bold"), text(WIDTH, 11, axis, "soft", "end")]
    for share, tick, anchor in ((0.0, "0", "start"), (0.5, "½", "middle"), (1.0, "1", "end")):
        x = start + share * _SHARES
        parts += [text(x, _TOP - 8, tick, "soft", anchor), line(x, _TOP - 3, x, bottom, "grid")]
    if size >= _RANKED:
        parts += [text(left + (k + 0.5) * size, _TOP - 8, k, "soft", "middle") for k in range(columns)]
    for k, each in enumerate(lines):
        y, tall, dot = _TOP + _ROW * k, _ROW - 2, each.share
        parts.append(text(left - 7, y + 12, each.name, each.style, "end"))
        if columns > _MOST:
            row = np.array([[known.shade if known else 0.05 for known in each.cells]])
            parts += _by_grades(row, (left, y), (size, tall))
        for j, known in enumerate(each.cells if columns <= _MOST else ()):
            cell = known or Cell(0.0, "", "")
            drawn = cell if size >= _RANKED else cell._replace(number="")
            parts += _cell(drawn, cell.shade if known else 0.05, (left + j * size, y), (size - 1, tall), 12)
        low, value, high = (start + share * _SHARES for share in (dot.low, dot.value, dot.high))
        parts.append(whisker(low, high, y + 8, f"{dot.style} line thin"))
        parts.append(mark(value, y + 8, dot.shape, f"{dot.style} full", 3.5))
    return figure(bottom + 4, parts, label)


def _cell(cell: Cell, opacity: float, place: Point, size: Point, foot: float) -> list[str]:
    """A box and its number, which is that of paper on what is dark."""
    (x, y), (wide, tall) = place, size
    parts = [box(x, y, wide, tall, "heat full", round(opacity, 2), cell.title)]
    if cell.number:
        parts.append(text(x + wide / 2, y + foot, cell.number, "on" if opacity > PAPER_ABOVE else "", "middle"))
    return parts
