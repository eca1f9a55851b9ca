"""Numbers and lists as they stand in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpustab.results.page import number, signed

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

    One that begins below 0 has signs.

    >>> number_span(5.91, 6.04), number_span(0.56, 0.62), number_span(float("nan"), 1.0)
    ('5.9–6.0', '0.56–0.62', 'no interval')
    >>> number_span(0.1604, 0.1627)
    '0.160–0.163'
    >>> number_span(-0.1, 0.06)
    '−0.10 to +0.06'
    >>> number_span(3.0, 4.0, 0), number_span(-1.0, float("nan")), number_span(-1e-9, 0.5)
    ('3–4', 'no interval', '0.0000 to +0.5000')
    """
    digits = (2 if abs(high) < 1 else 1) if digits is None else digits
    if low < 0 or math.isnan(low + high):
        return signed_span(low, high, digits)
    while low != high and digits < _MOST_DIGITS and f"{low:.{digits}f}" == f"{high:.{digits}f}":
        digits += 1
    return f"{low:.{digits}f}–{high:.{digits}f}"


def signed_span(low: float, high: float, digits: int = 2) -> str:
    """Return the range of a difference with its signs; with more digits where an end would look like 0, or both alike.

    >>> signed_span(-0.012, 0.021), signed_span(0.004, 0.012), signed_span(float("nan"), 1.0)
    ('−0.01 to +0.02', '+0.004 to +0.012', 'no interval')
    >>> signed_span(-19.2, 3.1, digits=0)
    '−19 to +3'
    >>> signed_span(-1e-9, 0.1), signed_span(-1.0, float("nan"))
    ('0.0000 to +0.1000', 'no interval')
    """
    if math.isnan(low) or math.isnan(high):
        return "no interval"
    while digits < _MOST_DIGITS and any(float(f"{end:.{digits}f}") == 0 != end for end in (low, high)):
        digits += 1
    while low != high and digits < _MOST_DIGITS and f"{low:.{digits}f}" == f"{high:.{digits}f}":
        digits += 1
    return f"{signed(low, digits)} to {signed(high, digits)}"
