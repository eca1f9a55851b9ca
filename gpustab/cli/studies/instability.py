"""The command ``study instability``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, Showing, open_runs
from gpustab.cli.session import require, session, show
from gpustab.cli.studies.app import study
from gpustab.cli.takes import takes
from gpustab.formats.options import LoadOptions
from gpustab.studies.instability import InstabilityOptions


@study.command("instability")
@takes(LoadOptions, Computing, Showing, InstabilityOptions)
def instability(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUNSET", help="Run sets, or leaf folders of them.", show_default=False)
    ],
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    instability_options: InstabilityOptions,
) -> None:
    """Repeat chapters 2 and 3 of Rettenmeier (2020): how unstable, why, and does averaging help? 3 runs a group."""
    with session(showing) as progress:
        require("this study", "study", "scipy")
        from gpustab.studies.instability.study import instability as answer

        compute = computing.compute()
        groups = open_runs(runs, load_options)
        show(answer(groups, instability_options, compute=compute, progress=progress), showing)
