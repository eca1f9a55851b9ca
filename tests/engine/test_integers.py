"""Whole numbers on a card, as a CPU imitates them: what is chosen, what comes out, and what is said of it."""

import logging

import pytest
import torch

from gpustab import InputError, engine
from gpustab.engine import gram, integers, wordwise
from gpustab.machine import device
from gpustab.machine.device import Compute, fast_integers
from tests import generators
from tests.generators import runs_of


@pytest.fixture
def on_a_card(monkeypatch):
    """Let a CPU count as a datacentre card, for groups of any size."""
    monkeypatch.setattr(integers, "fast_integers", lambda device: True)
    monkeypatch.setattr(integers, "_WORTH", 0)


@pytest.mark.parametrize(
    ("likely", "wanted", "slices"),
    [
        *[(0.0, 1e-6, 2), (7e-6, 1e-5, 2), (8.1e-6, 1e-5, 3), (7e-6, 1e-6, 3), (1e-3, 1e-5, 3)],
        *[(1.1e-3, 1e-5, 0), (1e-3, 1e-6, 0), (float("inf"), 1e-5, 0), (float("nan"), 1e-5, 0)],
    ],
)
def test_the_rule(likely, wanted, slices):
    assert integers.choose_slices(likely, wanted) == slices


def test_more_digits_until_there_are_none():
    assert [integers.next_slices(n) for n in (2, 3)] == [3, 0]


@pytest.mark.parametrize(
    ("capability", "fast"),
    [
        *[((8, 0), True), ((9, 0), True), ((10, 0), True), ((7, 0), False), ((6, 0), False)],
        *[((8, 6), False), ((8, 9), False), ((12, 0), False), ((10, 3), False)],
    ],
)
def test_which_cards_take_whole_numbers(capability, fast, monkeypatch):
    monkeypatch.setattr(device.torch.cuda, "get_device_capability", lambda which: capability)
    assert fast_integers(torch.device("cuda")) == fast


@pytest.mark.parametrize(("precision", "takes"), [("auto", 1), ("1e-6", 1), ("fp64", 0), ("fp32", 0), ("fast", 0)])
def test_which_precisions_allow_whole_numbers(precision, takes, on_a_card):
    assert integers.takes_integers(Compute(precision=precision)) == bool(takes)


def test_a_cpu_never_takes_them():
    assert not integers.takes_integers(Compute())


def test_small_groups_are_not_worth_it(monkeypatch):
    monkeypatch.setattr(integers, "fast_integers", lambda device: True)
    assert engine.pip_pass(runs_of(generators.noisy_copies(3, 200, 5))).precision == "fp64"


@pytest.mark.parametrize(
    ("precision", "size", "came"),
    [("auto", (3, 12_000, 8), "int15"), ("auto", (3, 600, 8), "int22"), ("1e-6", (3, 3000, 8), "int22")],
)
def test_losses_err_by_less_than_is_said(precision, size, came, on_a_card):
    runs = runs_of(generators.noisy_copies(*size, noise=0.1))
    true, found = engine.pip_pass(runs, Compute(precision="fp64")), engine.pip_pass(runs, Compute(precision=precision))
    assert found.precision == came
    assert found.error <= {"auto": 1e-5, "1e-6": 1e-6}[precision]
    assert float((found.reduced / true.reduced - 1).abs().max()) <= found.error
    exact, words = (engine.wordwise_pass(runs, some.basis) for some in (true, found))
    assert float((words.mean - exact.mean).abs().max() / exact.square.mean().sqrt()) < 5e-5
    torch.testing.assert_close(found.scale, true.scale, rtol=1e-4, atol=1e-9)
    torch.testing.assert_close(found.squares, true.squares, rtol=1e-5, atol=0)


@pytest.mark.parametrize("memory", [100_000, 2_000_000])
def test_tiles_change_no_more_than_the_draws(memory, on_a_card):
    runs = runs_of(generators.noisy_copies(3, 5000, 8, noise=0.1))
    found = [engine.pip_pass(runs, Compute(memory=m)) for m in (None, memory)]
    torch.testing.assert_close(found[0].reduced, found[1].reduced, rtol=2e-5, atol=0)


def test_the_same_draws_at_every_call(on_a_card):
    runs = runs_of(generators.noisy_copies(3, 700, 8))
    assert torch.equal(engine.pip_pass(runs).reduced, engine.pip_pass(runs).reduced)


def test_a_guess_that_was_wrong_is_told_and_done_again(on_a_card, monkeypatch, caplog):
    monkeypatch.setattr(integers, "_likely_error", lambda *_: 0.0)
    with caplog.at_level(logging.INFO, "gpustab"):
        found = engine.pip_pass(runs_of(generators.noisy_copies(3, 600, 8)))
    assert found.precision == "int22"
    assert "2 digits may err by" in caplog.text


def test_runs_that_are_equal_are_measured_in_float64(on_a_card):
    x = generators.noisy_copies(1, 300, 8)[0]
    found = engine.pip_pass(runs_of(torch.stack([x, x, x])))
    assert found.precision == "fp64"
    assert found.reduced.max() < 8 * 2.0**-52


@pytest.mark.parametrize("noise", [1e-3, 1e-6])
def test_runs_near_each_other(noise, on_a_card):
    """In the common frame nothing cancels: plain float64 errs by 6e-5 at the smaller loss."""
    runs = runs_of(generators.noisy_copies(2, 4000, 6, noise=noise))
    found = engine.pip_pass(runs)
    assert found.precision == "int22"
    deviations = gram.centred_loss(gram.centred_pass(runs, Compute(), torch.float64)).total / (2 * 4000)
    torch.testing.assert_close(found.reduced, deviations, rtol=found.error, atol=0)


def test_words_are_read_from_deviations_where_the_plain_form_cancels(on_a_card, monkeypatch):
    runs = runs_of(generators.noisy_copies(2, 4000, 6, noise=1e-3))
    true, found = engine.pip_pass(runs, Compute(precision="fp64")), engine.pip_pass(runs)
    plain = engine.wordwise_pass(runs, found.basis).mean
    monkeypatch.setattr(wordwise, "_WELL", 0)
    deviations = engine.wordwise_pass(runs, found.basis).mean
    torch.testing.assert_close(plain, engine.wordwise_pass(runs, true.basis).mean, rtol=1e-4, atol=0)
    torch.testing.assert_close(deviations, plain, rtol=1e-7, atol=0)
    assert not torch.equal(deviations, plain)


def test_words_that_some_runs_lack_do_not_count(on_a_card):
    stack = generators.noisy_copies(3, 900, 8)
    stack[1, 5] = 0
    runs = runs_of(stack, vocabulary="union")
    true, found = engine.pip_pass(runs, Compute(precision="fp64")), engine.pip_pass(runs)
    assert found.precision.startswith("int")
    assert found.basis.words == 899
    torch.testing.assert_close(found.reduced, true.reduced, rtol=found.error, atol=0)


def test_values_that_are_no_longer_finite_are_named(on_a_card):
    runs = runs_of(generators.noisy_copies(3, 300, 8))
    runs.rows[1][7, 2] = torch.nan
    with pytest.raises(InputError, match="not finite"):
        engine.pip_pass(runs)
