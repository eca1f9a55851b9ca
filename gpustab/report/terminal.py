"""A Result as a page for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gpustab.report.shown import Shown, describe
from gpustab.result import Result


def print_result(result: Result, console: Console) -> None:
    """Print a result: every group's numbers beside their scale, contrasts, notes, time and memory."""
    for shown in describe(result):
        console.print(Text(shown.title, style="bold"))
        console.print(Padding(_body(shown), (0, 0, 1, 2)))
    for note in result.notes:
        console.print(Text.assemble(("! ", "yellow"), note))
    console.print(Text(_closing(result.environment), style="dim"))


def _body(shown: Shown) -> RenderableType:
    parts: list[RenderableType] = []
    if shown.facts:
        grid = Table.grid(padding=(0, 3))
        for name, value, explanation in shown.facts:
            grid.add_row(name, Text(value, style="bold cyan"), Text(explanation, style="dim"))
        parts.append(grid)
    tables = [_table(t.title, t.header, t.rows) for t in shown.tables]
    parts += [Padding(Columns([tables[k] for k in beside], padding=(0, 4)), (1, 0, 0, 0)) for beside in shown.layout]
    return Group(*parts)


def _table(title: str, header: list[str], rows: Iterable[list[str]]) -> Table:
    table = Table(
        title=escape(title) or None,
        title_justify="left",
        title_style="",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for k, name in enumerate(header):
        table.add_column(escape(name), justify="left" if k == 0 else "right", header_style="dim", no_wrap=True)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def _closing(environment: dict[str, Any]) -> str:
    seconds = environment.get("seconds", math.nan)
    parts = [f"{seconds:.1f} s", f"peak memory {environment.get('peak_memory_bytes', 0) / 2**30:.1f} GiB"]
    if "peak_device_memory_bytes" in environment:
        parts.append(f"on the device {environment['peak_device_memory_bytes'] / 2**30:.1f} GiB")
    parts.append(str(environment.get("device_name", environment.get("device"))))
    return " · ".join(parts)
