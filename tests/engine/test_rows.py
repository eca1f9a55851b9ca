"""Many runs of few words: the numbers of the block Gram, without one."""

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.engine import pip as engine_pip
from gpustab.engine import rows
from gpustab.machine.device import Compute
from tests import generators, oracles
from tests.generators import runs_of


def assert_same(found, want):
    for a, b in zip(
        (found.reduced, *found.scale, found.squares), (want.reduced, *want.scale, want.squares), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=0)


def both_ways(runs, monkeypatch, proxy=None, compute=Compute()):  # noqa: B008  # frozen
    """Losses and words without a Gram, and with one."""
    monkeypatch.setattr(engine_pip, "fewer_products", lambda *_: True)
    found = engine.pip_pass(runs, compute, proxy, wordwise=True)
    assert found.basis.moments is None
    want = engine.pip_pass(runs, proxy=proxy)
    assert want.basis.moments is not None
    return [(pip, engine.wordwise_pass(runs, pip.basis)) for pip in (found, want)]


@pytest.mark.parametrize("size", [(2, 63, 7), (5, 67, 7), (9, 130, 11), (5, 5, 9)])
def test_against_the_naive_numbers_and_the_block_gram(size, monkeypatch):
    runs = runs_of(generators.noisy_copies(*size))
    (found, words), (want, whole) = both_ways(runs, monkeypatch)
    assert_same(found, want)
    stack, pairs = runs.stack().numpy(), oracles.pairs(size[0])
    naive = np.array([oracles.reduced_pip(stack[i], stack[j]) for i, j in pairs])
    of_words = np.array([oracles.wordwise_pip(stack[i], stack[j]) for i, j in pairs])
    np.testing.assert_allclose(found.reduced, naive, rtol=1e-10)
    np.testing.assert_allclose(words.mean, of_words.mean(0), rtol=1e-10)
    for a, b in zip(words, whole, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-13, equal_nan=True)


def test_words_that_runs_lack_and_a_proxy_and_small_tiles(monkeypatch):
    stack = generators.noisy_copies(6, 90, 5)
    stack[1, 3] = stack[2, 3] = stack[0, 7] = stack[5, 9] = 0
    stack[:5, 11] = 0  # one run has it: no pair
    runs = runs_of(stack, vocabulary="union")
    for proxy in (None, engine.draw_proxy(runs, 30, 0)):
        for compute in (Compute(), Compute(memory=30_000)):
            (found, words), (want, whole) = both_ways(runs, monkeypatch, proxy, compute)
            assert_same(found, want)
            for a, b in zip(words, whole, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-10, atol=0, equal_nan=True)


def test_copies_are_measured_in_a_frame_of_their_own(monkeypatch):
    stack = generators.noisy_copies(4, 60, 5)
    stack[2] = stack[0]
    runs = runs_of(stack)
    assert rows.rows_pass(runs, Compute(), runs.joint) is None
    monkeypatch.setattr(engine_pip, "fewer_products", lambda *_: True)
    assert torch.equal(engine.pip_pass(runs, wordwise=True).reduced, engine.pip_pass(runs).reduced)


@pytest.mark.parametrize(
    ("size", "fewer"), [((128, 1738, 100), True), ((3, 1738, 100), False), ((64, 9000, 100), False)]
)
def test_where_it_takes_fewer_multiplications(size, fewer):
    runs = runs_of(generators.noisy_copies(2, 8, 3))

    class Sized:
        words, dimension = size[1:]

        def __len__(self):
            return size[0]

    assert rows.fewer_products(Sized(), Compute(memory=1 << 40)) is fewer
    assert not rows.fewer_products(Sized(), Compute(memory=1 << 20))
    assert not rows.fewer_products(runs, Compute(precision="fp32", memory=1 << 40))
