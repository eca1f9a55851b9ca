"""Panels as values: what is drawn over two axes is said by columns of tables, layer by layer, and drawn in one place.

:func:`lines` makes a panel of two axes and its layers, in the order in which they are drawn: :class:`Curve` (a line,
its band, whiskers and marks), :class:`Bars`, :class:`Cloud`, :class:`Level`, :class:`Diagonal`, :class:`Cuts` and
:class:`Note`. Names of curves stand at their ends or in a key.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from gpustab.report.svg.axes import KEY_ROW, WITHOUT_ZERO, Axis, Named, Scale, apart, floats, key_of, room
from gpustab.report.svg.colours import Series
from gpustab.report.svg.elements import (
    LETTER,
    WIDTH,
    Point,
    beyond,
    box,
    figure,
    line,
    mark,
    number,
    path,
    text,
    upright,
)
from gpustab.results import Table

LINE, BAND, MARKS, HOLLOW, WHISKERS = "line", "area", "full", "hollow", "whiskers"
"""Parts of a curve; a line may be ``line thin``, ``line dash`` or ``line thin dash``."""
BANDED = (BAND, LINE, MARKS)

_LEFT, _TOP, _BOTTOM, _RIGHT = 46.0, 26.0, 42.0, 14.0
"""Room around a panel, without names and a key."""
_LONG = 22
"""Letters of a name beside its curve; where one is longer, all stand in a key, so that none is cut."""
_GRADES = (0.12, 0.22, 0.36, 0.52, 0.7)
_RADIUS = 4.2


class Panel(NamedTuple):
    """Two axes and where they stand, in units."""

    x: Scale
    y: Scale
    right: float
    top: float
    bottom: float

    def across(self, x: float) -> float:
        """Return where a value of x stands."""
        return _LEFT + self.x.part(x) * (self.right - _LEFT)

    def up(self, y: float) -> float:
        """Return where a value of y stands."""
        return self.bottom - self.y.part(y) * (self.bottom - self.top)

    def axes(self) -> Iterator[str]:
        """Draw both axes: the title of y stands above it, no text is turned."""
        for value, label in self.y.ticks:
            yield line(_LEFT, self.up(value), self.right, self.up(value), "grid")
            yield text(_LEFT - 7, self.up(value) + 4, label, "soft", "end")
        free = -math.inf
        for value, label in self.x.ticks:
            x, half = self.across(value), 0.53 * LETTER * len(label)
            yield line(x, self.bottom, x, self.bottom + 4)
            if x - half > free:  # no letters lie on others
                yield text(x, self.bottom + 17, label, "soft", "middle")
                free = x + half + 4
        yield line(_LEFT, self.bottom, self.right, self.bottom)
        yield text((_LEFT + self.right) / 2, self.bottom + 35, self.x.title, "soft", "middle")
        yield text(0, 11, self.y.title, "soft")
        if self.y.without_zero:  # below the axis, where nothing is drawn
            yield text(0, self.bottom + 35, WITHOUT_ZERO, "soft")

    def words(self, group: str, x: str, y: str) -> str:
        """Return where the words of a group stand, for the script of the page."""
        frame = [_LEFT, self.right, self.top, self.bottom, self.x.low, self.x.high, self.y.low, self.y.high]
        return json.dumps({"group": group, "x": x, "y": y, "frame": frame})

    def names(self, curves: Sequence[Curve]) -> Iterator[str]:
        """Write the names of curves right of the axes, at the heights of their ends, moved apart."""
        heights = {k: self.up(self.y.clip(curve.last)) for k, curve in enumerate(curves)}
        for k, place in apart(heights, low=self.top, high=self.bottom).items():
            style = "soft" if curves[k].style == "axis" else curves[k].style
            yield text(self.right + 9, place + 4, curves[k].name, f"{style} own bold")


class Layer(ABC):
    """What is drawn over the axes of a panel."""

    @abstractmethod
    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield its elements."""


@dataclass(frozen=True)
class Curve(Layer):
    """One line of a panel, its interval and its marks; what is unknown is left out.

    Attributes:
        x: where its values stand.
        y: its values.
        style: class of its colour.
        shape: number of its mark.
        name: stands at its end, or in the key.
        low: lower ends of the intervals, cut at the axes.
        high: upper ends, likewise.
        parts: what is drawn, in this order.
        size: half the width of a mark.
        end: where its name stands; default: at its last known value.
    """

    x: Sequence[float]
    y: Sequence[float]
    style: str
    shape: int = 0
    name: str = ""
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    parts: tuple[str, ...] = (LINE,)
    size: float = 4
    end: float | None = None

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield its parts."""
        known = [(x, y) for x, y in zip(self.x, self.y, strict=True) if panel.x.has(x) and panel.y.has(y)]
        points = [(panel.across(x), panel.up(y)) for x, y in known]
        for part in self.parts:
            style = f"{self.style} {part}".rstrip()
            if part == BAND:
                for piece in _pieces(self._intervals(panel)):
                    lower, upper = [(x, low) for x, low, _ in piece], [(x, high) for x, _, high in piece]
                    yield path([*lower, *reversed(upper)], style, closed=True)
            elif part == WHISKERS:
                for ends in filter(None, self._intervals(panel)):
                    yield upright(*ends, f"{self.style} line thin")
                yield from self._leaving(panel)
            elif part in (MARKS, HOLLOW):
                yield from (mark(x, y, self.shape, style, self.size) for x, y in points)
            else:
                yield from (path(piece, style) for piece in _within(points, panel.top, panel.bottom) if len(piece) > 1)

    def _intervals(self, panel: Panel) -> list[tuple[float, float, float] | None]:
        """Where each value of x and the ends of its interval stand."""
        return [
            (panel.across(x), panel.up(panel.y.clip(low)), panel.up(panel.y.clip(high)))
            if panel.x.has(x) and math.isfinite(low) and math.isfinite(high)
            else None
            for x, low, high in zip(self.x, self.low, self.high, strict=True)
        ]

    def _leaving(self, panel: Panel) -> Iterator[str]:
        """Arrows where whiskers leave the axes, with the values that they reach."""
        for x, low, high in zip(self.x, self.low, self.high, strict=True):
            if panel.x.has(x) and math.isfinite(low) and math.isfinite(high):
                if low < panel.y.low - panel.y.near:
                    yield beyond(panel.across(x), panel.bottom, 0, 1, low, self.style)
                if high > panel.y.high + panel.y.near:
                    yield beyond(panel.across(x), panel.top, 0, -1, high, self.style)

    @property
    def meaning(self) -> Named:
        """What stands in the key: its mark, or its line where it has none."""
        mark = next((part for part in self.parts if part in (MARKS, HOLLOW)), None)
        return Named(self.name, f"{self.style} {mark or self.parts[0]}", self.shape if mark else None)

    @property
    def last(self) -> float:
        """Where its name stands."""
        return next((y for y in reversed(self.y) if math.isfinite(y)), 0.0) if self.end is None else self.end


def curve(
    rows: Table,
    x: str,
    y: str,
    look: Series | str,
    *parts: str,
    name: str = "",
    low: str = "",
    high: str = "",
    scale: float = 1,
    size: float = 4,
) -> Curve:
    """Return a line over columns of a table: of x, of y times a scale, and of the ends of its intervals.

    >>> curve(Table({"n": [1, 2], "p": [0.5, None]}), "n", "p", "g0", scale=100).y
    [50.0, nan]
    """
    style, shape = (look, 0) if isinstance(look, str) else look
    ys, lows, highs = ([scale * value for value in floats(rows[column])] if column else [] for column in (y, low, high))
    return Curve(floats(rows[x]), ys, style, shape, name, lows, highs, parts or (LINE,), size)


def _within(points: Sequence[Point], top: float, bottom: float) -> Iterator[list[Point]]:
    """The pieces of a line that lie between two heights, where it is cut."""
    piece: list[Point] = []
    for (x, y), (right, end) in pairwise(points):
        if max(y, end) < top or min(y, end) > bottom:
            continue
        cut = [
            (x + (right - x) * (height - y) / (end - y), height) if height != own else (mine, own)
            for mine, own in ((x, y), (right, end))
            for height in [min(max(own, top), bottom)]
        ]
        if piece and piece[-1] != cut[0]:
            yield piece
            piece = []
        piece += cut[bool(piece) :]
    yield piece


def _pieces(intervals: Iterable[tuple[float, float, float] | None]) -> Iterator[list[tuple[float, float, float]]]:
    """Intervals that follow each other, two or more."""
    piece: list[tuple[float, float, float]] = []
    for each in (*intervals, None):
        if each is not None:
            piece.append(each)
        else:
            if len(piece) > 1:
                yield piece
            piece = []


@dataclass(frozen=True)
class Bars(Layer):
    """A histogram: one edge more than heights, which are cut at the axes."""

    edges: Sequence[float]
    heights: Sequence[float]
    style: str
    name: str = ""

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield one box per height."""
        for a, b, height in zip(self.edges, self.edges[1:], self.heights, strict=False):
            x, y = panel.across(a), panel.up(panel.y.clip(height))
            yield box(x, y, panel.across(b) - x, panel.bottom - y, f"{self.style} area")

    @property
    def meaning(self) -> Named:
        """What stands in the key."""
        return Named(self.name, f"{self.style} area", 1)


@dataclass(frozen=True)
class Cloud(Layer):
    """Thousands of points as hexagons in five grades of opacity, in a few kilobytes; those within the axes.

    A grade is more than twice as many points as the one before it: 1-2, 3-8, 9-23, 24-66, and more.
    """

    points: Iterable[Point]
    style: str

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield one path per grade."""
        wide, tall = _RADIUS * math.sqrt(3), _RADIUS * 1.5
        cells: Counter[tuple[int, int]] = Counter()
        for x, y in self.points:
            if panel.x.low <= x <= panel.x.high and panel.y.low <= y <= panel.y.high:
                row = round(panel.up(y) / tall)
                cells[row, round(panel.across(x) / wide - row % 2 / 2)] += 1
        for grade, opacity in enumerate(_GRADES):
            here = [cell for cell, n in sorted(cells.items()) if min(4, int(2.2 * math.log10(n))) == grade]
            if here:
                way = "".join(_hexagon((column + row % 2 / 2) * wide, row * tall, wide / 2) for row, column in here)
                yield f'<path class="{self.style} full" fill-opacity="{opacity}" d="{way}"/>'


def _hexagon(x: float, y: float, half: float) -> str:
    r, h, q = number(_RADIUS), number(half), number(_RADIUS / 2)
    return f"M{number(x)} {number(y - _RADIUS)}l{h} {q}v{r}l-{h} {q}l-{h}-{q}v-{r}z"


@dataclass(frozen=True)
class Level(Layer):
    """A dashed level, such as chance, with its name above its end; none is drawn beyond the axis."""

    y: float
    name: str = ""

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield the line and its name."""
        if panel.y.low <= self.y <= panel.y.high:
            y = panel.up(self.y)
            yield line(_LEFT, y, panel.right, y, "axis dash")
            yield text(panel.right, y - 5, self.name, "soft halo", "end")


@dataclass(frozen=True)
class Diagonal(Layer):
    """A dashed line where x and y are equal, if it crosses the panel."""

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield the line."""
        low, high = max(panel.x.low, panel.y.low), min(panel.x.high, panel.y.high)
        if low < high:
            yield line(panel.across(low), panel.up(low), panel.across(high), panel.up(high), "axis dash")


@dataclass(frozen=True)
class Cuts(Layer):
    """Upright lines through the panel, or ticks of some height upon its lower axis; none is drawn beyond the axis."""

    xs: Sequence[float]
    style: str
    tall: float | None = None

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield the lines."""
        first, last = (panel.top, panel.bottom) if self.tall is None else (panel.bottom, panel.bottom - self.tall)
        for x in (panel.across(x) for x in self.xs if panel.x.low <= x <= panel.x.high):
            yield line(x, first, x, last, self.style)


@dataclass(frozen=True)
class Note(Layer):
    """Letters beside a point, by default the right upper corner of the panel, moved by ``dx`` and ``dy`` units."""

    words: str
    x: float | None = None
    y: float | None = None
    dx: float = 0
    dy: float = 0
    style: str = "soft halo"
    anchor: str = "end"

    def draw(self, panel: Panel) -> Iterator[str]:
        """Yield the letters."""
        x = panel.right if self.x is None else panel.across(self.x)
        y = panel.top if self.y is None else panel.up(self.y)
        yield text(x + self.dx, y + self.dy, self.words, self.style, self.anchor)


def corner(words: str, style: str = "bold") -> Note:
    """Return the heading of a panel without a key, above the right end of its axes."""
    return Note(words, dy=-15, style=style)


def lines(
    x: Axis,
    y: Axis,
    layers: Sequence[Layer],
    label: str,
    *,
    over: Sequence[Layer] = (),
    keyed: bool = False,
    more: Sequence[Named] = (),
    name: str = "",
    height: float = 270,
    right: float | None = None,
    words: tuple[str, str, str] | None = None,
) -> str:
    """Return a panel of lines with bands, bars or points.

    Args:
        x: the lower axis.
        y: the left axis.
        layers: what is drawn, in this order.
        label: title and main numbers, for who cannot see it.
        over: what is drawn after the names at the ends of the curves.
        keyed: whether names stand in a key above the panel, not at the ends of the curves; long ones always do.
        more: what else stands in the key.
        name: what the panel shows, such as a technique, at its right upper corner.
        height: units, without the key.
        right: room right of the axes, units; default: for the names that stand there.
        words: whose points are words: their group, and the columns across and up, in the page's table of all words. The
            page then names the word under the pointer; the axis of x is logarithmic.
    """
    curves = [layer for layer in layers if isinstance(layer, Curve)]
    keyed = keyed or any(len(layer.name) > _LONG for layer in curves)
    named = [layer for layer in curves if layer.name and not keyed]
    meanings = [layer.meaning for layer in layers if keyed and isinstance(layer, Curve | Bars) and layer.name]
    rows, key = key_of([*meanings, *more], y=27)
    if right is None:
        right = room(each.name for each in named) if named else _RIGHT
    panel = Panel(
        x.over([value for each in curves for value in each.x] or [1.0]),
        y.over([value for each in curves for part in (each.y, each.low, each.high) for value in part], most=5),
        WIDTH - right,
        _TOP + KEY_ROW * rows,
        height + KEY_ROW * rows - _BOTTOM,
    )
    parts = [text(WIDTH, 11, name, "bold", "end"), *key] if name else key
    drawn = (part for layer in layers for part in layer.draw(panel))
    above = (part for layer in over for part in layer.draw(panel))
    elements = [*parts, *panel.axes(), *drawn, *panel.names(named), *above]
    return figure(panel.bottom + _BOTTOM, elements, label, words and panel.words(*words))
