"""Panels as values: what is drawn over two axes is said by columns of tables, layer by layer, and drawn in one place.

:func:`lines` makes a panel of two :class:`Axis` and its layers, in the order in which they are drawn: :class:`Curve`
(a line with its band, whiskers and marks), :class:`Bars`, :class:`Cloud`, :class:`Level`, :class:`Cuts` and
:class:`Note`. Names of curves stand at their ends or in a key; ends of the axes are those of the curves and bands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from gpustab.report.svg.colours import Series
from gpustab.report.svg.elements import Point, line, text
from gpustab.report.svg.plot import Named, Plot, Ticks, hexagons, room
from gpustab.results import Table

LINE, BAND, MARKS, HOLLOW, WHISKERS = "line", "area", "full", "hollow", "whiskers"
"""Parts of a curve; a line may be ``line thin``, ``line dash`` or ``line thin dash``."""
BANDED = (BAND, LINE, MARKS)
_WITHOUT_NAMES = 14.0


@dataclass(frozen=True)
class Axis:
    """One axis of a panel.

    Attributes:
        title: what it shows, with its unit.
        low: its least value; default: that of the curves and their intervals.
        high: its largest value, likewise.
        ticks: what stands at it; those beyond its ends are left out; default: round numbers.
        log: whether it is logarithmic; what is not above 0 has then no place.
        reaches: a value that it reaches at least, such as 0.
    """

    title: str
    low: float | None = None
    high: float | None = None
    ticks: Ticks | None = None
    log: bool = False
    reaches: float | None = None

    def ends(self, values: Iterable[float]) -> Point:
        """Return its least and largest value, which differ.

        >>> Axis("share", reaches=0.0).ends([0.2, 0.6]), Axis("n", low=1).ends([4.0]), Axis("p").ends([0.5])
        ((0.0, 0.6), (1, 4.0), (0.5, 1.0))
        """
        shown = known((*values, self.reaches))
        shown = [value for value in shown if value > 0 or not self.log] or [1.0 if self.log else 0.0]
        low = min(shown) if self.low is None else self.low
        high = max(shown) if self.high is None else self.high
        return (low, high) if high > low else (low, low + (abs(low) or 1.0))

    def within(self, ends: Point) -> Ticks | None:
        """Return those of its ticks that are between two ends; ``None`` where there are none."""
        return [tick for tick in self.ticks or () if ends[0] <= tick[0] <= ends[1]] or None


def at(values: Iterable[float], unit: str = "") -> Ticks:
    """Return ticks at some values.

    >>> at([1, 2.5], " %")
    [(1.0, '1 %'), (2.5, '2.5 %')]
    """
    return [(float(value), f"{value:g}{unit}") for value in values]


@dataclass(frozen=True)
class Curve:
    """One line of a panel, its interval and its marks; what is unknown is left out.

    Attributes:
        x: where its values stand.
        y: its values.
        style: class of its colour.
        shape: number of its mark.
        name: stands at its end, or in the key.
        low: lower ends of the intervals.
        high: upper ends.
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

    def draw(self, plot: Plot) -> None:
        """Draw its parts."""
        for part in self.parts:
            style = f"{self.style} {part}".rstrip()
            if part == BAND:
                plot.band(self.x, self.low, self.high, style)
            elif part == WHISKERS:
                plot.errors(self.x, self.low, self.high, f"{self.style} line thin")
            elif part in (MARKS, HOLLOW):
                plot.marks(self.x, self.y, self.shape, style, self.size)
            else:
                plot.curve(self.x, self.y, style)

    @property
    def meaning(self) -> Named:
        """What stands in the key: its mark, or its line where it has none."""
        mark = next((part for part in self.parts if part in (MARKS, HOLLOW)), None)
        return Named(self.name, f"{self.style} {mark or self.parts[0]}", self.shape if mark else None)

    @property
    def label(self) -> tuple[str, float, str]:
        """What stands at its end: name, value of y, style."""
        end = next((y for y in reversed(self.y) if math.isfinite(y)), 0.0) if self.end is None else self.end
        return self.name, end, "soft" if self.style == "axis" else self.style


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
    """Return a line over columns of a table.

    Args:
        rows: the table.
        x: column of what it runs over.
        y: column of its values.
        look: colour and mark, or the colour alone.
        parts: what is drawn, in this order; default: a line.
        name: stands at its end, or in the key.
        low: column of the lower ends of the intervals.
        high: column of the upper ends.
        scale: of the values and intervals, such as 100 for per cent.
        size: half the width of a mark.

    >>> curve(Table({"n": [1, 2], "p": [0.5, None]}), "n", "p", "g0", scale=100).y
    [50.0, nan]
    """
    style, shape = (look, 0) if isinstance(look, str) else look
    ys, lows, highs = ([scale * value for value in floats(rows[column])] if column else [] for column in (y, low, high))
    return Curve(floats(rows[x]), ys, style, shape, name, lows, highs, parts or (LINE,), size)


@dataclass(frozen=True)
class Bars:
    """A histogram.

    Attributes:
        edges: of the bars, one more than bars.
        heights: of the bars.
        style: class of its colour.
        name: stands in the key.
    """

    edges: Sequence[float]
    heights: Sequence[float]
    style: str
    name: str = ""

    def draw(self, plot: Plot) -> None:
        """Draw the bars."""
        plot.bars(self.edges, self.heights, f"{self.style} area")

    @property
    def meaning(self) -> Named:
        """What stands in the key."""
        return Named(self.name, f"{self.style} area", 1)


@dataclass(frozen=True)
class Cloud:
    """Many points, stronger where more of them lie.

    Attributes:
        points: x and y of each.
        style: class of their colour.
    """

    points: Iterable[Point]
    style: str

    def draw(self, plot: Plot) -> None:
        """Draw them as hexagons."""
        plot.add(*hexagons(plot, self.points, self.style))


@dataclass(frozen=True)
class Level:
    """A dashed level, such as chance.

    Attributes:
        y: where it is; it is left out beyond the axis.
        name: stands above its end.
    """

    y: float
    name: str = ""

    def draw(self, plot: Plot) -> None:
        """Draw it."""
        plot.level(self.y, self.name)


@dataclass(frozen=True)
class Cuts:
    """Upright lines: through the panel, or ticks upon its lower axis.

    Attributes:
        xs: where they are; those beyond the axis are left out.
        style: their classes.
        tall: units of a tick; default: a line through the panel.
    """

    xs: Sequence[float]
    style: str
    tall: float | None = None

    def draw(self, plot: Plot) -> None:
        """Draw them."""
        first, last = (plot.top, plot.bottom) if self.tall is None else (plot.bottom, plot.bottom - self.tall)
        known = (plot.across(x) for x in self.xs if plot.x[0] <= x <= plot.x[1])
        plot.add(*(line(x, first, x, last, self.style) for x in known))


@dataclass(frozen=True)
class Diagonal:
    """A dashed line where x and y are equal, if it crosses the panel."""

    def draw(self, plot: Plot) -> None:
        """Draw it."""
        low, high = max(plot.x[0], plot.y[0]), min(plot.x[1], plot.y[1])
        if low < high:
            plot.add(line(*plot.at(low, low), *plot.at(high, high), "axis dash"))


@dataclass(frozen=True)
class Note:
    """Letters at a point.

    Attributes:
        words: what is written.
        x: the point; default: the right end of the panel.
        y: the point; default: the upper end.
        dx: units from there to the letters, to the right.
        dy: units from there, downwards.
        style: their classes.
        anchor: whether they start or end there.
    """

    words: str
    x: float | None = None
    y: float | None = None
    dx: float = 0
    dy: float = 0
    style: str = "soft halo"
    anchor: str = "end"

    def draw(self, plot: Plot) -> None:
        """Write it."""
        x = plot.right if self.x is None else plot.across(self.x)
        y = plot.top if self.y is None else plot.up(self.y)
        plot.add(text(x + self.dx, y + self.dy, self.words, self.style, self.anchor))


def corner(words: str, style: str = "bold") -> Note:
    """Return the heading of a panel, above the right end of its axes."""
    return Note(words, dy=-15, style=style)


Layer = Curve | Bars | Cloud | Level | Cuts | Diagonal | Note


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
) -> str:
    """Return a panel of lines with bands, bars or points.

    Args:
        x: the lower axis.
        y: the left axis.
        layers: what is drawn, in this order.
        label: title and main numbers, for who cannot see it.
        over: what is drawn after the names at the ends of the curves.
        keyed: whether names stand in a key above the panel, not at the ends of the curves.
        more: what else stands in the key.
        name: what the panel shows, at its right upper corner.
        height: units, without the key.
        right: room right of the axes, units; default: for the names that stand there.
    """
    drawn = [layer for layer in layers if isinstance(layer, Curve)]
    named = [layer for layer in drawn if layer.name and not keyed]
    key = [layer.meaning for layer in layers if keyed and isinstance(layer, Curve | Bars) and layer.name]
    xs, ys = x.ends([value for each in drawn for value in each.x] or [1.0]), y.ends(_heights(drawn))
    if right is None:
        right = room(layer.name for layer in named) if named else _WITHOUT_NAMES
    plot = Plot(xs, ys, height=height, right=right, log=x.log, log_y=y.log, name=name, key=[*key, *more])
    plot.axes(x.title, y.title, x.within(xs), y.within(ys))
    for layer in layers:
        layer.draw(plot)
    plot.labels(layer.label for layer in named)
    for layer in over:
        layer.draw(plot)
    return plot.done(label)


def _heights(drawn: Iterable[Curve]) -> Iterable[float]:
    """What an axis has to show: values and the ends of their intervals."""
    return chain.from_iterable(chain(each.y, each.low, each.high) for each in drawn)


def floats(column: Iterable[float | None]) -> list[float]:
    """Return a column as floats; NaN where it has no value."""
    return [math.nan if value is None else float(value) for value in column]


def known(values: Iterable[float | None]) -> list[float]:
    """Return the values that are there and finite."""
    return [value for value in values if value is not None and math.isfinite(value)]
