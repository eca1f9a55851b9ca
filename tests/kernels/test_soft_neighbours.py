import numpy as np
import pytest
import torch

from gpustab.kernels.neighbours import top_k
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.kernels.soft_neighbours import soft_disagreement, soft_list
from tests import generators, oracles
from tests.kernels.test_memory import peak
from tests.kernels.test_pair import draw

TARGETS = torch.tensor([0, 4, 17])


@pytest.mark.parametrize("temperature", [1e-6, 1e-3, 0.02, 1.0, 100.0])
@pytest.mark.parametrize("n", [1, 5, 61])
def test_soft_lists_against_bisection(n, temperature):
    scores = draw(4, 63).tanh()
    found = soft_list(scores, n, temperature)
    np.testing.assert_allclose(found.sum(1), n, rtol=1e-10)
    for row, member in zip(scores, found, strict=True):
        np.testing.assert_allclose(member, oracles.soft_list(row.numpy(), n, temperature), atol=1e-7)


def test_tied_scores_share_a_place():
    scores = torch.tensor([[2.0, 1.0, 1.0, 0.0]], dtype=torch.float64)
    np.testing.assert_allclose(soft_list(scores, 2, 1e-3), [[1, 0.5, 0.5, 0]], atol=1e-9)


@pytest.mark.parametrize("temperature", [0.01, 0.2])
def test_against_the_naive_formula(temperature):
    x, y = generators.noisy_copies(2, 63, 7)
    wanted = [1 - oracles.soft_jaccard(x.numpy(), y.numpy(), t, 5, temperature) for t in TARGETS.tolist()]
    np.testing.assert_allclose(soft_disagreement(x, y, TARGETS, 5, temperature), wanted, rtol=1e-7)


def test_it_becomes_the_hard_one_as_the_temperature_falls():
    x, y = generators.noisy_copies(2, 63, 7)
    hard = neighbour_overlap(torch.stack([top_k(part, TARGETS, 5).indices for part in (x, y)]), [5]).j_word[0]
    found = torch.stack([soft_disagreement(x, y, TARGETS, 5, t) for t in (0.1, 0.01, 1e-5)])
    errors = (1 - found - hard).abs().amax(1)
    assert errors[2] < 1e-6 < errors[1] < errors[0]


def test_tiles_change_nothing_neither_do_turns_and_lengths():
    x, y = generators.noisy_copies(2, 63, 7)
    whole = soft_disagreement(x, y, TARGETS, 5, 0.02)
    torch.testing.assert_close(soft_disagreement(x, y, TARGETS, 5, 0.02, numbers=70), whole)
    other = soft_disagreement(2 * x @ generators.rotation(7, 4), y * (1 + draw(63, 1).abs()), TARGETS, 5, 0.02)
    torch.testing.assert_close(other, whole)
    torch.testing.assert_close(soft_disagreement(y, x, TARGETS, 5, 0.02), whole)


def test_derivatives():
    x, y = (part.requires_grad_() for part in generators.noisy_copies(2, 9, 2))
    disagreement = lambda a, b, tile=9: soft_disagreement(a, b, TARGETS % 9, 3, 0.1, numbers=tile)  # noqa: E731
    assert torch.autograd.gradcheck(disagreement, (x, y))
    assert torch.autograd.gradgradcheck(lambda a, b: disagreement(a, b, 27), (x, y), fast_mode=True)


def test_equal_spaces_have_loss_and_gradient_zero():
    x = generators.anisotropic(40, 5).float().requires_grad_()
    found = soft_disagreement(x, x.detach(), TARGETS, 5, 0.02).sum()
    found.backward()
    assert found.item() == 0
    assert not x.grad.any()


@pytest.mark.parametrize(
    ("targets", "n", "temperature", "message"),
    [
        (TARGETS, 39, 0.1, "n is 39, wanted 1 to 38"),
        (TARGETS, 0, 0.1, "n is 0"),
        (TARGETS, 5, 0.0, "temperature is 0.0"),
        (torch.tensor([40]), 5, 0.1, "targets reach from 40 to 40, rows from 0 to 39"),
        (torch.ones(3), 5, 0.1, r"targets have shape \(3,\) and are torch.float32"),
    ],
)
def test_wrong_input_is_named(targets, n, temperature, message):
    x = generators.anisotropic(40, 5)
    with pytest.raises(ValueError, match=message):
        soft_disagreement(x, x, targets, n, temperature)


def test_memory_does_not_grow_with_the_targets():
    x, y = (part.float().requires_grad_() for part in generators.noisy_copies(2, 300, 8))

    def spent(targets):
        def work():
            soft_disagreement(x, y, torch.arange(targets), 5, 0.02, numbers=1 << 11).sum().backward()

        return peak(work)

    assert spent(32) < 1.3 * spent(8)
