"""The command ``study thresholds``."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import Annotated

import typer

from gpustab.cli.options import Computing, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, require, study
from gpustab.formats.options import LoadOptions
from gpustab.runs.loading import Loading
from gpustab.studies.thresholds.options import ThresholdsOptions


@study.command("thresholds")
@takes(LoadOptions, Computing, Writing, ThresholdsOptions)
def thresholds(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="SPACE|RUNSET", help="Files of runs of one kind, leaf folders, or a run set.", show_default=False
        ),
    ],
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    thresholds_options: ThresholdsOptions,
) -> None:
    """Find from which cosine on words have something in common by WordNet (Elekes et al. 2018).

    Example: gpustab study thresholds RUNSET -o thresholds
    """
    with session(writing, goes_on=writing.out is not None) as progress:
        require("scipy")
        from gpustab.runs.load import open_groups
        from gpustab.studies.thresholds.study import thresholds as answer

        compute = computing.compute()
        groups = open_groups(runs, Loading(options=load_options), single_runs=True)
        finished = None if writing.out is None else writing.out / ".finished"
        show(answer(groups, thresholds_options, compute=compute, progress=progress, finished=finished), writing)
        if finished is not None:
            rmtree(finished, ignore_errors=True)
