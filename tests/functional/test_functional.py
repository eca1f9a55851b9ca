import json
import re
from decimal import Decimal, localcontext
from itertools import combinations
from operator import mul
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.linalg import orthogonal_procrustes, subspace_angles
from scipy.spatial import procrustes as scipy_procrustes
from scipy.spatial.distance import pdist
from scipy.spatial.transform import Rotation
from scipy.stats import spearmanr

from gpustab import functional
from gpustab.errors import InputError
from gpustab.kernels import overlap
from gpustab.kernels.pair_kernels import pair_rbf_hsics
from tests import generators, oracles
from tests.kernels.test_pair import draw

V, D = 63, 7
ROOT = Path(__file__).parents[2]


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
    functional.debiased_cka: oracles.debiased_cka,
    functional.rbf_cka: oracles.rbf_cka,
    lambda x, y: functional.rbf_cka(x, y, share=0.4, debiased=True): lambda x, y: oracles.debiased_cka(
        x, y, oracles.rbf(0.4)
    ),
    lambda x, y: functional.eigenspaces(x, y).overlap: oracles.eigenspace_overlap,
    lambda x, y: functional.eigenspaces(x, y).instability: oracles.eigenspace_instability,
    lambda x, y: functional.eigenspaces(x, y, power=2).instability: lambda x, y: oracles.eigenspace_instability(
        x, y, 2
    ),
    functional.angular: lambda x, y: oracles.shape_angle(oracles.centred(x), oracles.centred(y)),
    lambda x, y: functional.angular(x, y, alpha=0.4): lambda x, y: oracles.shape_angle(
        *(oracles.partly_whitened(part, 0.4) for part in (x, y))
    ),
    lambda x, y: functional.angular(x, y, alpha=0): lambda x, y: np.arccos(oracles.canonical_correlations(x, y).mean()),
    functional.disparity: lambda x, y: scipy_procrustes(x, y)[2],
    functional.rdm: lambda x, y: np.corrcoef(*(oracles.upper_cosines(part) for part in (x, y)))[0, 1],
    lambda x, y: functional.rdm(x, y, distance="euclidean"): lambda x, y: np.corrcoef(pdist(x), pdist(y))[0, 1],
    lambda x, y: functional.rdm(x, y, distance="euclidean", comparison="spearman"): lambda x, y: (
        spearmanr(pdist(x), pdist(y)).statistic
    ),
    lambda x, y: functional.rdm(x, y, comparison="spearman"): lambda x, y: (
        spearmanr(pdist(x, "cosine"), pdist(y, "cosine")).statistic
    ),
    lambda x, y: functional.rdm(x, y, distance="correlation"): lambda x, y: np.corrcoef(
        pdist(x, "correlation"), pdist(y, "correlation")
    )[0, 1],
}


@pytest.mark.parametrize(("function", "oracle"), ORACLES.items())
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_against_naive_formulas(function, oracle, dtype):
    x, y = related(dtype=dtype)
    found, wanted = function(x, y), oracle(x.double().numpy(), y.double().numpy())
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found, wanted, rtol=1e-10 if dtype == torch.float64 else 1e-6)


def of_two_widths():
    """The oracles whose functions take matrices of two widths."""
    x, y = related(v=8)
    for function, oracle in ORACLES.items():
        try:
            function(x, y[:, :4])
        except InputError as error:
            assert "of one d" in str(error)  # noqa: PT017
        else:
            yield function, oracle


@pytest.mark.parametrize(("function", "oracle"), list(of_two_widths()))
@pytest.mark.parametrize("swap", [False, True])
def test_two_widths_against_naive_formulas(function, oracle, swap):
    x, y = related()
    x, y = (y[:, :4] + 1, x) if swap else (x, y[:, :4] + 1)
    found, wanted = np.asarray(function(x, y)), oracle(x.numpy(), y.numpy())
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@pytest.mark.parametrize("widths", [(3, 3), (3, 5), (7, 4), (1, 3)])
@pytest.mark.parametrize("constant", [0.1, 0.3, 1.1, 7.7e5, 0.0])
def test_a_constant_row_has_no_correlation(widths, constant):
    x, y = (draw(6, d, seed=d) for d in widths)
    x[0] = constant
    with pytest.raises(ValueError, match="row 0 is constant"):
        functional.rdm(x, y, distance="correlation")


def simplex(v, seed, size=1.0, shift=0.0):
    """Orthogonal rows: all lie equally far apart, and an unbiased HSIC of them is 0."""
    return torch.linalg.qr(draw(v, v, seed=seed))[0] * size + shift


@pytest.mark.parametrize("v", [4, 8, 50])
@pytest.mark.parametrize(("size", "shift"), [(1.0, 0.0), (3.3, 1.7), (1e-3, 0.5)])
def test_rows_that_lie_equally_far_apart_have_no_debiased_cka(v, size, shift):
    x, y, noise = simplex(v, 0, size, shift), simplex(v, 1, size, shift), draw(v, 5)
    one = torch.zeros(v, 2, dtype=torch.float64) + shift
    one[3] += size  # all others are equal: one row has no other to be like
    for a, b, name in ((x, y, "x"), (x, noise, "x"), (noise, y, "y"), (one, noise, "x")):
        with pytest.raises(ValueError, match=f"all rows of {name} lie equally far apart, so that nothing is left"):
            functional.debiased_cka(a, b)
    with pytest.raises(ValueError, match="all rows of x lie equally far apart"):
        functional.rbf_cka(x, y, debiased=True)


@pytest.mark.parametrize("share", [0.1, 0.14, 0.2, 0.9, 1.1, 30, 1e3, 1e5, 1e8])
@pytest.mark.parametrize(("v", "d"), [(50, 200), (63, 7), (12, 3)])
def test_kernels_of_any_width_keep_their_digits(share, v, d):
    """The oracle leaves the diagonal out, and takes 1 from wide kernels: what is centred does not see it."""
    x = draw(v, d, seed=v)
    y = x + 0.5 * draw(v, d, seed=v + 1)
    widths = [float(np.median(pdist(part))) * share for part in (x, y)]

    def kernel(part, width):
        squares = ((part[:, None] - part[None]) ** 2).sum(2) / (2 * width**2)
        return np.expm1(-squares) if share > 1 else np.exp(-squares)

    k, m = (kernel(part.numpy(), width) for part, width in zip((x, y), widths, strict=True))
    centring = np.eye(v) - 1 / v
    a, b = (centring @ part @ centring for part in (k, m))
    wanted = np.sum(a * b) / np.sqrt(np.sum(a * a) * np.sum(b * b))
    assert functional.rbf_cka(x, y, share=share).item() == pytest.approx(wanted, rel=1e-7)
    hsic = oracles.unbiased_hsic
    wanted = hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))
    assert functional.rbf_cka(x, y, share=share, debiased=True).item() == pytest.approx(wanted, rel=1e-6)


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


def test_ranks_of_neighbours_against_naive_lists():
    x, y = related()
    wanted = [oracles.rank_similarity([oracles.top_k(part.numpy(), t, 5) for part in (x, y)]) for t in range(V)]
    np.testing.assert_allclose(functional.rank_similarity(x, y, 5, reduction="none"), wanted)
    assert functional.rank_similarity(x, x @ generators.rotation(D), 5).item() == 1
    some = torch.zeros(V, dtype=torch.bool)
    some[[3, 8]] = True
    for targets in (some, torch.tensor([3, 8], dtype=torch.int32)):
        assert functional.rank_similarity(x, y, 5, targets=targets).item() == pytest.approx((wanted[3] + wanted[8]) / 2)


@pytest.mark.parametrize("normalize", [False, True])
def test_rotations_alone_and_with_a_scale(normalize):
    """Of a mirrored copy, and of one of another size: the answers are known."""
    x, _ = related(d=3)
    mirrored = x * torch.tensor([1.0, 1.0, -1.0])
    assert functional.procrustes(x, mirrored, normalize=normalize).distance < 1e-7
    found = functional.procrustes(x, mirrored, normalize=normalize, rotation_only=True, reduced=False)
    assert torch.linalg.det(found.map).item() == pytest.approx(1)
    a, b = ((torch.nn.functional.normalize(part) if normalize else part).numpy() for part in (x, mirrored))
    wanted = Rotation.align_vectors(b, a)[1]
    assert found.distance.item() == pytest.approx(wanted, rel=1e-7)
    turned = 3 * x @ generators.rotation(3, 4)
    scaled = functional.procrustes(turned, x, normalize=False, scale=True)
    assert scaled.scale.item() == pytest.approx(1 / 3)
    assert scaled.distance.item() < 1e-9
    assert functional.procrustes(x, turned, normalize=False).scale.item() == 1


def test_a_scale_against_the_formula_of_least_squares():
    x, y = related(2.0)
    found = functional.procrustes(x, y, normalize=False, scale=True, reduced=False)
    aligned = x @ found.map
    best = (aligned * y).sum() / x.square().sum()
    assert found.scale.item() == pytest.approx(best.item())
    assert found.distance.item() == pytest.approx(torch.linalg.matrix_norm(best * aligned - y).item())


def test_against_torchmetrics():
    shape = pytest.importorskip("torchmetrics.functional.shape")
    x, y = (part.expand(2, V, D) + 0.1 * draw(2, V, D, seed=8) for part in related())
    wanted = shape.procrustes_disparity(x, y)
    torch.testing.assert_close(functional.disparity(x, y, reduction="none"), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9])
def test_angle_and_disparity_keep_their_digits_near_zero(noise):
    """``1 − ‖XᵀY‖²`` and ``arccos`` have none left below 1e-8."""
    x = oracles.centred(related()[0])
    step = oracles.centred(draw(V, D, seed=3).numpy())
    step -= x * (step * x).sum() / (x * x).sum()
    for _ in range(200):  # a step that no turn undoes: XᵀE is symmetric
        cross = x.T @ step
        step -= np.linalg.lstsq(x.T, (cross - cross.T) / 2, rcond=None)[0]
        step -= x * (step * x).sum() / (x * x).sum()
    sine = noise * np.linalg.norm(step) / np.linalg.norm(x)
    pair = torch.from_numpy(x), torch.from_numpy(x + noise * step)
    assert functional.angular(*pair).item() == pytest.approx(np.arctan(sine), rel=1e-5)
    assert functional.disparity(*pair).item() == pytest.approx(sine**2 / (1 + sine**2), rel=1e-5)


@pytest.mark.parametrize(
    "measure", [functional.linear_cka, functional.debiased_cka, functional.rdm, lambda x, y: functional.cca(x, y).mean]
)
def test_the_level_by_chance(measure):
    """Of noise of more dimensions than words: CKA and CCA are high, what is unbiased is 0, and each is at its level."""
    x, y = draw(40, 60), draw(40, 60, seed=1)
    level = functional.chance_level(measure, x, y, permutations=12, seed=3)
    assert abs(float(measure(x, y)) - level.mean) <= 5 * level.sd + 1e-12
    assert torch.equal(level.values, functional.chance_level(measure, x, y, permutations=12, seed=3).values)
    near = x + 0.1 * y
    assert float(measure(x, near)) >= level.values.max() - 1e-9  # where all is 1, nothing is more


def test_activations_of_convolutions():
    one, two = draw(10, 3, 4, 5), draw(10, 3, 4, 5, seed=1)
    flat = functional.activation_rows(one)
    assert torch.equal(flat[7], one[7].flatten())
    places = functional.activation_rows(one, "positions")
    assert torch.equal(places[2 * 20 + 1 * 5 + 3], one[2, :, 1, 3])
    assert 0 < functional.linear_cka(places, functional.activation_rows(two, "positions")) < 1
    assert torch.equal(functional.activation_rows(flat), flat)


def test_where_the_angle_is_that_of_mean_cca():
    x, y = related()
    low = x[:, [0, 0, 1, 2, 3, 4, 5]]  # of rank 6
    for a, b, same in ((x, y, True), (low, y[:, [1, 1, 1, 2, 3, 4, 5]], False), (low, y, False), (low, low, True)):
        angle = functional.angular(a, b, alpha=0).cos().item()
        assert (angle == pytest.approx(functional.cca(a, b).mean.item(), rel=1e-6)) == same


def test_the_rank_of_a_neighbour_counts_also_where_it_is_equal():
    lists = torch.tensor([[*range(1, 11)], [*range(101, 110), 10]])
    assert overlap.rank_similarity(lists[:1], lists[1:]).item() == pytest.approx(0.1)
    lists[1, :3] = lists[0, :3]
    assert overlap.rank_similarity(lists[:1, :9], lists[1:, :9]).item() == pytest.approx(1)


def test_directions_below_a_cut_span_nothing():
    x, y = related()
    whole = functional.eigenspaces(x, y).overlap.item()
    for size, same in ((1e-3, True), (1e-7, False)):
        found = functional.eigenspaces(x * torch.tensor([1.0] * 6 + [size]), y).overlap.item()
        assert (found == pytest.approx(whole, rel=1e-6)) == same


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
    "debiased_cka": (functional.debiased_cka, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "rbf_cka": (functional.rbf_cka, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "eigenspaces.overlap": (lambda x, y: functional.eigenspaces(x, y).overlap, {TURNED, SCALED, SWAPPED, GENERAL}),
    "eigenspaces.instability": (lambda x, y: functional.eigenspaces(x, y).instability, {TURNED, SWAPPED}),
    "angular": (functional.angular, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "angular, alpha 0.5": (lambda x, y: functional.angular(x, y, alpha=0.5), {TURNED, SHIFTED, SWAPPED}),
    "angular, alpha 0": (lambda x, y: functional.angular(x, y, alpha=0), {TURNED, SCALED, SHIFTED, SWAPPED, GENERAL}),
    "disparity": (functional.disparity, {TURNED, SCALED, SHIFTED, SWAPPED}),
    "procrustes, scale": (
        lambda x, y: functional.procrustes(x, y, normalize=False, scale=True).distance,
        {TURNED, SCALED},
    ),
    "rdm": (functional.rdm, {TURNED, SCALED, SWAPPED, ROWS}),
    "rdm, euclidean": (
        lambda x, y: functional.rdm(x, y, distance="euclidean", comparison="spearman"),
        {TURNED, SCALED, SHIFTED, SWAPPED},
    ),
    "rank_similarity": (lambda x, y: functional.rank_similarity(x, y, 5), {TURNED, SCALED, SWAPPED, ROWS}),
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
    x, y = (part[:6, :3].contiguous().requires_grad_() for part in related())
    weights = torch.linspace(0, 2, 6, dtype=torch.float64)
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


@pytest.mark.parametrize(
    "function",
    [
        functional.debiased_cka,
        functional.disparity,
        functional.angular,
        lambda x, y: pair_rbf_hsics(x, y, (2.0, 3.0), numbers=20),  # a width is a number, to which none flows
        lambda x, y: pair_rbf_hsics(x, y, (2.0, 3.0), debiased=False),
        functional.rdm,
        lambda x, y: functional.rdm(x, y, distance="euclidean"),
        lambda x, y: functional.rdm(x, y, distance="correlation"),
        lambda x, y: functional.procrustes(x, y, scale=True, weights=torch.linspace(0.5, 2, 6)).distance,
        lambda x, y: functional.procrustes(x, y * torch.tensor([1.0, 1, -1]), rotation_only=True).distance,
    ],
)
def test_gradients_of_similarities(function):
    x, y = (part[:6, :3].contiguous().requires_grad_() for part in related())
    assert torch.autograd.gradcheck(function, (x, y))
    if {"euclidean", "correlation"} & {
        *function.__code__.co_consts
    }:  # torch refuses second derivatives of its distances
        with pytest.raises(RuntimeError, match="not implemented"):
            torch.autograd.gradgradcheck(function, (x, y))
    else:
        assert torch.autograd.gradgradcheck(function, (x, y), atol=1e-3)


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
        (lambda x, y: functional.linear_cka(x * 0 + 1.1, y), "all rows of x are equal"),
        (lambda x, y: functional.linear_cka(x, y * torch.nan), "row 0 of y is not finite"),
        (lambda x, y: functional.cca(x, y * 0 + 1.1), "all rows of y are equal"),
        (lambda x, y: functional.cca(x, y, explained=0), "explained is 0"),
        (lambda x, y: functional.average(x), r"wanted \(..., R, v, d\)"),
        (lambda x, y: functional.average(torch.stack([x, x * torch.nan])), "not finite"),
        (lambda x, y: functional.rank_similarity(x, y, 2.5), "k is 2.5, wanted a whole number from 1"),
        (lambda x, y: functional.average(torch.stack([x, y]).long()), "stack is torch.int64, wanted real"),
        (lambda x, y: functional.average(torch.stack([x, y]) + 0j), "stack is torch.complex128, wanted real"),
        (lambda x, y: functional.neighbour_overlap(x[:1], y[:1], 1), r"x has shape \(1, 7\), wanted 2 rows at least"),
        (lambda x, y: functional.pip_loss(x.to("meta"), y), "x lies on the device meta, where a tensor has no numbers"),
        (lambda x, y: functional.linear_cka(x, y.to("meta")), "y lies on the device meta"),
        (lambda x, y: functional.align(x.to_sparse(), y), r"x is sparse, wanted a dense tensor: x.to_dense\(\)"),
        (lambda x, y: functional.cca(x, y.to_sparse()), "y is sparse"),
        (lambda x, y: functional.debiased_cka(x[:3], y[:3]), "3 words, wanted at least 4"),
        (lambda x, y: functional.rbf_cka(x, y, share=0), "share is 0"),
        (lambda x, y: functional.rbf_cka(x * 0 + 1, y), "the width of the kernel of x is 0"),
        (lambda x, y: functional.rdm(x, y, distance="cosin"), "distance is 'cosin', wanted one of cosine"),
        (lambda x, y: functional.rdm(x, y, comparison="kendall"), "comparison is 'kendall'"),
        (lambda x, y: functional.rdm(x * 0 + 1, y), "distances of x do not vary: its rows point the same way"),
        (lambda x, y: functional.rdm(x * 0 + 1, y, distance="euclidean"), "euclidean distances of x do not vary"),
        (lambda x, y: functional.angular(x, y, alpha=2), "alpha is 2"),
        (lambda x, y: functional.angular(x, y, alpha=0, centre=False), "give centre=True"),
        (lambda x, y: functional.angular(x * 0 + 1, y), "all rows of x are equal"),
        (lambda x, y: functional.disparity(x, y * 0), "all rows of y are equal"),
        (lambda x, y: functional.eigenspaces(x * 0, y), "x is zero"),
        (lambda x, y: functional.eigenspaces(x, y, power=0.5), "power is 0.5"),
        (lambda x, y: functional.chance_level(functional.pip_loss, x, y, permutations=1), "permutations is 1"),
        (lambda x, y: functional.chance_level(functional.wordwise_pip_loss, x, y), "wanted a number"),
        (lambda x, y: functional.activation_rows(x[0]), r"wanted \(n, c, ...\)"),
        (lambda x, y: functional.activation_rows(x, "rows"), "items is 'rows'"),
        (lambda x, y: functional.activation_rows(x, y), "items is a Tensor, wanted 'examples' or 'positions'"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(*related())


def test_errors_of_the_face_are_input_errors():
    x, y = related()
    with pytest.raises(InputError):
        functional.procrustes(x, y[:, :3])


FACE = {name: getattr(functional, name) for name in functional.__all__ if name[0].islower()}
PAIRS = {
    name: function for name, function in FACE.items() if name not in ("activation_rows", "average", "chance_level")
}


class Vectors:
    """What holds vectors as gensim does."""

    def __init__(self, vectors):
        self.vectors = vectors


THINGS = {
    "numpy": lambda x: x.numpy(),
    "turned": lambda x: x.numpy()[::-1],
    "list": lambda x: x.tolist(),
    "tensors": list,
    "tuple": tuple,
    "module": lambda x: torch.nn.Embedding.from_pretrained(x),
    "frame": lambda x: pd.DataFrame(x.numpy()),
    "vectors": lambda x: Vectors(x.numpy()),
    "no way": lambda x: torch.nn.ReLU(),
    "nothing": lambda x: None,
}
SAID = re.compile(r"^([xy]) is (?:None|a \w+), wanted a tensor(?:: ([\w.()]+))?$")


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("thing", THINGS)
def test_what_is_no_tensor_is_refused_in_one_sentence(name, thing):
    """With a way that makes it one, and none where there is none."""
    x, y = related()
    given = {"x": THINGS[thing](x), "y": THINGS[thing](y)}
    for which, pair in (("x", (given["x"], y)), ("y", (x, given["y"]))):
        with pytest.raises(ValueError, match=SAID) as refused:
            PAIRS[name](*pair)
        named, way = SAID.match(str(refused.value)).groups()
        assert named == which
        assert bool(way) == (thing not in ("no way", "nothing"))
        if way:
            made = eval(way, {"torch": torch, which: given[which]})  # what the message says to type
            assert made.shape == x.shape
            assert functional.pip_loss(made, made).item() == 0


def test_a_list_of_tensors_is_stacked():
    x, y = related()
    with pytest.raises(ValueError, match=r"stack is a list, wanted a tensor: torch.stack\(stack\)$"):
        functional.average([x, y[:, : x.shape[1]]])


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
def test_rows_that_are_not_finite_are_refused(name, wrong):
    x, y = related()
    y[4, 2] = wrong
    with pytest.raises(ValueError, match="row 4 of y is not finite"):
        PAIRS[name](x, y)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("size", [1e200, 1e-170, 1e-300])
def test_float64_of_any_size_is_right_or_refused(name, size):
    """Squares of 1e200 and of 1e-170 are no float64."""
    x, y = related()

    def measure(x, y):
        found = PAIRS[name](x, y)
        return torch.cat([part.double().flatten() for part in (found if isinstance(found, tuple) else [found])])

    wanted = measure(x, y)
    try:
        found = measure(size * x, size * y)
    except ValueError as error:
        assert "scale it first" in str(error)  # noqa: PT017
        assert name == "eigenspaces"
        found = measure(1e30 * x, 1e30 * y)
    torch.testing.assert_close(found / (size if name == "align" else 1), wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [1e200, 1e-170, 1e-300])
def test_float64_of_any_size_by_other_choices(size):
    x, y = related()
    for function in (
        lambda x, y: functional.rdm(x, y, distance="euclidean"),
        lambda x, y: functional.rdm(x, y, distance="euclidean", comparison="spearman"),
        lambda x, y: functional.rdm(x, y, distance="correlation"),
        lambda x, y: functional.rbf_cka(x, y, debiased=True),
        lambda x, y: functional.angular(x, y, alpha=0),
    ):
        assert function(size * x, size * y).item() == pytest.approx(function(x, y).item(), rel=1e-9)
    # αI + (1 − α)C^{−1/2} is the one or the other where x is huge or tiny.
    wanted = functional.angular(x, y, alpha=1 if size > 1 else 0).item()
    assert functional.angular(size * x, size * y, alpha=0.5).item() == pytest.approx(wanted, rel=1e-9)
    mixed = functional.angular(size * x, x, alpha=0.5)
    assert mixed.item() == pytest.approx(functional.angular((1e40 if size > 1 else 1e-40) * x, x, alpha=0.5).item())


@pytest.mark.parametrize("function", [functional.pip_loss, functional.procrustes_loss])
@pytest.mark.parametrize("size", [1e200, 1e-170])
def test_sums_that_leave_float64_are_refused(function, size):
    x, y = related()
    with pytest.raises(ValueError, match=r"x has numbers up to .* scale it first"):
        function(size * x, y, normalize=False)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (torch.zeros(V), "all weights are 0"),
        (torch.full((V,), torch.inf), "weight of row 0 is not finite"),
        (torch.full((V,), 1e5).half(), "weight of row 0 is not finite"),
        (torch.full((V,), torch.nan), "weight of row 0 is negative or NaN"),
        ([1.0] * V, "weights is a list, wanted a tensor"),
    ],
)
@pytest.mark.parametrize("name", ["pip_loss", "procrustes_loss", "procrustes"])
def test_weights_that_count_no_word_are_refused(name, weights, message):
    with pytest.raises(ValueError, match=message):
        FACE[name](*related(), weights=weights)


@pytest.mark.parametrize("name", ["neighbour_overlap", "rank_similarity"])
@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (torch.arange(0), "there are no targets"),
        (torch.zeros(V, dtype=torch.bool), "there are no targets"),
        (torch.tensor([V]), "targets reach from 63 to 63"),
        (torch.tensor([0.0]), "wanted \\(t,\\) row numbers"),
        ([0, 1], "targets is a list"),
    ],
)
def test_targets_that_are_none_are_refused(name, targets, message):
    with pytest.raises(ValueError, match=message):
        FACE[name](*related(), targets=targets)


def exact_cosine_distances(rows):
    """One minus the cosine of all pairs, by fifty digits."""
    with localcontext(prec=50):
        exact = [[Decimal(number) for number in row] for row in rows.tolist()]
        lengths = [sum(number * number for number in row).sqrt() for row in exact]
        return [
            float(1 - sum(map(mul, exact[i], exact[j])) / (lengths[i] * lengths[j]))
            for i, j in combinations(range(len(exact)), 2)
        ]


@pytest.mark.parametrize("offset", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_cosines_far_from_the_origin_are_compared_as_their_differences(offset, dtype):
    """There all cosines are nearly 1, and what tells them is 1e-12 of them."""
    x, y = (part.to(dtype) + offset for part in related(v=20, d=4))
    wanted = np.corrcoef(exact_cosine_distances(x), exact_cosine_distances(y))[0, 1]
    for comparison in ("pearson", "spearman"):
        found = functional.rdm(x, y, comparison=comparison).item()
        if comparison == "spearman":
            wanted = spearmanr(exact_cosine_distances(x), exact_cosine_distances(y)).statistic
        assert found == pytest.approx(wanted, rel=1e-7 if comparison == "pearson" else 1e-2)


def test_the_table_of_peers_says_what_was_measured():
    """Every peer was there, and has our number, unless its row says why not."""
    rows = json.loads((ROOT / "benchmarks/results/likeness-cpu.json").read_text(encoding="utf-8"))["rows"]
    assert {row["method"] for row in rows} == {"gpustab", "TorchMetrics", "netrep", "ReSi", "svcca", "anchor"}
    other = [row["job"] for row in rows if not row["error"] < 1e-9]
    assert other == ["PWCCA, centred"] * 2
    assert all("another number" in row["note"] for row in rows if not row["error"] < 1e-9)
