"""Training the missing runs of a plan, several at a time, one thread each."""

from __future__ import annotations

import itertools
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sampling, draw_units, shared_training_seed, training_seed
from gpustab.corpus.slices import epoch_slices, halves
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import ComputationError, InputError, option
from gpustab.machine.device import choose_device
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.runs.key import Key, Part
from gpustab.runs.runset import update_manifest
from gpustab.trainers import technique
from gpustab.training.clusters import returned_as, working
from gpustab.training.engines import engine_of, resolve_engine
from gpustab.training.fit import check_dimensions
from gpustab.training.leaves import (
    Leaf,
    keep_to_plan,
    missing_runs,
    plan_of,
    training_alone,
)
from gpustab.training.marks import Watch, watching
from gpustab.training.outputs import check_output, output_notes
from gpustab.training.settings import TrainingSettings
from gpustab.training.summary import (
    copy_notes,
    corpus_notes,
    engine_notes,
    group_table,
    record_of,
    seed_notes,
)
from gpustab.training.tasks import Task, attempt


def train_runs(
    settings: TrainingSettings,
    folder: Path,
    *,
    progress: Progress | None = None,
    announce: Callable[[TrainingSettings], None] | None = None,
    prepare: Callable[[], Corpus] | None = None,
) -> Result:
    """Train what a plan wants and the run set does not have yet; finished runs are kept.

    Every run appears whole or not at all, so that a call that was killed at any moment is taken up by the next one,
    with the same vectors (but for Hogwild, see :class:`TrainingSettings`). Which engine trains is decided first, and
    each leaf keeps to its own.

    Args:
        settings: the plan.
        folder: the run set; made if it is not there.
        progress: called with the name of the work and its finished part.
        announce: called with the settings in force when all of them are checked, before the first run is trained.
        prepare: gives the whole corpus of the plan, where several calls share one; default: it is read.

    Returns:
        The table ``groups``: runs, how many of them were trained now, seconds per run, words.

    Raises:
        InputError: if the plan contradicts what is there, or the corpus cannot be used.
        ComputationError: if runs failed; the others are there.
    """
    started = time.perf_counter()
    report = progress or no_progress
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a run set is a folder")
    settings = resolve_engine(settings)
    _check_parallel(settings)
    check_output(settings)
    report(f"reading {settings.corpus}", 0.0)
    corpus = prepare() if prepare else prepare_corpus(settings.corpus, settings.options)
    part, corpus = _slice(corpus, settings)
    if len(corpus) < 2 and set(settings.samplings) != {"fixed"}:
        ways = [option("unit", "sentence")] if corpus.unit == "document" else []
        ways += [f"fixed {option('sampling')} alone"]
        raise InputError(f"{corpus.name}: one {corpus.unit} is nothing to draw from; give more, or {' or '.join(ways)}")
    check_dimensions(settings, corpus)
    keys = _keys(settings, part)
    with training_alone(folder / key.path for key in keys):
        leaves = [_open_leaf(key, settings, corpus, folder) for key in keys]
        tasks = [task for leaf in leaves for task in _tasks(settings, leaf, corpus)]
        if announce:
            announce(settings)
        _train_all(tasks, corpus, settings, progress)
    update_manifest(folder, {leaf.key: settings.runs for leaf in leaves}, record_of(settings, corpus))
    result = Result("train", record_of(settings, corpus), tables={"groups": group_table(leaves, tasks)})
    result.groups = [{"name": str(leaf.key), "runs": settings.runs} for leaf in leaves]
    result.notes = [*corpus_notes(corpus), *engine_notes(tasks)]
    result.notes += [*seed_notes(leaves), *output_notes(leaves, settings)]
    result.notes += [note for leaf in leaves for note in copy_notes(leaf, settings)]
    device = choose_device() if any(task.on_card for task in tasks) else torch.device("cpu")
    result.environment = environment(device) | {"seconds": time.perf_counter() - started}
    return result


def _slice(corpus: Corpus, settings: TrainingSettings) -> tuple[Part, Corpus]:
    """Return the part of the corpus that a plan is for, and what sets it apart."""
    if settings.epoch:
        found = epoch_slices(corpus, settings.epochs_by, settings.control, settings.seed)
        for part, own in found:
            if ("epoch", settings.epoch) in part:
                return part, own
        names = ", ".join(dict(part)["epoch"] for part, _ in found)
        raise InputError(f"{option('epoch', settings.epoch)}: there is no such epoch; there are {names}")
    if settings.half:
        return (("half", settings.half),), halves(corpus, settings.seed)["ab".index(settings.half)].corpus
    return (), corpus


def _keys(settings: TrainingSettings, part: Part) -> list[Key]:
    """What groups a plan is of."""
    options = settings.options
    pairs = itertools.product(settings.techniques, settings.samplings)
    return [Key(technique_name, sampling, options.unit, options.fraction, part) for technique_name, sampling in pairs]


def _open_leaf(key: Key, settings: TrainingSettings, corpus: Corpus, folder: Path) -> Leaf:
    shared = keep_to_plan(folder / key.path, plan_of(key, settings, corpus))
    return Leaf(key, folder / key.path, shared)


def _train_all(tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings, progress: Progress | None) -> None:
    """Train tasks, whatever fails among them.

    Raises:
        ComputationError: at the end, if some failed.
    """
    runs = [(task.name, task.sampling, run) for task in tasks for run in task.runs]
    failures = []
    with ExitStack() as closing:
        watch, marks = None, None
        if progress and runs:
            progress(f"training 0 of {len(runs)} runs", 0.0)
            marks = Path(closing.enter_context(TemporaryDirectory()))
            watch = closing.enter_context(watching(Watch(runs, marks, progress)))
        for task, failure in _train(tasks, corpus, settings, marks):
            if watch:
                watch.finished(task.name, task.sampling, task.runs)
            if failure:
                failures.append(failure)
    if failures:
        others = "none is there" if len(failures) == len(tasks) else "the others are there"
        raise ComputationError(f"{len(failures)} of {len(tasks)} trainings failed, {others}: {'; '.join(failures[:3])}")


def _tasks(settings: TrainingSettings, leaf: Leaf, corpus: Corpus) -> Iterator[Task]:
    missing, sampling = (
        missing_runs(leaf.folder, settings.runs, settings.keep_output),
        cast(Sampling, leaf.key.sampling),
    )
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
            settings.keep_output,
        )


def _training_seed(settings: TrainingSettings, leaf: Leaf, run: int) -> int:
    if leaf.shared_seeds:
        return shared_training_seed(settings.seed, run)
    return training_seed(_own_seed(settings), cast(Sampling, leaf.key.sampling), run)


def _own_seed(settings: TrainingSettings) -> int:
    """Runs of one number in two parts of a corpus must not begin with the same vectors."""
    if settings.epoch:
        return int(zlib.crc32(f"{settings.seed} {settings.epoch} {settings.control}".encode()))
    return settings.seed + 1 if settings.half == "b" else settings.seed


def _train(
    tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings, marks: Path | None
) -> Iterator[tuple[Task, str | None]]:
    """Train tasks, those of a GPU here and one after the other; yields each with why it failed, if it failed."""
    yield from (attempt(task, corpus, marks) for task in tasks if task.on_card)
    if others := [task for task in tasks if not task.on_card]:
        yield from _in_parallel(others, corpus, settings, marks)


def _in_parallel(
    tasks: Sequence[Task], corpus: Corpus, settings: TrainingSettings, marks: Path | None
) -> Iterator[tuple[Task, str | None]]:
    """Train tasks as processes come free."""
    import joblib

    with working(settings.parallel, settings.jobs):
        jobs = (joblib.delayed(attempt)(task, corpus, marks) for task in tasks)
        yield from joblib.Parallel(return_as=returned_as(settings.parallel))(jobs)


def _check_parallel(settings: TrainingSettings) -> None:
    """Refuse what cannot be trained on, before the corpus is read.

    Raises:
        InputError: if there is no such back end or cluster, or it contradicts the number of jobs.
    """
    here, jobs = ("multiprocessing", "threading"), settings.jobs
    if (settings.parallel in here and jobs == 1) or (settings.parallel == "sequential" and jobs > 1):
        raise InputError(f"{option('parallel', settings.parallel)} and {option('jobs', jobs)} contradict each other")
    with working(settings.parallel, settings.jobs):
        pass
