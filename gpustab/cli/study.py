"""The commands ``study NAME``: one research question each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Computing, Showing, open_runs, takes
from gpustab.cli.session import session, show
from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.options import Option
from gpustab.studies.instability.options import InstabilityOptions

study = typer.Typer(no_args_is_help=True, help="Answer a research question on a run set, with tables and figures.")
app.add_typer(study, name="study")


@dataclass(frozen=True)
class Writing(Showing):
    """What is printed and written, the folder as ``-o`` too."""

    out: Annotated[
        Path | None,
        Option("Write summary.json, Parquet tables, report.html, figures.", ("--output", "-o"), "DIR"),
    ] = None


@study.command("instability")
@takes(LoadOptions, Computing, Writing, InstabilityOptions)
def instability(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUNSET", help="A run set, or leaf folders of one.", show_default=False)
    ],
    load_options: LoadOptions,
    computing: Computing,
    writing: Writing,
    instability_options: InstabilityOptions,
) -> None:
    """Repeat chapters 2 and 3 of Rettenmeier (2020): how unstable, why, and does averaging help? 3 runs a group."""
    with session(writing) as progress:
        if missing := [name for name in ("matplotlib", "scipy") if find_spec(name) is None]:
            raise InputError(f"this study needs {', '.join(missing)}: pip install 'gpustab[study]'")
        from gpustab.studies.instability.study import instability as study

        compute = computing.compute()
        groups = open_runs(runs, load_options)
        show(study(groups, instability_options, compute=compute, progress=progress), writing)
