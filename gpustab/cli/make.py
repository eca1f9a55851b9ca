"""Commands that make runs: ``train``, ``demo``.

What imports NumPy is imported when it is used: the help and completion do not wait for it.
"""

from __future__ import annotations

import logging
import shlex
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpustab.cli.app import app
from gpustab.cli.complaints import as_typed
from gpustab.cli.options import Computing, Corpus, Showing, made, want
from gpustab.cli.session import require, say, session, show, typed, wrote
from gpustab.cli.takes import one_of, takes
from gpustab.corpus.options import CORPORA, CorpusOptions
from gpustab.errors import InputError, near
from gpustab.formats.parsed import parse_json
from gpustab.machine.job import number
from gpustab.options import Count, Option, Options, Seed, given
from gpustab.runs.joining import LEAST_RUNS as TO_MEASURE
from gpustab.runs.key import Sampling
from gpustab.spaces.words import printable
from gpustab.trainers import NAMES, Choice, Runs, Stream, check_technique

if TYPE_CHECKING:
    from gpustab.cli.bar import Bar
    from gpustab.corpus.evidence import Evidence
    from gpustab.report import Result
    from gpustab.training import TrainingSettings
    from gpustab.training.fitting import Fitted

log = logging.getLogger("gpustab")


def a_corpus(incomplete: str) -> list[str]:
    """Complete a corpus: one that goes by a name, or a file or folder."""
    folder, slash, start = incomplete.rpartition("/")
    try:
        there = sorted(Path(f"{folder}{slash}" or ".").iterdir())
    except OSError:
        there = []
    hidden = start.startswith(".")
    paths = [
        f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in there
        if path.name.startswith(start) and (hidden or not path.name.startswith("."))
    ]
    return [*one_of(CORPORA)(incomplete), *paths]


TECHNIQUES = Option(flags=("--technique",), metavar="T,T,...", names=NAMES, each=check_technique)

CORPUS_HELP = "A file or folder of text, tables or markup; or 'sotu' or 'lee'."


@dataclass(frozen=True)
class Plan(Options):
    """What runs are made of; what is not given is what a configuration says, or the default.

    Attributes:
        techniques: what to train; default sgns (skip-gram).
        samplings: how each run's text is drawn; default: all three.
        runs: runs per technique and sampling; default 10, with --config 8.
        seed: of every random draw; default 0.
        jobs: runs trained at once; default: one, or one per core where training takes long.
        engine: of sgns and cbow: gpu trains many runs at once, gensim one by one. Default auto: gpu for sgns if it can.
    """

    techniques: Annotated[tuple[str, ...] | None, TECHNIQUES] = None
    samplings: Annotated[tuple[Sampling, ...] | None, Option(flags=("--sampling",))] = None
    runs: Runs | None = None
    seed: Seed | None = None
    jobs: Count | None = None
    engine: Choice | None = None

    @property
    def content(self) -> dict[str, Any]:
        """What was given, as settings of a training."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given(self).items()}


@dataclass(frozen=True)
class TrainPlan(Plan):
    """What runs ``train`` makes.

    Attributes:
        vary: what differs between runs; default: both.
        parallel: what trains the runs, a back end of joblib; default loky (processes of this machine).
        keep_output: of sgns and cbow: keep output vectors too, which Nonce2Vec needs.
        epochs_by: train on every period by itself: year:1790-2020:20, or a column whose values are periods.
    """

    vary: tuple[Stream, ...] | None = None
    parallel: Annotated[str | None, Option(names=("loky", "dask", "ray"))] = None
    keep_output: Annotated[bool | None, Option(flags=("--keep-output",))] = None
    epochs_by: Annotated[str | None, Option(metavar="COLUMN[:FIRST-LAST:YEARS]")] = None


@dataclass(frozen=True)
class TrainOptions(Options):
    """Where the rest of a plan stands, and on which parts of the corpus it is trained.

    Attributes:
        config: file of all these settings as TOML; options of the call win.
        dim: dimensions of every technique that has them.
        window: window of every technique that has one.
        epochs: epochs of every technique that has them.
        settings: any other parameter of a technique (sgns.negative=10) or of the corpus (options.lowercase=false).
        halves: train on two halves of the documents, to see what other documents would say.
        control: of periods: also train on so many random splits of the documents.
    """

    config: Annotated[Path | None, Option(metavar="FILE", reads=True)] = None
    dim: Count | None = None
    window: Count | None = None
    epochs: Count | None = None
    settings: Annotated[list[str] | None, Option(flags=("--set",), metavar="T.PARAMETER=VALUE")] = None
    halves: bool = False
    control: Annotated[int, Option(low=0, high=99)] = 0

    def check_together(self) -> None:
        """Refuse settings that are none."""
        check_settings(self.settings or ())


_FOR_PERIODS = "--control is for periods: give --epochs-by too"
_TWO_CUTS = "--halves and --epochs-by are two ways to cut a corpus; give one of them"


def require_training() -> None:
    """Refuse to go on without the packages that train."""
    require("training", "train", "gensim", "joblib", "pydantic", "sklearn")


@app.command()
@takes(Corpus, TrainPlan, TrainOptions, Showing)
def train(
    corpus_options: Any,
    train_plan: TrainPlan,
    train_options: TrainOptions,
    showing: Showing,
    output: Annotated[Path | None, made("a run set", "RUNSET")] = None,
    corpus: Annotated[str | None, typer.Argument(help=CORPUS_HELP, show_default=False, autocompletion=a_corpus)] = None,
) -> None:
    """Train runs on your texts for `gpustab stability`; a stopped call goes on where it was, with the same vectors.

    Example: gpustab train speeches -o RUNSET
    """
    output = want(output, "the run set")
    with session(showing, goes_on=True, folder=output, corpus=corpus) as progress:
        if corpus is None and train_options.config is None:
            raise InputError("no corpus was given; wanted: gpustab train CORPUS -o RUNSET")
        if train_options.halves and train_plan.epochs_by:
            raise InputError(_TWO_CUTS)
        if train_options.control and not (train_plan.epochs_by or train_options.config):
            raise InputError(_FOR_PERIODS)
        require_training()
        from gpustab.training import read_settings, read_toml

        content: dict[str, Any] = read_toml(train_options.config) if train_options.config else {}
        content |= train_plan.content | ({} if corpus is None else {"corpus": corpus})
        take_corpus(content, corpus_options)
        _spread(content, train_options)
        assign(content, train_options.settings or [])
        telling: dict[str, Any] = _telling(progress, showing)
        if train_options.config is None:  # a file says all of it, or means the library's defaults
            found = fitted(content, output, progress, showing, 2 if train_options.halves else 1)
            plan, telling["prepare"] = found.settings, found.prepare
        else:
            plan = read_settings(content)
        result = _train(plan, train_options, output, progress, telling)
        show(result, showing)
        _tell_next_step(result.settings, len(result.groups), output, showing)


def fitted(
    content: dict[str, Any], folder: Path, progress: Bar, showing: Showing, parts: int = 1, *, look: bool = True
) -> Fitted:
    """Return the plan whose open settings fit the corpus, and say them; see :func:`gpustab.training.fitting.fit`."""
    from gpustab.training.fitting import fit

    found = fit(content, folder, progress, parts, look=look and not (showing.quiet or showing.json))
    if found.says and not showing.quiet:
        progress.print(f"chosen to fit {found.says}")
    return found


def _telling(bar: Bar, showing: Showing) -> dict[str, Any]:
    """What is told before the first run: the evidence of the corpus, and all settings to who wants to know all."""
    quiet = showing.quiet or showing.json
    return {"announce": announcing(bar) if showing.verbose else None, "inform": None if quiet else informing(bar)}


def _train(
    plan: TrainingSettings, options: TrainOptions, output: Path, progress: Bar, telling: dict[str, Any]
) -> Result:
    from gpustab.training import train_epochs, train_halves, train_runs

    if options.control and not plan.epochs_by:
        raise InputError(_FOR_PERIODS)
    if options.halves and plan.epochs_by:
        raise InputError(_TWO_CUTS)
    _warn_of_few_runs(max(plan.runs, _there(plan, output)))
    if plan.epochs_by:
        return train_epochs(plan, output, splits=options.control, progress=progress, **telling)
    return (train_halves if options.halves else train_runs)(plan, output, progress=progress, **telling)


@app.command()
@takes(Computing, Showing)
def demo(
    computing: Computing,
    showing: Showing,
    keep: Annotated[
        Path | None, Option("Keep the runs in this folder. Default: they are removed.", metavar="RUNSET")
    ] = None,
) -> None:
    """Train skip-gram runs of three samplings on a small real corpus and measure them: one to three minutes.

    Where there is a GPU that can train them, it does.

    Example: gpustab demo
    """
    with session(showing, goes_on=keep is not None, folder=keep) as progress:
        require_training()
        from gpustab.demo import demo_commands, train_demo_runs
        from gpustab.studies.stability.study import stability

        compute = computing.compute()
        announce = announcing(progress) if showing.verbose else None
        with ExitStack() as closing:
            folder = keep or Path(closing.enter_context(tempfile.TemporaryDirectory()))
            started = time.perf_counter()
            groups = train_demo_runs(folder, progress, announce)
        trained = time.perf_counter() - started
        result = stability(groups, compute=compute, progress=progress)
        result.environment["trained_in"] = trained
        result.notes.append(f"The same by hand: {typed(demo_commands(str(keep or 'RUNSET')))}")
        if keep is not None:
            wrote([keep], showing)
        show(result, showing)


def announcing(bar: Bar) -> Callable[[TrainingSettings], None]:
    """Return what prints the settings of a training above its bar, as TOML that ``--config`` takes."""
    from gpustab.training import to_toml

    return lambda plan: bar.print(to_toml(plan))


def informing(bar: Bar) -> Callable[[Evidence], None]:
    """Return what prints the evidence of a corpus above the bar, in six lines and one for each further doubt."""
    from gpustab.corpus.evidence import lines_of

    def inform(found: Evidence) -> None:
        rows = [("corpus", found.name), *lines_of(found, short=True)]
        bar.print("\n".join(f"{label:>14}  {as_typed(InputError(text))}" for label, text in rows))

    return inform


def take_corpus(content: dict[str, Any], corpus_options: Any) -> None:
    """Apply those options of the corpus that were given."""
    content.setdefault("options", {}).update(given(corpus_options))


def _spread(content: dict[str, Any], options: TrainOptions) -> None:
    """Give ``--dim`` and the like to every technique that has such a parameter."""
    from gpustab.trainers import technique

    every = {"dim": options.dim, "window": options.window, "epochs": options.epochs}
    common = {name: value for name, value in every.items() if value is not None}
    for name in content.get("techniques", ["sgns"]):
        known = technique(name).parameters.model_fields
        content.setdefault(name, {}).update({key: value for key, value in common.items() if key in known})
    unknown = [key for key in common if not any(key in content[n] for n in content.get("techniques", ["sgns"]))]
    if unknown:
        raise InputError(f"--{unknown[0]}: none of these techniques has it")


def assign(content: dict[str, Any], settings: list[str]) -> None:
    """Apply ``--set technique.parameter=value``."""
    check_settings(settings)
    for text in settings:
        key, _, value = text.partition("=")
        name, _, parameter = key.partition(".")
        content.setdefault(name, {})[parameter] = value_of(value)


def check_settings(settings: Sequence[str]) -> None:
    """Refuse what is no ``technique.parameter=value``, or of no technique; whether it has the parameter, it says."""
    for text in settings:
        key, equals, _ = text.partition("=")
        name, dot, parameter = key.partition(".")
        if not (equals and dot and name and parameter):
            raise InputError(f"--set '{text}', wanted TECHNIQUE.PARAMETER=VALUE")
        if name != "options":
            check_technique(name)
        elif parameter not in (known := [field.name for field in fields(CorpusOptions)]):
            raise InputError(f"--set '{text}': there is no option {parameter} of the corpus{near(parameter, known)}")


def value_of(text: str) -> Any:
    """Return what is typed as a number or truth value where it is one, else the text."""
    try:
        return parse_json(text)
    except ValueError:
        return text


def _there(plan: TrainingSettings, folder: Path) -> int:
    """Return how many runs of each kind a run set has already, of those that are asked for."""
    from gpustab.runs.manifest import is_runset
    from gpustab.runs.runset import read_entries

    entries = read_entries(folder) if is_runset(folder) else []
    runs = {(entry.key.technique, entry.key.sampling): entry.runs for entry in entries}
    return min(runs.get(kind, 0) for kind in product(plan.techniques, plan.samplings))


def _warn_of_few_runs(runs: int) -> None:
    from gpustab.results.page import counted
    from gpustab.studies.neighbours.claims import LEAST_RUNS as TO_JUDGE

    if runs < TO_JUDGE:
        few = f"gpustab stability needs {TO_MEASURE} and " if runs < TO_MEASURE else ""
        log.warning(
            f"{counted(runs, 'run')} of each kind: {few}gpustab neighbours judges no word by fewer than {TO_JUDGE:g} "
            f"(--runs {TO_JUDGE:g}); the same call with more runs goes on from these"
        )


def _tell_next_step(settings: dict[str, Any], groups: int, output: Path, showing: Showing) -> None:
    """Tell on stderr that a run set is ready and which command reads it, unless nobody wants to know."""
    if showing.quiet or showing.json or number():
        return
    from gpustab.results.page import counted
    from gpustab.runs.key import noun_of

    corpus, runs = settings["corpus"], settings["runs"]
    lines = [f"{output} is ready: {counted(runs * groups, 'run')}"]
    if not (settings["half"] or settings["epochs_by"]):  # the record is of the first part
        texts = counted(corpus["units"], noun_of(settings["options"]["unit"]))
        lines[0] += f" of {texts}, {counted(corpus['tokens'], 'running word')}"
    if runs >= TO_MEASURE and not settings["epochs_by"]:
        lines.append(typed(f"next: gpustab stability {shlex.quote(str(output))} --out report"))
    for line in lines:
        say(printable(line))
