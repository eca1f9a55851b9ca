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
    target, start = related(1.0, v=20, dtype=torch.float32)
    table = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.Adam([table], lr=0.04)
    before = loss(table, target).item()
    for _ in range(30):
        optimiser.zero_grad()
        loss(table, target).backward()
        optimiser.step()
    assert loss(table, target).item() < 0.7 * before


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_gradcheck_with_weights(loss):
    x, y = (part[:9, :3].contiguous().requires_grad_() for part in related())
    other = type(loss)(squared=loss.squared, weights=torch.linspace(0.1, 2, 9))
    assert torch.autograd.gradcheck(other, (x, y))


@pytest.mark.parametrize(("backend", "noise"), [("eager", 1e-4), ("aot_eager", 1.0), ("aot_eager", 1e-4)])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
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


COPIES = {
    "copy": lambda x: x.clone(),
    "turned": lambda x: x @ generators.rotation(x.shape[1]),
    "of other lengths": lambda x: x * torch.linspace(0.5, 3, len(x), dtype=x.dtype)[:, None],
    "permuted columns": lambda x: x.flip(1),
}


STAYING = [
    *(kind(squared=squared) for kind in (nn.PIPLoss, nn.ProcrustesLoss) for squared in (False, True)),
    *(kind(squared=squared, normalize=False) for kind in (nn.PIPLoss, nn.ProcrustesLoss) for squared in (False, True)),
    *(nn.NeighbourAgreementLoss(5), nn.NeighbourAgreementLoss(2, 0.1)),
]


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("loss", STAYING, ids=str)
def test_a_table_at_its_reference_stays(loss, copy):
    """Adam divides by the size of a gradient: rounding of 1e-17 would move every row by a step."""
    if copy == "of other lengths" and not getattr(loss, "normalize", True):
        return
    x = generators.anisotropic(50, 12)
    table = torch.nn.Parameter(x.clone())
    optimiser = torch.optim.Adam([table], lr=0.01)
    for _ in range(3):
        optimiser.zero_grad()
        found = loss(table, COPIES[copy](x))
        found.backward()
        optimiser.step()
        assert found.item() == 0
        assert not table.grad.any()
    assert torch.equal(table, x)


@pytest.mark.parametrize(
    "loss", [nn.PIPLoss(squared=True), nn.ProcrustesLoss(squared=True), nn.NeighbourAgreementLoss(3, 0.1)], ids=str
)
@pytest.mark.parametrize("copy", ["copy", "turned"])
def test_a_copy_has_the_second_derivatives_of_what_is_near_it(loss, copy):
    """The gradient is 0 there, the Hessian is not."""
    x = generators.anisotropic(7, 2)
    y = COPIES[copy](x)
    at_copy = torch.autograd.functional.hessian(lambda table: loss(table, y), x)
    near = torch.autograd.functional.hessian(lambda table: loss(table, y), x + 1e-5)
    torch.testing.assert_close(at_copy, near, rtol=1e-2, atol=1e-2 * near.abs().max().item())
    assert near.abs().max() > 1e-3


@pytest.mark.parametrize("kind", [nn.PIPLoss, nn.ProcrustesLoss])
def test_what_is_as_near_as_one_float32_is_no_copy(kind):
    x = generators.anisotropic(200, 30).float()
    table = torch.nn.Parameter(x.clone())
    with torch.no_grad():
        table[7, 3] = torch.nextafter(table[7, 3], torch.tensor(9.0))
    loss = kind(normalize=False)(table, x)
    loss.backward()
    assert loss.item() > 0
    assert table.grad.any()


SECOND = [
    nn.NeighbourAgreementLoss(3),
    nn.NeighbourAgreementLoss(2, 0.1, tile=24),
    nn.PIPLoss(squared=True),
    nn.ProcrustesLoss(squared=True),
]


@pytest.mark.parametrize("loss", SECOND, ids=str)
def test_second_derivatives_against_differences_of_gradients(loss):
    x, y = (part[:8, :3].contiguous().requires_grad_() for part in related())
    step = torch.randn(8, 3, generator=generators.generator(2), dtype=x.dtype)
    curvature = torch.autograd.functional.hvp(lambda a: loss(a, y.detach()), x.detach(), step)[1]
    ends = []
    for sign in (1, -1):
        end = (x.detach() + sign * 1e-5 * step).requires_grad_()
        ends.append(torch.autograd.grad(loss(end, y.detach()), end)[0])
    torch.testing.assert_close(curvature, (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("loss", [*LOSSES, nn.NeighbourAgreementLoss(5)], ids=str)
@pytest.mark.parametrize("which", ["x", "y", "both"])
def test_references_made_in_inference_mode(loss, which):
    x, y = related()
    with torch.inference_mode():
        made_x, made_y = x.clone(), y.clone()
    plain = torch.nn.Parameter(x.clone())
    wanted = loss(plain, y)
    if which == "both":
        assert loss(made_x, made_y).item() == wanted.item()
        return
    wanted.backward()
    table = torch.nn.Parameter(x.clone())
    pair = (made_y, table) if which == "x" else (table, made_y)
    loss(*pair).backward()
    torch.testing.assert_close(table.grad, plain.grad)


def test_weights_made_in_inference_mode_count_too():
    x, y = related()
    with torch.inference_mode():
        weights = torch.linspace(0.5, 2, len(x), dtype=torch.float64)
    table = torch.nn.Parameter(x.clone())
    for loss in (nn.PIPLoss(weights=weights)(table, y), functional.procrustes_loss(table, y, weights=weights)):
        loss.backward()
    assert table.grad.isfinite().all()


@pytest.mark.parametrize("cast", [torch.nn.Module.half, torch.nn.Module.bfloat16, torch.nn.Module.float])
@pytest.mark.parametrize("kind", [nn.PIPLoss, nn.ProcrustesLoss])
def test_weights_keep_their_digits_when_the_module_is_cast(kind, cast):
    """Counts of words, up to 1e5, are infinite in half precision."""
    x, y = related()
    counts = 1e5 / torch.arange(1, len(x) + 1)
    model = torch.nn.ModuleDict({"loss": kind(weights=counts)})
    assert cast(model)["loss"](x, y).item() == kind(weights=counts)(x, y).item()
    assert model["loss"].weights.dtype == torch.float64


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.PIPLoss(reduction="avg"), "reduction is 'avg', wanted 'none', 'mean' or 'sum'"),
        (lambda: nn.ProcrustesLoss(weights=torch.zeros(3)), "all weights are 0"),
        (lambda: nn.PIPLoss(weights=torch.tensor([1, torch.inf])), "weight of row 1 is not finite"),
        (lambda: nn.PIPLoss(weights=-torch.ones(2)), "weight of row 0 is negative"),
        (lambda: nn.PIPLoss(weights=[1.0, 2.0]), "weights is a list, wanted a tensor"),
        (lambda: nn.PIPLoss(weights=torch.tensor(1.0)), r"weights have shape \(\)"),
        (lambda: nn.PIPLoss(weights=torch.nn.Parameter(torch.ones(2))), "weights want a gradient"),
        (lambda: nn.NeighbourAgreementLoss(0), "n is 0, wanted a whole number from 1"),
        (lambda: nn.NeighbourAgreementLoss(2.5), "n is 2.5"),
        (lambda: nn.NeighbourAgreementLoss(True), "n is True, wanted a whole number from 1"),
        (lambda: nn.NeighbourAgreementLoss(temperature=0), "temperature is 0, wanted a number above 0"),
        (lambda: nn.NeighbourAgreementLoss(tile=0), "tile is 0"),
        (lambda: nn.NeighbourAgreementLoss(reduction="men"), "reduction is 'men'"),
    ],
)
def test_a_wrong_option_is_refused_when_the_loss_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("loss", [*LOSSES, nn.NeighbourAgreementLoss(5)], ids=str)
@pytest.mark.parametrize("rows", [torch.tensor(1.0), torch.ones(3)])
def test_what_is_no_matrix_is_named_with_its_shape(loss, rows):
    """A number made the third fail with torch's own words of ``len``."""
    with pytest.raises(ValueError, match=r"x has shape \((3,)?\).*wanted \(.*v, d1\)"):
        loss(rows, rows)


@pytest.mark.parametrize("loss", [*LOSSES, nn.NeighbourAgreementLoss(5)], ids=str)
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf])
def test_rows_that_are_not_finite_are_refused(loss, wrong):
    x, y = related()
    x[3, 1] = wrong
    with pytest.raises(ValueError, match="row 3 of x is not finite"):
        loss(x, y)


def test_targets_of_an_agreement():
    x, y = related()
    loss, some = nn.NeighbourAgreementLoss(5, reduction="none"), torch.zeros(len(x), dtype=torch.bool)
    some[[3, 8]] = True
    wanted = loss(x, y)[[3, 8]]
    for targets in (torch.tensor([3, 8]), torch.tensor([3, 8], dtype=torch.int32), some):
        torch.testing.assert_close(loss(x, y, targets), wanted)
    for targets, message in ((some & False, "no targets"), ([3, 8], "targets is a list"), (some[1:], "wanted")):
        with pytest.raises(ValueError, match=message):
            loss(x, y, targets)


def test_all_options_are_shown():
    assert repr(nn.PIPLoss(reduction="sum", weights=torch.ones(2, 3))) == (
        "PIPLoss(squared=False, normalize=True, reduced=True, reduction='sum', weights of 3 words)"
    )
    assert repr(nn.NeighbourAgreementLoss()) == (
        "NeighbourAgreementLoss(n=10, temperature=0.02, tile=4194304, reduction='mean')"
    )


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
