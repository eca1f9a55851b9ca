import pytest
import torch

from gpustab import ComputationError, InputError
from gpustab.machine import device as module
from gpustab.machine.device import Compute, choose_backend
from gpustab.machine.out_of_memory import is_out_of_memory, with_smaller_tiles


def test_tiles_halve_until_they_fit():
    tried = []

    def work(tile):
        tried.append(tile)
        if tile > 100:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return tile

    assert with_smaller_tiles(work, 800) == 100
    assert tried == [800, 400, 200, 100]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"precision": "exact"}, "precision is 'exact', wanted one of auto, 1e-6, fp64, fp32, fast$"),
        ({"precision": "float32"}, "precision is 'float32'"),
        ({"precision": "FP64"}, "near it is fp64"),
        ({"precision": None}, "precision is None"),
        ({"backend": "fais"}, "backend is 'fais', wanted one of .*; near it is faiss"),
    ],
)
def test_a_choice_that_is_none_is_refused(choice, message):
    with pytest.raises(InputError, match=message):
        Compute(**choice)


def test_memory_that_never_suffices_is_an_error():
    def work(tile):
        raise MemoryError(f"no room for {tile}")

    with pytest.raises(ComputationError, match="out of memory even with"):
        with_smaller_tiles(work, 1000)


def test_other_errors_pass():
    def work(_):
        raise RuntimeError("shapes do not fit")

    with pytest.raises(RuntimeError, match="shapes do not fit"):
        with_smaller_tiles(work, 1000)


def test_the_cpus_own_message_is_known():
    with pytest.raises(RuntimeError) as caught:
        torch.empty(2**60, dtype=torch.uint8)
    assert is_out_of_memory(caught.value)


def test_tiles_follow_the_memory():
    assert Compute(memory=1000).tile(10, 500) == 100
    assert Compute(memory=1000).tile(10, 50) == 50
    assert Compute(memory=1).tile(10, 50) == 1


def test_precision():
    cpu = torch.device("cpu")
    assert Compute(cpu).dtype == torch.float64
    assert Compute(cpu, "fp32").dtype == torch.float32
    assert Compute(cpu, "fp64").dtype == torch.float64


def test_a_faiss_that_fails_leaves_the_search_to_torch(monkeypatch, caplog):
    monkeypatch.setattr(module.probe, "probe_faiss", lambda: (False, "it aborts"))
    assert choose_backend("faiss", torch.device("cpu")) == "torch"
    assert "it aborts" in caplog.text
    monkeypatch.setattr(module.probe, "probe_faiss", lambda: (True, "fine"))
    assert choose_backend("faiss", torch.device("cpu")) == "faiss"


def test_auto_is_torch():
    assert choose_backend("auto", torch.device("cpu")) == "torch"
