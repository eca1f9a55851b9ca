"""Clusters of two workers, started here: what they train is what this machine trains."""

import os
import sys

import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

from gpustab import ComputationError, InputError
from gpustab.studies.sweep.study import sweep
from gpustab.training import read_settings, train_runs
from gpustab.training.workers import working
from tests.training.test_runner import PLAN_LSA, equal, vectors

FOUR = {"runs": 4, "samplings": ["bootstrap"], "jobs": 2, "lsa": {"dim": 5}}


def lsa(corpus, **changes):
    return read_settings(PLAN_LSA | {"corpus": str(corpus)} | FOUR | changes)


@pytest.fixture(scope="module")
def local(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    train_runs(lsa(corpus), folder)
    return vectors(folder)


@pytest.fixture
def nowhere(monkeypatch):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # those of the clusters are theirs
def test_a_cluster_of_dask(corpus, local, tmp_path, monkeypatch, nowhere):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            train_runs(lsa(corpus, parallel="dask"), tmp_path / "client")
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
        train_runs(lsa(corpus, parallel="dask"), tmp_path / "address")
        sweep(lsa(corpus, parallel="dask"), {"dim": [4, 5]}, tmp_path / "sweep")
    assert equal(vectors(tmp_path / "client"), local)
    assert equal(vectors(tmp_path / "address"), local)
    assert equal(vectors(tmp_path / "sweep/lsa-baseline"), local)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_ray(corpus, local, tmp_path, nowhere, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        train_runs(lsa(corpus, parallel="ray"), tmp_path)
    finally:
        ray.shutdown()
    assert equal(vectors(tmp_path), local)


def test_a_worker_that_was_ended_is_told_in_one_line(corpus, tmp_path, monkeypatch):
    """As when memory runs out: joblib's own error is a page long, and would end in a stack trace."""

    def ended(*_, **__):
        raise TerminatedWorkerError("a page")
        yield

    monkeypatch.setattr("joblib.Parallel.__call__", lambda *_: ended())
    said = (
        r"lsa.bootstrap: a process that trained was ended from outside.*the same call goes on from there, with jobs=1"
    )
    with pytest.raises(ComputationError, match=said):
        train_runs(lsa(corpus), tmp_path)


@pytest.mark.parametrize(("parallel", "variable"), [("dask", "DASK_SCHEDULER_ADDRESS"), ("ray", "RAY_ADDRESS")])
@pytest.mark.filterwarnings("ignore")
def test_without_a_cluster_it_is_said_how_to_name_one(parallel, variable, nowhere):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[parallel])
    with pytest.raises(InputError, match=f"no cluster is known; start one .* and set {variable}"), working(parallel, 2):
        pass


def test_an_unknown_back_end_is_named():
    with pytest.raises(InputError, match="parallel is 'slurm'"), working("slurm", 2):
        pass
