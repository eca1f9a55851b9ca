"""Axes: which values they show, where these stand, their ticks; keys, and names that fit beside and above them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import NamedTuple, TypeVar

from gpustab.report.svg.elements import LETTER, WIDTH, line, mark, text
from gpustab.results.page import minus

K = TypeVar("K")
Ticks = list[tuple[float, str]]

KEY_ROW = 15.0
"""Height of a row of a key."""
_SIGN, _GAP = 22.0, 16.0
WITHOUT_ZERO = "0 is not in view"


@dataclass(frozen=True)
class Axis:
    """What an axis shows.

    Attributes:
        title: what its values are, with their unit.
        low: its least value; default: that of what is drawn.
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

    def over(self, values: Iterable[float] = (), most: int = 6) -> Scale:
        """Return the axis with its ends, which differ, and its ticks.

        Args:
            values: what is drawn.
            most: so many round numbers at most.

        >>> Axis("share", reaches=0.0).over([0.2, 0.6])[1:3], Axis("p").over([0.5])[1:3]
        ((0.0, 0.6), (0.5, 1.0))
        """
        shown = [x for x in known((*values, self.reaches)) if x > 0 or not self.log] or [float(self.log)]
        low, high = (*known([self.low]), min(shown))[0], (*known([self.high]), max(shown))[0]
        if not high > low:
            high = low + (abs(low) or 1.0)
        ticks = [tick for tick in self.ticks or () if low <= tick[0] <= high]
        ticks = ticks or (powers(low, high) if self.log else round_ticks(low, high, most))
        return Scale(self.title, low, high, self.log, ticks)


class Scale(NamedTuple):
    """An axis with its ends and ticks."""

    title: str
    low: float
    high: float
    log: bool
    ticks: Ticks

    def part(self, value: float) -> float:
        """Return where a value stands: 0 at the low end, 1 at the high one."""
        value, low, high = (math.log10(x) if self.log else x for x in (value, self.low, self.high))
        return (value - low) / (high - low)

    def has(self, value: float) -> bool:
        """Tell whether a value has a place, within the ends or beyond."""
        return math.isfinite(value) and (value > 0 or not self.log)

    @property
    def near(self) -> float:
        """What is beyond an end by no more than this is drawn at it."""
        return 0.005 * (self.high - self.low)

    @property
    def without_zero(self) -> bool:
        """Whether lengths on the axis are no amounts, since 0 is not in view."""
        return not self.log and (self.low > self.near or self.high < -self.near)

    @property
    def said(self) -> list[str]:
        """The title in one line, or in two, which says where 0 is not in view."""
        if not self.without_zero:
            return [self.title]
        one = f"{self.title} ({WITHOUT_ZERO})"
        return [one] if 1.05 * LETTER * len(one) <= WIDTH else [self.title, f"({WITHOUT_ZERO})"]

    def clip(self, value: float) -> float:
        """Return a value, or the end that it is beyond."""
        return min(max(value, self.low), self.high)


def at(values: Iterable[float], unit: str = "") -> Ticks:
    """Return ticks at some values.

    >>> at([-1, 2.5], " %")
    [(-1.0, '−1 %'), (2.5, '2.5 %')]
    """
    return [(float(value), minus(f"{value:g}{unit}")) for value in values]


def round_ticks(low: float, high: float, most: int = 6) -> Ticks:
    """Return round numbers between two, with their texts.

    >>> round_ticks(0, 0.047)
    [(0.0, '0.00'), (0.01, '0.01'), (0.02, '0.02'), (0.03, '0.03'), (0.04, '0.04')]
    >>> round_ticks(-1, 1, 2)
    [(-1.0, '−1'), (0.0, '0'), (1.0, '1')]
    """
    span = high - low
    if not span > 0:
        return [(low, minus(f"{low:g}"))]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10, 20) if span / (power * factor) <= most)
    digits = max(
        0, -math.floor(math.log10(step) + 1e-9) + (abs(step / 10 ** math.floor(math.log10(step)) - 2.5) < 0.01)
    )
    first = math.ceil(low / step - 1e-9)
    values = [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
    return [(round(value, 12), minus(f"{value:,.{digits}f}")) for value in values]


def powers(low: float, high: float) -> Ticks:
    """Return ticks of a logarithmic axis: powers of ten, and their halves and fifths where there are few.

    >>> powers(15, 60_000)
    [(100.0, '100'), (1000.0, '1,000'), (10000.0, '10,000')]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [10.0**e for e in exponents if low <= 10.0**e <= high]
    if len(ticks) < 3:
        ticks = [f * 10.0**e for e in exponents for f in (1, 2, 5) if low <= f * 10.0**e <= high]
    return [(value, f"{value:,.0f}" if value >= 1 else f"{value:g}") for value in ticks]


def apart(places: Mapping[K, float], gap: float = 15, low: float = -math.inf, high: float = math.inf) -> dict[K, float]:
    """Move labels until none lies on another: down from the first, then up from the end of the picture.

    >>> apart({"a": 10.0, "b": 12.0, "c": 60.0})
    {'a': 10.0, 'b': 25.0, 'c': 60.0}
    """
    order = sorted(places, key=lambda key: places[key])
    moved: dict[K, float] = {}
    least = low
    for key in order:
        moved[key] = max(places[key], least)
        least = moved[key] + gap
    most = high
    for key in reversed(order):
        moved[key] = min(moved[key], most)
        most = moved[key] - gap
    return moved


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
        first, *others = wrap(label, int((WIDTH - _SIGN) / (1.05 * LETTER))) or [""]
        wide = _SIGN + 1.05 * LETTER * len(first)
        if x and x + wide > WIDTH:
            x, rows, y = 0.0, rows + 1, y + KEY_ROW
        sign = line(x, y - 4, x + 16, y - 4, style) if shape is None else mark(x + 8, y - 4, shape, style, 3.5)
        parts += [sign, text(x + _SIGN, y, first, "soft")]
        x += wide + _GAP
        for other in others:
            x, rows, y = WIDTH, rows + 1, y + KEY_ROW
            parts.append(text(_SIGN, y, other, "soft"))
    return (rows if entries else 0), parts


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


def floats(column: Iterable[float | None]) -> list[float]:
    """Return a column as floats; NaN where it has no value."""
    return [math.nan if value is None else float(value) for value in column]


def known(values: Iterable[float | None]) -> list[float]:
    """Return the values that are there and finite."""
    return [value for value in values if value is not None and math.isfinite(value)]
