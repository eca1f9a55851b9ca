"""Ticks at round numbers, and labels that are moved apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")
Ticks = list[tuple[float, str]]


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
