"""Which form words' losses are read in, and that all of them agree; the fused kernel itself is in tests/kernels."""

import pytest
import torch

from gpustab import engine
from gpustab.engine import gram, integers, wordwise
from gpustab.kernels.centred import centred_wordwise_pip
from gpustab.machine.device import Compute
from gpustab.machine.proof import Proof
from tests.generators import collapsed, noisy_copies, runs_of


@pytest.fixture
def a_card(monkeypatch):
    """Let a CPU count as a datacentre card that has Triton."""
    monkeypatch.setattr(integers, "fast_integers", lambda device: True)
    monkeypatch.setattr(integers, "_WORTH", 0)
    monkeypatch.setattr(wordwise, "use_triton", lambda tensor: (True, ""))
    monkeypatch.setattr(wordwise, "proved", lambda *_: Proof(0.0, 1.0))


@pytest.mark.parametrize(
    ("stack", "precision", "takes", "reason"),
    [
        (noisy_copies(4, 300, 8), "auto", True, ""),
        (noisy_copies(4, 300, 8), "1e-6", False, "precision is 1e-6"),
        (noisy_copies(4, 300, 8), "fast", True, ""),
        (noisy_copies(4, 300, 8), "fp64", False, "precision is fp64"),
        (noisy_copies(2, 300, 8), "auto", False, "there are 2 runs"),
        (collapsed(4, 300, 8), "auto", False, "may change words' losses by"),
        (noisy_copies(2, 300, 8)[[0, 0, 1]], "auto", False, "may change words' losses by"),
    ],
)
def test_what_the_fused_kernel_is_given(a_card, stack, precision, takes, reason):
    runs, compute = runs_of(stack), Compute(precision=precision)
    basis = gram.centred_pass(runs, compute, torch.float64)
    found, why = wordwise.takes_fused(runs, basis, compute)
    assert found == takes
    assert reason in why


def test_a_gram_of_the_runs_themselves_is_not_for_the_fused_kernel(a_card):
    runs = runs_of(noisy_copies(4, 300, 8))
    found, why = wordwise.takes_fused(runs, gram.gram_pass(runs), Compute())
    assert not found
    assert "of the runs themselves" in why


def test_a_cpu_has_no_fused_kernel():
    runs = runs_of(noisy_copies(3, 50, 4))
    assert not wordwise.takes_fused(runs, gram.centred_pass(runs, Compute(), torch.float64), Compute())[0]


@pytest.mark.parametrize("noise", [0.3, 1e-3])
def test_deviations_give_the_words_of_the_plain_form(noise, monkeypatch):
    stack = noisy_copies(4, 300, 8, noise=noise)
    stack[1, 5] = 0  # a word that one run lacks
    runs = runs_of(stack, vocabulary="union")
    plain = engine.wordwise_pass(runs, engine.gram_pass(runs, dtype=torch.float64))
    monkeypatch.setattr(wordwise, "_WELL", 0)
    for dtype, rtol in ((torch.float64, 1e-9), (torch.bfloat16, 1e-3)):
        found = engine.wordwise_pass(runs, gram.centred_pass(runs, Compute(), dtype))
        torch.testing.assert_close(found.mean, plain.mean, rtol=rtol, atol=0)
        assert torch.equal(found.pairs, plain.pairs)


@pytest.mark.parametrize(("factor", "taken"), [(1.0, True), (1 + 2e-4, False), (float("nan"), False)])
def test_a_fused_kernel_that_is_off_is_not_used(a_card, factor, taken, monkeypatch, caplog):
    """Whatever it does on a card that nobody has tried: some words are measured in float64 beside."""
    runs, compute = runs_of(noisy_copies(4, 300, 8)), Compute()
    basis = gram.centred_pass(runs, compute, torch.float64)
    want = engine.wordwise_pass(runs, basis, Compute(precision="fp64"))
    used = []

    def kernel(rows, _packed, present, *, terms):
        used.append(terms)
        found = centred_wordwise_pip(rows.double(), basis.centred.gram, basis.words, present)
        return found._replace(mean=found.mean * factor)

    monkeypatch.setattr("gpustab.kernels.triton.wordwise.packed_wordwise", kernel)
    found = engine.wordwise_pass(runs, basis, compute)
    torch.testing.assert_close(found.mean, want.mean, rtol=1e-6, atol=0)
    assert (len(used) > 1) == taken
    assert ("switched off" in caplog.text) != taken


def test_words_by_deviations_of_many_runs_take_the_memory_that_they_may(monkeypatch):
    """Inner products of all runs stand beside the rows: R² numbers a word, which few dimensions do not tell."""
    runs = runs_of(noisy_copies(40, 200, 4))
    basis = gram.centred_pass(runs, Compute(), torch.float64)
    monkeypatch.setattr(wordwise, "_WELL", 0)
    sizes = []
    measure = wordwise.centred.centred_wordwise_pip

    def seen(rows, *rest):
        sizes.append(rows.shape[1])
        return measure(rows, *rest)

    monkeypatch.setattr(wordwise.centred, "centred_wordwise_pip", seen)
    budget = 1 << 20
    engine.wordwise_pass(runs, basis, Compute(memory=budget))
    assert 4 * 8 * 40 * (40 + 4) * max(sizes) <= budget
