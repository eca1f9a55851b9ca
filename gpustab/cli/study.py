"""The commands ``study NAME``: one research question each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from gpustab.cli.app import app
from gpustab.cli.options import Computing, Reading, Showing, takes
from gpustab.cli.session import session, show
from gpustab.errors import InputError
from gpustab.runs.load import load_groups

study = typer.Typer(no_args_is_help=True, help="Answer a research question on a run set, with tables and figures.")
app.add_typer(study, name="study")


@dataclass(frozen=True)
class Writing(Showing):
    """What is printed and written, the folder as ``-o`` too."""

    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write summary.json, Parquet tables, report.html, figures."),
    ] = None


@study.command("instability")
@takes(Reading, Computing, Writing)
def instability(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUNSET", help="A run set, or leaf folders of one.", show_default=False)
    ],
    reading: Reading,
    computing: Computing,
    writing: Writing,
    targets: Annotated[int, typer.Option(min=1, help="Words whose shared neighbours are predicted.")] = 300,
    pairs: Annotated[int, typer.Option(min=1, help="Random word pairs of the distribution tests.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Of every random draw.")] = 0,
) -> None:
    """Repeat chapters 2 and 3 of Rettenmeier (2020): how unstable, why, and does averaging help? 3 runs a group."""
    with session(writing) as progress:
        if missing := [name for name in ("matplotlib", "scipy") if find_spec(name) is None]:
            raise InputError(f"this study needs {', '.join(missing)}: pip install 'gpustab[study]'")
        from gpustab.report.figures import add_figures
        from gpustab.studies import instability as question

        compute = computing.compute()
        groups = load_groups(runs, options=reading.options())
        result = question.instability(
            groups, pairs=pairs, targets=targets, seed=seed, compute=compute, progress=progress
        )
        if writing.out is not None:
            add_figures(result)
        show(result, writing, reading)
