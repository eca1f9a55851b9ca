"""The command ``study thresholds``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, Showing, open_runs
from gpustab.cli.session import show
from gpustab.cli.studies.app import study, working
from gpustab.cli.takes import takes
from gpustab.formats.options import LoadOptions
from gpustab.options import Option
from gpustab.studies.thresholds.options import ThresholdsOptions


@study.command("thresholds")
@takes(LoadOptions, Computing, Showing, ThresholdsOptions)
def thresholds(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    thresholds_options: ThresholdsOptions,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="Files of runs of one kind, leaf folders, or a run set.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        Option("A space, or runs of one kind, of its own: 'sg=sg*.txt'; any number.", metavar="NAME=FILES"),
    ] = None,
) -> None:
    """Find from which cosine on words have something in common by WordNet (Elekes et al. 2018).

    Example: gpustab study thresholds RUNSET -o thresholds
    """
    with working(showing, "scipy") as (progress, finished):
        from gpustab.studies.thresholds.study import thresholds as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        show(answer(groups, thresholds_options, compute=compute, progress=progress, finished=finished), showing)
