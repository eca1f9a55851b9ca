"""A panel with two axes: lines with bands, whiskers, marks, and labels that stand at their line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from gpustab.report.svg.elements import LETTER, WIDTH, Point, box, figure, line, mark, path, text, upright
from gpustab.report.svg.key import KEY_ROW, Named, key_of
from gpustab.report.svg.scales import Ticks, apart, powers, round_ticks

_LEFT, _TOP, _BOTTOM = 46.0, 26.0, 42.0


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
        points = [self.at(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
        return self.add(path(points, style)) if len(points) > 1 else self

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float], style: str) -> Plot:
        """Draw the area between two lines, cut at the axes; parts without an interval are left out."""
        for piece in _pieces(low, high):
            lower = [self.at(xs[k], self._within(low[k])) for k in piece]
            upper = [self.at(xs[k], self._within(high[k])) for k in piece]
            self.add(path([*lower, *reversed(upper)], style, closed=True))
        return self

    def marks(self, xs: Sequence[float], ys: Sequence[float], shape: int, style: str, size: float = 4) -> Plot:
        """Draw a mark at every known point."""
        points = [self.at(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(y)]
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


def _part(value: float, ends: Point, scale: Callable[[float], float]) -> float:
    low, high = scale(ends[0]), scale(ends[1])
    return (scale(value) - low) / (high - low) if high > low else 0.5


def _pieces(low: Sequence[float], high: Sequence[float]) -> list[list[int]]:
    """Places that follow each other and have an interval."""
    found: list[list[int]] = [[]]
    for k, ends in enumerate(zip(low, high, strict=True)):
        if all(map(math.isfinite, ends)):
            found[-1].append(k)
        elif found[-1]:
            found.append([])
    return [piece for piece in found if len(piece) > 1]
