"""The command ``study change``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpustab.cli.app import study
from gpustab.cli.options import Computing, Showing, parameters_of
from gpustab.cli.session import show
from gpustab.cli.studies.working import working
from gpustab.cli.takes import takes
from gpustab.errors import InputError, marked, option
from gpustab.formats.options import LoadOptions
from gpustab.runs.joining import Loading
from gpustab.studies.change.options import PERIODS_BY, ChangeOptions, GridPlan

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.runs.group import Group


@study.command("change")
@takes(LoadOptions, Computing, Showing, ChangeOptions, GridPlan)
def change(
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    change_options: ChangeOptions,
    grid_plan: GridPlan,
    runset: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUNSET",
            help="A run set trained by periods (train --epochs-by), or two, the earlier first; none: train --semeval.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[list[str] | None, parameters_of("--technique: sgns.dim=100, or options.min_count=2")] = None,
) -> None:
    """Find which words moved between periods, and how much of it is noise (Rettenmeier 2020, chapter 4).

    Example: gpustab study change RUNSET -w labor,capital -o change
    """
    with working(showing) as (progress, finished):
        _look(runset or [])
        _check(runset or [], change_options, grid_plan, settings or [], showing)
        from gpustab.studies.change.study import change as answer

        compute = computing.compute()
        groups = _groups(runset or [], load_options, change_options, grid_plan, settings or [], showing, progress)
        show(answer(groups, change_options, compute=compute, progress=progress, finished=finished), showing)


def _look(runs: list[Path]) -> None:
    """Refuse what is not there, and say what is wanted in its place, before anything is imported that reads it."""
    from gpustab.runs.paths import look

    try:
        if runs:
            look(runs, 1)
    except InputError as error:
        from gpustab.corpus.options import CORPORA

        texts = [str(path) for path in runs if str(path) in CORPORA]
        what = f"{texts[0]}: is a corpus, no run set" if texts else marked(error)
        raise InputError(f"{what}; wanted is a run set by periods, which this trains: {PERIODS_BY}") from None


def _check(runs: list[Path], options: ChangeOptions, plan: GridPlan, settings: list[str], showing: Showing) -> None:
    """Refuse what fits neither run sets nor a training, before anything is imported."""
    from gpustab.cli.make import check_settings, require_training  # of another command, whose help this one is not

    check_settings(settings)
    if runs:
        if given := [*plan.given, *(["set"] if settings else [])]:
            raise InputError(f"{option(given[0])} has no effect: {runs[0]} is trained already; give no run set")
    elif options.semeval is None:
        raise InputError(f"give a run set, or {option('semeval')} with the folder of the languages to train on")
    elif showing.out is None:
        raise InputError(f"the runs of {options.semeval} must be kept: give {option('out')}")
    else:
        require_training()


def _groups(
    runs: list[Path],
    load_options: LoadOptions,
    options: ChangeOptions,
    plan: GridPlan,
    settings: list[str],
    showing: Showing,
    progress: Bar,
) -> list[Group]:
    """The groups of run sets, or those of the languages of SemEval that are trained now."""
    from gpustab.runs.load import open_groups

    if runs:
        return list(open_groups(runs, Loading(options=load_options), single_runs=True))
    assert options.semeval is not None and showing.out is not None  # noqa: S101, PT018  # see _check
    from gpustab.cli.make import assign
    from gpustab.studies.change.semeval import train_grid

    parameters: dict[str, Any] = {}
    assign(parameters, settings)
    return train_grid(Path(options.semeval), plan, showing.out / "runs", options.seed, parameters, progress)
