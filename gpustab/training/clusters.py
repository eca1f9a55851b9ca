"""Where runs are trained: by processes here, or by a cluster of dask or ray that is already there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpustab.errors import InputError, option

DASK_ADDRESS, RAY_ADDRESS = "DASK_SCHEDULER_ADDRESS", "RAY_ADDRESS"
"""Environment variables by which dask and ray themselves are told where a cluster is."""


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


def returned_as(parallel: str) -> str:
    """Return how joblib hands results back: as they come, but by ray all at the end, which knows no other way."""
    return "list" if parallel == "ray" else "generator_unordered"


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
        found: Any = get_client()
        yield sum(found.nthreads().values())
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
