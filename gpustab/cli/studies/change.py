"""The command ``study change``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.options import Computing, takes
from gpustab.cli.session import session, show
from gpustab.cli.studies.app import Writing, kept, study
from gpustab.formats.options import LoadOptions
from gpustab.runs.loading import Loading
from gpustab.studies.change.options import ChangeOptions


@study.command("change")
@takes(LoadOptions, Computing, Writing, ChangeOptions)
def change(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUNSET",
            help="A run set trained by epochs, or two of two epochs, the earlier first.",
            show_default=False,
        ),
    ],
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    change_options: ChangeOptions,
) -> None:
    """Find which words moved between epochs, and how much of it is noise (Rettenmeier 2020, chapter 4).

    Example: gpustab study change RUNSET -w labor,capital -o change
    """
    with session(writing, goes_on=writing.out is not None) as progress:
        from gpustab.runs.load import open_groups
        from gpustab.studies.change.study import change as answer

        compute = computing.compute()
        groups = open_groups(runs, Loading(options=load_options), single_runs=True)
        with kept(writing) as finished:
            show(answer(groups, change_options, compute=compute, progress=progress, finished=finished), writing)
