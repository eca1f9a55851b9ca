"""The command ``study bootstrap``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpustab.cli.app import study
from gpustab.cli.make import announcing, require_training
from gpustab.cli.options import Computing, Showing, check_corpus, open_runs
from gpustab.cli.session import session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.studies.bootstrap.options import BootstrapOptions, BootstrapPlan

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.corpus.corpus import Corpus
    from gpustab.runs.group import Group


@study.command("bootstrap")
@takes(LoadOptions, Computing, Showing, BootstrapOptions, BootstrapPlan)
def bootstrap(
    source: Annotated[
        list[str],
        typer.Argument(metavar="CORPUS|RUNSET", help="A text, or a run set (or parts of one).", show_default=False),
    ],
    load_options: LoadOptions,
    computing: Computing,
    showing: Showing,
    bootstrap_options: BootstrapOptions,
    bootstrap_plan: BootstrapPlan,
) -> None:
    """Ask which neighbours of query words hold over bootstrap runs (Antoniak & Mimno 2018); trains a corpus first.

    Example: gpustab study bootstrap RUNSET --query war,peace -o bootstrap
    """
    with session(showing, goes_on=True) as progress:
        _check(source, bootstrap_plan, showing)
        from gpustab.studies.bootstrap.study import bootstrap as answer

        compute = computing.compute()
        groups, corpus, notes = _groups(source, load_options, bootstrap_options, bootstrap_plan, showing, progress)
        result = answer(groups, bootstrap_options, corpus=corpus, compute=compute, progress=progress)
        result.notes += notes
        show(result, showing)


def _are_runs(source: list[str]) -> bool:
    from gpustab.runs.manifest import holds_runs

    return all(holds_runs(Path(text)) for text in source)


def _check(source: list[str], plan: BootstrapPlan, showing: Showing) -> None:
    """Refuse what fits no run set and no corpus, before anything is imported."""
    from gpustab.runs.manifest import refuse_both
    from gpustab.runs.place import refuse_within

    for text in source:
        refuse_both(Path(text))
    if _are_runs(source):
        if plan.given:
            raise InputError(f"{option(plan.given[0])} has no effect: {source[0]} is trained already; give a corpus")
        return
    for text in source:
        check_corpus(text)
    if len(source) > 1:
        raise InputError(f"{', '.join(source)}: give one corpus, or folders of run sets alone")
    refuse_within(_folder(plan, showing), source[0])
    require_training()


def _groups(
    source: list[str],
    load_options: LoadOptions,
    options: BootstrapOptions,
    plan: BootstrapPlan,
    showing: Showing,
    progress: Bar,
) -> tuple[list[Group], Corpus | None, list[str]]:
    """The groups of run sets, or those that are trained on a text now."""
    if _are_runs(source):
        return open_runs([Path(text) for text in source], load_options), None, []
    folder = _folder(plan, showing)
    from gpustab.corpus.options import CorpusOptions
    from gpustab.studies.bootstrap.corpus import train_plan

    announce: Any = announcing(progress) if showing.verbose and not showing.json else None
    corpus, notes = train_plan(source[0], plan, CorpusOptions(), folder, options.seed, progress, announce)
    return open_runs([folder], load_options), corpus, notes


def _folder(plan: BootstrapPlan, showing: Showing) -> Path:
    if plan.runset is not None:
        return Path(plan.runset)
    if showing.out is None:
        raise InputError(f"the runs of a corpus must be kept: give {option('out')} or {option('runset')}")
    return showing.out / "runs"
