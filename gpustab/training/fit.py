"""One task, from the draws of its runs to their files."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample, draw_units, sample
from gpustab.errors import ComputationError, InputError, marked, option
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.registry import read_space
from gpustab.runs.files import output_file, run_file
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.trainers.base import Tell, Vectors, WithOutput, tell_nobody
from gpustab.training.plan import Task


def attempt(task: Task, corpus: Corpus, tell: Tell = tell_nobody) -> tuple[Task, str | None]:
    """Train one task; a failure is told, not raised, so that it does not stop the others.

    Args:
        task: what to train.
        corpus: what its samples are drawn from.
        tell: called with the number of a sample, from 0, and its finished part.
    """
    from threadpoolctl import threadpool_limits

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            _train(task, corpus, tell)
    # RuntimeError: ARPACK that does not converge, memory that runs out on a card; LinAlgError: NumPy's solvers.
    except (RuntimeError, InputError, OSError, MemoryError, np.linalg.LinAlgError) as error:
        return task, f"{task.trainer.name} {task.sampling}, run {task.runs[0]}: {marked(error)}"
    finally:
        torch.set_num_threads(threads)
    return task, None


def _train(task: Task, corpus: Corpus, tell: Tell) -> None:
    tell(0, 0.0)
    trainer, technique = task.trainer, task.trainer.technique
    samples = [sample(corpus, draw_units(task.sampling, len(corpus), task.seed, draw)) for draw in task.draws]
    empty = next((run for run, s in zip(task.runs, samples, strict=True) if len(s.words) < 2), None)
    if empty is not None:
        raise InputError(f"the sample of run {empty} holds fewer than two words")
    options: dict[str, Any] = {"programs_per_run": trainer.programs_per_run} if trainer.engine == "gpu" else {}
    telling = {"tell": tell} if technique.tells else {}
    train = technique.with_output if task.keep_output and technique.with_output else technique.train
    started = time.perf_counter()
    trained: list[Any] = train(samples, trainer.parameters, task.seeds, **options, **telling)
    seconds = (time.perf_counter() - started) / len(task.runs)
    for run, part, rows, seed in zip(task.runs, samples, trained, task.seeds, strict=True):
        record = _record(task, corpus, run, seed) | {"seconds": round(seconds, 3)}
        vectors, output = rows if isinstance(rows, WithOutput) else (rows, None)
        names = technique.items(part, trainer.parameters) if technique.items else None
        _write(_space(part, names, vectors, run, record), run_file(task.folder, run), output)


def _write(space: Space, path: Path, output: Vectors | None) -> None:
    """Write a run, and before it its output vectors; a run that is there is not written again.

    Raises:
        ComputationError: if a run is there and is another one: its output vectors are lost.
    """
    if output is not None:
        if path.is_file() and not torch.equal(read_space(path).vectors, space.vectors):
            raise ComputationError(
                f"{path} was trained without output vectors, and training it again gives another run (on another "
                f"machine, or by more than one program): take another run set with {option('keep_output')}"
            )
        output_file(path).parent.mkdir(exist_ok=True)
        write_safetensors(replace(space, vectors=torch.from_numpy(output)), output_file(path))
    if output is None or not path.is_file():
        write_safetensors(space, path)


def _record(task: Task, corpus: Corpus, run: int, seed: int) -> dict[str, Any]:
    return {
        "technique": task.trainer.name,
        "sampling": task.sampling,
        "run": run,
        "seed": task.seed,
        "training_seed": seed,
        "parameters": task.trainer.parameters.model_dump(mode="json"),
        "corpus": corpus.hash,
        **task.trainer.engine_record,
        **task.trainer.card,
        "trained_together": len(task.runs),
    }


def _space(part: Sample, names: list[bytes] | None, rows: Vectors, run: int, record: dict[str, Any]) -> Space:
    """A run's vectors with the names of what they are of, or its words and their counts."""
    draw, counts = torch.from_numpy(part.draw), None
    if names is None:
        names = [part.corpus.vocabulary[i] for i in part.words.tolist()]
        counts = torch.from_numpy(part.counts[part.words])
    try:
        return Space(Vocabulary(names), torch.from_numpy(rows), counts, f"run-{run:03d}", record, draw)
    except InputError as error:  # diverged: a run whose vectors are not finite has failed
        raise ComputationError(marked(error)) from error
