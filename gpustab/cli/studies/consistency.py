"""The command ``study consistency``."""

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
from gpustab.studies.consistency.options import ConsistencyOptions


@study.command("consistency")
@takes(LoadOptions, Computing, Showing, ConsistencyOptions)
def consistency(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    consistency_options: ConsistencyOptions,
    text: Annotated[
        list[str] | None, Option("The text that terms are learned from; several are compared.", metavar="TEXT")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="The background: a space, runs of one kind, a run set.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None, Option("A background of its own name: 'glove=glove*.txt'; any number.", metavar="NAME=FILES")
    ] = None,
) -> None:
    """Do parts of one text give a term the same vector? (Bloem et al. 2019).

    Example: gpustab study consistency SPACE.txt --text lee -o consistency
    """
    with working(showing, "scipy", "sentencex") as (progress, finished):
        from gpustab.studies.consistency.study import consistency as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        result = answer(groups, text or [], consistency_options, compute=compute, progress=progress, finished=finished)
        show(result, showing)
