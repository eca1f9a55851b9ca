"""The page of average."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.results import Block
from gpustab.results.page import counted, number, whole


def page(result: Result) -> list[Block]:
    """Return a block for every group: what the average is of, and what averaging gained."""
    blocks = []
    for group in result.groups:
        orders = number(group["loss_between_orders"], 2)
        facts = [
            ("loss between runs", number(group["loss_between_runs"]), "mean reduced PIP loss of two runs"),
            ("loss between orders", orders, "of the averages in this and the reverse order"),
        ]
        if "written" in group:
            facts.append(("written to", group["written"], ""))
        own = result.tables["levels"].where(group=group["name"])
        columns = ["runs_beneath", "averages", "reduced_pip", "sd"]
        levels = whole("Reduced PIP loss between averages of equally many runs", own, columns)
        title = f"{group['name']}: average of {counted(group['runs'], 'run')}, {counted(group['words'], 'word')}"
        blocks.append(Block(title, facts, [levels]))
    return blocks
