"""A Result as a page for the terminal."""

from __future__ import annotations

import math
from typing import Any, Literal

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gpustab.report.shown import Shown, SmallTable, describe
from gpustab.result import Result


def print_result(result: Result, console: Console) -> None:
    """Print a result: every group's numbers beside their scale, contrasts, notes, time and memory."""
    with console.capture() as page:
        for shown in describe(result):
            console.print(Text(shown.title, style="bold"))
            console.print(Padding(_body(shown), (0, 0, 1, 2)))
        for note in result.notes:
            console.print(Text.assemble(("! ", "yellow"), note))
        console.print(Text(_closing(result.environment), style="dim"))
    # Without the blanks that fill up every line to the console's width.
    console.file.write("".join(line.rstrip() + "\n" for line in page.get().splitlines()))


def _body(shown: Shown) -> RenderableType:
    parts: list[RenderableType] = []
    if shown.facts:
        grid = Table.grid(padding=(0, 3))
        for name, value, explanation in shown.facts:
            grid.add_row(Text(name), Text(value, style="bold cyan"), Text(explanation, style="dim"))
        parts.append(grid)
    for beside in shown.layout:
        tables = [_table(shown.tables[k]) for k in beside]
        parts.append(Padding(Columns(tables, padding=(0, 4)) if len(tables) > 1 else tables[0], (1, 0, 0, 0)))
    return Group(*parts)


def _table(small: SmallTable) -> RenderableType:
    """Numbers keep their width; words fold where the page is narrow."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, words in zip(small.header, small.words, strict=True):
        justify: Literal["left", "right"] = "left" if words else "right"
        table.add_column(Text(name), justify=justify, header_style="dim", no_wrap=not words, overflow="fold")
    for row in small.rows:
        table.add_row(*(Text(cell) for cell in row))
    return Group(Text(small.title), table) if small.title else table


def _closing(environment: dict[str, Any]) -> str:
    seconds = environment.get("seconds", math.nan)
    parts = [f"{seconds:.1f} s"]
    if environment.get("peak_memory_bytes"):
        parts.append(f"peak memory {environment['peak_memory_bytes'] / 2**30:.1f} GiB")
    if "peak_device_memory_bytes" in environment:
        parts.append(f"on the device {environment['peak_device_memory_bytes'] / 2**30:.1f} GiB")
    parts.append(str(environment.get("device_name", environment.get("device"))))
    return " · ".join(parts)
