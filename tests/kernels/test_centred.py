import numpy as np
import pytest
import torch

from gpustab.kernels import centred, gram
from tests import oracles
from tests.generators import SIZES, anisotropic, generator, noisy_copies, rotation


def rotations(runs, d):
    return torch.stack([rotation(d, 50 + r) for r in range(runs)])


def losses(rows, dtype=torch.float64):
    total = gram.empty_gram(len(rows), rows.shape[2])
    return centred.centred_pip_loss(gram.add_rows(total, rows.to(dtype)))


@pytest.mark.parametrize("size", SIZES)
def test_any_orthogonal_maps_give_the_naive_losses(size):
    runs, v, d = size
    stack = noisy_copies(runs, v, d)
    naive = [oracles.pip_loss(stack[i], stack[j]) for i, j in oracles.pairs(runs)]
    for maps in (torch.eye(d, dtype=torch.float64).expand(runs, -1, -1), rotations(runs, d)):
        found = losses(centred.centred_rows(stack, maps))
        np.testing.assert_allclose(found.total, naive, rtol=1e-12)
        assert (found.condition > 0.5).all()


def test_mean_and_deviations_are_those_of_the_aligned_runs():
    stack = noisy_copies(3, 20, 5)
    maps = rotations(3, 5)
    mean, *deviations = centred.centred_rows(stack, maps)
    torch.testing.assert_close(torch.stack(deviations) + mean, stack @ maps)
    torch.testing.assert_close(torch.stack(deviations).sum(0), torch.zeros(20, 5, dtype=torch.float64))


def test_gram_of_the_runs_comes_back():
    stack = noisy_copies(4, 90, 6)
    maps = rotations(4, 6)
    rows = centred.centred_rows(stack, maps)
    found = centred.plain_gram(gram.block_gram(rows), maps)
    torch.testing.assert_close(found, gram.block_gram(stack), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("noise", [0.02, 0.008, 0.003, 0.001, 1e-5])
def test_bfloat16_keeps_four_digits_of_any_loss(noise):
    """The plain form needs the whole of float64 for the last of these."""
    base = anisotropic(3000, 40)
    stack = torch.stack(
        [base + noise * torch.randn(3000, 40, dtype=torch.float64, generator=generator(r)) for r in range(3)]
    )
    rows = centred.centred_rows(stack, torch.eye(40, dtype=torch.float64).expand(3, -1, -1))
    naive = [oracles.pip_loss(stack[i], stack[j]) for i, j in oracles.pairs(3)]
    np.testing.assert_allclose(losses(rows, torch.bfloat16).total, naive, rtol=5e-5)


def test_equal_runs_have_no_loss():
    stack = noisy_copies(1, 50, 5).expand(3, -1, -1)
    maps = torch.eye(5, dtype=torch.float64).expand(3, -1, -1)
    assert (losses(centred.centred_rows(stack, maps)).total < 1e-13).all()
