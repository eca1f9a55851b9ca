"""More runs than memory has blocks for: tile by tile, the same numbers as from the whole block Gram."""

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.engine import precision, tiles
from gpustab.engine.gram import gram_fits
from gpustab.engine.similarity import similarity_pass
from gpustab.machine.device import Compute
from gpustab.studies.shared.copies import same_pairs
from tests import generators, oracles
from tests.generators import runs_of
from tests.kernels.test_memory import peak

FEW = Compute(memory=8_000)
"""Memory for groups of a run or two."""


def pairs_of(stack, function):
    return np.array([function(stack[i].numpy(), stack[j].numpy()) for i, j in oracles.pairs(len(stack))])


def assert_same(found, want, rtol=1e-12):
    torch.testing.assert_close(found.reduced, want.reduced, rtol=rtol, atol=0)
    for a, b in zip(found.scale, want.scale, strict=True):
        torch.testing.assert_close(a, b, rtol=rtol, atol=0)
    torch.testing.assert_close(found.squares, want.squares, rtol=rtol, atol=0)


@pytest.mark.parametrize("size", [(2, 63, 7), (5, 67, 7), (9, 20, 11), (5, 5, 9)])
def test_tiles_against_the_naive_numbers_and_the_whole_gram(size):
    runs = runs_of(generators.noisy_copies(*size))
    assert not gram_fits(runs, Compute(memory=1_000))
    want = engine.pip_pass(runs)
    reduced, wordwise = (pairs_of(runs.stack(), one) for one in (oracles.reduced_pip, oracles.wordwise_pip))
    for memory in (200, 1_000):
        compute = Compute(memory=memory)
        found = engine.pip_pass(runs, compute, wordwise=True)
        np.testing.assert_allclose(found.reduced, reduced, rtol=1e-9)
        assert_same(found, want)
        words, whole = engine.wordwise_pass(runs, found.basis, compute), engine.wordwise_pass(runs, want.basis)
        assert words is found.basis.wordwise
        np.testing.assert_allclose(words.mean, wordwise.mean(0), rtol=1e-9)
        for a, b in zip(words, whole, strict=True):  # a tiny loss has the rounding of what it is a difference of
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-13, equal_nan=True)


def test_words_that_runs_lack_and_a_proxy():
    stack = generators.noisy_copies(6, 60, 5)
    stack[1, 3] = stack[2, 3] = stack[0, 7] = stack[5, 9] = 0
    runs = runs_of(stack, vocabulary="union")
    proxy = engine.draw_proxy(runs, 30, 0)
    for chosen in (None, proxy):
        want, found = engine.pip_pass(runs, proxy=chosen), engine.pip_pass(runs, Compute(memory=2_000), chosen)
        assert found.basis.moments is None
        assert_same(found, want)
        # Nobody said that words would be asked for: the tiles are formed again.
        for a, b in zip(
            engine.wordwise_pass(runs, found.basis, FEW), engine.wordwise_pass(runs, want.basis), strict=True
        ):
            torch.testing.assert_close(a, b, rtol=1e-11, atol=0, equal_nan=True)


def test_nothing_is_formed_twice(monkeypatch):
    """Each row of a run is read once for every tile that it is in, for the Gram and for the words."""
    runs = runs_of(generators.noisy_copies(9, 40, 6))
    formed = []
    real = tiles.add_cross_
    monkeypatch.setattr(
        tiles, "add_cross_", lambda tile, x, y: (formed.append((x.shape[1], y.shape[1])), real(tile, x, y))
    )
    found = engine.pip_pass(runs, Compute(memory=4_000), wordwise=True)
    engine.wordwise_pass(runs, found.basis, Compute(memory=4_000))
    chunks = -(-40 // tiles.Compute(memory=4_000).tile(64 * 6, 40))
    assert sum(i * j for i, j in formed) == chunks * 45  # R (R + 1) / 2 blocks, of groups of one run


@pytest.mark.parametrize("noise", [0.0, 1e-12])
def test_runs_too_near_for_float64_are_measured_in_their_own_frame(noise):
    """Copies, and copies but for their last digits, among others: 0, or resolved to the last digits of their rows."""
    stack, turn = generators.noisy_copies(5, 120, 8), generators.rotation(8, 3)
    stack[3] = stack[1] @ turn + noise * torch.randn(120, 8, dtype=torch.float64, generator=generators.generator(1))
    stack[4] = stack[1]
    runs = runs_of(stack)
    whole, found = engine.pip_pass(runs), engine.pip_pass(runs, Compute(memory=3_000), wordwise=True)
    near = [oracles.pairs(5).index(pair) for pair in ((1, 3), (3, 4))]
    equal = oracles.pairs(5).index((1, 4))
    far = torch.ones(10, dtype=torch.bool).index_fill(0, torch.tensor([*near, equal]), False)
    torch.testing.assert_close(found.reduced[far], whole.reduced[far], rtol=1e-9, atol=0)
    wanted = np.linalg.norm(oracles.near_difference(*runs.stack()[[1, 3]].numpy(), turn.numpy())) / (2 * 120)
    assert wanted < 1e-7  # float32 files of one space, turned
    for pip in (whole, found):
        assert pip.reduced[far].min() > 1e-4
        assert pip.error < 1e-7
        # Maps of 8 dimensions err by some 8 · 2⁻⁵², on rows that differ by some 2⁻²⁵.
        np.testing.assert_allclose(pip.reduced[near], wanted, rtol=8 * 2.0**-27)
        assert pip.reduced[equal] < 8 * 2.0**-52
    words = [engine.wordwise_pass(runs, p.basis).mean for p in (found, whole)]
    torch.testing.assert_close(words[0], words[1], rtol=1e-8, atol=0)
    assert torch.equal(same_pairs(runs, found).same, same_pairs(runs, whole).same)
    assert same_pairs(runs, found).same.sum() == 6


def test_memory_does_not_grow_with_the_number_of_runs():
    """Beside numbers for every pair, and for every run and word, a pass takes what its tiles take."""
    v, d, memory = 60, 16, 200_000
    every, taken = runs_of(generators.noisy_copies(32, v, d)), []
    for count in (8, 16, 32):
        runs = every.take(list(range(count)))
        counted = runs.joint
        taken.append(
            peak(
                lambda runs=runs, counted=counted: tiles.tile_pass(
                    runs, Compute(memory=memory), counted, torch.float64, torch.float64
                )
            )
            - 5 * count * v * 8
            - 40 * count**2
        )
    assert max(taken) < 1.5 * memory  # the whole Gram of 32 runs takes 1.1 MB
    assert taken[2] < taken[0] + 50_000


def test_float32_gives_way_as_soon_as_it_does_not_suffice(monkeypatch):
    runs = runs_of(generators.noisy_copies(6, 80, 6, noise=1e-3))
    asked = []
    real = tiles.tile_pass
    monkeypatch.setattr("gpustab.engine.pip.tile_pass", lambda *a, **k: (asked.append(a[3]), real(*a, **k))[1])
    found = engine.pip_pass(runs, Compute(memory=3_000, precision="fp32"), wordwise=True)
    assert asked == [torch.float32, torch.float64]
    assert found.precision == "fp64"
    assert_same(found, engine.pip_pass(runs), rtol=1e-9)


@pytest.mark.parametrize(("noise", "products"), [(0.5, "fp32"), (0.01, "fp64")])
def test_auto_on_a_cpu_takes_float32_where_its_bound_is_below_a_millionth(noise, products, monkeypatch):
    monkeypatch.setattr(precision, "_WORTH", 0)
    runs = runs_of(generators.noisy_copies(4, 400, 20, noise=noise))
    stack = runs.stack()
    for compute in (Compute(), Compute(memory=30_000)):
        found = engine.pip_pass(runs, compute, wordwise=True)
        assert found.precision == products
        assert found.error < 1e-6
        np.testing.assert_allclose(found.reduced, pairs_of(stack, oracles.reduced_pip), rtol=max(found.error, 1e-9))
        words = engine.wordwise_pass(runs, found.basis, compute)
        np.testing.assert_allclose(
            words.mean, pairs_of(stack, oracles.wordwise_pip).mean(0), rtol=max(found.error, 1e-9)
        )


@pytest.mark.parametrize("noise", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("v", [40, 1500])
def test_the_guess_of_the_condition_is_near_the_truth(noise, v):
    runs = runs_of(generators.noisy_copies(3, v, 12, noise=noise))
    x, y = (run.numpy() for run in runs.stack()[:2])
    size = sum(np.linalg.norm(a @ a.T) ** 2 for a in (x, y))
    truth = size / oracles.pip_loss(x, y) ** 2
    assert precision.likely_condition(runs.take([0, 1]), runs.joint) == pytest.approx(truth, rel=0.3)


def test_a_small_space_is_measured_in_float64_whatever_its_condition():
    assert engine.pip_pass(runs_of(generators.noisy_copies(3, 100, 8, noise=1.0))).precision == "fp64"


def test_other_measures_are_read_from_float64_products(monkeypatch):
    monkeypatch.setattr(precision, "_WORTH", 0)
    runs = runs_of(generators.noisy_copies(4, 200, 8, noise=1.0))
    want = similarity_pass(runs, engine.pip_pass(runs, Compute(precision="fp64")), ["cka", "cca"])
    for compute in (Compute(), Compute(memory=2_000)):
        pip = engine.pip_pass(runs, compute)
        found = similarity_pass(runs, pip, ["cka", "cca"])
        assert pip.precision == "fp32"
        for name, values in want.items():
            torch.testing.assert_close(found[name], values, rtol=1e-12, atol=0)
