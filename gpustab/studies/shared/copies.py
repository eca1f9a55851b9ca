"""Runs that are copies of another are counted once: counted twice, they make every answer look surer than it is."""

from __future__ import annotations

from gpustab.runs.runs import Runs
from gpustab.studies.frame import Answer
from gpustab.studies.shared.spaces import find_copies


def without_copies(runs: Runs, answer: Answer, what: str) -> Runs:
    """Return the runs without copies of an earlier one, and set off an alarm for each.

    Args:
        runs: a group.
        answer: that the alarms belong to.
        what: would look too stable, in the plural.
    """
    if len(runs) < 2:
        return runs
    same = find_copies(runs, answer.compute)
    again = [r for r in range(len(runs)) if bool(same[r, :r].any())]
    if not again:
        return runs
    answer.result.alarms += [
        f"{runs.name}: {runs.names[int(same[r].nonzero()[0])]} and {runs.names[r]} are the same vectors; one of them "
        f"is left out, since counted twice they would make {what} look more stable than they are."
        for r in again
    ]
    return runs.take([r for r in range(len(runs)) if r not in again])
