"""Training what a plan wants and a run set lacks: on a whole corpus, on both of its halves, or on all of its epochs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.slices import epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, option
from gpustab.machine.device import choose_device
from gpustab.machine.environment import environment
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.runs.runset import update_manifest
from gpustab.training.engines import check_dimensions, resolve_engine, trainers_of
from gpustab.training.plan import begun, leaves_of, part_of, tasks_of, training_alone
from gpustab.training.settings import TrainingSettings
from gpustab.training.summary import group_table, notes_on, record_of
from gpustab.training.workers import check_workers, train_all


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
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; a run set is a folder")
    settings = resolve_engine(settings)
    check_workers(settings.parallel, settings.jobs)
    trainers = trainers_of(settings)
    (progress or no_progress)(f"reading {settings.corpus}", 0.0)
    part, corpus = part_of(prepare() if prepare else prepare_corpus(settings.corpus, settings.options), settings)
    _check_units(corpus, settings)
    check_dimensions(trainers, corpus)
    leaves = leaves_of(settings, trainers, part, folder)
    with training_alone(leaf.folder for leaf in leaves):
        leaves = [begun(leaf, settings, corpus) for leaf in leaves]
        tasks = [task for leaf in leaves for task in tasks_of(leaf, settings, corpus)]
        if announce:
            announce(settings)
        train_all(tasks, corpus, settings.parallel, settings.jobs, progress)
    record = record_of(settings, trainers, corpus)
    update_manifest(folder, {leaf.key: settings.runs for leaf in leaves}, record)
    result = Result("train", record, tables={"groups": group_table(leaves, tasks)})
    result.groups = [{"name": str(leaf.key), "runs": settings.runs} for leaf in leaves]
    result.notes = notes_on(corpus, leaves, tasks, settings)
    device = choose_device() if any(task.trainer.on_card for task in tasks) else torch.device("cpu")
    result.environment = environment(device) | {"seconds": time.perf_counter() - started}
    return result


def train_halves(settings: TrainingSettings, folder: Path, **how: Any) -> Result:
    """Train what a plan wants on each half of the documents, drawn once at random by the plan's seed.

    Args:
        settings: the plan.
        folder: the run set; its groups are called ``.../half=a`` and ``.../half=b``.
        **how: as :func:`train_runs` takes it.
    """
    return _train_parts(settings, [{"half": half} for half in ("a", "b")], folder, _once(settings), how)


def train_epochs(settings: TrainingSettings, folder: Path, *, splits: int = 0, **how: Any) -> Result:
    """Train what a plan wants on each epoch, and on the epochs of random splits of the same documents.

    Args:
        settings: the plan, with ``epochs_by``.
        folder: the run set; its groups are called ``.../epoch=1790-1809`` and ``.../control=1/epoch=1790-1809``.
        splits: how many splits as a control.
        **how: as :func:`train_runs` takes it.

    Raises:
        InputError: as that function, and if the corpus has fewer than two such epochs.
    """
    prepare = _once(settings)
    names = [dict(epoch.part)["epoch"] for epoch in epoch_slices(prepare(), settings.epochs_by)]
    parts = [{"epoch": name, "control": control} for control in range(splits + 1) for name in names]
    return _train_parts(settings, parts, folder, prepare, how)


def _check_units(corpus: Corpus, settings: TrainingSettings) -> None:
    """Refuse to draw from one unit."""
    if len(corpus) < 2 and set(settings.samplings) != {"fixed"}:
        ways = [option("unit", "sentence")] if corpus.unit == "document" else []
        ways += [f"fixed {option('sampling')} alone"]
        raise InputError(f"{corpus.name}: one {corpus.unit} is nothing to draw from; give more, or {' or '.join(ways)}")


def _once(settings: TrainingSettings) -> Callable[[], Corpus]:
    """Return what reads the corpus when it is first wanted, and keeps it for all parts."""
    return cache(lambda: prepare_corpus(settings.corpus, settings.options))


def _train_parts(
    settings: TrainingSettings,
    parts: Sequence[dict[str, Any]],
    folder: Path,
    prepare: Callable[[], Corpus],
    how: dict[str, Any],
) -> Result:
    """Train one part after the other; the answers are put together, and the settings announced once."""
    plans = [settings.model_copy(update=part) for part in parts]
    first = train_runs(plans[0], folder, prepare=prepare, **how)
    for plan in plans[1:]:
        first.add(train_runs(plan, folder, prepare=prepare, **how | {"announce": None}))
    return first
