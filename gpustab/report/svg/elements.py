"""The elements of a figure as SVG text: letters, lines, areas and marks; whatever is written is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from gpustab.report.json_text import plain
from gpustab.results.page import number as significant
from gpustab.spaces.words import printable

WIDTH = 400
"""Units: with letters of 12 units a figure is legible at the width of a phone."""
LETTER = 6.3
"""Mean width of a letter, in units."""

Point = tuple[float, float]


def shown(words: object) -> str:
    """Return a text that may stand in SVG: one line, no control characters, no markup."""
    return escape(printable(plain(str(words))))


def number(value: float) -> str:
    """Return a coordinate with one decimal at most; it must be finite.

    >>> number(3.0), number(3.14)
    ('3', '3.1')
    """
    if not math.isfinite(value):
        raise ValueError(f"a coordinate is {value}")
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")
    )


def text(x: float, y: float, words: object, style: str = "", anchor: str = "start") -> str:
    """Return a line of letters whose start, middle or end is at x."""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}"{_class(style)}{place}>{shown(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, style: str = "axis") -> str:
    """Return a straight line."""
    a, b, c, d = map(number, (x1, y1, x2, y2))
    return f'<line x1="{a}" y1="{b}" x2="{c}" y2="{d}"{_class(style)}/>'


def path(points: Sequence[Point], style: str, *, closed: bool = False) -> str:
    """Return a line, or an area, through points."""
    way = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path{_class(style)} d="M{way}{"Z" if closed else ""}"/>'


def box(x: float, y: float, width: float, height: float, style: str, opacity: float = 1.0, title: str = "") -> str:
    """Return a rectangle; the title is shown under the pointer."""
    a, b, c, d = map(number, (x, y, max(width, 0), max(height, 0)))
    faint = "" if opacity == 1.0 else f' fill-opacity="{opacity:.2f}"'
    inside = f"><title>{shown(title)}</title></rect>" if title else "/>"
    return f'<rect x="{a}" y="{b}" width="{c}" height="{d}"{_class(style)}{faint}{inside}'


def mark(x: float, y: float, shape: int, style: str, size: float = 4) -> str:
    """Return one of six marks: groups differ by form as well as by colour.

    Args:
        x: the middle.
        y: the middle.
        shape: 0 circle, 1 square, 2 triangle, 3 diamond, 4 triangle upside down, 5 cross; then from the start.
        style: classes.
        size: half its width.
    """
    if shape % 6 == 0:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size)}"{_class(style)}/>'
    if shape % 6 == 1:
        return box(x - 0.9 * size, y - 0.9 * size, 1.8 * size, 1.8 * size, style)
    corners = {
        2: [(0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
        3: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        4: [(0, 1.2), (1.15, -0.85), (-1.15, -0.85)],
        5: [(-1, -1), (0, -0.4), (1, -1), (0.4, 0), (1, 1), (0, 0.4), (-1, 1), (-0.4, 0)],
    }[shape % 6]
    return path([(x + size * a, y + size * b) for a, b in corners], style, closed=True)


def whisker(x1: float, x2: float, y: float, style: str) -> str:
    """Return a level interval with its two ends."""
    ends = "".join(line(x, y - 4, x, y + 4, style) for x in (x1, x2))
    return line(x1, y, x2, y, style) + ends


def beyond(x: float, y: float, dx: float, dy: float, value: float, style: str) -> str:
    """Return what stands where an interval leaves the frame: an arrow, and the value that it reaches.

    Args:
        x: the end of the frame.
        y: likewise.
        dx: the way it points, −1, 0 or 1, to the right.
        dy: downwards.
        value: the end of the interval.
        style: the class of its colour.
    """
    tip, across, up = (x, y), 4 * dy, 4 * dx
    arrow = path(
        [tip, (x - 7 * dx + across, y - 7 * dy + up), (x - 7 * dx - across, y - 7 * dy - up)],
        f"{style} full",
        closed=True,
    )
    said = significant(value, 2)
    if dx:
        return arrow + text(x - 9 * dx, y - 5, said, f"{style} own halo", "end" if dx > 0 else "start")
    return arrow + text(x + 7, y + (4 if dy > 0 else 9) - 5 * (dy > 0), said, f"{style} own halo")


def upright(x: float, y1: float, y2: float, style: str) -> str:
    """Return an upright interval with its two ends."""
    ends = "".join(line(x - 3, y, x + 3, y, style) for y in (y1, y2))
    return line(x, y1, x, y2, style) + ends


def figure(height: float, parts: Iterable[str], label: str, words: str | None = None) -> str:
    """Return a figure of 400 units' width.

    Args:
        height: units.
        parts: its elements.
        label: title and main numbers, for who cannot see it.
        words: where its words stand, if its points are words; for the script of a page.
    """
    data = f'data-words="{escape(words)}" ' if words else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {WIDTH} {number(height)}" role="img" '
        f'{data}aria-label="{shown(label)}">{"".join(parts)}</svg>'
    )


def _class(style: str) -> str:
    return f' class="{style}"' if style else ""
