"""The command ``study consistency``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, open_runs, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, kept, require, study
from gpustab.formats.options import LoadOptions
from gpustab.studies.consistency.options import ConsistencyOptions


@study.command("consistency")
@takes(LoadOptions, Computing, Writing, ConsistencyOptions)
def consistency(
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    consistency_options: ConsistencyOptions,
    text: Annotated[
        list[str] | None,
        typer.Option(
            "--text",
            help="The text that terms are learned from; several are compared.",
            metavar="TEXT",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SPACE|RUNSET", help="The background: a space, runs of one kind, a run set.", show_default=False
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILES", help="A background of its own name: 'glove=glove*.txt'; any number."),
    ] = None,
) -> None:
    """Do parts of one text give a term the same vector? (Bloem et al. 2019).

    Example: gpustab study consistency SPACE.txt --text lee -o consistency
    """
    with session(writing, goes_on=writing.out is not None) as progress:
        require("scipy", "sentencex")
        from gpustab.studies.consistency.study import consistency as answer

        compute = computing.compute()
        groups = open_runs(runs or [], load_options, named=group or [], single_runs=True)
        with kept(writing) as finished:
            found = answer(
                groups, text or [], consistency_options, compute=compute, progress=progress, finished=finished
            )
            show(found, writing)
