"""Matrices of runs: ordered by likeness, groups apart, one hue from identical to chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gpustab.report.svg.elements import LETTER, WIDTH, box, figure, text

Array = np.ndarray[tuple[int, int], np.dtype[np.float64]]

_GAP = 5.0
_NUMBERS = 12
"""Up to so many runs the number stands in the cell."""


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
            if found := cell(i, j):
                shade = min(max(found.shade, 0.0), 1.0) if math.isfinite(found.shade) else 0.0
                parts.append(
                    box(left + x, y, size - 1, size - 1, "heat full", round(0.03 + 0.97 * shade, 2), found.title)
                )
                if not many and found.number:
                    style = "on" if shade > 0.55 else ""
                    parts.append(text(left + x + (size - 1) / 2, y + size / 2 + 4, found.number, style, "middle"))
    return figure(places[-1] + size, parts, label)
