"""What is told of a training that is done: its record, a row per group, notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.errors import option
from gpustab.formats.binary.safetensors import read_metadata
from gpustab.formats.binary.safetensors_rows import open_rows
from gpustab.machine.device import log
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.files import OUTPUT, run_file
from gpustab.runs.runset import open_leaf
from gpustab.training.engines import Trainer
from gpustab.training.plan import Leaf, Task, corpus_record
from gpustab.training.settings import TrainingSettings

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
        span = f"{words[0]:,}" if words[0] == words[-1] else f"{words[0]:,} – {words[-1]:,}"
        table.append(_Trained(str(leaf.key), runs, now, seconds / runs, span))
    return Table.of(table)


def notes_on(corpus: Corpus, leaves: Sequence[Leaf], tasks: Sequence[Task], settings: TrainingSettings) -> list[str]:
    """Return what is to be said of a training."""
    notes = [*corpus_notes(corpus), *_engine_notes(tasks), *_seed_notes(leaves), *_output_notes(leaves, settings)]
    return notes + [note for leaf in leaves for note in _copy_notes(leaf, settings)]


def corpus_notes(corpus: Corpus) -> Iterator[str]:
    """Say what the corpus is, and what was left out of it."""
    dropped = {what.replace("_", " ").removesuffix("s"): n for what, n in corpus.dropped.items()}
    left_out = ", ".join(counted(n, what) for what, n in dropped.items() if n)
    sizes = (len(corpus), corpus.unit), (len(corpus.tokens), "token"), (len(corpus.vocabulary), "word")
    size = ", ".join(counted(n, noun) for n, noun in sizes)
    yield f"{corpus.name}: {size}{f'; left out: {left_out}' if left_out else ''}."
    yield from (f"{note}." for note in corpus.notes)
    if len(corpus) < _FEW_UNITS:
        few = counted(len(corpus), corpus.unit, "is/are")
        yield f"{few} few to draw from: what bootstrap runs differ by is a matter of chance."


def _engine_notes(tasks: Sequence[Task]) -> Iterator[str]:
    """Say how runs were trained together."""
    on_card = [task for task in tasks if task.trainer.on_card]
    if any(len(task.runs) > 1 for task in on_card):
        largest = max(len(task.runs) for task in on_card)
        yield f"Up to {largest} runs were trained at once on a GPU: a run's seconds are its share of theirs."
    if any(task.trainer.programs_per_run > 1 for task in on_card):
        yield (
            "Several programs trained a run (Hogwild): the same call again would give other vectors, and such runs lie "
            "farther apart than those of one program (skip-gram on sotu: 0.0224 instead of 0.0204), so that their "
            f"instability is biased; {option('programs_per_run', 1)} is not."
        )


def _seed_notes(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Say which groups were begun with the seeds that samplings once shared."""
    if old := [str(leaf.key) for leaf in leaves if leaf.shared_seeds]:
        yield (
            f"{', '.join(old)}: begun when run number r of every sampling trained with one seed, and finished so. Such "
            "groups are not independent; of a technique that sees no order (glove), fixed and shuffled runs are equal."
        )


def _output_notes(leaves: Sequence[Leaf], settings: TrainingSettings) -> Iterator[str]:
    """Say where output vectors were kept."""
    if settings.keep_output:
        names = ", ".join(str(leaf.key) for leaf in leaves)
        yield f"{names}: the output vectors of every run lie in the folder {OUTPUT} of the group, under the run's name."


def _copy_notes(leaf: Leaf, settings: TrainingSettings) -> Iterator[str]:
    """Two runs that should differ and do not: then stability is falsely perfect."""
    if settings.runs < 2:
        return
    if _equal(run_file(leaf.folder, 0), run_file(leaf.folder, 1)):
        planned = "training" not in settings.vary and ("draw" not in settings.vary or leaf.key.sampling == "fixed")
        why = "as planned: nothing varies between them" if planned else "the seed has no effect on this technique"
        message = f"{leaf.key}: runs 0 and 1 are equal, {why}."
        log.warning(message)
        yield message


def _equal(one: Path, other: Path) -> bool:
    """Tell whether two runs have the same words and vectors."""
    with open_rows(one) as first, open_rows(other) as second:
        tensors = ((rows.tensor("offsets", torch.int64), rows.tensor("words", torch.uint8)) for rows in (first, second))
        words = all(map(torch.equal, *tensors))
        return first.shape == second.shape and words and torch.equal(first[:], second[:])
