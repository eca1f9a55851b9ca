"""Several processes of one job find what one does."""

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import distributed

from gpustab import engine, load_runs
from gpustab.errors import ComputationError
from gpustab.machine import ranks
from gpustab.machine.device import Compute
from gpustab.machine.ranks import Ranks
from gpustab.report.json_text import plain
from gpustab.studies.stability.study import stability
from tests.generators import noisy_copies, runs_of

ROOT = Path(__file__).parents[2]
MEMORY = 1 << 14  # so that there are many chunks

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def in_processes(world, work, folder):
    """Call ``work(ranks, folder)`` in forked processes that share a group, and return their exit codes."""

    def one(rank):
        torch.set_num_threads(1)  # a forked process has none of OpenMP's threads
        store = f"file://{folder}/store-{world}"
        distributed.init_process_group("gloo", store, rank=rank, world_size=world, timeout=timedelta(seconds=60))
        work(Ranks(rank, world), folder)
        distributed.destroy_process_group()

    workers = [multiprocessing.get_context("fork").Process(target=one, args=(rank,)) for rank in range(world)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=90)
    return [worker.exitcode for worker in workers]


def given(rule):
    stack = noisy_copies(3, 203, 7).numpy()
    if rule == "joint":
        return runs_of(torch.from_numpy(stack))
    words = [f"w{i}" for i in range(203)]  # every run lacks others
    return load_runs([(words[7 * r :], run[7 * r :]) for r, run in enumerate(stack)], vocabulary="union")


def measured(ranks, rule, unequal=False):
    memory = MEMORY << ranks.rank if unequal else MEMORY
    runs, compute = given(rule), Compute(memory=memory, ranks=ranks)
    result = stability(runs, compute=compute, metrics=["cka"], neighbours=[1, 5])
    sketch = {"sketch": engine.sketch_pass(runs, compute).distances.tolist()}
    return {"groups": plain(result.groups), **{name: dict(table) for name, table in result.tables.items()}, **sketch}


def assert_equal(found, wanted, where=""):
    """Numbers to 1e-10, all else exactly."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for name, value in wanted.items():
            assert_equal(found[name], value, f"{where}.{name}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for k, value in enumerate(wanted):
            assert_equal(found[k], value, f"{where}[{k}]")
    elif isinstance(wanted, float | np.ndarray):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-15, err_msg=where)
    else:
        assert found == wanted, where


@pytest.mark.parametrize(("world", "rule"), [(2, "union"), (3, "joint")])
def test_several_processes_find_what_one_does(world, rule, tmp_path):
    def work(ranks, folder):
        torch.save(measured(ranks, rule, unequal=True), folder / f"{ranks.rank}.pt")

    assert in_processes(world, work, tmp_path) == [0] * world
    wanted = measured(Ranks(), rule)
    wanted["groups"][0].pop("precision")  # a bound that the last bits move
    for rank in range(world):
        found = torch.load(tmp_path / f"{rank}.pt", weights_only=False)
        found["groups"][0].pop("precision")
        assert_equal(found, wanted)


def test_a_process_that_ends_ends_the_others_with_a_message(tmp_path):
    def work(ranks, folder):
        if ranks.rank == 1:
            os._exit(9)
        with pytest.raises(ComputationError, match="another process of this job ended or does not answer"):
            measured(ranks, "joint")

    began = time.monotonic()
    assert in_processes(2, work, tmp_path) == [0, 9]
    assert time.monotonic() - began < 45  # less than the patience of the group


def by_torchrun(work, ranks_here, world=3):
    """Call ``work(rank)`` in forked processes whose variables are those of torchrun, without its agent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def one(rank):
        torch.set_num_threads(1)
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(world)}
        os.environ.update(place, RANK=str(rank), LOCAL_RANK=str(rank))
        work(rank)

    workers = [multiprocessing.get_context("fork").Process(target=one, args=(rank,)) for rank in ranks_here]
    for worker in workers:
        worker.start()
    return workers


@pytest.mark.parametrize("absent", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_a_process_that_never_comes_ends_the_others_with_a_message(absent, monkeypatch):
    """It may have ended before it said a word; nobody closes a connection then."""
    monkeypatch.setattr(ranks, "_JOINING", timedelta(seconds=2))

    def work(rank):
        with pytest.raises(ComputationError, match="the processes of this job do not find each other"):
            ranks.ranks_of_torchrun(torch.device("cpu")).__enter__()

    workers = by_torchrun(work, [rank for rank in range(3) if rank != absent])
    for worker in workers:
        worker.join(timeout=50)
    assert [worker.exitcode for worker in workers] == [0, 0]


STOPPED = "does not answer: it gives no sign of life|does not answer; see its own message"


@pytest.mark.parametrize(
    ("end", "message"),
    [
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGSTOP), STOPPED, id="hangs"),
        pytest.param(lambda: os.kill(os.getpid(), signal.SIGKILL), STOPPED, id="killed"),
        pytest.param(lambda: 1 / 0, "ended|ended or does not answer; see its own message", id="fails"),
        pytest.param(lambda: time.sleep(1.2), None, id="computes"),
    ],
)
@pytest.mark.parametrize("rank_of_it", [2, pytest.param(0, marks=pytest.mark.slow)])  # the first keeps the store
def test_a_process_that_hangs_ends_the_others_and_one_that_computes_does_not(end, message, rank_of_it, monkeypatch):
    """With an open connection, as of a machine that has lost its net."""
    monkeypatch.setattr(ranks, "_BEAT", 0.1)

    def work(rank):
        with ranks.ranks_of_torchrun(torch.device("cpu")) as job:
            ones = torch.ones(2)
            job.total_(ones)
            assert ones.tolist() == [3, 3]
            if rank == rank_of_it:
                end()
            if message is None:
                assert job.least(rank + 5) == 5
            else:
                with pytest.raises(ComputationError, match=message):
                    job.total_(ones)

    workers = by_torchrun(work, range(3))
    others = [worker for rank, worker in enumerate(workers) if rank != rank_of_it]
    for worker in others:
        worker.join(timeout=50)
    codes = [worker.exitcode for worker in others]
    workers[rank_of_it].kill()
    workers[rank_of_it].join()
    assert codes == [0, 0]


@pytest.mark.slow
def test_torchrun_prints_once_what_one_process_does(tmp_path):
    from gpustab.formats.writers import write_word2vec_text
    from tests.generators import spaces

    files = [tmp_path / f"run{k}.txt" for k in range(3)]
    for file, space in zip(files, spaces(3, 60, 5), strict=True):
        write_word2vec_text(space, file)
    command = ["-m", "gpustab", "stability", *map(str, files), "--json", "--device", "cpu"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}

    def output(*start, code=0):
        child = subprocess.run([sys.executable, *start], cwd=ROOT, capture_output=True, text=True, env=environment)
        assert (child.returncode == 0) == (code == 0), child.stderr
        return child

    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node=2"]
    found, wanted = (json.loads(output(*start, *command).stdout)["groups"] for start in (torchrun, []))
    for groups in (found, wanted):
        groups[0].pop("precision")
    assert_equal(found[0], wanted[0])
    files[1].write_text("a 1 2\nb 1\n")
    assert "process 1, error: " in output(*torchrun, *command, code=1).stderr


def test_several_processes_share_tiles_of_a_gram_that_does_not_fit(tmp_path):
    """Copies too, whose pairs are measured one by one."""
    stack = noisy_copies(5, 60, 4)
    stack[4] = stack[1]
    runs = runs_of(stack)

    def found(ranks):
        compute = Compute(memory=1_200 << ranks.rank, ranks=ranks)
        pip = engine.pip_pass(runs, compute, wordwise=True)
        assert pip.basis.moments is None
        return pip.reduced, *engine.wordwise_pass(runs, pip.basis, compute)

    def work(ranks, folder):
        torch.save(found(ranks), folder / f"{ranks.rank}.pt")

    assert in_processes(2, work, tmp_path) == [0, 0]
    for rank in range(2):
        for got, want in zip(torch.load(tmp_path / f"{rank}.pt"), found(Ranks()), strict=True):
            torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-15)


def test_several_processes_share_the_words_of_many_runs(tmp_path):
    runs = runs_of(noisy_copies(9, 130, 40))  # more words than the two take at once

    def found(ranks):
        pip = engine.pip_pass(runs, Compute(memory=1 << 21, ranks=ranks), wordwise=True)
        assert pip.basis.moments is None
        return pip.reduced, *engine.wordwise_pass(runs, pip.basis)

    def work(ranks, folder):
        torch.save(found(ranks), folder / f"{ranks.rank}.pt")

    assert in_processes(2, work, tmp_path) == [0, 0]
    for rank in range(2):
        for got, want in zip(torch.load(tmp_path / f"{rank}.pt"), found(Ranks()), strict=True):
            torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-15)
