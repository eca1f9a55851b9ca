"""Where tasks are trained: on a card here, by processes here, or by a cluster of dask or ray that is already there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpustab.corpus.corpus import Corpus
from gpustab.errors import ComputationError, InputError, option
from gpustab.machine.progress import Progress
from gpustab.trainers.base import Tell, tell_nobody
from gpustab.training.fit import attempt
from gpustab.training.plan import Task
from gpustab.training.progress import Marks, Watch, watching

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
    """Train tasks; yields each with why it failed, if it failed."""
    import joblib

    yield from (attempt(task, corpus, _tell(task, folder)) for task in tasks if task.trainer.on_card)
    if others := [task for task in tasks if not task.trainer.on_card]:
        with working(parallel, jobs):
            waiting = (joblib.delayed(attempt)(task, corpus, _tell(task, folder)) for task in others)
            # As they come, but from ray all at the end: it knows no other way.
            yield from joblib.Parallel(return_as="list" if parallel == "ray" else "generator_unordered")(waiting)


def _tell(task: Task, folder: Path | None) -> Tell:
    """Return what is told how far a task is, by files in a folder if somebody looks there."""
    return Marks(folder, task.trainer.name, task.sampling, task.runs) if folder else tell_nobody


def check_workers(parallel: str, jobs: int) -> None:
    """Refuse what cannot be trained on, before the corpus is read.

    Raises:
        InputError: if there is no such back end or cluster, or it contradicts the number of jobs.
    """
    here = ("multiprocessing", "threading")
    if (parallel in here and jobs == 1) or (parallel == "sequential" and jobs > 1):
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

    prepare = {"dask": _dask, "ray": _ray}.get(parallel, _nothing)
    with prepare(parallel) as workers:
        try:
            configured = joblib.parallel_config(backend=parallel, n_jobs=workers or jobs)
        except (ValueError, ImportError) as error:
            raise InputError(f"{option('parallel')} is '{parallel}': {' '.join(str(error).split())}") from None
        with configured:
            yield


@contextmanager
def _nothing(_: str) -> Iterator[int]:
    yield 0


@contextmanager
def _dask(parallel: str) -> Iterator[int]:
    try:
        from distributed import Client, get_client
    except ImportError:
        raise InputError(f"{option('parallel', parallel)} needs dask: pip install 'gpustab[cluster]'") from None
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
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError:
        raise InputError(f"{option('parallel', parallel)} needs ray: pip install 'gpustab[cluster]'") from None
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
