"""Memory that runs out beside the tiles: one error of one kind, whatever library complains."""

import pytest
import torch

from gpustab import engine
from gpustab.errors import InputError, OutOfMemoryError
from gpustab.kernels import averaging, cosine, neighbours, overlap, pip_loss, procrustes
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import is_out_of_memory, telling_memory
from gpustab.runs.runs import Runs
from tests.generators import noisy_copies, runs_of

COMPLAINTS = [
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`\nmore lines"),
    RuntimeError("cusolver error: CUSOLVER_STATUS_ALLOC_FAILED"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried to"),
    RuntimeError("[enforce fail at alloc_cpu.cpp:80] DefaultCPUAllocator: not enough memory: you tried to"),
    RuntimeError("unable to mmap 400 bytes from file <x>: Cannot allocate memory (12)"),
    RuntimeError("std::bad_alloc"),
    RuntimeError(
        "Error in virtual void* faiss::gpu::...: Error: 'err == cudaSuccess' failed: Failed to cudaMalloc 9 b"
    ),
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB."),
    MemoryError("Unable to allocate 3 GiB for an array"),
]


@pytest.mark.parametrize("complaint", COMPLAINTS, ids=range(len(COMPLAINTS)))
def test_every_library_is_understood(complaint):
    assert is_out_of_memory(complaint)

    @telling_memory
    def work():
        raise complaint

    with pytest.raises(OutOfMemoryError, match=r"^out of memory: [^\n]*; limit reads fewer words$"):
        work()


@pytest.mark.parametrize("error", [RuntimeError("shapes do not fit"), InputError("no"), OutOfMemoryError("of tiles")])
def test_other_errors_pass_as_they_are(error):
    @telling_memory
    def work():
        raise error

    with pytest.raises(type(error)) as caught:
        work()
    assert caught.value is error


def full(*args, **options):
    raise RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")


TARGETS = torch.arange(3)


@pytest.mark.parametrize(
    ("module", "kernel", "work"),
    [
        (averaging, "tree_average", engine.average_pass),
        (cosine, "over_runs", lambda runs: engine.query_cosines(runs, TARGETS)),
        (cosine, "cosines", lambda runs: engine.pair_cosines(runs, TARGETS, TARGETS)),
        (cosine, "unit_rows", lambda runs: engine.pair_values(runs, TARGETS, TARGETS)),
        (pip_loss, "pip_from_gram", engine.pip_pass),
        (procrustes, "residuals", lambda runs: engine.procrustes_pass(runs, engine.gram_pass(runs))),
        (neighbours, "top_k", lambda runs: engine.neighbour_pass(runs, TARGETS, 2)),
        (Runs, "directions", lambda runs: engine.neighbour_pass(runs, TARGETS, 2)),
        (overlap, "overlap_sums", lambda runs: engine.overlap_pass(engine.neighbour_pass(runs, TARGETS, 2), [1])),
        (Runs, "to", lambda runs: engine.place(runs, Compute())),
    ],
)
def test_no_pass_ends_in_a_complaint_of_torch(monkeypatch, module, kernel, work):
    runs = runs_of(noisy_copies(3, 20, 4))
    monkeypatch.setattr(module, kernel, full)
    with pytest.raises(OutOfMemoryError, match="out of memory"):
        work(runs)


def test_rows_that_do_not_fit_after_all_stay_where_they_are(monkeypatch):
    tried = []

    def to(self, device, *, rows):
        tried.append(rows)
        return full() if rows else self

    runs = runs_of(noisy_copies(3, 20, 4))
    monkeypatch.setattr(Runs, "to", to)
    assert engine.place(runs, Compute()) is runs
    assert tried == [True, False]
