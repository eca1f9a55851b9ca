"""A Result as a page for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any, Literal

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gpustab.report.describe import describe, plainly
from gpustab.report.json_text import plain
from gpustab.report.listing import account_line
from gpustab.report.origin import called
from gpustab.results import Block, Content, SmallTable
from gpustab.results.page import counted

_MOST_ROWS = 60
"""Of a table on a terminal; files, and what is read by another program, hold all of them."""
_FOLDED = 24
"""Width that a column of words is given where the page is narrow."""


_SHORT = 35
"""Lines that everybody reads."""
_NOTES = 3
"""Notes that a short page has."""
_ANSWER = 12
"""Lines that the sentences of a short page may fill."""
_ELSEWHERE = "on the page that --out DIR writes, or by -v"
_FIRST = 8
"""Rows of the one table that a short page has."""
_TOGETHER = 20
"""The most, where its first rows belong together."""


def print_result(result: Content, console: Console, *, brief: bool = False) -> None:
    """Print a result: every group's numbers beside their scale, contrasts, notes, time and memory.

    Args:
        result: what is printed.
        console: where.
        brief: whether a page that is longer than a screen gives way to its alarms, its answer and its first table.
    """
    blocks = describe(result)
    page = _page(result, console, blocks)
    if brief and page.count("\n") > _SHORT:
        page = _page(result, console, _lead(blocks), brief=True)
    console.file.write(page)


def _first(sentences: Sequence[str], width: int) -> list[str]:
    """The first sentences, so many as fill no more lines than a short page gives them; at least one."""
    shown, lines = list[str](), 0
    for sentence in sentences:
        lines += -(-len(sentence) // max(width, 1))
        if shown and lines > _ANSWER:
            break
        shown.append(sentence)
    return shown


def _lead(blocks: Sequence[Block]) -> list[Block]:
    """The first block that has a table, with that alone; where none has, all: they are sentences."""
    told = [block for block in blocks if not block.folded]
    first = next((block for block in told if block.tables), None)
    if first is None:
        return told
    table = first.tables[0]
    shown = min(table.first, _TOGETHER) or _FIRST
    left = len(table.rows) - shown
    if left > 0:
        title = (
            f"{table.title} ({left:,} more rows on the page)"
            if table.title and not table.first
            else f"the first {shown} of {len(table.rows):,} rows; all are on the page"
        )
        table = replace(table, title=title, rows=table.rows[:shown])
    return [replace(first, answer="", aside="", tables=[table])]


def _has_text(block: Block) -> bool:
    """Tell whether a block has more than pictures, which only a page shows."""
    return bool(block.folded or block.answer or block.aside or block.facts or block.tables)


def _page(result: Content, console: Console, blocks: Sequence[Block], *, brief: bool = False) -> str:
    with console.capture() as page:
        for alarm in result.alarms:
            console.print(Text.assemble(("! ", "bold red"), (alarm, "bold")))
        shown = _first(result.verdict, console.width) if brief else result.verdict
        for sentence in shown:
            console.print(Text(sentence))
        if left := len(result.verdict) - len(shown):
            console.print(Text(f"{counted(left, 'more sentence')}: {_ELSEWHERE}", style="dim"))
        if result.alarms or result.verdict:
            console.print()
        for block in filter(_has_text, blocks):
            if block.folded:
                console.print(Text(f"{block.title}: on the page that --out DIR writes", style="dim"))
                continue
            console.print(Text(block.title, style="bold"))
            console.print(Padding(_body(block, console.width - 2, console.is_terminal, brief), (0, 0, 1, 2)))
        notes = result.notes[:_NOTES] if brief else result.notes
        for note in notes:
            console.print(Text.assemble(("note: ", "dim"), called(note)))
        if left := len(result.notes) - len(notes):
            console.print(Text(f"{counted(left, 'more note')}: {_ELSEWHERE}", style="dim"))
        if made := account_line(result.environment.get("trained", [])):
            console.print(Text(made, style="dim"))
        console.print(Text(_closing(result.environment), style="dim"))
    # Without the blanks that fill up every line to the console's width.
    return str(plain("".join(line.rstrip() + "\n" for line in page.get().splitlines())))


def to_text(result: Content, width: int = 100) -> str:
    """Return the page as plain text."""
    text = StringIO()
    print_result(result, Console(file=text, width=width, no_color=True, highlight=False))
    return text.getvalue()


def _body(block: Block, width: int, cut: bool, brief: bool = False) -> RenderableType:
    tables = [_shortened(table) if cut else table for table in block.tables]
    parts: list[RenderableType] = [Text(sentence) for sentence in (block.answer, block.aside) if sentence]
    if block.facts:
        grid = Table.grid(padding=(0, 3))
        for _ in range(3):
            grid.add_column(overflow="fold")  # a pattern that is cut cannot be typed
        for name, value, explanation in block.facts:
            grid.add_row(Text(name), Text(value, style="bold cyan"), Text(explanation, style="dim" if value else ""))
        parts.append(grid)
    for table in tables:
        pieces = _fitting(table, width)
        parts += [Padding(_table(piece), (1, 0, 0, 0)) for piece in pieces[: 1 if brief else None]]
        shown = pieces[0].header if brief else table.header
        key = "; ".join(f"{name}: {plainly(table.key[name])}" for name in shown if name in table.key)
        parts += [Text(key, style="dim")] if key else []
    return Group(*parts)


def _shortened(small: SmallTable) -> SmallTable:
    """The first rows of a long table, which says how many there are."""
    if len(small.rows) <= _MOST_ROWS:
        return small
    told = f"the first {_MOST_ROWS} of {len(small.rows):,} rows; --out DIR writes all"
    return replace(small, title=f"{small.title} ({told})" if small.title else told, rows=small.rows[:_MOST_ROWS])


def _fitting(small: SmallTable, width: int) -> list[SmallTable]:
    """Part a table that is too wide into several of fewer columns, each with the words that begin its rows."""
    columns = list(zip(small.header, *small.rows, strict=True))
    needs = [
        2 + min(max(map(len, column)), _FOLDED if words else width)
        for column, words in zip(columns, small.words, strict=True)
    ]
    keys = [k for k, words in enumerate(small.words) if all(small.words[: k + 1])][:3]
    parts, room = [list(keys)], width - sum(needs[k] for k in keys)
    left = room
    for k in range(len(keys), len(columns)):
        if needs[k] > left and len(parts[-1]) > len(keys):
            parts.append(list(keys))
            left = room
        parts[-1].append(k)
        left -= needs[k]
    return [
        SmallTable(
            small.title if not n else "", [small.header[k] for k in part], [[r[k] for k in part] for r in small.rows]
        )
        for n, part in enumerate(parts)
    ]


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
    trained = [f"trained in {environment['trained_in']:.0f} s"] if "trained_in" in environment else []
    parts = [*trained, f"{'measured in ' if environment.get('trained') else ''}{seconds:.1f} s"]
    if environment.get("peak_memory_bytes"):
        parts.append(f"peak memory {environment['peak_memory_bytes'] / 2**30:.1f} GiB")
    if "peak_device_memory_bytes" in environment:
        parts.append(f"on the device {environment['peak_device_memory_bytes'] / 2**30:.1f} GiB")
    parts.append(str(environment.get("device_name", environment.get("device"))))
    return " · ".join(parts)
