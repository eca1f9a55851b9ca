"""Many points as hexagons in five grades of opacity: some thousand points in a few kilobytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from gpustab.report.svg.elements import number
from gpustab.report.svg.plot import Plot

_GRADES = (0.12, 0.22, 0.36, 0.52, 0.7)
_RADIUS = 4.2


def hexagons(plot: Plot, points: Iterable[tuple[float, float]], style: str) -> list[str]:
    """Return one path per grade; points beyond the axes are left out.

    A grade is more than twice as many points as the one before it: 1-2, 3-8, 9-23, 24-66, and more.
    """
    wide, tall = _RADIUS * math.sqrt(3), _RADIUS * 1.5
    cells: Counter[tuple[int, int]] = Counter()
    for x, y in points:
        if plot.x[0] <= x <= plot.x[1] and plot.y[0] <= y <= plot.y[1]:
            across, up = plot.at(x, y)
            row = round(up / tall)
            cells[row, round(across / wide - row % 2 / 2)] += 1
    found = []
    for grade, opacity in enumerate(_GRADES):
        here = [cell for cell, n in sorted(cells.items()) if min(4, int(2.2 * math.log10(n))) == grade]
        if here:
            way = "".join(_hexagon((column + row % 2 / 2) * wide, row * tall, wide / 2) for row, column in here)
            found.append(f'<path class="{style} full" fill-opacity="{opacity}" d="{way}"/>')
    return found


def _hexagon(x: float, y: float, half: float) -> str:
    r, h, q = number(_RADIUS), number(half), number(_RADIUS / 2)
    return f"M{number(x)} {number(y - _RADIUS)}l{h} {q}v{r}l-{h} {q}l-{h}-{q}v-{r}z"
