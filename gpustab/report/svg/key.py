"""The key of a panel: marks and lines with what they mean, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gpustab.report.svg.elements import LETTER, WIDTH, line, mark, text

KEY_ROW = 15.0
"""Height of a row."""
_SIGN, _GAP = 22.0, 16.0


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
