"""The page of neighbours: its title, its blocks, a methods paragraph, and what to cite."""

from __future__ import annotations

from typing import Any

from gpustab.report import Result
from gpustab.results import Block, Content, SmallTable
from gpustab.results.page import Columns, counted, number
from gpustab.studies.neighbours.claims import RULE
from gpustab.studies.neighbours.study import SHARES

CITATIONS = ("antoniak2018", "rettenmeier2020")

_RUNS_BESIDE = 5
"""As many lists fit beside each other."""


def page(result: Result) -> list[Block]:
    """Return a block for every group: how sure each neighbour is, and the lists of all runs side by side."""
    return [_group(result, group) for group in result.groups]


def _group(result: Result, group: dict[str, Any]) -> Block:
    spread = f"SD {number(group['p_sd'], 2)}, SE {number(group['p_se'], 2)}; chance {number(group['chance_p'], 2)}"
    facts = [(f"p@{group['n']} of two runs", number(group["p"], 3), spread)]
    rows = list(SHARES.rows(result.tables, group=group["name"]))
    tables = [SmallTable.of("", [row for row in rows if row.place is not None], _SHARES, SHARES.row)]
    if others := [row for row in rows if row.place is None]:
        tables.append(SmallTable.of("Beyond them, neighbours in some run", others, _SHARES))
    tables += [_by_run(group, start) for start in range(0, len(group["runs"]), _RUNS_BESIDE)]
    title = f"{group['name']}: the {group['n']} nearest neighbours of '{group['word']}' in {len(group['runs'])} runs"
    return Block(title, facts, tables, answer=group["verdict"] if len(result.groups) > 1 else "", aside=RULE)


_SHARES: Columns = [
    "neighbour",
    "verdict",
    ("runs", lambda row: f"{row.runs} of {row.of}"),
    "share",
    ("95 %", lambda row: f"{number(row.low, 2)} – {number(row.high, 2)}"),
    "cosine",
    "cosine_sd",
]


def _by_run(group: dict[str, Any], start: int) -> SmallTable:
    some = slice(start, start + _RUNS_BESIDE)
    ranks = [[str(rank)] for rank in range(1, group["n"] + 1)]
    for words in group["lists"][some]:
        for k, row in enumerate(ranks):
            row.append(words[k] if k < len(words) else "–")
    return SmallTable("By run" if not start else "", ["rank", *group["runs"][some]], ranks)


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
