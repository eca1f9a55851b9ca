"""What is told of a training that is done: its record, a row per group, notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from gpustab.corpus.corpus import Corpus
from gpustab.errors import option
from gpustab.formats.binary.safetensors import read_metadata
from gpustab.formats.binary.safetensors_rows import open_rows
from gpustab.formats.registry import read_space
from gpustab.machine.device import log
from gpustab.results import Table
from gpustab.results.page import counted
from gpustab.runs.runset import open_leaf
from gpustab.training.engines import engine_of, engine_record
from gpustab.training.leaves import Leaf, corpus_record, run_file
from gpustab.training.settings import TrainingSettings
from gpustab.training.tasks import Task

_FEW_UNITS = 30


def record_of(settings: TrainingSettings, corpus: Corpus) -> dict[str, Any]:
    """Return what the run set records of the call that made it."""
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


def engine_notes(tasks: Sequence[Task]) -> Iterator[str]:
    """Say how runs were trained together."""
    on_gpu = [task for task in tasks if task.on_card]
    if any(len(task.runs) > 1 for task in on_gpu):
        largest = max(len(task.runs) for task in on_gpu)
        yield f"Up to {largest} runs were trained at once on a GPU: a run's seconds are its share of theirs."
    if any(task.programs_per_run > 1 for task in on_gpu):
        yield (
            "Several programs trained a run (Hogwild): the same call again would give other vectors, and such runs lie "
            "farther apart than those of one program (skip-gram on sotu: 0.0224 instead of 0.0204), so that their "
            f"instability is biased; {option('programs_per_run', 1)} is not."
        )


def seed_notes(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Say which groups were begun with the seeds that samplings once shared."""
    if old := [str(leaf.key) for leaf in leaves if leaf.shared_seeds]:
        yield (
            f"{', '.join(old)}: begun when run number r of every sampling trained with one seed, and finished so. Such "
            "groups are not independent; of a technique that sees no order (glove), fixed and shuffled runs are equal."
        )


def copy_notes(leaf: Leaf, settings: TrainingSettings) -> Iterator[str]:
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
