"""The command ``sweep``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from gpustab.cli.app import app
from gpustab.cli.make import (
    CORPUS_HELP,
    Plan,
    a_corpus,
    assign,
    check_settings,
    fitted,
    require_training,
    take_corpus,
    value_of,
)
from gpustab.cli.options import Computing, Corpus, Showing, made, parameters_of, want
from gpustab.cli.session import session, show
from gpustab.cli.takes import takes
from gpustab.errors import InputError, option
from gpustab.options import Option
from gpustab.runs.key import Sampling
from gpustab.studies.sweep import TIE


@dataclass(frozen=True)
class SweepPlan(Plan):
    """What runs ``sweep`` makes.

    Attributes:
        techniques: what to train, one technique; default sgns.
        samplings: how each run's text is drawn.
        runs: runs per setting and sampling.
    """

    samplings: Annotated[tuple[Sampling, ...], Option(flags=("--sampling",))] = ("shuffled", "bootstrap")
    runs: Annotated[int, Option(low=2)] = 4


@app.command()
@takes(Corpus, SweepPlan, Computing, Showing)
def sweep(
    corpus: Annotated[str, typer.Argument(help=CORPUS_HELP, show_default=False, autocompletion=a_corpus)],
    corpus_options: Any,
    sweep_plan: SweepPlan,
    computing: Computing,
    showing: Showing,
    vary: Annotated[
        list[str],
        Option(
            "Of the technique, or an option of the corpus; A+B=VALUE+VALUE,... where two go together. bits=1,2,4: how "
            "large must a space be?",
            metavar="PARAMETER=VALUE,VALUE,...",
        ),
    ],
    output: Annotated[Path | None, made("a folder of run sets", "DIR")] = None,
    grid: Annotated[bool, Option("All combinations, or one parameter at a time.", ("--grid/--one-at-a-time",))] = False,
    labels: Annotated[
        Path | None,
        Option("Words with their classes, for a probe to learn where bits vary; default: WordNet's nouns.", reads=True),
    ] = None,
    settings: Annotated[
        list[str] | None, parameters_of("the baseline: sgns.negative=10, or options.lowercase=false of the corpus")
    ] = None,
) -> None:
    """Train a technique with several values of its parameters: what do they do to stability and scores?

    The baseline is trained first; a stopped sweep goes on where it was.

    Example: gpustab sweep speeches --vary epochs=5,10,20 -o sweep
    """
    output = want(output, "the folder of run sets")
    with session(showing, goes_on=True, folder=output, corpus=corpus) as progress:
        check_settings(settings or [])
        values = _values(vary)
        if grid and len(values) < 2:
            raise InputError(f"{option('grid')} has no effect: one parameter varies; give {option('vary')} twice")
        require_training()
        from gpustab.studies.sweep.plans import bits_of, settings_of
        from gpustab.studies.sweep.study import sweep as measure
        from gpustab.training import read_settings

        content: dict[str, Any] = {}
        take_corpus(content, corpus_options)
        assign(content, settings or [])
        content |= sweep_plan.content | {"corpus": corpus}
        given = read_settings(content)
        settings_of(given, values, grid=grid)  # refuses what cannot vary, before the corpus is read
        bits_of(values, labels)
        found = fitted(content, output / f"{given.techniques[0]}-baseline", progress, showing, look=False)
        plan, compute, prepare = found.settings, computing.compute(), found.prepare
        made = measure(
            plan, values, output, grid=grid, labels=labels, compute=compute, progress=progress, prepare=prepare
        )
        show(made, showing)


def _values(texts: list[str]) -> dict[str, list[Any]]:
    """Read ``PARAMETER=VALUE,VALUE,...``; a parameter that is named twice takes the values of both."""
    vary: dict[str, list[Any]] = {}
    for text in texts:
        parameter, equals, listed = text.partition("=")
        values = [value.strip() for value in listed.split(",") if value.strip()]
        if not (equals and parameter.strip() and values):
            raise InputError(f"--vary '{text}', wanted PARAMETER=VALUE,VALUE,...")
        vary.setdefault(parameter.strip(), []).extend(
            tuple(map(value_of, value.split(TIE))) if TIE in parameter else value_of(value) for value in values
        )
    return vary
