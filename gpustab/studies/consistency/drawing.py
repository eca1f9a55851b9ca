"""What the figures of the study have in common: cosines beside their null level, a line each, and lines of words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpustab.report.svg.elements import LETTER, WIDTH, figure, line, mark, text, whisker
from gpustab.report.svg.plot import round_ticks

_ROW, _LEFT, _TOP, _RIGHT = 44.0, 8.0, 14.0, WIDTH - 46.0
_WORDS = 130.0
"""Where words begin."""

BOTH = ("same", "null")
"""Columns of pairs of one term and of different terms."""


class Line(NamedTuple):
    """One line of a figure.

    Attributes:
        name: what it is of.
        aside: stands at its right end.
        same: a cosine with its interval; ends that are not finite have no whisker.
        null: its null level likewise.
    """

    name: str
    aside: str
    same: tuple[float, float, float]
    null: tuple[float, float, float]


def beside_null(lines: Sequence[Line], axis: str, label: str) -> str:
    """Return a figure of cosines (circles) beside their null levels (squares).

    Args:
        lines: from above.
        axis: title of the axis.
        label: for who cannot see it.
    """
    low = min(0.0, *(x for one in lines for x in (one.same[0], one.null[0]) if math.isfinite(x)))
    parts = [piece for k, one in enumerate(lines) for piece in _drawn(one, _TOP + k * _ROW, low)]
    bottom = _TOP + len(lines) * _ROW
    for value, tick in round_ticks(low, 1.0, most=5):
        parts.append(text(_across(value, low), bottom + 16, tick, "soft", "middle"))
        parts.append(line(_across(value, low), bottom, _across(value, low), bottom + 4))
    parts.append(line(_LEFT, bottom, _RIGHT, bottom))
    parts.append(text((_LEFT + _RIGHT) / 2, bottom + 34, axis, "soft", "middle"))
    return figure(bottom + 42, parts, label)


def _drawn(one: Line, y: float, low: float) -> Iterator[str]:
    """A name, both cosines with whiskers, and what stands at the right."""
    yield text(_LEFT, y, one.name)
    yield text(WIDTH, y, one.aside, "soft", "end")
    for shape, (value, *ends) in enumerate((one.same, one.null)):
        if not math.isfinite(value):
            continue
        if all(map(math.isfinite, ends)) and ends[0] < ends[1]:
            left, right = (_across(min(max(x, low), 1.0), low) for x in ends)
            yield whisker(left, right, y + 13 + 6 * shape, f"g{shape} line thin")
        yield mark(_across(value, low), y + 13 + 6 * shape, shape, f"g{shape} full")


def _across(value: float, low: float) -> float:
    return _LEFT + (value - low) / (1.0 - low) * (_RIGHT - _LEFT)


def words_of(words: Sequence[str], marked: set[str], y: float) -> Iterator[str]:
    """Yield words side by side as far as there is room, those that are marked in the colour of the first group."""
    x = _WORDS
    for word in words:
        short = cut(word, 14)
        if x + LETTER * len(short) > WIDTH:
            return
        yield text(x, y, short, "g0" if word in marked else "soft")
        x += LETTER * (len(short) + 1.5)


def cut(word: str, letters: int) -> str:
    """Return a word, or its beginning with an ellipsis.

    >>> cut("communities", 8), cut("state", 8)
    ('communi…', 'state')
    """
    return word if len(word) <= letters else f"{word[: letters - 1]}…"
