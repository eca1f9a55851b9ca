import numpy as np
import pytest
import torch
from scipy.linalg import orthogonal_procrustes, subspace_angles
from scipy.spatial import procrustes as scipy_procrustes

from gpustab import functional
from gpustab.errors import InputError
from tests import generators, oracles
from tests.kernels.test_pair import draw

V, D = 63, 7


def related(noise=0.3, v=V, d=D, dtype=torch.float64):
    """Two spaces that differ by noise and a rotation, rows of unequal lengths."""
    x = generators.anisotropic(v, d) * torch.linspace(0.5, 3, v, dtype=torch.float64)[:, None]
    y = (x + noise * draw(v, d, seed=1)) @ generators.rotation(d, 3)
    return x.to(dtype), y.to(dtype)


def general(d=D):
    """An invertible map that is no rotation."""
    return draw(d, d, seed=5) + 3 * torch.eye(d, dtype=torch.float64)


ORACLES = {
    functional.pip_loss: lambda x, y: oracles.reduced_pip(oracles.unit(x), oracles.unit(y)),
    lambda x, y: functional.pip_loss(x, y, normalize=False, reduced=False): oracles.pip_loss,
    lambda x, y: functional.pip_loss(x, y, squared=True): lambda x, y: (
        oracles.reduced_pip(*map(oracles.unit, (x, y))) ** 2
    ),
    functional.wordwise_pip_loss: lambda x, y: oracles.wordwise_pip(oracles.unit(x), oracles.unit(y)),
    lambda x, y: functional.procrustes(x, y).distance: lambda x, y: (
        oracles.procrustes_distance(*map(oracles.unit, (x, y))) / len(x) ** 0.5
    ),
    lambda x, y: functional.procrustes(x, y, normalize=False, reduced=False).distance: oracles.procrustes_distance,
    functional.linear_cka: oracles.linear_cka,
    lambda x, y: functional.cca(x, y).correlations: oracles.canonical_correlations,
    lambda x, y: functional.cca(x, y).mean: lambda x, y: oracles.canonical_correlations(x, y).mean(),
    lambda x, y: functional.cca(x, y, explained=0.9).svcca: lambda x, y: oracles.canonical_correlations(
        oracles.explaining(x, 0.9), oracles.explaining(y, 0.9)
    ).mean(),
    lambda x, y: functional.cca(x, y).pwcca: oracles.pwcca,
}


@pytest.mark.parametrize(("function", "oracle"), ORACLES.items())
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_against_naive_formulas(function, oracle, dtype):
    x, y = related(dtype=dtype)
    found, wanted = function(x, y), oracle(x.double().numpy(), y.double().numpy())
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found, wanted, rtol=1e-10 if dtype == torch.float64 else 1e-6)


@pytest.mark.parametrize("jaccard", [False, True])
def test_neighbours_against_naive_lists(jaccard):
    x, y = related()
    lists = [[oracles.top_k(part.numpy(), t, 5) for t in range(V)] for part in (x, y)]
    wanted = oracles.overlap(lists, 5)[int(jaccard)][0]
    np.testing.assert_allclose(functional.neighbour_overlap(x, y, 5, jaccard=jaccard, reduction="none"), wanted)
    few = torch.tensor([3, 8])
    assert functional.neighbour_overlap(x, y, 5, targets=few, jaccard=jaccard).item() == pytest.approx(
        wanted[few].mean()
    )


def test_against_scipy():
    x, y = related()
    map_, scale = orthogonal_procrustes(x.numpy(), y.numpy())
    found = functional.procrustes(x, y, normalize=False, reduced=False)
    np.testing.assert_allclose(found.map, map_, atol=1e-12)
    assert found.distance.item() ** 2 == pytest.approx(float(x.square().sum() + y.square().sum()) - 2 * scale)
    angles = subspace_angles(oracles.centred(x), oracles.centred(y))
    np.testing.assert_allclose(functional.cca(x, y).correlations, np.sort(np.cos(angles))[::-1], atol=1e-10)
    # scipy's disparity also scales: 1 − (Σ σ)², of spaces that are centred and of length 1.
    centred = [torch.from_numpy(oracles.centred(part) / np.linalg.norm(oracles.centred(part))) for part in (x, y)]
    distance = functional.procrustes(*centred, normalize=False, reduced=False).distance.item()
    assert 1 - (1 - distance**2 / 2) ** 2 == pytest.approx(scipy_procrustes(x.numpy(), y.numpy())[2])


TURNED, SCALED, SHIFTED, GENERAL, SWAPPED, ROWS = (
    "turned",
    "scaled",
    "shifted",
    "any linear map",
    "swapped",
    "row lengths",
)

INVARIANCES = {
    "pip_loss": (functional.pip_loss, {TURNED, SCALED, SWAPPED, ROWS}),
    "wordwise_pip_loss": (
        lambda x, y: functional.wordwise_pip_loss(x, y).square().mean(),
        {TURNED, SCALED, SWAPPED, ROWS},
    ),
    "procrustes": (lambda x, y: functional.procrustes(x, y).distance, {TURNED, SCALED, SWAPPED, ROWS}),
    "neighbour_overlap": (lambda x, y: functional.neighbour_overlap(x, y, 5), {TURNED, SCALED, SWAPPED, ROWS}),
    "linear_cka": (functional.linear_cka, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "cca.mean": (lambda x, y: functional.cca(x, y).mean, {TURNED, SCALED, SHIFTED, SWAPPED, GENERAL}),
    "cca.svcca": (lambda x, y: functional.cca(x, y, explained=0.9).svcca, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "cca.pwcca": (lambda x, y: functional.cca(x, y).pwcca, {SCALED, SHIFTED}),
}


@pytest.mark.parametrize("name", INVARIANCES)
@pytest.mark.parametrize("change", [TURNED, SCALED, SHIFTED, GENERAL, SWAPPED, ROWS])
def test_what_is_declared_invariant_is_and_what_is_not_is_not(name, change):
    function, declared = INVARIANCES[name]
    x, y = related(0.6)
    other = {
        TURNED: lambda: (x @ generators.rotation(D, 9), y),
        SCALED: lambda: (3 * x, y),
        SHIFTED: lambda: (x + 2, y),
        GENERAL: lambda: (x @ general(), y),
        SWAPPED: lambda: (y, x),
        ROWS: lambda: (x * torch.linspace(1, 4, V, dtype=torch.float64)[:, None], y),
    }[change]()
    before, after = float(function(x, y)), float(function(*other))
    assert (after == pytest.approx(before, rel=1e-8)) == (change in declared)
    order = torch.randperm(V, generator=generators.generator(2))
    assert float(function(x[order], y[order])) == pytest.approx(before, rel=1e-10)


def test_pwcca_is_invariant_to_a_map_of_the_second_alone():
    x, y = related(0.6)
    assert functional.cca(x, y @ general()).pwcca.item() == pytest.approx(functional.cca(x, y).pwcca.item(), rel=1e-9)


@pytest.mark.parametrize("noise", [1e-2, 1e-4, 1e-6])
def test_float32_is_right_near_equality(noise):
    x, y = related(noise, dtype=torch.float32)
    a, b = (part.double() for part in (x, y))
    for function in (
        functional.pip_loss,
        lambda x, y: functional.procrustes(x, y).distance,
        functional.wordwise_pip_loss,
    ):
        torch.testing.assert_close(function(x, y), function(a, b), rtol=2e-5, atol=0)
    u, w = (oracles.unit(part) for part in (a, b))
    np.testing.assert_allclose(functional.wordwise_pip_loss(x, y), oracles.wordwise_pip(u, w), rtol=3e-5)


def test_at_equality():
    x, _ = related(dtype=torch.float32)
    x.requires_grad_()
    copy = x.detach().clone()
    for function in (
        functional.pip_loss,
        lambda x, y: functional.procrustes(x, y).distance,
        lambda x, y: functional.wordwise_pip_loss(x, y).sum(),
    ):
        found = function(x, copy)
        assert found.item() <= 1e-12
        assert torch.autograd.grad(found, x)[0].norm() <= 10 * x.shape[0] ** 0.5
    assert functional.pip_loss(x, copy).item() == 0
    assert functional.linear_cka(x, copy).item() == pytest.approx(1)
    assert functional.cca(x, copy).pwcca.item() == pytest.approx(1)
    assert functional.neighbour_overlap(x, copy).item() == 1


@pytest.mark.parametrize("name", INVARIANCES)
def test_autocast_changes_nothing(name):
    x, y = related(dtype=torch.float32)
    before = INVARIANCES[name][0](x, y)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(INVARIANCES[name][0](x, y), before)


def test_gradients():
    x, y = (part[:9, :3].contiguous().requires_grad_() for part in related())
    weights = torch.linspace(0, 2, 9, dtype=torch.float64)
    for normalize in (False, True):
        for function in (
            lambda x, y, n=normalize: functional.pip_loss(x, y, normalize=n, weights=weights),
            lambda x, y, n=normalize: functional.pip_loss(x, y, normalize=n, squared=True),
            lambda x, y, n=normalize: functional.wordwise_pip_loss(x, y, normalize=n),
            lambda x, y, n=normalize: functional.procrustes(x, y, normalize=n, weights=weights).distance,
            lambda x, y, n=normalize: functional.linear_cka(x, y, normalize=n),
        ):
            assert torch.autograd.gradcheck(function, (x, y))
    square = lambda x, y: functional.procrustes(x, y, normalize=False, reduced=False).distance.square()  # noqa: E731
    assert torch.autograd.gradgradcheck(square, (x, y), atol=1e-4)


@pytest.mark.parametrize("near", [1.0, 1e-4])
def test_weights_count_words(near):
    """A word of weight 2 is a word twice; one of weight 0, which may then be zero, is none."""
    x, y = related(near)
    weights = torch.ones(V, dtype=torch.float64)
    weights[3], weights[5] = 2, 0
    order = torch.tensor([i for i in range(V) if i != 5] + [3])
    y[5] = 0
    for function in (functional.pip_loss, lambda x, y, **w: functional.procrustes(x, y, **w).distance):
        assert function(x, y, weights=weights).item() == pytest.approx(function(x[order], y[order]).item(), rel=1e-9)


def test_batches_broadcast():
    x, y = (part.expand(2, 1, V, D) + 0.1 * draw(2, 3, V, D, seed=8) for part in related())
    y = y[1]
    losses = functional.pip_loss(x, y, reduction="none")
    assert losses.shape == (2, 3)
    assert losses[1, 2].item() == pytest.approx(functional.pip_loss(x[1, 2], y[2]).item(), rel=1e-12)
    assert functional.pip_loss(x, y, reduction="sum").item() == pytest.approx(losses.sum().item(), rel=1e-12)
    assert functional.wordwise_pip_loss(x, y).shape == (2, 3, V)
    assert functional.procrustes(x, y).map.shape == (2, 3, D, D)
    assert functional.align(x, y).shape == x.shape
    assert functional.cca(x, y).correlations.shape == (2, 3, D)
    assert functional.neighbour_overlap(x, y, 4, reduction="none").shape == (2, 3, V)
    assert functional.average(x).shape == (2, V, D)
    weights = torch.ones(2, 1, V)
    torch.testing.assert_close(functional.pip_loss(x, y, weights=weights), functional.pip_loss(x, y))


def test_align_keeps_lengths_and_average_does_not_turn():
    x, y = related(1e-9)
    torch.testing.assert_close(functional.align(x, y), y, atol=1e-7, rtol=0)
    found = functional.average(torch.stack([x, y]), normalize=False)
    torch.testing.assert_close(found @ found.T, x @ x.T, atol=1e-7, rtol=0)


def test_an_average_that_nothing_determines_is_told():
    """In the last direction the words of the two cancel, so that nothing says how it lies to the other's."""
    x = torch.eye(3)[[0, 1, 2, 2]]
    y = x.clone()
    y[3] *= -1
    with pytest.warns(UserWarning, match="an alignment is not unique"):
        functional.average(torch.stack([x, y]))
    assert not functional.procrustes(x, y).unique


def test_dimensions_need_not_agree_where_frames_do_not_count():
    x, y = related()
    wide = torch.nn.functional.pad(y, (0, 3))
    for function in (
        functional.pip_loss,
        functional.linear_cka,
        lambda x, y: functional.cca(x, y).mean,
        lambda x, y: functional.cca(x, y).pwcca,
    ):
        assert float(function(x, wide)) == pytest.approx(float(function(x, y)), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, y: functional.pip_loss(x, y[1:]), r"x has shape \(63, 7\) and y \(62, 7\), wanted \(..., v, d1\)"),
        (lambda x, y: functional.pip_loss(x[0], y), r"x has shape \(7,\)"),
        (lambda x, y: functional.pip_loss(x.expand(2, V, D), y.expand(3, V, D)), "do not broadcast"),
        (lambda x, y: functional.pip_loss(x.expand(0, V, D), y), "batch is empty"),
        (lambda x, y: functional.pip_loss(x, y, weights=torch.ones(3)), r"weights \(3,\), wanted \(..., 63\)"),
        (lambda x, y: functional.pip_loss(x, y, weights=-torch.ones(V)), "weight of row 0 is negative"),
        (lambda x, y: functional.pip_loss(x, y, weights=torch.ones(V, requires_grad=True)), "none flows"),
        (lambda x, y: functional.pip_loss(x * 0, y), "row 0 of x is zero"),
        (lambda x, y: functional.pip_loss(x, y, reduction="rms"), "reduction is 'rms'"),
        (lambda x, y: functional.pip_loss(x.long(), y), "int64"),
        (lambda x, y: functional.procrustes(x, y[:, :3]), r"y \(63, 3\), wanted \(..., v, d\) of one d"),
        (lambda x, y: functional.procrustes(x * 0, y, normalize=False), "zero"),
        (lambda x, y: functional.neighbour_overlap(x, y, V), "k is 63, wanted 1 to 62"),
        (lambda x, y: functional.linear_cka(x * 0 + 1.1, y), "x does not vary"),
        (lambda x, y: functional.linear_cka(x, y * torch.nan), "y is not finite"),
        (lambda x, y: functional.cca(x * 0 + 1.1, y), "does not vary"),
        (lambda x, y: functional.cca(x, y, explained=0), "explained is 0"),
        (lambda x, y: functional.average(x), r"wanted \(..., R, v, d\)"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(*related())


def test_errors_of_the_face_are_input_errors():
    x, y = related()
    with pytest.raises(InputError):
        functional.procrustes(x, y[:, :3])
