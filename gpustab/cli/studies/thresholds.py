"""The command ``study thresholds``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, open_runs, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, kept, require, study
from gpustab.formats.options import LoadOptions
from gpustab.studies.thresholds.options import ThresholdsOptions


@study.command("thresholds")
@takes(LoadOptions, Computing, Writing, ThresholdsOptions)
def thresholds(
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    thresholds_options: ThresholdsOptions,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="Files of runs of one kind, leaf folders, or a run set.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILES", help="A space, or runs of one kind, of its own: 'sg=sg*.txt'; any number."),
    ] = None,
) -> None:
    """Find from which cosine on words have something in common by WordNet (Elekes et al. 2018).

    Example: gpustab study thresholds RUNSET -o thresholds
    """
    with session(writing, goes_on=writing.out is not None) as progress:
        require("scipy")
        from gpustab.studies.thresholds.study import thresholds as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        with kept(writing) as finished:
            show(answer(groups, thresholds_options, compute=compute, progress=progress, finished=finished), writing)
