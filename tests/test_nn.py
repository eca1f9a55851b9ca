import pickle

import pytest
import torch
from torch.nn.functional import normalize

from gpustab import functional, nn
from tests import generators
from tests.functional.test_functional import related
from tests.kernels.test_memory import peak

LOSSES = [nn.PIPLoss(), nn.PIPLoss(squared=True), nn.ProcrustesLoss(), nn.ProcrustesLoss(squared=True)]


@pytest.mark.parametrize("loss", [*LOSSES, nn.NeighbourAgreementLoss(5)], ids=str)
def test_training_lowers_the_loss(loss):
    target, start = related(1.0, v=40, dtype=torch.float32)
    table = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.Adam([table], lr=0.02)
    before = loss(table, target).item()
    for _ in range(60):
        optimiser.zero_grad()
        loss(table, target).backward()
        optimiser.step()
    assert loss(table, target).item() < 0.7 * before


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_gradcheck_with_weights(loss):
    x, y = (part[:9, :3].contiguous().requires_grad_() for part in related())
    other = type(loss)(squared=loss.squared, weights=torch.linspace(0.1, 2, 9))
    assert torch.autograd.gradcheck(other, (x, y))


@pytest.mark.parametrize("noise", [1.0, 1e-4])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_in_one_graph(loss, backend, noise):
    x, y = related(noise, dtype=torch.float32)
    x.requires_grad_()
    found = torch.compile(loss, fullgraph=True, backend=backend)(x, y)
    torch.testing.assert_close(found, loss(x, y))
    torch.testing.assert_close(torch.autograd.grad(found, x), torch.autograd.grad(loss(x, y), x))


def test_vmap_of_pip():
    x, y = related()
    stack = x + 0.1 * torch.randn(3, *x.shape, generator=generators.generator(0), dtype=x.dtype)
    loss = nn.PIPLoss()
    each = torch.stack([loss(one, y) for one in stack])
    torch.testing.assert_close(torch.func.vmap(loss, (0, None))(stack, y), each)
    gradients = torch.func.vmap(torch.func.grad(loss), (0, None))(stack, y)
    torch.testing.assert_close(gradients[1], torch.func.grad(loss)(stack[1], y))


@pytest.mark.parametrize("loss", [*LOSSES, nn.NeighbourAgreementLoss(5)], ids=str)
def test_autocast_reaches_neither_loss_nor_gradient(loss):
    x, y = related(dtype=torch.float32)
    x.requires_grad_()
    plain = torch.autograd.grad(loss(x, y), x)[0]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = loss(x, y)
        (gradient,) = torch.autograd.grad(found, x)
    assert torch.equal(found, loss(x, y))
    assert torch.equal(gradient, plain)


@pytest.mark.parametrize("loss", [nn.PIPLoss(), nn.ProcrustesLoss()], ids=str)
def test_memory_is_that_of_the_gradient_and_a_few_rows(loss):
    v, d = 40_000, 16
    x = torch.randn(v, d, generator=generators.generator(0), requires_grad=True)
    y = torch.randn(v, d, generator=generators.generator(1))
    few = 20 * 4096 * d * 8 + 8 * v * 4  # and a few numbers a word
    assert peak(lambda: loss(x, y)) <= few
    assert peak(lambda: loss(x, y).backward()) <= v * d * 4 + few


def test_a_frozen_copy_is_where_it_starts():
    base = generators.anisotropic(300, 8).float()
    table = torch.nn.Parameter(base.clone())
    optimiser = torch.optim.SGD([table], lr=0.05)
    towards = normalize(base + 0.5 * torch.randn(300, 8, generator=generators.generator(3)), dim=1)
    stay = nn.PIPLoss()
    assert stay(table, base).item() == 0
    for _ in range(3):
        optimiser.zero_grad()
        ((table - towards).square().sum() + stay(table, base)).backward()
        optimiser.step()
    assert table.isfinite().all()
    assert not torch.equal(table, base)


def test_a_row_that_pads_has_weight_zero():
    embedding = torch.nn.Embedding(20, 4, padding_idx=0)
    weights = torch.ones(20)
    weights[0] = 0
    loss = nn.PIPLoss(weights=weights)
    loss(embedding.weight, torch.randn(20, 4)).backward()
    assert embedding.weight.grad.isfinite().all()
    with pytest.raises(ValueError, match="row 0 of x is zero"):
        nn.PIPLoss()(embedding.weight, torch.randn(20, 4))


def test_modules_travel():
    loss = nn.PIPLoss(weights=torch.ones(63), squared=True)
    x, y = related()
    assert pickle.loads(pickle.dumps(loss))(x, y) == loss(x, y)
    assert loss(x, y) == functional.pip_loss(x, y, squared=True)
    assert not loss.state_dict()
