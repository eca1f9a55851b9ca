"""A picture of a page: its title, its panels, and the one file that it is saved as."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from gpustab.report.origin import technique
from gpustab.report.svg.colours import listing
from gpustab.report.svg.elements import WIDTH
from gpustab.results import Table

Tables = Mapping[str, Table]

_GAP = 28
_LABEL = re.compile(r'aria-label="([^"]*)"')
_HEIGHT = re.compile(r'viewBox="0 0 [\d.]+ ([\d.]+)"')


@dataclass
class Picture:
    """What a figure shows.

    Attributes:
        title: the finding, one sentence with a number where it can have one; chosen by a tested rule.
        panels: SVG texts of 400 units' width; none where there is nothing to show.
        missing: why there are none, and what it would need.
        caption: how to read it, and what the band is; default: what the study says of the figure.
    """

    title: str = ""
    panels: list[str] = field(default_factory=list)
    missing: str = ""
    caption: str = ""

    @property
    def svg(self) -> str:
        """The panels as one SVG text, in the style of a page."""
        return self.panels[0] if len(self.panels) == 1 else _side_by_side(self.panels)


Figures = Mapping[str, tuple[str, Callable[[Tables], Picture | str]]]
"""By name how to read a figure, and its drawing: a picture, or an SVG text."""
_Draw = Callable[[Table, Tables], Picture]


def drawn_from(name: str, missing: str = "") -> Callable[[_Draw], Callable[[Tables], Picture]]:
    """Let a figure be drawn from a table of the result, which its function gets beside all tables.

    Args:
        name: of the table; nothing is drawn where it has no rows.
        missing: what is then said, see :class:`Picture`.
    """

    def of(draw: _Draw) -> Callable[[Tables], Picture]:
        @wraps(draw)
        def drawn(tables: Tables) -> Picture:
            table = tables.get(name)
            return draw(table, tables) if table and table.height else Picture(missing=missing)

        return drawn

    return of


def panels_by(
    column: str, table: str, title: str | Callable[[Table], str], say: Callable[[Table], str | None], **where: Any
) -> Callable[[Callable[[str, Table], str]], Callable[[Tables], Picture]]:
    """Let a figure have a panel for every value of a column; nothing is drawn without rows.

    The function draws the panel of a value and its rows; it is empty where they show nothing.

    Args:
        column: the column.
        table: of the result.
        title: what the figure shows, before what is said of each value; or a function of the rows that returns it.
        say: of the rows of a value, what the title says of them; ``None`` where they say nothing.
        where: values of other columns that the rows have.
    """

    def of(draw: Callable[[str, Table], str]) -> Callable[[Tables], Picture]:
        @wraps(draw)
        def drawn(tables: Tables) -> Picture:
            rows = tables.get(table, Table()).where(**where)
            if not rows.height:
                return Picture()
            parts = [(str(value), part) for value, part in rows.split(column)]
            said = listing((technique(value), text) for value, part in parts if (text := say(part)))
            heading = title if isinstance(title, str) else title(rows)
            panels = [panel for part in parts if (panel := draw(*part))]
            return Picture(f"{heading} {said}" if said else "", panels)

        return drawn

    return of


def by_turns(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return panels of two kinds in pairs, side by side; one kind after the other where one has fewer."""
    if len(first) != len(second):
        return [*first, *second]
    return [panel for pair in zip(first, second, strict=True) for panel in pair]


def each(table: Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns, row by row; of a table without columns none.

    >>> list(each(Table({"n": [1, 2], "p": [0.5, 0.6], "q": [0, 0]}), "p", "n"))
    [(0.5, 1), (0.6, 2)]
    """
    return zip(*(table[column] for column in columns if table), strict=True)


def _side_by_side(panels: Sequence[str]) -> str:
    """Panels in two columns, as one SVG text."""
    heights = [float(match[1]) for panel in panels if (match := _HEIGHT.search(panel))]
    inside, y = [], 0.0
    for k in range(0, len(panels), 2):
        for n, panel in enumerate(panels[k : k + 2]):
            body = panel.partition(">")[2].removesuffix("</svg>")
            inside.append(f'<g transform="translate({n * (WIDTH + _GAP)} {y:g})">{body}</g>')
        y += max(heights[k : k + 2]) + _GAP
    size, label = f"0 0 {2 * WIDTH + _GAP} {y - _GAP:g}", "; ".join(_LABEL.findall(" ".join(panels)))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="{size}" role="img" aria-label="{label}">'
    return f"{head}{''.join(inside)}</svg>"
