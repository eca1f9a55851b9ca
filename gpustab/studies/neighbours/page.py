"""The page of neighbours: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from typing import Any

from gpustab.report import Result
from gpustab.results import Block, Content, SmallTable
from gpustab.results.page import Columns, counted, number, percent
from gpustab.studies.neighbours.claims import RULE
from gpustab.studies.neighbours.study import SHARES

CITATIONS = ("antoniak2018", "rettenmeier2020")

_OTHERS = 10
"""So many neighbours of single runs stand below those that are judged; the file of the table has all."""


def page(result: Result) -> list[Block]:
    """Return a block for every group: how sure each neighbour is. The picture has the lists of all runs."""
    return [_group(result, group, RULE if not k else "") for k, group in enumerate(result.groups)]


def _group(result: Result, group: dict[str, Any], aside: str) -> Block:
    spread = f"SD {number(group['p_sd'], 2)}, SE {number(group['p_se'], 2)}; chance {number(group['chance_p'], 2)}"
    facts = [(f"p@{group['n']} of two runs", number(group["p"], 3), spread)]
    rows = list(SHARES.rows(result.tables, group=group["name"]))
    listed = sum(row.place is not None for row in rows)
    table = SmallTable.of("", rows[: listed + _OTHERS], _SHARES, SHARES.row)
    if listed < len(rows):
        others = f"words of no place are neighbours in some run, {len(rows) - listed} in all"
        table.title = f"'Ahead': how surely nearer than the word after the last place; {others}"
    title = f"{group['name']}: the {group['n']} nearest neighbours of '{group['word']}' in {len(group['runs'])} runs"
    return Block(title, facts, [table], answer=group["verdict"] if len(result.groups) > 1 else "", aside=aside)


_SHARES: Columns = [
    "neighbour",
    "verdict",
    ("place", lambda row: str(row.place or "–")),
    ("runs", lambda row: f"{row.runs} of {row.of}"),
    "share",
    ("95 % interval", lambda row: f"{percent(row.low)}–{percent(row.high)}"),
    "margin",
    "cosine",
    "cosine_sd",
]


def heading(result: Content) -> tuple[str, str]:
    """Return the question, and how many runs answer it."""
    runs = sum(len(group["runs"]) for group in result.groups)
    groups = f" in {counted(len(result.groups), 'group')}" if len(result.groups) > 1 else ""
    return f"Which neighbours of “{result.settings.get('word', '')}” can you trust?", f"{counted(runs, 'run')}{groups}"


def methods(result: Content) -> str:
    """Return a paragraph for the methods section of a paper."""
    groups = ", ".join(f"{counted(len(group['runs']), 'run')} of {group['name']}" for group in result.groups)
    n = result.settings.get("n")
    return (
        f"The {n} nearest neighbours of “{result.settings.get('word')}” by cosine were found in every run ({groups}) "
        f"with gpustab {result.environment.get('gpustab')}. For each word that is among the {n} nearest in some run we "
        "report in how many of the runs that have it this is so, with the 95 % Wilson interval of that share. p@n is "
        "the share of the neighbours of one run that are neighbours in another too, mean over all pairs of runs."
    )
