"""What the figures of the thesis share: a panel for every technique, and what each is said of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from gpustab.report.svg.colours import told
from gpustab.report.svg.picture import Picture
from gpustab.results import Table
from gpustab.results.page import number

Draw = Callable[[str, Table], str]
"""Of a technique's name and rows, its panel; empty where its rows show nothing."""
Say = Callable[[Table], str | None]
"""Of a technique's rows, what the title says of them; ``None`` where they say nothing."""


def by_technique(table: Table | None, draw: Draw, title: str, say: Say) -> Picture:
    """Draw one panel per technique; nothing without rows.

    Args:
        table: with a column ``technique``.
        draw: of one technique.
        title: what was found, before what is said of each technique.
        say: of one technique.
    """
    if not table or not table.height:
        return Picture()
    parts = [(str(name), rows) for name, rows in table.split("technique")]
    said = [(name, text) for name, rows in parts if (text := say(rows))]
    panels = [panel for name, rows in parts if (panel := draw(name, rows))]
    return Picture(f"{title} {told(said)}" if said else "", panels)


def short_number(value: float | None) -> str | None:
    """Return two digits of what is known."""
    return number(value, 2) if value is not None and math.isfinite(value) else None


def known(values: Iterable[float | None]) -> list[float]:
    """Return the values that are there and finite."""
    return [value for value in values if value is not None and math.isfinite(value)]
