import numpy as np
import pytest
import torch

from gpustab.kernels import centred, gram
from gpustab.kernels.pip_loss import wordwise_pip
from gpustab.kernels.procrustes import procrustes
from tests import oracles
from tests.generators import SIZES, anisotropic, generator, noisy_copies, rotation


def rotations(runs, d):
    return torch.stack([rotation(d, 50 + r) for r in range(runs)])


def losses(rows, dtype=torch.float64):
    return centred.centred_pip_loss(gram.moments(rows, dtype).gram)


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


@pytest.mark.parametrize("noise", [1e-2, 1e-5, 1e-9, 1e-13])
def test_float64_deviations_resolve_losses_down_to_the_last_bits_of_the_rows(noise):
    """Where the plain form finds noise: a loss near 1e-10 is the difference of two numbers near 1."""
    stack = noisy_copies(2, 300, 20, noise=noise)
    maps = torch.stack([torch.eye(20, dtype=torch.float64), procrustes((stack[1].T @ stack[0])[None]).maps[0]])
    rows = centred.centred_rows(stack, maps)
    frame = gram.block_gram(rows)
    # v × v differences of the aligned rows, in extended precision: E and S are exact to the last bit of the rows.
    x, y = (part.astype(np.longdouble) for part in (rows[0] + rows[1:]).numpy())
    e, s = x - y, x + y
    difference = (e @ s.T + s @ e.T) / 2
    rtol = max(1e-9, 1e-15 / noise)
    np.testing.assert_allclose(centred.centred_pip_loss(frame).total, float(np.sqrt((difference**2).sum())), rtol=rtol)
    np.testing.assert_allclose(centred.distances(frame), float(np.sqrt((e**2).sum())), rtol=rtol)
    words = centred.centred_wordwise_pip(rows, frame, 300, torch.ones(2, 300, dtype=torch.bool))
    np.testing.assert_allclose(
        words.mean, np.sqrt((difference**2).sum(1)).astype(float) / (2 * 300**0.5), rtol=1e3 * rtol
    )


@pytest.mark.parametrize("size", SIZES)
def test_words_are_those_of_the_plain_form(size):
    runs, v, d = size
    stack, maps = noisy_copies(runs, v, d), rotations(runs, d)
    present = torch.ones(runs, v, dtype=torch.bool)
    present[1, 3] = False
    stack = stack * present[:, :, None]
    rows = centred.centred_rows(stack, maps)
    found = centred.centred_wordwise_pip(rows, gram.block_gram(rows), v, present)
    for got, want in zip(found, wordwise_pip(stack, gram.block_gram(stack), v, present), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-7, atol=1e-12, equal_nan=True)
