"""The blocks of a result's page: each study brings its own, everything else has a plain one.

A study is a folder ``gpustab/studies/<name>/``. Its ``page.py`` has ``page(result) -> list[Block]``; its optional
``figures.py`` has ``FIGURES``: by name a caption and a function of the result's tables that returns an SVG text, empty
where the tables lack the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpustab.results import Block, Content, Table
from gpustab.results.page import number, whole

_ROWS = 20
"""A plain page shows so many rows of a table."""

Figures = Mapping[str, tuple[str, Callable[[Mapping[str, Table]], str]]]


def describe(result: Content) -> list[Block]:
    """Return the blocks of a result's page, in reading order."""
    module = _part(result, "page")
    blocks: list[Block] = module.page(result) if module else _plain(result)
    return blocks


def figures_of(result: Content) -> Figures:
    """Return the captions and drawings that the result's study has, by name."""
    module = _part(result, "figures")
    figures: Figures = module.FIGURES if module else {}
    return figures


def draw(result: Content) -> dict[str, str]:
    """Return every figure that the result's tables have the numbers for, as SVG texts by name.

    Raises:
        InputError: if a package is missing that a figure is drawn by.
    """
    drawn = {name: function(result.tables) for name, (_, function) in figures_of(result).items()}
    return {name: svg for name, svg in drawn.items() if svg}


def _part(result: Content, part: str) -> Any:
    """The module of the result's study that is asked for, if there is one."""
    package = f"gpustab.studies.{result.name}"
    if not result.name.isidentifier() or find_spec(package) is None or find_spec(f"{package}.{part}") is None:
        return None
    return import_module(f"{package}.{part}")


def _plain(result: Content) -> list[Block]:
    """The plain facts of each group, then the first rows of the tables."""
    blocks = []
    for group in result.groups:
        facts = [
            (key.replace("_", " "), number(value) if isinstance(value, float) else str(value), "")
            for key, value in group.items()
            if key != "name" and not isinstance(value, dict | list)
        ]
        blocks.append(Block(str(group["name"]), facts))
    for name, table in result.tables.items():
        title = name.replace("_", " ")
        shown = whole("", table.take(range(min(_ROWS, table.height))))
        if table.height > _ROWS:
            shown.title = f"the first {_ROWS} of {table.height:,} rows; --out DIR writes all of them to {name}.parquet"
        blocks.append(Block(title, [], [shown]))
    return blocks
