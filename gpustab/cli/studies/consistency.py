"""The command ``study consistency``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, require, study
from gpustab.formats.options import LoadOptions
from gpustab.runs.loading import Loading
from gpustab.studies.consistency.options import ConsistencyOptions


@study.command("consistency")
@takes(LoadOptions, Computing, Writing, ConsistencyOptions)
def consistency(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="SPACE|RUNSET", help="The background: a space, runs of one kind, a run set.", show_default=False
        ),
    ],
    text: Annotated[str, typer.Option("--text", help="The text that terms are learned from.", metavar="TEXT")],
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    consistency_options: ConsistencyOptions,
) -> None:
    """Do parts of one text give a term the same vector? (Bloem et al. 2019).

    Example: gpustab study consistency SPACE.txt --text lee -o consistency
    """
    with session(writing) as progress:
        require("scipy", "sentencex")
        from gpustab.runs.load import open_groups
        from gpustab.studies.consistency.study import consistency as answer

        compute = computing.compute()
        groups = open_groups(runs, Loading(options=load_options), single_runs=True)
        show(answer(groups, text, consistency_options, compute=compute, progress=progress), writing)
