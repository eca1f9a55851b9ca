"""The page of neighbours."""

from __future__ import annotations

from typing import Any

from gpustab.report import Result
from gpustab.results import Block, SmallTable
from gpustab.results.page import number

_RUNS_BESIDE = 5
"""As many lists fit beside each other."""


def page(result: Result) -> list[Block]:
    """Return one block: how sure each neighbour is, and the lists of all runs side by side."""
    (group,) = result.groups
    spread = f"SD {number(group['p_sd'], 2)}, SE {number(group['p_se'], 2)}; chance {number(group['chance_p'], 2)}"
    facts = [(f"p@{group['n']} of two runs", number(group["p"], 3), spread)]
    rows = [
        [
            row["neighbour"],
            f"{row['runs']} of {row['of']}",
            number(row["share"], 2),
            f"{number(row['low'], 2)} – {number(row['high'], 2)}",
            number(row["cosine"], 3),
            number(row["cosine_sd"], 2),
        ]
        for row in result.tables["shares"].rows()
    ]
    tables = [SmallTable("", ["neighbour", "runs", "share", "95 %", "cosine", "SD"], rows)]
    tables += [_by_run(group, start) for start in range(0, len(group["runs"]), _RUNS_BESIDE)]
    title = f"{group['name']}: the {group['n']} nearest neighbours of '{group['word']}' in {len(group['runs'])} runs"
    return [Block(title, facts, tables)]


def _by_run(group: dict[str, Any], start: int) -> SmallTable:
    """The lists of a few runs side by side."""
    some = slice(start, start + _RUNS_BESIDE)
    ranks = [[str(rank)] for rank in range(1, group["n"] + 1)]
    for words in group["lists"][some]:
        for k, row in enumerate(ranks):
            row.append(words[k] if k < len(words) else "–")
    return SmallTable("By run" if not start else "", ["rank", *group["runs"][some]], ranks)
