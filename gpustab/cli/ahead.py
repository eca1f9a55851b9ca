"""What ``train`` says of the way on: before the work what so few runs will not tell, after it the next command.

What imports NumPy is imported when it is used: the help and completion do not wait for it.
"""

from __future__ import annotations

import logging
import shlex
from pathlib import Path
from typing import Any

from rich.console import Console

from gpustab.cli.options import Showing
from gpustab.machine.job import number
from gpustab.runs.loading import LEAST_RUNS as TO_MEASURE
from gpustab.spaces.words import printable

log = logging.getLogger("gpustab")


def warn_of_few_runs(runs: int) -> None:
    """Tell what the runs of a plan will be too few for."""
    from gpustab.results.page import counted
    from gpustab.studies.neighbours.claims import LEAST_RUNS as TO_JUDGE

    if runs < TO_JUDGE:
        few = f"gpustab stability needs {TO_MEASURE} and " if runs < TO_MEASURE else ""
        log.warning(
            f"{counted(runs, 'run')} of each kind: {few}gpustab neighbours judges no word by fewer than {TO_JUDGE:g} "
            f"(--runs {TO_JUDGE:g}); the same call with more runs goes on from these"
        )


def tell_next_step(settings: dict[str, Any], groups: int, output: Path, showing: Showing) -> None:
    """Tell on stderr that a run set is ready and which command reads it, unless nobody wants to know.

    Args:
        settings: the record of the training.
        groups: how many kinds of runs there are.
        output: the run set.
        showing: what is printed.
    """
    if showing.quiet or showing.json or number():
        return
    from gpustab.results.page import counted

    corpus, runs = settings["corpus"], settings["runs"]
    lines = [f"{output} is ready: {counted(runs * groups, 'run')}"]
    if not (settings["half"] or settings["epochs_by"]):  # the record is of the first part
        texts = counted(corpus["units"], settings["options"]["unit"])
        lines[0] += f" of {texts}, {counted(corpus['tokens'], 'word')}"
    if runs >= TO_MEASURE and not settings["epochs_by"]:
        lines.append(f"next: gpustab stability {shlex.quote(str(output))} --out report")
    for line in lines:
        Console(stderr=True).print(printable(line), markup=False, highlight=False, soft_wrap=True)
