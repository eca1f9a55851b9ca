"""The page of a comparison: its title, what to cite, all words, and its blocks."""

from __future__ import annotations

from typing import Any

from gpustab.report import Result
from gpustab.report.words import Browsed
from gpustab.results import Block, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent
from gpustab.results.table import titles
from gpustab.statistics.intervals import Estimate
from gpustab.studies.compare import study
from gpustab.studies.compare.study import Word

CITATIONS = ("rettenmeier2020", "antoniak2018")
WORDS = {
    "words": {
        "count": "occurrences",
        **titles(Word, "p_first", "p_second", "difference"),
        "se": "its SE",
        "less_first": Browsed("at a disadvantage in the first", "percent"),
        "less_second": Browsed("in the second", "percent"),
    }
}
_SHOWN = 10


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and what is compared."""
    names = " and ".join(str(group.get("name")) for group in result.groups)
    return "Which of two groups of runs is more stable?", names


def page(result: Result) -> list[Block]:
    """Return the numbers of both groups beside each other, and the words that surely differ."""
    return [_numbers(result), *_words(result)]


def _numbers(result: Result) -> Block:
    names = [contrast["name"] for contrast in result.contrasts]
    rows = [
        [_TITLES.get(name, name), *(_estimate(group[_KEYS.get(name, name)]) for group in result.groups), _estimate(x)]
        for name, x in zip(names, result.contrasts, strict=True)
    ]
    header = ["", *(f"{group['name']} ({counted(len(group['runs']), 'run')})" for group in result.groups), "difference"]
    title = f"Which is more stable, over {result.groups[0]['words']:,} common words?"
    return Block(title, tables=[SmallTable("95 % intervals", header, rows)])


_TITLES = {"loss": "PIP loss", "of_chance": "share of chance"}
_KEYS = {"loss": "pip"}
"""How a group calls what a contrast calls otherwise."""


def _words(result: Result) -> list[Block]:
    first, second = (group["name"] for group in result.groups)
    runs = min(len(group["runs"]) for group in result.groups)  # of the group with fewer: its error is the less sure
    tables = []
    for place, name in (("first", first), ("second", second)):
        some = sorted(study.WORDS.rows(result.tables, surely=place), key=lambda row: -row.less(row.surely))[:_SHOWN]
        columns: Columns = [
            "word",
            "count",
            (first, ("p_first", 2)),
            (second, ("p_second", 2)),
            ("difference", lambda row: _difference(row, runs)),
            ("probability", lambda row: percent(row.less(row.surely))),
        ]
        if some:
            tables.append(SmallTable.of(f"At a disadvantage in {name}, compared with words as frequent", some, columns))
    return [Block("Which words differ?", tables=tables, answer=result.verdict[-1])] if tables else []


def _difference(row: Word, runs: int) -> str:
    return f"{number(row.difference, 2)} ± {number(Estimate.of_runs(row.difference, row.se, runs).half, 1)}"


def _estimate(estimate: dict[str, Any]) -> str:
    low, high = estimate["interval"]
    band = "no interval" if low is None or low != low else f"{number(low, 3)} – {number(high, 3)}"
    return f"{number(estimate['mean'], 3)} ({band})"
