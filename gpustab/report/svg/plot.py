"""A panel with two axes: its ticks and key, lines with bands, whiskers, marks and hexagons, labels at their lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from gpustab.report.svg.elements import LETTER, WIDTH, Point, box, figure, line, mark, number, path, text, upright

K = TypeVar("K")
Ticks = list[tuple[float, str]]

KEY_ROW = 15.0
"""Height of a row of a key."""
_SIGN, _GAP = 22.0, 16.0
_LEFT, _TOP, _BOTTOM = 46.0, 26.0, 42.0
_GRADES = (0.12, 0.22, 0.36, 0.52, 0.7)
_RADIUS = 4.2


class Named(NamedTuple):
    """What a mark or a line means.

    Attributes:
        label: the meaning.
        style: classes of the mark, or of the line.
        shape: number of the mark; ``None`` for a line.
    """

    label: str
    style: str
    shape: int | None = None


def key_of(entries: Sequence[Named], y: float) -> tuple[int, list[str]]:
    """Return the number of rows and their elements.

    Args:
        entries: what is named.
        y: of the letters of the first row.

    >>> key_of([Named("measured", "g0 full", 0), Named("a law", "g1 line")], 27)[0]
    1
    """
    x, rows, parts = 0.0, 1, []
    for label, style, shape in entries:
        wide = _SIGN + 1.05 * LETTER * len(label)
        if x and x + wide > WIDTH:
            x, rows, y = 0.0, rows + 1, y + KEY_ROW
        sign = line(x, y - 4, x + 16, y - 4, style) if shape is None else mark(x + 8, y - 4, shape, style, 3.5)
        parts += [sign, text(x + _SIGN, y, label, "soft")]
        x += wide + _GAP
    return (rows if entries else 0), parts


class Plot:
    """One panel.

    Args:
        x: lowest and highest value.
        y: lowest and highest value.
        height: units.
        right: room for labels right of the axes, units.
        log: whether x is logarithmic; its values are then above 0.
        log_y: the same of y.
        name: what the panel shows, such as a technique, at its right upper corner.
        key: what marks and lines mean, above the axes; for series that have no end of their own to be named at.
    """

    def __init__(
        self,
        x: Point,
        y: Point,
        *,
        height: float = 270,
        right: float = 14,
        log: bool = False,
        log_y: bool = False,
        name: str = "",
        key: Sequence[Named] = (),
    ) -> None:
        rows, parts = key_of(key, y=27)
        self.x, self.y, self.height = x, y, height + KEY_ROW * rows
        self._log: tuple[Callable[[float], float], Callable[[float], float]] = (
            math.log10 if log else float,
            math.log10 if log_y else float,
        )
        self.left, self.right = _LEFT, WIDTH - right
        self.top, self.bottom = _TOP + KEY_ROW * rows, self.height - _BOTTOM
        self.is_log, self.is_log_y = log, log_y
        self.parts = [text(WIDTH, 11, name, "bold", "end"), *parts] if name else parts

    def at(self, x: float, y: float) -> Point:
        """Return where a point stands, in units."""
        return self.across(x), self.up(y)

    def across(self, x: float) -> float:
        """Return where a value of x stands."""
        return self.left + _part(x, self.x, self._log[0]) * (self.right - self.left)

    def up(self, y: float) -> float:
        """Return where a value of y stands."""
        return self.bottom - _part(y, self.y, self._log[1]) * (self.bottom - self.top)

    def axes(self, xtitle: str, ytitle: str, xticks: Ticks | None = None, yticks: Ticks | None = None) -> Plot:
        """Draw both axes: the title of y stands above it, no text is turned."""
        xticks = xticks or (powers(*self.x) if self.is_log else round_ticks(*self.x))
        yticks = yticks or (powers(*self.y) if self.is_log_y else round_ticks(*self.y, most=5))
        for value, label in yticks:
            self.parts.append(line(self.left, self.up(value), self.right, self.up(value), "grid"))
            self.parts.append(text(self.left - 7, self.up(value) + 4, label, "soft", "end"))
        for value, label in xticks:
            self.parts.append(line(self.across(value), self.bottom, self.across(value), self.bottom + 4))
            self.parts.append(text(self.across(value), self.bottom + 17, label, "soft", "middle"))
        self.parts.append(line(self.left, self.bottom, self.right, self.bottom))
        self.parts.append(text((self.left + self.right) / 2, self.bottom + 35, xtitle, "soft", "middle"))
        self.parts.append(text(0, 11, ytitle, "soft"))
        return self

    def add(self, *parts: str) -> Plot:
        """Draw whatever else."""
        self.parts += parts
        return self

    def curve(self, xs: Sequence[float], ys: Sequence[float], style: str) -> Plot:
        """Draw a line through the points whose values are known."""
        points = self._known(xs, ys)
        return self.add(path(points, style)) if len(points) > 1 else self

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], style: str) -> Plot:
        """Draw the area between two lines, cut at the axes; parts without an interval are left out."""
        for piece in _pieces(xs, low, high):
            lower = [self.at(xs[k], self._within(low[k])) for k in piece]
            upper = [self.at(xs[k], self._within(high[k])) for k in piece]
            self.add(path([*lower, *reversed(upper)], style, closed=True))
        return self

    def marks(self, xs: Sequence[float], ys: Sequence[float], shape: int, style: str, size: float = 4) -> Plot:
        """Draw a mark at every known point."""
        points = self._known(xs, ys)
        return self.add(*(mark(x, y, shape, style, size) for x, y in points))

    def errors(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], style: str) -> Plot:
        """Draw an upright whisker wherever there is an interval, cut at the axes."""
        rows = [row for row in zip(xs, low, high, strict=True) if all(map(math.isfinite, row))]
        return self.add(
            *(upright(self.across(x), self.up(self._within(a)), self.up(self._within(b)), style) for x, a, b in rows)
        )

    def bars(self, edges: Sequence[float], heights: Sequence[float], style: str) -> Plot:
        """Draw a histogram.

        Args:
            edges: of the bars, one more than bars.
            heights: of the bars, cut at the axes.
            style: its class.
        """
        for a, b, height in zip(edges, edges[1:], heights, strict=False):
            x, y = self.at(a, self._within(height))
            self.add(box(x, y, self.across(b) - x, self.bottom - y, style))
        return self

    def level(self, y: float, label: str) -> Plot:
        """Draw a dashed level, such as chance, with its name above its end."""
        if not self.y[0] <= y <= self.y[1]:
            return self
        return self.add(
            line(self.left, self.up(y), self.right, self.up(y), "axis dash"),
            text(self.right, self.up(y) - 5, label, "soft halo", "end"),
        )

    def labels(self, ends: Iterable[tuple[str, float, str]]) -> Plot:
        """Write the name of each line right of the axes, at the height of its last point, moved apart.

        Args:
            ends: name, value of y, style.
        """
        rows = list(ends)
        places = apart(
            {k: self.up(self._within(y)) for k, (_, y, _) in enumerate(rows)}, low=self.top, high=self.bottom
        )
        return self.add(*(text(self.right + 9, places[k] + 4, rows[k][0], f"{rows[k][2]} own bold") for k in places))

    def done(self, label: str) -> str:
        """Return the panel."""
        return figure(self.height, self.parts, label)

    def _known(self, xs: Sequence[float], ys: Sequence[float]) -> list[Point]:
        """Where the points stand that are finite, and above 0 on a logarithmic axis."""
        points = [(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(x) and math.isfinite(y)]
        return [self.at(x, y) for x, y in points if (x > 0 or not self.is_log) and (y > 0 or not self.is_log_y)]

    def _within(self, y: float) -> float:
        return min(max(y, self.y[0]), self.y[1])


def room(names: Iterable[str]) -> float:
    """Return how much room labels right of the axes need, in units; longer ones are to be shortened.

    >>> room(["shuffled"]) > room(["a"])
    True
    """
    return 18 + 1.08 * LETTER * max((len(name) for name in names), default=0)


def short(name: str, most: int = 18) -> str:
    """Return a name that is not longer than a figure has room for: its end tells groups apart.

    >>> short("sgns/bootstrap", 10)
    '…bootstrap'
    """
    return name if len(name) <= most else "…" + name[-(most - 1) :]


def cut(name: str, most: int) -> str:
    """Return a name that is not longer, or its beginning: the beginning of a word tells which it is.

    >>> cut("communities", 8), cut("state", 8)
    ('communi…', 'state')
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def hexagons(plot: Plot, points: Iterable[tuple[float, float]], style: str) -> list[str]:
    """Return many points as hexagons in five grades of opacity, one path a grade; points beyond the axes are left out.

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


def round_ticks(low: float, high: float, most: int = 6) -> Ticks:
    """Return round numbers between two, with their texts.

    >>> round_ticks(0, 0.047)
    [(0.0, '0.00'), (0.01, '0.01'), (0.02, '0.02'), (0.03, '0.03'), (0.04, '0.04')]
    """
    span = high - low
    if not span > 0:
        return [(low, f"{low:g}")]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10, 20) if span / (power * factor) <= most)
    digits = max(
        0, -math.floor(math.log10(step) + 1e-9) + (abs(step / 10 ** math.floor(math.log10(step)) - 2.5) < 0.01)
    )
    first = math.ceil(low / step - 1e-9)
    values = [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
    return [(round(value, 12), f"{value:,.{digits}f}") for value in values]


def powers(low: float, high: float) -> Ticks:
    """Return ticks of a logarithmic axis: powers of ten, and their halves and fifths where there are few.

    >>> powers(15, 60_000)
    [(100.0, '100'), (1000.0, '1,000'), (10000.0, '10,000')]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [10.0**e for e in exponents if low <= 10.0**e <= high]
    if len(found) < 3:
        found = [f * 10.0**e for e in exponents for f in (1, 2, 5) if low <= f * 10.0**e <= high]
    return [(value, f"{value:,.0f}" if value >= 1 else f"{value:g}") for value in found]


def apart(places: Mapping[K, float], gap: float = 15, low: float = -math.inf, high: float = math.inf) -> dict[K, float]:
    """Move labels until none lies on another: down from the first, then up from the end of the picture.

    >>> apart({"a": 10.0, "b": 12.0, "c": 60.0})
    {'a': 10.0, 'b': 25.0, 'c': 60.0}
    """
    order = sorted(places, key=lambda key: places[key])
    found: dict[K, float] = {}
    least = low
    for key in order:
        found[key] = max(places[key], least)
        least = found[key] + gap
    most = high
    for key in reversed(order):
        found[key] = min(found[key], most)
        most = found[key] - gap
    return found


def _part(value: float, ends: Point, scale: Callable[[float], float]) -> float:
    low, high = scale(ends[0]), scale(ends[1])
    return (scale(value) - low) / (high - low) if high > low else 0.5


def _pieces(xs: Sequence[float], low: Sequence[float], high: Sequence[float]) -> list[list[int]]:
    """Places that follow each other and have an interval."""
    found: list[list[int]] = [[]]
    for k, ends in enumerate(zip(xs, low, high, strict=True)):
        if all(map(math.isfinite, ends)):
            found[-1].append(k)
        elif found[-1]:
            found.append([])
    return [piece for piece in found if len(piece) > 1]


def _hexagon(x: float, y: float, half: float) -> str:
    r, h, q = number(_RADIUS), number(half), number(_RADIUS / 2)
    return f"M{number(x)} {number(y - _RADIUS)}l{h} {q}v{r}l-{h} {q}l-{h}-{q}v-{r}z"
