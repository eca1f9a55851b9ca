"""Matrices as values: runs by runs in order of likeness, groups apart; and words by runs, a dot beside each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gpustab.report.svg.elements import LETTER, WIDTH, Point, box, figure, line, mark, text, whisker
from gpustab.report.svg.rows import Dot

Array = np.ndarray[tuple[int, int], np.dtype[np.float64]]

_GAP = 5.0
_NUMBERS = 12
"""Up to so many runs the number stands in the cell."""
_ROW, _TOP = 17.0, 44.0
_SHARES = 96.0
"""Width of the shares with their intervals."""
_RANKED = 13.0
"""Cells of this width hold their number."""


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
    d = np.where(np.isnan(distances), np.nanmax(distances, initial=0.0), distances).astype(float)
    clusters = [[k] for k in range(len(d))]
    while len(clusters) > 1:
        pairs = [(i, j) for j in range(len(clusters)) for i in range(j)]
        i, j = min(pairs, key=lambda pair: d[pair])
        a, b = len(clusters[i]), len(clusters[j])
        d[i] = d[:, i] = (a * d[i] + b * d[j]) / (a + b)
        d = np.delete(np.delete(d, j, 0), j, 1)
        joined = [clusters[i], clusters.pop(j)]
        clusters[i] = [run for part in sorted(joined, key=lambda part: (-len(part), part)) for run in part]
    return clusters[0] if clusters else []


def matrix(
    names: Sequence[str],
    styles: Sequence[str],
    cell: Callable[[int, int], Cell | None],
    label: str,
    gaps: Sequence[int],
) -> str:
    """Draw a square matrix with a name at the start of each row.

    Args:
        names: of rows and columns.
        styles: the class of each name.
        cell: of a row and a column; ``None`` where there is none.
        label: title and main numbers.
        gaps: numbers of the rows before which a new group begins.
    """
    left = 12 + LETTER * max(map(len, names))
    size = min((WIDTH - left - _GAP * len(gaps)) / len(names), 44.0)
    places = [k * size + _GAP * sum(k >= gap for gap in gaps) for k in range(len(names))]
    many, parts = len(names) > _NUMBERS, []
    named = size >= 11
    for i, y in enumerate(places):
        if named or i in (0, *gaps):
            parts.append(text(left - 8, y + (size / 2 + 4 if named else 10), names[i], f"{styles[i]} own", "end"))
        for j, x in enumerate(places):
            if shown := cell(i, j):
                shade = min(max(shown.shade, 0.0), 1.0) if math.isfinite(shown.shade) else 0.0
                drawn = shown._replace(shade=shade, number="" if many else shown.number)
                parts += _cell(drawn, 0.03 + 0.97 * shade, (left + x, y), (size - 1, size - 1), size / 2 + 4)
    return figure(places[-1] + size, parts, label)


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
        for j, known in enumerate(each.cells):
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
        parts.append(text(x + wide / 2, y + foot, cell.number, "on" if cell.shade > 0.55 else "", "middle"))
    return parts
