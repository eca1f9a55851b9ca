"""Tasks trained: on a card here, by processes here, or by a cluster of dask or ray that is already there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample, draw, sample
from gpustab.errors import ComputationError, InputError, marked, option
from gpustab.formats.atomic import make_folder
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.registry import read_space
from gpustab.installing import install
from gpustab.machine.job import end_with
from gpustab.machine.progress import Progress
from gpustab.runs.manifest import output_file, run_file
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.trainers.base import Tell, Vectors, WithOutput, tell_nobody
from gpustab.training.plan import Task
from gpustab.training.progress import Marks, Watch, watching


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
    samples = [sample(corpus, draw(corpus, task.sampling, task.seed, number)) for number in task.draws]
    empty = next((run for run, s in zip(task.runs, samples, strict=True) if len(s.words) < 2), None)
    if empty is not None:
        raise InputError(f"the sample of run {empty} holds fewer than two words")
    telling: dict[str, Any] = {"tell": tell} if technique.tells else {}
    train = technique.with_output if task.keep_output and technique.with_output else technique.train
    started = time.perf_counter()
    trained: list[Any] = train(samples, trainer.parameters, task.seeds, **telling)
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
        make_folder(output_file(path).parent)
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


DASK_ADDRESS, RAY_ADDRESS = "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS"
"""Environment variables by which dask and ray themselves are told where a cluster is."""


def train_all(
    tasks: Sequence[Task], corpus: Corpus, parallel: str, jobs: int, progress: Progress | None = None
) -> None:
    """Train tasks, whatever fails among them: those of a card here and one after the other, then the others.

    Args:
        tasks: what to train.
        corpus: of all of them.
        parallel: see :func:`working`.
        jobs: see :func:`working`.
        progress: called with the name of the work and its finished part.

    Raises:
        ComputationError: at the end, if some failed.
    """
    runs = [(task.trainer.name, task.sampling, run) for task in tasks for run in task.runs]
    failures = []
    with ExitStack() as closing:
        watch, folder = None, None
        if progress and runs:
            progress(f"training 0 of {len(runs)} runs", 0.0)
            folder = Path(closing.enter_context(TemporaryDirectory()))
            watch = closing.enter_context(watching(Watch(runs, folder, progress)))
        for task, failure in _attempts(tasks, corpus, parallel, jobs, folder):
            if watch:
                watch.finished(task.trainer.name, task.sampling, task.runs)
            if failure:
                failures.append(failure)
    if failures:
        others = "none is there" if len(failures) == len(tasks) else "the others are there"
        raise ComputationError(f"{len(failures)} of {len(tasks)} trainings failed, {others}: {'; '.join(failures[:3])}")


def _attempts(
    tasks: Sequence[Task], corpus: Corpus, parallel: str, jobs: int, folder: Path | None
) -> Iterator[tuple[Task, str | None]]:
    import joblib

    corpus = replace(corpus, evidence=None)  # it goes to every process
    yield from (attempt(task, corpus, _tell(task, folder)) for task in tasks if task.trainer.on_card)
    if others := [task for task in tasks if not task.trainer.on_card]:
        with working(parallel, jobs):
            waiting = (joblib.delayed(attempt)(task, corpus, _tell(task, folder)) for task in others)
            ours = {"initializer": end_with, "initargs": (os.getpid(),)} if parallel == "loky" else {}
            # As they come, but from ray all at the end: it knows no other way.
            trained = joblib.Parallel(return_as="list" if parallel == "ray" else "generator_unordered", **ours)(waiting)
            try:
                yield from trained
            except BrokenExecutor:
                raise ComputationError(
                    f"{others[0].folder}: a process that trained was ended from outside, perhaps because memory ran "
                    f"out; what is finished stays, and the same call goes on from there, with {option('jobs', 1)} in "
                    "less memory"
                ) from None


def _tell(task: Task, folder: Path | None) -> Tell:
    """Return what is told how far a task is, by files in a folder if somebody looks there."""
    return Marks(folder, task.trainer.name, task.sampling, task.runs) if folder else tell_nobody


def check_workers(parallel: str, jobs: int) -> None:
    """Refuse what cannot be trained on, before the corpus is read.

    Raises:
        InputError: if there is no such back end or cluster, or it contradicts the number of jobs.
    """
    if parallel == "multiprocessing":
        raise InputError(
            f"{option('parallel', parallel)} does not give back runs as they end; take {option('parallel', 'loky')}"
        )
    if (parallel == "threading" and jobs == 1) or (parallel == "sequential" and jobs > 1):
        raise InputError(f"{option('parallel', parallel)} and {option('jobs', jobs)} contradict each other")
    with working(parallel, jobs):
        pass


@contextmanager
def working(parallel: str, jobs: int) -> Iterator[None]:
    """Let joblib hand its work to a back end.

    Args:
        parallel: ``"loky"``, ``"dask"``, ``"ray"`` or another back end of joblib. A client of dask, or a ray, that this
            process has started is taken; else the cluster at ``DASK_SCHEDULER_ADDRESS`` or ``RAY_ADDRESS``.
        jobs: processes at once, where the back end does not decide that itself.

    Raises:
        InputError: if there is no such back end, or no cluster.
    """
    import joblib

    prepare = {"dask": _dask, "ray": _ray}.get(parallel, lambda _: nullcontext(0))
    with prepare(parallel) as workers:
        try:
            configured = joblib.parallel_config(backend=parallel, n_jobs=workers or jobs)
        except (ValueError, ImportError) as error:
            raise InputError(f"{option('parallel')} is '{parallel}': {' '.join(str(error).split())}") from None
        with configured:
            yield


@contextmanager
def _package(parallel: str) -> Iterator[None]:
    try:
        yield
    except ImportError:
        raise InputError(f"{option('parallel', parallel)} needs {parallel}: {install('cluster')}") from None


@contextmanager
def _dask(parallel: str) -> Iterator[int]:
    with _package(parallel):
        from distributed import Client, get_client
    try:
        started: Any = get_client()
        yield sum(started.nthreads().values())
        return
    except ValueError:
        pass  # none was started in this process
    address = os.environ.get(DASK_ADDRESS)
    if address is None:
        raise InputError(_nowhere(parallel, "dask scheduler", DASK_ADDRESS))
    try:
        client = Client(address, timeout=30)
    except (OSError, ValueError) as error:
        raise InputError(f"{option('parallel', parallel)}: no cluster answers at {address}: {error}") from None
    with client:
        yield sum(client.nthreads().values())


@contextmanager
def _ray(parallel: str) -> Iterator[int]:
    with _package(parallel):
        import ray
        from ray.util.joblib import register_ray
    started = not ray.is_initialized()
    if started:
        if RAY_ADDRESS not in os.environ:
            raise InputError(_nowhere(parallel, "ray start --head", RAY_ADDRESS))
        try:
            ray.init(log_to_driver=False)
        except ConnectionError as error:
            where = os.environ[RAY_ADDRESS]
            raise InputError(f"{option('parallel', parallel)}: no cluster answers at {where}: {error}") from None
    register_ray()
    try:
        yield int(ray.cluster_resources().get("CPU", 1))
    finally:
        if started:
            ray.shutdown()


def _nowhere(parallel: str, command: str, variable: str) -> str:
    return f"{option('parallel', parallel)}: no cluster is known; start one (`{command}`) and set {variable}"
