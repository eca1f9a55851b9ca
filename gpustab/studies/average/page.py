"""The page of average."""

from __future__ import annotations

from gpustab.report import Result
from gpustab.results import Block
from gpustab.results.page import number, whole


def page(result: Result) -> list[Block]:
    """Return one block: what the average is of, and what averaging gained."""
    (group,) = result.groups
    facts = [
        ("loss between runs", number(group["loss_between_runs"]), "mean reduced PIP loss of two runs"),
        (
            "loss between orders",
            number(group["loss_between_orders"], 2),
            "of the averages in this and the reverse order",
        ),
    ]
    if "written" in group:
        facts.append(("written to", group["written"], ""))
    levels = whole("Reduced PIP loss between averages of equally many runs", result.tables["levels"])
    return [Block(f"{group['name']}: average of {group['runs']} runs, {group['words']:,} words", facts, [levels])]
