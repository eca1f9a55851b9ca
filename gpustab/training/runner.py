"""Training the missing runs of a plan, several at a time, one thread each."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sampling, draw_units, shared_training_seed, training_seed
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import ComputationError, InputError, option
from gpustab.formats.binary.safetensors import read_metadata
from gpustab.formats.binary.safetensors_rows import open_rows
from gpustab.formats.registry import read_space
from gpustab.machine.device import choose_device, log
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.results import Table
from gpustab.runs.key import Key
from gpustab.runs.runset import open_leaf, update_manifest
from gpustab.trainers import technique
from gpustab.training.engines import engine_of, engine_record, resolve_engine
from gpustab.training.leaves import (
    Leaf,
    corpus_record,
    keep_to_plan,
    missing_runs,
    plan_of,
    run_file,
    training_alone,
)
from gpustab.training.settings import TrainingSettings
from gpustab.training.tasks import Task, attempt

_FEW_UNITS = 30


def train_runs(settings: TrainingSettings, folder: Path, *, progress: Progress | None = None) -> Result:
    """Train what a plan wants and the run set does not have yet; finished runs are kept.

    Every run appears whole or not at all, so that a call that was killed at any moment is taken up by the next one,
    with the same vectors (but for Hogwild, see :class:`TrainingSettings`). Which engine trains is decided first, and
    each leaf keeps to its own.

    Args:
        settings: the plan.
        folder: the run set; made if it is not there.
        progress: called with the name of the work and its finished part.

    Returns:
        The table ``groups``: runs, how many of them were trained now, seconds per run, words.

    Raises:
        InputError: if the plan contradicts what is there, or the corpus cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    started = time.perf_counter()
    report = progress or no_progress
    report("reading the corpus", 0.0)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a run set is a folder")
    settings = resolve_engine(settings)
    corpus = prepare_corpus(settings.corpus, settings.options)
    if len(corpus) < 2 and set(settings.samplings) != {"fixed"}:
        ways = [option("unit", "sentence")] if corpus.unit == "document" else []
        ways += [f"fixed {option('sampling')} alone"]
        raise InputError(f"{corpus.name}: one {corpus.unit} is nothing to draw from; give more, or {' or '.join(ways)}")
    keys = _keys(settings)
    with training_alone(folder / key.path for key in keys):
        leaves = [_open_leaf(key, settings, corpus, folder) for key in keys]
        tasks = [task for leaf in leaves for task in _tasks(settings, leaf, corpus)]
        _train_all(tasks, corpus, settings, report)
    update_manifest(folder, {leaf.key: settings.runs for leaf in leaves}, _record(settings, corpus))
    result = Result("train", _record(settings, corpus), tables={"groups": _group_table(leaves, tasks)})
    result.groups = [{"name": str(leaf.key), "runs": settings.runs} for leaf in leaves]
    result.notes = [*_corpus_notes(corpus), *_engine_notes(tasks)]
    result.notes += _shared_seeds(leaves)
    result.notes += [note for leaf in leaves for note in _copies(leaf, settings)]
    device = choose_device() if any(task.engine == "gpu" for task in tasks) else torch.device("cpu")
    result.environment = environment(device) | {"seconds": time.perf_counter() - started}
    return result


def _keys(settings: TrainingSettings) -> list[Key]:
    """What groups a plan is of."""
    options = settings.options
    pairs = itertools.product(settings.techniques, settings.samplings)
    return [Key(technique_name, sampling, options.unit, options.fraction) for technique_name, sampling in pairs]


def _open_leaf(key: Key, settings: TrainingSettings, corpus: Corpus, folder: Path) -> Leaf:
    shared = keep_to_plan(folder / key.path, plan_of(key, settings, corpus))
    return Leaf(key, folder / key.path, shared)


def _train_all(tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings, report: Progress) -> None:
    """Train tasks, whatever fails among them.

    Raises:
        ComputationError: at the end, if some failed.
    """
    trained, failures = 0, []
    total = sum(len(task.runs) for task in tasks)
    for task, failure in _train(tasks, corpus, settings):
        trained += len(task.runs)
        report(f"trained {trained} of {total} runs, last {task.name} {task.sampling}", trained / total)
        if failure:
            failures.append(failure)
    if failures:
        others = "none is there" if len(failures) == len(tasks) else "the others are there"
        raise ComputationError(f"{len(failures)} of {len(tasks)} trainings failed, {others}: {'; '.join(failures[:3])}")


def _tasks(settings: TrainingSettings, leaf: Leaf, corpus: Corpus) -> Iterator[Task]:
    missing, sampling = missing_runs(leaf.folder, settings.runs), cast(Sampling, leaf.key.sampling)
    draws = [run if "draw" in settings.vary else 0 for run in missing]
    engine, programs_per_run = engine_of(leaf.key.technique, settings)
    found, parameters = technique(leaf.key.technique, engine), settings.parameters_of(leaf.key.technique)
    together = found.together
    if found.fitting and missing:
        units = [draw_units(sampling, len(corpus), settings.seed, draw) for draw in draws]
        together = min(together, found.fitting(corpus, units, parameters))
    for start in range(0, len(missing), together):
        runs = tuple(missing[start : start + together])
        yield Task(
            leaf.folder,
            leaf.key.technique,
            sampling,
            parameters,
            runs,
            tuple(draws[start : start + together]),
            tuple(_training_seed(settings, leaf, run if "training" in settings.vary else 0) for run in runs),
            settings.seed,
            engine,
            programs_per_run,
        )


def _training_seed(settings: TrainingSettings, leaf: Leaf, run: int) -> int:
    if leaf.shared_seeds:
        return shared_training_seed(settings.seed, run)
    return training_seed(settings.seed, cast(Sampling, leaf.key.sampling), run)


def _train(tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings) -> Iterator[tuple[Task, str | None]]:
    """Train tasks, those of a GPU here and one after the other; yields each with why it failed, if it failed."""
    yield from (attempt(task, corpus) for task in tasks if task.engine == "gpu")
    if others := [task for task in tasks if task.engine != "gpu"]:
        yield from _in_parallel(others, corpus, settings)


def _in_parallel(
    tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings
) -> Iterator[tuple[Task, str | None]]:
    """Train tasks as processes come free."""
    import joblib

    try:
        configured = joblib.parallel_config(backend=settings.parallel, n_jobs=settings.jobs)
    except (ValueError, ImportError) as error:
        raise InputError(f"{option('parallel')} is '{settings.parallel}': {' '.join(str(error).split())}") from None
    with configured:
        jobs = (joblib.delayed(attempt)(task, corpus) for task in tasks)
        yield from joblib.Parallel(return_as="generator_unordered")(jobs)


def _record(settings: TrainingSettings, corpus: Corpus) -> dict[str, Any]:
    parameters = {name: settings.parameters_of(name).model_dump(mode="json") for name in settings.techniques}
    return {
        **settings.model_dump(mode="json", exclude={"parameters", "jobs", "parallel"}),
        "parameters": parameters,
        "engines": {name: engine_record(name, *engine_of(name, settings)) for name in settings.techniques},
        "corpus": corpus_record(corpus),
        "dropped": corpus.dropped,
    }


class _Trained(NamedTuple):
    """The runs of one leaf."""

    group: str
    runs: int
    trained_now: int
    seconds_per_run: float
    words: str


def _group_table(leaves: Sequence[Leaf], tasks: Sequence[Task]) -> Table:
    table = []
    for leaf in leaves:
        runs, seconds, words = 0, 0.0, []
        for file in open_leaf(leaf.folder, leaf.key).sources:
            with open_rows(file) as rows:  # not the vectors, which may be gigabytes
                runs += 1
                seconds += read_metadata(rows).get("seconds", math.nan)
                words.append(len(rows))
        words.sort()
        now = sum(len(task.runs) for task in tasks if task.folder == leaf.folder)
        span = f"{words[0]:,}" if words[0] == words[-1] else f"{words[0]:,} – {words[-1]:,}"
        table.append(_Trained(str(leaf.key), runs, now, seconds / runs, span))
    return Table.of(table)


def _corpus_notes(corpus: Corpus) -> Iterator[str]:
    left_out = ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in corpus.dropped.items() if n)
    size = f"{len(corpus):,} {corpus.unit}s, {len(corpus.tokens):,} tokens, {len(corpus.vocabulary):,} words"
    yield f"{corpus.name}: {size}{f'; left out: {left_out}' if left_out else ''}."
    yield from (f"{note}." for note in corpus.notes)
    if len(corpus) < _FEW_UNITS:
        yield f"{len(corpus)} {corpus.unit}s are few to draw from: what bootstrap runs differ by is a matter of chance."


def _engine_notes(tasks: Sequence[Task]) -> Iterator[str]:
    on_gpu = [task for task in tasks if task.engine == "gpu"]
    if any(len(task.runs) > 1 for task in on_gpu):
        largest = max(len(task.runs) for task in on_gpu)
        yield f"Up to {largest} runs were trained at once by engine gpu: a run's seconds are its share of theirs."
    if any(task.programs_per_run > 1 for task in on_gpu):
        yield "Several programs trained a run (Hogwild): the same call again would give other vectors."


def _shared_seeds(leaves: Sequence[Leaf]) -> Iterator[str]:
    if old := [str(leaf.key) for leaf in leaves if leaf.shared_seeds]:
        yield (
            f"{', '.join(old)}: begun when run number r of every sampling trained with one seed, and finished so. Such "
            "groups are not independent; of a technique that sees no order (glove), fixed and shuffled runs are equal."
        )


def _copies(leaf: Leaf, settings: TrainingSettings) -> Iterator[str]:
    """Two runs that should differ and do not: then stability is falsely perfect."""
    if settings.runs < 2:
        return
    first, second = (read_space(run_file(leaf.folder, run)) for run in (0, 1))
    if first.vocabulary == second.vocabulary and torch.equal(first.vectors, second.vectors):
        planned = "training" not in settings.vary and ("draw" not in settings.vary or leaf.key.sampling == "fixed")
        why = "as planned: nothing varies between them" if planned else "the seed has no effect on this technique"
        message = f"{leaf.key}: runs 0 and 1 are equal, {why}."
        log.warning(message)
        yield message
