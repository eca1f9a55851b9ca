"""Rows as values: dots with their intervals and ridges over one axis, and lists of words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gpustab.report.svg.axes import KEY_ROW, Axis, Named, Scale, cut, key_of, short
from gpustab.report.svg.elements import LETTER, WIDTH, beyond, figure, line, mark, path, text, whisker
from gpustab.results.page import number

Values = np.ndarray[tuple[int], np.dtype[np.float64]]

_RIDGE, _BINS = 84, 60
"""Height of a ridge, and its columns."""
_START, _END = 6.0, WIDTH - 14.0
"""Of the axis below ridges."""
_LISTED, _LINE, _WORDS = 42, 15, 130.0
"""Height of two lists and of one of them, and where their words begin."""


class Frame(NamedTuple):
    """Where rows, their names and their axis stand, in units.

    Attributes:
        top: the level of the first row.
        row: from one level to the next.
        foot: from the axis down to where the next level would be.
        left: start of the axis.
        right: its end.
        name: where names start, and from a level down to their foot.
        letters: classes of names.
        base: whether a line runs through each level.
        size: half the width of a mark.
        whisker: class of intervals.
        axis: what is drawn first below the rows: the ``ticks``, their ``numbers`` or the ``line``; or a ``grid``
            through all rows, and no axis.
        below: from the axis down to the numbers, to its title, and to the end of the figure.
        edges: numbers left of the first start at their tick, numbers right of the second end there.
    """

    top: float
    row: float
    foot: float
    left: float
    right: float
    name: tuple[float, float]
    letters: str
    base: bool
    size: float
    whisker: str
    axis: Literal["ticks", "numbers", "line", "grid"]
    below: tuple[float, float, float]
    edges: tuple[float, float] = (-math.inf, math.inf)


_WHOLE = (6.0, WIDTH - 6.0)
HEADED = Frame(34, 46, 14, *_WHOLE, (0, -14), "own bold", True, 5, "line", "ticks", (17, 35, 44), (20, math.inf))
"""A heading above every line."""
CLOSE = Frame(30, 40, 16, *_WHOLE, (0, -12), "own bold", True, 5, "line", "line", (17, 35, 44), (20, WIDTH - 20))
"""The same, closer."""
NAMED = Frame(14, 44, 0, 8, WIDTH - 46, (8, 0), "", False, 4, "line thin", "numbers", (16, 34, 42))
"""A name at the level, its marks below it."""
PAIRED = Frame(44, 58, 8, 6, WIDTH - 10, (6, 3), "halo", False, 4.5, "line thin", "grid", (14, 31, 38))
"""The same below a key."""


@dataclass(frozen=True)
class Dot:
    """A mark with its interval.

    Attributes:
        value: where it is; it is left out where that is unknown.
        style: class of its colour.
        shape: number of its mark.
        low: lower end of its interval; none is drawn where an end is unknown.
        high: upper end.
        spans: ranges of which each has its ends and the class of its line.
        below: units from the level of the row.
    """

    value: float
    style: str
    shape: int = 0
    low: float = math.nan
    high: float = math.nan
    spans: tuple[tuple[float, float, str], ...] = ()
    below: float = 0


@dataclass(frozen=True)
class Upright:
    """A short upright line at a value, such as chance.

    Attributes:
        value: where it is; it is left out where that is unknown.
        style: its classes.
        span: units from the level of the row to its ends, downwards.
        name: stands above it.
    """

    value: float
    style: str
    span: tuple[float, float]
    name: str = ""


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        name: what it is of.
        drawn: what stands in it, in the order of drawing.
        style: class of its name.
        aside: stands at the right end.
    """

    name: str
    drawn: Sequence[Dot | Upright]
    style: str = ""
    aside: str = ""


def dots(
    rows: Sequence[Row | None], axis: Axis, frame: Frame, label: str, *, heading: str = "", key: Sequence[Named] = ()
) -> str:
    """Return rows of marks with their intervals over one axis.

    Args:
        rows: from above; ``None`` for one that stays empty.
        axis: below them.
        frame: where they stand.
        label: title and main numbers, for who cannot see it.
        heading: stands above the key.
        key: what marks mean, above the rows.
    """
    lines, named = key_of(key, 28)
    panel = _Panel(axis, frame, len(rows), lines)
    parts = [text(0, 11, heading, "bold"), *named] if key else []
    parts += panel.grid() if frame.axis == "grid" else []
    for k, row in enumerate(rows):
        parts += panel.row(row, k) if row else []
    parts += panel.foot()
    return figure(panel.bottom + frame.below[2] + KEY_ROW * (len(panel.x.said) - 1), parts, label)


class _Panel:
    """Rows over an axis: turns values into elements."""

    def __init__(self, axis: Axis, frame: Frame, rows: int, lines: int) -> None:
        self.frame, self.x = frame, axis.over(most=5)
        self.top = frame.top + KEY_ROW * lines
        self.bottom = self.top + frame.row * rows - frame.foot

    def across(self, value: float) -> float:
        """Where a value stands."""
        value = self.x.clip(value)
        return self.frame.left + self.x.part(value) * (self.frame.right - self.frame.left)

    def row(self, row: Row, k: int) -> Iterator[str]:
        """A name, and what stands at its level."""
        y, (start, up) = self.top + self.frame.row * k, self.frame.name
        yield text(start, y + up, row.name, f"{row.style} {self.frame.letters}".strip())
        if row.aside:
            yield text(WIDTH, y + up, row.aside, "soft", "end")
        if self.frame.base:
            yield line(self.frame.left, y, self.frame.right, y, "grid")
        for each in row.drawn:
            if math.isfinite(each.value):
                yield from self._dot(each, y + each.below) if isinstance(each, Dot) else self._upright(each, y)

    def _dot(self, dot: Dot, y: float) -> Iterator[str]:
        for low, high, style in dot.spans:
            yield line(self.across(low), y, self.across(high), y, f"{dot.style} {style}")
        if math.isfinite(dot.low) and math.isfinite(dot.high):
            yield whisker(self.across(dot.low), self.across(dot.high), y, f"{dot.style} {self.frame.whisker}")
            if dot.low < self.x.low - self.x.near:
                yield beyond(self.frame.left, y, -1, 0, dot.low, dot.style)
            if dot.high > self.x.high + self.x.near:
                yield beyond(self.frame.right, y, 1, 0, dot.high, dot.style)
        yield mark(self.across(dot.value), y, dot.shape, f"{dot.style} full", self.frame.size)

    def _upright(self, upright: Upright, y: float) -> Iterator[str]:
        x = self.across(upright.value)
        yield line(x, y + upright.span[0], x, y + upright.span[1], upright.style)
        if upright.name:
            yield text(x, y + self.frame.name[1], upright.name, "soft", "end")

    def grid(self) -> Iterator[str]:
        """Upright lines through all rows, with their numbers."""
        for value, label in self.x.ticks:
            x = self.across(value)
            yield line(x, self.top - 12, x, self.bottom, "grid")
            yield text(x, self.bottom + self.frame.below[0], label, "soft", "middle")

    def foot(self) -> Iterator[str]:
        """The axis below the rows and its title."""
        kind, bottom, right = self.frame.axis, self.bottom, self.frame.right
        start = self.across(self.x.ticks[0][0]) if kind == "line" else self.frame.left
        axis = line(start, bottom, right, bottom)
        ticks = [] if kind == "grid" else [part for tick in self.x.ticks for part in self._tick(*tick)]
        yield from {"grid": [], "line": [axis, *ticks]}.get(kind, [*ticks, axis])
        for k, title in enumerate(self.x.said):
            place = bottom + self.frame.below[1] + KEY_ROW * k
            yield text((self.frame.left + right) / 2, place, title, "soft", "middle")

    def _tick(self, value: float, label: str) -> list[str]:
        x, (start, end) = self.across(value), self.frame.edges
        anchor = "start" if x < start else "end" if x > end else "middle"
        parts = [
            line(x, self.bottom, x, self.bottom + 4),
            text(x, self.bottom + self.frame.below[0], label, "soft", anchor),
        ]
        return parts[::-1] if self.frame.axis == "numbers" else parts


class Ridge(NamedTuple):
    """How values of one group are distributed."""

    name: str
    values: Values
    style: str


def ridges(groups: Sequence[Ridge], axis: Axis, label: str) -> str:
    """Return one histogram per group over one axis, all of one height, each with its median.

    Args:
        groups: from above.
        axis: below them, with both of its ends; what lies beyond is left out.
        label: title and main numbers, for who cannot see it.
    """
    scale, bottom = axis.over(), 26 + _RIDGE * len(groups)
    parts = [part for k, group in enumerate(groups) for part in _ridge(scale, group, 18 + _RIDGE * (k + 1))]
    for value, tick in scale.ticks:
        x = _along(scale, value)
        parts += [line(x, bottom, x, bottom + 4), text(x, bottom + 17, tick, "soft", "middle")]
    parts.append(line(_START, bottom, _END, bottom))
    parts += [text(WIDTH / 2, bottom + 35 + KEY_ROW * k, title, "soft", "middle") for k, title in enumerate(scale.said)]
    return figure(bottom + 42 + KEY_ROW * (len(scale.said) - 1), parts, label)


def _along(scale: Scale, value: float) -> float:
    return _START + scale.part(value) * (_END - _START)


def _ridge(scale: Scale, group: Ridge, base: float) -> list[str]:
    """One histogram upon its base line."""
    edges = np.linspace(scale.low, scale.high, _BINS + 1)
    density = np.histogram(group.values, edges)[0].astype(float)
    tall, top = (_RIDGE - 24) / density.max(), base - _RIDGE
    middles = (edges[1:] + edges[:-1]) / 2
    ridge = [(_along(scale, x), base - tall * y) for x, y in zip(middles, density, strict=True)]
    middle = float(np.median(group.values))
    x = _along(scale, middle)
    return [
        path([(ridge[0][0], base), *ridge, (ridge[-1][0], base)], f"{group.style} area", closed=True),
        path(ridge, f"{group.style} line thin"),
        line(x, base, x, top + 24, f"{group.style} line thin"),
        line(_START, base, _END, base, "grid"),
        text(0, top + 18, short(group.name, 34), f"{group.style} own bold halo"),
        text(_END, top + 18, f"median {number(middle, 3)}", "soft halo", "end"),
    ]


class Listed(NamedTuple):
    """Two lists of words of one name.

    Attributes:
        name: what they are of.
        aside: stands below it.
        lists: the words.
        marked: words that are drawn in colour.
    """

    name: str
    aside: str
    lists: tuple[Sequence[str], Sequence[str]]
    marked: Collection[str]


def listed(rows: Sequence[Listed], label: str, heading: str = "") -> str:
    """Return names with two lines of words each, as many as there is room for.

    Args:
        rows: from above.
        label: title and main numbers, for who cannot see it.
        heading: stands above them.
    """
    parts, top = ([text(0, 11, heading, "bold")], 36) if heading else ([], 14)
    for k, row in enumerate(rows):
        y = top + _LISTED * k
        parts += [text(0, y, cut(row.name, 18)), text(0, y + _LINE, row.aside, "soft")]
        for n, words in enumerate(row.lists):
            parts += _words(words, row.marked, y + _LINE * n)
    return figure(top + _LISTED * len(rows) - 20, parts, label)


def _words(words: Sequence[str], marked: Collection[str], y: float) -> Iterator[str]:
    x = _WORDS
    for word in words:
        shown = cut(word, 14)
        if x + LETTER * len(shown) > WIDTH:
            return
        yield text(x, y, shown, "g0 own" if word in marked else "soft")
        x += LETTER * (len(shown) + 1.5)
