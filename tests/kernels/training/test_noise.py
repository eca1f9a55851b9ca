import numpy as np
import pytest
import torch
from gensim.models import Word2Vec

from gpustab.kernels.training.noise import draw_noise, noise_tables
from gpustab.kernels.training.philox import random_words


@pytest.mark.parametrize(
    "weights", [[1.0], [1, 1], [3, 1], [0, 5, 0], [1, 1, 2, 2, 4, 4], list(range(100)), [1e-9, 1, 1e9], [0.1] * 7]
)
def test_noise_tables_hold_the_weights(weights):
    weights = torch.tensor(weights, dtype=torch.float64)
    table = noise_tables(weights)
    own = table.threshold.double() / 2**31
    mass = own.clone().index_add_(0, table.alias.long(), 1 - own) / len(weights)
    torch.testing.assert_close(mass, weights / weights.sum(), rtol=0, atol=2e-9)
    assert (mass[weights == 0] == 0).all()


def test_noise_is_drawn_as_by_gensim():
    counts = torch.tensor([5000, 900, 90, 20, 7, 1])
    gensim = Word2Vec(min_count=1)
    gensim.build_vocab_from_freq({f"w{i}": n for i, n in enumerate(counts.tolist())})
    want = np.diff(gensim.cum_table.astype(np.int64), prepend=0) / int(gensim.cum_table[-1])
    table = noise_tables(counts.double() ** 0.75)
    n = 200_000
    drawn = torch.bincount(draw_noise(table, random_words(n, (1, 2))), minlength=6).numpy() / n
    assert (np.abs(drawn - want) < 5 * np.sqrt(want * (1 - want) / n)).all()
    cells = torch.arange(2**32 // 6 - 2000, 2**32 // 6 + 2000)  # around the border of two cells
    assert set(draw_noise(table, cells).tolist()) <= {0, 1}
