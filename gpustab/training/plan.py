"""What a plan has still to train: its groups, the file by which each keeps to how it was begun, and tasks of runs."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from gpustab.corpus.corpus import Corpus, CorpusOptions
from gpustab.corpus.options import SPELLING, ReadOptions
from gpustab.corpus.sampling import Sampling, draw, shared_training_seed, training_seed
from gpustab.corpus.slices import epoch_slices, halves
from gpustab.errors import InputError, marked, option
from gpustab.formats.atomic import clear_leftovers, make_folder, write_text
from gpustab.formats.binary.safetensors import open_rows, read_metadata
from gpustab.formats.parsed import read_json
from gpustab.formats.plain_text import DamagedError
from gpustab.machine.log import log
from gpustab.runs.key import Key, Part
from gpustab.runs.lock import alone
from gpustab.runs.manifest import OUTPUT, PLAN, output_file, run_file, run_files
from gpustab.training.engines import Trainer
from gpustab.training.settings import TrainingSettings

_SHOWN = 200
"""Signs of a value that a message shows at most."""
PLAN_SCHEMA = "gpustab.plan/1"
_STREAM = "training_stream"
_BEFORE = {
    "engine": "gensim",
    "programs_per_run": 1,
    "parameters.spread": 1.0,
    "parameters.subsample_by": "draw",
    "parameters.window_weights": "flat",
    _STREAM: "shared",
} | {f"options.{field.name}": SPELLING.get(field.name, field.default) for field in fields(CorpusOptions)}
"""What plans mean that were written when there were no such keys."""
_READING = {f"options.{name}" for name in (*(field.name for field in fields(ReadOptions)), *SPELLING)}
"""How text was read matters in what came of it, which the corpus' hash tells."""


class Leaf(NamedTuple):
    """One group of runs to train.

    Attributes:
        key: what it is.
        folder: where it lies.
        trainer: what trains it.
        shared_seeds: whether its runs train with the seeds that all samplings once shared: it was begun so.
    """

    key: Key
    folder: Path
    trainer: Trainer
    shared_seeds: bool = False


@dataclass(frozen=True)
class Task:
    """Some runs of one leaf that are trained in one call.

    Attributes:
        folder: the leaf.
        trainer: what trains them.
        sampling: how their units are drawn.
        runs: their numbers.
        draws: for each the run number that decides its draw.
        seeds: for each the training seed.
        seed: of the study.
        keep_output: whether output vectors are kept too.
    """

    folder: Path
    trainer: Trainer
    sampling: Sampling
    runs: tuple[int, ...]
    draws: tuple[int, ...]
    seeds: tuple[int, ...]
    seed: int
    keep_output: bool = False


def part_of(corpus: Corpus, settings: TrainingSettings) -> tuple[Part, Corpus]:
    """Return the part of the corpus that a plan is for, and what sets it apart.

    Raises:
        InputError: if there is no such epoch.
    """
    if settings.epoch:
        slices = epoch_slices(
            corpus, settings.epochs_by, settings.control, settings.seed, settings.options.unclear_dates
        )
        for part, documents in slices:
            if ("epoch", settings.epoch) in part:
                return part, documents
        names = ", ".join(dict(part)["epoch"] for part, _ in slices)
        raise InputError(f"{option('epoch', settings.epoch)}: there is no such epoch; there are {names}")
    if settings.half:
        return (("half", settings.half),), halves(corpus, settings.seed)["ab".index(settings.half)].corpus
    return (), corpus


def leaves_of(settings: TrainingSettings, trainers: Sequence[Trainer], part: Part, folder: Path) -> list[Leaf]:
    """Return the groups of a plan, whose folders need not be there."""
    unit, fraction = settings.options.unit, settings.options.fraction
    pairs = itertools.product(trainers, settings.samplings)
    keys = [(trainer, Key(trainer.name, sampling, unit, fraction, part)) for trainer, sampling in pairs]
    return [Leaf(key, folder / key.path, trainer) for trainer, key in keys]


def begun(leaf: Leaf, settings: TrainingSettings, corpus: Corpus) -> Leaf:
    """Return a leaf that keeps to its plan, see :func:`keep_to_plan`, with the seeds that it was begun with."""
    return leaf._replace(shared_seeds=keep_to_plan(leaf.folder, _plan(leaf, settings, corpus)))


def tasks_of(leaf: Leaf, settings: TrainingSettings, corpus: Corpus) -> Iterator[Task]:
    """Yield the runs of a leaf that are not there yet, as many together as are trained in one call."""
    missing, sampling = _missing_runs(leaf.folder, settings), cast(Sampling, leaf.key.sampling)
    draws = [run if "draw" in settings.vary else 0 for run in missing]
    seeds = [_training_seed(settings, leaf, run if "training" in settings.vary else 0) for run in missing]
    technique = leaf.trainer.technique
    together = technique.together
    if technique.fitting and missing:
        units = [draw(corpus, sampling, settings.seed, number) for number in draws]
        together = min(together, technique.fitting(corpus, units, leaf.trainer.parameters))
    for start in range(0, len(missing), together):
        runs, drawn, seeded = (tuple(column[start : start + together]) for column in (missing, draws, seeds))
        yield Task(leaf.folder, leaf.trainer, sampling, runs, drawn, seeded, settings.seed, settings.keep_output)


def corpus_record(corpus: Corpus) -> dict[str, Any]:
    """Return what identifies a corpus."""
    return {"name": corpus.name, "hash": corpus.hash, "units": corpus.draws, "tokens": len(corpus.tokens)}


def keep_to_plan(folder: Path, plan: dict[str, Any]) -> bool:
    """Write a new leaf's plan, or see that the old one is the same; clear away what a killed run left half-written.

    Nobody else may be training there now, see :func:`training_alone`.

    The stream of training seeds is no choice of the caller: a leaf keeps to the one that it was begun with.

    Returns:
        Whether the leaf's runs train with the seeds that all samplings once shared.

    Raises:
        InputError: with every difference, if runs were trained there in another way.
    """
    path = folder / PLAN
    runs = run_files(folder)
    if runs and not path.is_file():
        raise InputError(f"{folder}: holds runs but no {PLAN}, so it is not known how they were trained")
    if not runs:  # a plan that trained nothing binds nobody
        make_folder(folder)
        write_text(path, json.dumps(plan, indent=2) + "\n")
    there = _read(path)
    _complete(there, plan, folder)
    stream = there.get(_STREAM, _BEFORE[_STREAM])
    differences = _differences(there, plan | {_STREAM: stream})
    if there.get("corpus") == plan["corpus"]:
        differences = [d for d in differences if d.partition(" ")[0] not in _READING]
    if differences:
        # What was chosen explains what follows from it.
        chosen = [d for d in differences if not d.startswith("corpus.")] or differences
        engine = there.get("engine", _BEFORE["engine"])
        take = f"take {option('engine', engine)}" if engine != plan.get("engine", engine) else "take those"
        raise InputError(
            f"{folder}: trained with other settings: {'; '.join(chosen[:20])}; {take}, or another run set, or delete it"
        )
    for place in (folder, folder / OUTPUT):
        clear_leftovers(place)
        _want_whole(run_files(place))
    return bool(stream == "shared")


def _want_whole(runs: Iterable[Path]) -> None:
    """Refuse runs that are cut or damaged: training would take them for finished."""
    for run in runs:
        try:
            with open_rows(run):
                pass
        except InputError as error:
            raise InputError(f"{marked(error)}; remove it, and train again by the same call") from None


def _read(path: Path) -> dict[str, Any]:
    """Return the plan that a leaf was begun with."""
    try:
        plan = read_json(path)
    except DamagedError as error:
        raise InputError(f"{marked(error)}; remove {path.parent}, and train again") from None
    if not isinstance(plan, dict):
        raise InputError(f"{path}: damaged: it is no object; remove {path.parent}, and train again")
    return plan


@contextmanager
def training_alone(folders: Iterable[Path]) -> Iterator[None]:
    """Hold leaves, which are made if they are not there, while their runs are trained.

    Raises:
        InputError: if another call is training one of them, or it cannot be made.
    """
    with ExitStack() as held:
        for folder in folders:
            make_folder(folder)
            held.enter_context(alone(folder, "training", "training"))
        yield


def _complete(there: dict[str, Any], plan: dict[str, Any], folder: Path) -> None:
    """Fill in what an older plan does not say, and nothing else tells: then it is what is asked for now."""
    parameters = there.get("parameters")
    if isinstance(parameters, dict) and parameters.get("device") == "auto":
        parameters["device"] = plan["parameters"].get("device")
        log.warning("%s: it is not known on what its runs were trained; now on %s", folder, parameters["device"])
    runs = run_files(folder)
    if "card" not in there and "card" in plan and runs:
        with open_rows(runs[0]) as rows:
            there["card"] = read_metadata(rows).get("card", plan["card"])


def _differences(there: Any, now: Any, key: str = "") -> list[str]:
    if isinstance(there, dict) and isinstance(now, dict):
        names = sorted(set(there) | set(now))
        paths = [(n, f"{key}.{n}" if key else n) for n in names]
        both = [(path, *(plan.get(n, _BEFORE.get(path)) for plan in (there, now))) for n, path in paths]
        return [d for path, before, after in both for d in _differences(before, after, path)]
    return [] if there == now else [f"{key} was {_short(there)}, now {_short(now)}"]


def differences_of_reading(there: Mapping[str, Any], settings: TrainingSettings) -> list[str]:
    """Return what makes another text of the same files: counts, and how words are cut; not what is drawn of them."""
    now = asdict(settings.options)
    drawn = {"options.unit", "options.fraction", "options.as_is"}
    return [d for d in _differences(there, now, "options") if d.partition(" ")[0] not in drawn]


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def _plan(leaf: Leaf, settings: TrainingSettings, corpus: Corpus) -> dict[str, Any]:
    """Return everything that the vectors of a leaf depend on."""
    return {
        "schema": PLAN_SCHEMA,
        "technique": leaf.trainer.name,
        "sampling": leaf.key.sampling,
        "seed": settings.seed,
        "vary": sorted(settings.vary),
        _STREAM: "own",
        "corpus": corpus_record(corpus),
        "options": asdict(settings.options),
        **leaf.trainer.engine_plan,
        **leaf.trainer.card,
        "parameters": leaf.trainer.parameters.model_dump(mode="json"),
    }


def _missing_runs(folder: Path, settings: TrainingSettings) -> list[int]:
    """Return which of the runs wanted are not there yet; a file that is there is whole.

    A run whose output vectors are wanted and are not there is missing too.
    """
    return [
        run
        for run, path in enumerate(run_file(folder, run) for run in range(settings.runs))
        if not path.is_file() or (settings.keep_output and not output_file(path).is_file())
    ]


def _training_seed(settings: TrainingSettings, leaf: Leaf, run: int) -> int:
    if leaf.shared_seeds:
        return shared_training_seed(settings.seed, run)
    return training_seed(_seed_of_part(settings), cast(Sampling, leaf.key.sampling), run)


def _seed_of_part(settings: TrainingSettings) -> int:
    """Runs of one number in two parts of a corpus must not begin with the same vectors."""
    if settings.epoch:
        return int(zlib.crc32(f"{settings.seed} {settings.epoch} {settings.control}".encode()))
    return settings.seed + 1 if settings.half == "b" else settings.seed
