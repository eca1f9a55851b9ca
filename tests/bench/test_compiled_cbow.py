"""The compiled loop of CBOW is the plain one."""

import pytest
import torch

from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import side_by_side

pytest.importorskip("numba", reason="it is compiled by numba")

from benchmarks.compiled_cbow import train_cbow


def test_it_trains_the_same_vectors():
    recipe = word2vec.Recipe(window=3, negative=5, epochs=2, rate=0.3, last_rate=0.01, cbow=True)
    tokens = (torch.rand(40, generator=torch.Generator().manual_seed(0)).square() * 6).int()
    reading = side_by_side([(tokens, torch.tensor([0, 0, 1, 9, 10, 40]))])
    noise = Noise(*(column[None] for column in noise_tables(torch.arange(1, 7))))
    want, found = (word2vec.start_model(6, 7, [11], spread=3) for _ in range(2))
    for epoch in range(2):
        word2vec.train_epoch(reading, noise, want, [11], epoch, recipe)
        train_cbow(reading, noise, found, 11, epoch, recipe)
    assert want.outputs.abs().max() > 0.05  # they moved
    torch.testing.assert_close(torch.stack(found), torch.stack(want), rtol=1e-5, atol=2e-6)
