"""Paths that prove themselves: each is broken on purpose, and the plain path answers with one line and no exception."""

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.engine import integers, neighbours, pip, proofs, wordwise
from gpustab.engine.gram import centred_pass
from gpustab.kernels import gram, integer_gram
from gpustab.machine.device import Compute
from gpustab.machine.proof import Proof, prove, tried
from gpustab.trainers import word2vec_gpu
from gpustab.trainers.word2vec import Word2VecParameters
from tests.generators import noisy_copies, runs_of

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def unproved():
    """Nothing is known of any path, before and after."""
    for known in (proofs._proved, word2vec_gpu._proved):
        known.cache_clear()
    yield
    for known in (proofs._proved, word2vec_gpu._proved):
        known.cache_clear()


@pytest.fixture
def a_card(monkeypatch):
    """Let a CPU count as a datacentre card."""
    monkeypatch.setattr(integers, "fast_integers", lambda device: True)
    monkeypatch.setattr(integers, "_WORTH", 0)


def raising(*_, **__):
    raise RuntimeError("cublasLt has no kernel for this\nsecond line")


def not_a_number(call):
    return lambda *args, **options: call(*args, **options) * float("nan")


def off(call):
    return lambda *args, **options: call(*args, **options) * 1.01


WRONG = {"raises": lambda _: raising, "NaN": not_a_number, "off": off}
BROKEN = pytest.mark.parametrize("broken", WRONG.values(), ids=WRONG)


@pytest.mark.parametrize("path", [name for name in proofs.PATHS if name != proofs.WORDS])
def test_what_a_cpu_can_do_it_proves(path, caplog):
    proof = proofs.proved(path, CPU)
    assert proof.works
    assert proof.error <= proof.allowed
    assert not caplog.text
    assert tried(CPU)[path] == f"proved: {proof}"


def test_it_is_tried_once(monkeypatch):
    calls = []
    monkeypatch.setitem(proofs.PATHS, proofs.HALVES, (lambda device: calls.append(device) or 0.0, 1.0))
    assert all(proofs.proved(proofs.HALVES, CPU).works for _ in range(3))
    assert calls == [CPU]


@pytest.mark.parametrize("error", [2.0, float("nan"), float("inf")])
def test_what_errs_is_switched_off_with_one_line(error, caplog):
    assert not prove("a path", CPU, lambda: error, 1.0).works
    assert [record.getMessage() for record in caplog.records] == [
        f"a path: switched off on cpu (error {error:.0e}, at most 1e+00 is its own); the plain path answers"
    ]


@pytest.mark.parametrize(
    "error", [RuntimeError("no kernel\nof this"), ImportError("no ptxas"), AssertionError(), ValueError("too wide")]
)
def test_whatever_is_raised_is_an_answer(error, caplog):
    def problem():
        raise error

    proof = prove("a path", CPU, problem, 1.0)
    assert not proof.works
    assert type(error).__name__ in proof.why
    assert len(caplog.text.splitlines()) == 1


def test_a_lack_of_memory_is_no_fault_of_a_path():
    def problem():
        raise MemoryError

    with pytest.raises(MemoryError):
        prove("a path", CPU, problem, 1.0)


@BROKEN
def test_broken_whole_numbers_are_not_taken(a_card, monkeypatch, caplog, broken):
    monkeypatch.setattr(integer_gram, "_cross_blocks", broken(integer_gram._cross_blocks))
    runs = runs_of(noisy_copies(3, 300, 8))
    found = engine.pip_pass(runs)
    assert found.precision == "fp64"
    assert "whole numbers: switched off on cpu" in caplog.text
    np.testing.assert_allclose(found.reduced, engine.pip_pass(runs, Compute(precision="fp64")).reduced, rtol=1e-12)


def test_whole_numbers_that_fail_at_some_sizes_leave_it_to_float64(a_card, monkeypatch, caplog):
    monkeypatch.setattr(pip, "whole_number_pass", raising)
    monkeypatch.setattr(pip, "slices_to_try", lambda *_: 2)
    found = engine.pip_pass(runs_of(noisy_copies(3, 300, 8)))
    assert found.precision == "fp64"
    assert "no whole numbers (cublasLt has no kernel for this); computed in float64" in caplog.text


@BROKEN
def test_broken_bfloat16_is_not_taken(monkeypatch, caplog, broken):
    of = gram.block_gram

    def block_gram(rows, *rest, **options):
        return (broken(of) if rows.dtype == torch.bfloat16 else of)(rows, *rest, **options)

    monkeypatch.setattr(gram, "block_gram", block_gram)
    runs = runs_of(noisy_copies(3, 3000, 8))
    found = engine.pip_pass(runs, Compute(precision="fast"))
    assert found.precision == "fp64"
    assert "bfloat16 Gram: switched off on cpu" in caplog.text


@BROKEN
def test_broken_float16_proposes_nothing(monkeypatch, caplog, broken):
    of, told = proofs.product, []
    monkeypatch.setattr(proofs, "product", lambda x, y: (broken(of) if x.dtype == torch.float16 else of)(x, y))
    monkeypatch.setattr(
        neighbours.neighbours, "halves_pay", lambda *_: told.append("asked") or True
    )  # so that only the proof holds it back
    engine.neighbour_pass(runs_of(noisy_copies(2, 400, 6)), torch.arange(30), 5)
    assert not told
    assert "float16 search: switched off on cpu" in caplog.text


@BROKEN
def test_broken_fused_words_are_not_taken(a_card, monkeypatch, caplog, broken):
    """Triton is not even called: what stands for the kernel is wrong in every way."""

    def plain(rows, packed, present=None, *, terms):
        words = torch.ones(rows.shape[1], dtype=torch.float64)
        mean = broken(lambda: words)()
        return wordwise.pip_loss.WordwisePip(mean, words, words, words.long(), words)

    monkeypatch.setattr("gpustab.kernels.triton.wordwise.packed_wordwise", plain)
    monkeypatch.setattr(wordwise, "use_triton", lambda tensor: (True, ""))
    runs = runs_of(noisy_copies(4, 300, 8))
    basis = centred_pass(runs, Compute(), torch.float64)
    able, why = wordwise.takes_fused(runs, basis, Compute())
    assert not able
    assert "did not prove itself here" in why
    found = engine.wordwise_pass(runs, basis)
    want = engine.wordwise_pass(runs, basis, Compute(precision="fp64"))
    torch.testing.assert_close(found.mean, want.mean, rtol=1e-12, atol=0)


def test_a_fused_kernel_that_fails_at_some_sizes_is_not_taken(a_card, monkeypatch, caplog):
    monkeypatch.setattr("gpustab.kernels.triton.wordwise.packed_wordwise", raising)
    monkeypatch.setattr(wordwise, "use_triton", lambda tensor: (True, ""))
    monkeypatch.setattr(wordwise, "proved", lambda *_: Proof(0.0, 1.0))
    runs = runs_of(noisy_copies(4, 300, 8))
    basis = centred_pass(runs, Compute(), torch.float64)
    assert engine.wordwise_pass(runs, basis).mean.isfinite().all()
    assert "words, fused: switched off on cpu (RuntimeError: cublasLt has no kernel for this)" in caplog.text


def test_a_faiss_that_fails_leaves_it_to_torch(monkeypatch, caplog):
    runs, targets = runs_of(noisy_copies(2, 300, 6)), torch.arange(20)
    want = engine.neighbour_pass(runs, targets, 5)
    monkeypatch.setattr("gpustab.kernels.search._faiss_cpu", raising)
    found = engine.neighbour_pass(runs, targets, 5, Compute(backend="faiss"))
    assert torch.equal(found.indices, want.indices)
    assert "FAISS gave no answer (cublasLt has no kernel for this); torch searches on cpu" in caplog.text


def test_a_kernel_of_training_that_cannot_be_compiled_trains_nothing(monkeypatch, caplog):
    pytest.importorskip("triton", reason="triton is not installed")
    monkeypatch.setattr("gpustab.kernels.training.triton_word2vec.train_epoch", raising)
    proof = word2vec_gpu.proved_kernel(Word2VecParameters(dim=4), CPU, cbow=False)
    assert not proof.works
    assert "training of sgns: switched off on cpu" in caplog.text
