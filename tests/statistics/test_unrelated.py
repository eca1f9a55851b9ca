import numpy as np
import pytest
import torch

from gpustab.kernels.gram import moments
from gpustab.statistics.unrelated import haar_block, unrelated
from tests import generators


@pytest.mark.parametrize(("rows", "columns", "order"), [(3, 4, 30), (4, 3, 8), (5, 5, 5), (2, 6, 6), (1, 1, 2)])
def test_blocks_have_the_moments_of_a_random_orthogonal_matrix(rows, columns, order):
    """Entries have mean 0 and variance 1 / order, and the squares of one row those of a point on a sphere."""
    rng = np.random.default_rng(0)
    drawn = torch.stack([haar_block(rows, columns, order, rng) for _ in range(3000)])
    np.testing.assert_allclose(drawn.mean(0), 0, atol=6 / (order * 3000) ** 0.5)
    np.testing.assert_allclose(drawn.square().mean(), 1 / order, rtol=0.05)
    fourth = 3 / (order * (order + 2))
    np.testing.assert_allclose(drawn.pow(4).mean(), fourth, rtol=0.12)
    assert torch.linalg.matrix_norm(drawn, 2).amax() < 1 + 1e-9
    shared = max(rows + columns - order, 0)  # directions that two such spaces must have in common
    values = torch.linalg.svdvals(drawn)
    np.testing.assert_allclose(values[:, :shared], 1)


def test_unrelated_moments_have_the_mean_and_the_spread_of_permuted_words():
    x = generators.anisotropic(40, 3) + 0.3
    y = generators.noisy_copies(1, 40, 3)[0] - 0.2
    pair = moments(torch.stack([x, y]))
    rng = np.random.default_rng(1)
    drawn = torch.stack([unrelated(pair, rng).gram[1] for _ in range(1000)])
    permuted = torch.stack([x.T @ y[rng.permutation(40)] for _ in range(1000)])
    error = permuted.std(0) / 1000**0.5
    np.testing.assert_array_less((drawn.mean(0) - permuted.mean(0)).abs(), 6 * error)
    np.testing.assert_allclose(drawn.std(0), permuted.std(0), rtol=0.1)
    found = unrelated(pair, rng)
    assert torch.equal(found.gram[0], pair.gram[0])
    assert torch.equal(found.gram[2], pair.gram[2])
    assert torch.equal(found.sums, pair.sums)


def test_spaces_of_more_dimensions_than_words():
    pair = moments(torch.randn(2, 6, 9, dtype=torch.float64, generator=generators.generator(0)))
    found = unrelated(pair, np.random.default_rng(0))
    assert found.gram.isfinite().all()
    assert torch.linalg.matrix_rank(found.gram[1]) == 6
    rough = pair._replace(gram=pair.gram.float().double())  # rounding has given the Grams full rank
    assert torch.linalg.matrix_rank(unrelated(rough, np.random.default_rng(0)).gram[1]) <= 6
