"""The page of compare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import Shown, counted, number

_SHOWN = 10


def page(result: Result) -> list[Block]:
    """Return the numbers of both groups beside each other, and the words that surely differ."""
    first, second = (group["name"] for group in result.groups)
    return [_numbers(result), *_words(result, first, second)]


def _numbers(result: Result) -> Block:
    names = [contrast["name"] for contrast in result.contrasts]
    rows = [
        [_called(name), *(_estimate(group["pip" if name == "loss" else name]) for group in result.groups), _estimate(x)]
        for name, x in zip(names, result.contrasts, strict=True)
    ]
    header = ["", *(f"{group['name']} ({counted(len(group['runs']), 'run')})" for group in result.groups), "difference"]
    title = f"Which is more stable, over {result.groups[0]['words']:,} common words?"
    return Block(title, tables=[SmallTable("95 % intervals", header, rows)])


def _words(result: Result, first: str, second: str) -> list[Block]:
    tables = []
    for place, name in (("first", first), ("second", second)):
        some = sorted(result.tables["words"].records(surely=place), key=lambda row: -row[f"less_{place}"])[:_SHOWN]
        columns: list[tuple[str, Shown]] = [
            ("word", "word"),
            ("count", lambda row: "–" if row["count"] is None else f"{row['count']:,}"),
            (first, ("p_first", 2)),
            (second, ("p_second", 2)),
            ("difference", lambda row: f"{number(row['difference'], 2)} ± {number(1.96 * row['se'], 1)}"),
            ("probability", partial(_less, place)),
        ]
        if some:
            tables.append(SmallTable.of(f"Less stable in {name} than words as frequent", some, columns))
    return [Block("Which words differ?", tables=tables, answer=result.verdict[-1])] if tables else []


def _less(place: str, row: Mapping[str, Any]) -> str:
    return f"{row[f'less_{place}']:.0%}"


def _called(name: str) -> str:
    return {"loss": "PIP loss", "of_chance": "share of chance"}.get(name, name)


def _estimate(found: dict[str, Any]) -> str:
    low, high = found["interval"]
    band = "no interval" if low is None or low != low else f"{number(low, 3)} – {number(high, 3)}"
    return f"{number(found['mean'], 3)} ({band})"
