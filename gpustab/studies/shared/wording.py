"""Numbers and lists as they stand in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpustab.results.page import number

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MOST_DIGITS = 4


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def word(n: int) -> str:
    """Return a small number as a word."""
    return _NUMBERS[n] if 0 <= n < len(_NUMBERS) else str(n)


def about(value: float) -> str:
    """Return a number of neighbours as a word, or as a number where it is near none or has no word."""
    return word(round(value)) if 0.95 <= value <= 10 else number(value, 2)


def number_span(low: float, high: float, digits: int | None = None) -> str:
    """Return a range; with one digit after the point, with two below 1, with more where its ends would look the same.

    >>> number_span(5.91, 6.04), number_span(0.56, 0.62), number_span(float("nan"), 1.0)
    ('5.9–6.0', '0.56–0.62', 'no interval')
    >>> number_span(0.1604, 0.1627)
    '0.160–0.163'
    """
    digits = digits or (2 if abs(high) < 1 else 1)
    while low != high and digits < _MOST_DIGITS and f"{low:.{digits}f}" == f"{high:.{digits}f}":
        digits += 1
    return "no interval" if math.isnan(low) else f"{low:.{digits}f}–{high:.{digits}f}"
