"""One program is the plain loop, and two that move the same rows do what their order says."""

import numpy as np
import pytest
import torch

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import side_by_side

pytest.importorskip("numba", reason="the model of Hogwild is compiled by numba")

from benchmarks.lockstep import ORDERS, _lockstep, draw_pairs, train_pairs

WORDS, DIM = 6, 7
RECIPE = word2vec.Recipe(window=3, negative=5, epochs=2, rate=0.3, last_rate=0.01)
"""Few words and a high rate, so that noise words repeat and vectors move far."""


@pytest.fixture(scope="module")
def text():
    tokens = (torch.rand(15, generator=torch.Generator().manual_seed(0)).square() * WORDS).int()
    reading = side_by_side([(tokens, torch.tensor([0, 0, 1, 9, 10, 15]))])
    return reading, Noise(*(column[None] for column in noise_tables(torch.arange(1, WORDS + 1))))


@pytest.mark.parametrize("order", ORDERS)
def test_one_program_is_the_loop(text, order):
    want, found = (word2vec.start_model(WORDS, DIM, [11], spread=3) for _ in range(2))
    for epoch in range(2):
        word2vec.train_epoch(*text, want, [11], epoch, RECIPE)
        train_pairs(draw_pairs(*text, 11, epoch, RECIPE), 15, found, epoch, RECIPE, 1, order)
    assert want.outputs.abs().max() > 0.05  # they moved
    torch.testing.assert_close(torch.stack(found), torch.stack(want), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(("order", "times"), {"stale": 2, "lost": 1, "root": 2**0.5, "mean": 1}.items())
def test_two_programs_with_one_pair(order, times):
    """What one of them adds comes so many times; rows that they do not move stay."""
    before, alone = tables(), tables()
    train(alone, [0], "ordered")
    both = tables()
    train(both, [0, 0], order)
    for start, once, twice in zip(before, alone, both, strict=True):
        np.testing.assert_allclose(twice - start, times * (once - start), atol=1e-6)
    assert np.abs(alone[1] - before[1]).max() > 0.01


def test_programs_in_order_see_each_other():
    rows, want = tables(), tables()
    train(rows, [0, 1], "ordered")
    for context, targets in zip(CONTEXTS, TARGETS, strict=True):
        word2vec._train(*want, [context], targets.tolist(), 0.1)
    np.testing.assert_allclose(np.stack(rows), np.stack(want), atol=1e-6)


CONTEXTS, TARGETS = np.array([2, 2]), np.array([[0, 1, 3, 1, 0], [1, 0, 0, 2, 3]])


def tables():
    return list(np.random.default_rng(0).normal(0, 0.5, (2, WORDS, DIM)).astype(np.float32))


def train(rows, pairs, order):
    """Every program trains one pair."""
    starts = np.arange(len(pairs))
    _lockstep(*rows, CONTEXTS[pairs], TARGETS[pairs], np.full(len(pairs), 0.1), starts, starts + 1, *ORDERS[order])
