"""Training what a plan wants and a run set lacks: on a whole corpus, on both of its halves, or on all of its epochs."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.evidence import Evidence, shared_column
from gpustab.corpus.periods import Periods
from gpustab.corpus.slices import count_periods, epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.errors import InputError, as_flags, option
from gpustab.formats.binary.safetensors import open_rows, read_metadata
from gpustab.machine.device import choose_device
from gpustab.machine.environment import environment
from gpustab.machine.log import log
from gpustab.machine.progress import Progress, no_progress
from gpustab.report import Result
from gpustab.report.origin import in_words
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.manifest import OUTPUT, run_file
from gpustab.runs.place import check_place
from gpustab.runs.runset import names_runs, open_leaf, update_manifest
from gpustab.training.engines import Trainer, check_dimensions, resolve_engine, trainers_of
from gpustab.training.one_text import check_text
from gpustab.training.plan import Leaf, Task, begun, corpus_record, leaves_of, part_of, tasks_of, training_alone
from gpustab.training.settings import TrainingSettings
from gpustab.training.workers import check_workers, train_all

_FEW_UNITS = 30


def record_of(settings: TrainingSettings, trainers: Sequence[Trainer], corpus: Corpus) -> dict[str, Any]:
    """Return what the run set records of the call that made it."""
    return {
        **settings.model_dump(mode="json", exclude={"parameters", "jobs", "parallel"}),
        "parameters": {trainer.name: trainer.parameters.model_dump(mode="json") for trainer in trainers},
        "engines": {trainer.name: trainer.engine_record for trainer in trainers},
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


def group_table(leaves: Sequence[Leaf], tasks: Sequence[Task]) -> Table:
    """Return a row per group."""
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
        span = f"{words[0]:,}" if words[0] == words[-1] else f"{words[0]:,}–{words[-1]:,}"
        table.append(_Trained(str(leaf.key), runs, now, seconds / runs, span))
    return Table.of(table)


def notes_on(
    corpus: Corpus, leaves: Sequence[Leaf], tasks: Sequence[Task], settings: TrainingSettings, *, told: bool = False
) -> list[str]:
    """Return what is to be said of a training; of the corpus, unless that was ``told`` before, what it is."""
    notes = [
        *corpus_notes(corpus, told=told),
        *_engine_notes(tasks),
        *_seed_notes(leaves),
        *_output_notes(leaves, settings),
    ]
    return notes + [note for leaf in leaves for note in _copy_notes(leaf, settings)]


def corpus_notes(corpus: Corpus, *, told: bool = False, drawn: bool = True) -> Iterator[str]:
    """Say what the corpus is, and what was left out of it; what the evidence tells, unless it was told before.

    Args:
        corpus: the corpus.
        told: whether the evidence was told before.
        drawn: whether bootstrap runs may be drawn of it.
    """
    dropped = {what.replace("_", " ").removesuffix("s"): n for what, n in corpus.dropped.items()}
    left_out = ", ".join(counted(n, what) for what, n in dropped.items() if n)
    size = ", ".join(counted(n, noun) for n, noun in corpus.sizes)
    yield f"{corpus.name}: {size}{f'; left out: {left_out}' if left_out else ''}."
    if not told:
        yield from (f"{note}." for note in corpus.notes)
        if corpus.unit == "document" and (shared := shared_column(corpus.records)):
            yield f"{shared.says}: {as_flags(shared.way)}."
    if drawn and corpus.draws < _FEW_UNITS:
        few = counted(corpus.draws, corpus.drawn, "is/are")
        yield f"{few} few to draw from: what bootstrap runs differ by is a matter of chance."


def _engine_notes(tasks: Sequence[Task]) -> Iterator[str]:
    on_card = [task for task in tasks if task.trainer.on_card]
    if any(len(task.runs) > 1 for task in on_card):
        largest = max(len(task.runs) for task in on_card)
        yield f"Up to {largest} runs were trained at once on a GPU: a run's seconds are its share of theirs."


def _seed_notes(leaves: Sequence[Leaf]) -> Iterator[str]:
    if old := [str(leaf.key) for leaf in leaves if leaf.shared_seeds]:
        yield (
            f"{', '.join(old)}: begun when run number r of every sampling trained with one seed, and finished so. Such "
            "groups are not independent; of a technique that sees no order (glove), fixed and shuffled runs are equal."
        )


def _output_notes(leaves: Sequence[Leaf], settings: TrainingSettings) -> Iterator[str]:
    if settings.keep_output:
        names = ", ".join(str(leaf.key) for leaf in leaves)
        yield f"{names}: the output vectors of every run lie in the folder {OUTPUT} of the group, under the run's name."


def _copy_notes(leaf: Leaf, settings: TrainingSettings) -> Iterator[str]:
    """Two runs that should differ and do not: then stability is falsely perfect."""
    if settings.runs < 2:
        return
    if _equal(run_file(leaf.folder, 0), run_file(leaf.folder, 1)):
        planned = "training" not in settings.vary and ("draw" not in settings.vary or leaf.key.sampling == "fixed")
        why = "as planned: nothing varies between them" if planned else "the seed has no effect here"
        message = f"{leaf.key}: runs 0 and 1 are equal, {why}."
        log.warning(message)
        yield message


def _equal(one: Path, other: Path) -> bool:
    with open_rows(one) as first, open_rows(other) as second:
        for rows in (first, second):
            rows.check()
        tensors = ((rows.tensor("offsets", torch.int64), rows.tensor("words", torch.uint8)) for rows in (first, second))
        words = all(map(torch.equal, *tensors))
        return first.shape == second.shape and words and torch.equal(first[:], second[:])


def train_runs(
    settings: TrainingSettings,
    folder: Path,
    *,
    progress: Progress | None = None,
    announce: Callable[[TrainingSettings], None] | None = None,
    inform: Callable[[Evidence], None] | None = None,
    prepare: Callable[[], Corpus] | None = None,
    periods: Sequence[str] = (),
) -> Result:
    """Train what a plan wants and the run set does not have yet; finished runs are kept.

    Every run appears whole or not at all, so that a call that was killed at any moment is taken up by the next one,
    with the same vectors. Which engine trains is decided first, and each leaf keeps to its own.

    Args:
        settings: the plan.
        folder: the run set; made if it is not there.
        progress: called with the name of the work and its finished part.
        announce: called with the settings in force when all of them are checked, before the first run is trained.
        inform: called with the evidence of the corpus before the first run is trained; then the notes of the answer
            leave out what it tells.
        prepare: gives the whole corpus of the plan, where several calls share one; default: it is read.
        periods: what is recorded of the periods of the whole corpus, of one of them: sentences.

    Returns:
        The table ``groups``: runs, how many of them were trained now, seconds per run, words.

    Raises:
        InputError: if the plan contradicts what is there, or the corpus cannot be used: a strong doubt, say, where
            ``settings.options.as_is`` is not set.
        ComputationError: if runs failed; the others are there.
    """
    started = time.perf_counter()
    check_place(folder, settings.corpus)
    if settings.epochs_by and not settings.epoch:
        raise InputError(
            f"{option('epochs_by', settings.epochs_by)}: train_runs trains one part; train_epochs trains all"
        )
    if settings.control and not settings.epochs_by:
        raise InputError(f"{option('control', settings.control)}: is a split of periods; give epochs_by and epoch")
    if settings.half and settings.epoch:
        raise InputError(f"{option('half', settings.half)} and {option('epoch', settings.epoch)}: one part at a time")
    settings = resolve_engine(settings)
    check_workers(settings.parallel, settings.jobs)
    trainers = trainers_of(settings)
    (progress or no_progress)(f"reading {settings.corpus}", 0.0)
    whole = prepare() if prepare else prepare_corpus(settings.corpus, settings.options, look=bool(inform))
    part, corpus = part_of(whole, settings)
    check_text(folder, settings, whole, part, corpus)
    _check_units(corpus, settings)
    check_dimensions(trainers, corpus)
    leaves = leaves_of(settings, trainers, part, folder)
    with training_alone(leaf.folder for leaf in leaves):
        leaves = [begun(leaf, settings, corpus) for leaf in leaves]
        tasks = [task for leaf in leaves for task in tasks_of(leaf, settings, corpus)]
        if announce:
            announce(settings)
        if inform and corpus.evidence:
            inform(corpus.evidence)
        train_all(tasks, corpus, settings.parallel, settings.jobs, progress)
    record = record_of(settings, trainers, corpus) | ({"periods": list(periods)} if periods else {})
    finished = not tasks and names_runs(folder, {leaf.key: settings.runs for leaf in leaves})
    if not finished:
        update_manifest(folder, {leaf.key: settings.runs for leaf in leaves}, record)
    result = Result("train", record, tables={"groups": group_table(leaves, tasks)})
    result.groups = [{"name": str(leaf.key), "runs": settings.runs} for leaf in leaves]
    kinds = "; ".join(f"{settings.runs} of {in_words(str(leaf.key))}" for leaf in leaves)
    runs = settings.runs * len(leaves)
    there = f"{counted(runs, 'run')} on {corpus.name} {'was' if runs == 1 else 'were'} there already: {kinds}."
    trained = f"{counted(runs, 'run')} {'is' if runs == 1 else 'are'} trained on {corpus.name}: {kinds}."
    result.verdict = [f"{there} Nothing was trained." if finished else trained]
    result.notes = notes_on(corpus, leaves, tasks, settings, told=bool(inform and corpus.evidence))
    if finished:
        result.notes.insert(0, f"{folder}: all runs of this plan were there already; nothing was done.")
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
    prepare = how.pop("prepare", None) or _once(settings, how)
    return _train_parts(settings, [{"half": half} for half in ("a", "b")], folder, prepare, how)


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
    prepare = how.pop("prepare", None) or _once(settings, how)
    unclear = settings.options.unclear_dates
    names = [dict(epoch.part)["epoch"] for epoch in epoch_slices(prepare(), settings.epochs_by, unclear_dates=unclear)]
    said = _told(count_periods(prepare(), settings.epochs_by, unclear))
    parts = [{"epoch": name, "control": control} for control in range(splits + 1) for name in names]
    result = _train_parts(settings, parts, folder, prepare, {**how, "periods": said})
    result.notes = [*(f"{sentence}." for sentence in said), *result.notes]
    return result


def _told(periods: Periods) -> list[str]:
    """Return what is to be said of the periods of a corpus, which is said before anything is trained."""
    doubts = [f"periods by {periods.column}: {doubt}" for doubt in periods.doubts]
    log.log(logging.WARNING if periods.left or doubts else logging.INFO, periods.summary)
    for doubt in doubts:
        log.warning(doubt)
    return [periods.summary, *doubts]


def _check_units(corpus: Corpus, settings: TrainingSettings) -> None:
    if corpus.draws < 2 and set(settings.samplings) != {"fixed"}:
        ways = [option("unit", "sentence")] if corpus.unit == "document" else []
        ways += [f"{option('sampling', 'fixed')} and no other"]
        raise InputError(
            f"{corpus.name}: one {corpus.drawn} is nothing to draw from; give more, or {' or '.join(ways)}"
        )


def _once(settings: TrainingSettings, how: dict[str, Any]) -> Callable[[], Corpus]:
    """Return what reads the corpus when it is first wanted, and keeps it for all parts."""
    return cache(lambda: prepare_corpus(settings.corpus, settings.options, look=bool(how.get("inform"))))


def _train_parts(
    settings: TrainingSettings,
    parts: Sequence[dict[str, Any]],
    folder: Path,
    prepare: Callable[[], Corpus],
    how: dict[str, Any],
) -> Result:
    """Train one part after the other; the answers are put together, and the settings announced once."""
    plans = [settings.model_copy(update=part) for part in parts]
    told = (lambda _: None) if how.get("inform") else None
    first = train_runs(plans[0], folder, prepare=prepare, **how)
    for plan in plans[1:]:
        first.add(train_runs(plan, folder, prepare=prepare, **how | {"announce": None, "inform": told}))
    return first
