import math

import numpy as np
import pytest
import torch
from scipy.linalg import orthogonal_procrustes, subspace_angles

from gpustab import InputError, load_runs, similarity_by_chance, similarity_matrix, stability
from gpustab.engine.measures import MEASURES
from gpustab.machine.device import Compute
from gpustab.options import SIMILARITIES
from tests import generators, oracles
from tests.generators import noisy_copies, runs_of


def angle(x, y):
    nuclear = orthogonal_procrustes(x, y)[1]
    return math.acos(nuclear / (np.linalg.norm(x) * np.linalg.norm(y)))


def svcca(x, y):
    return np.cos(subspace_angles(oracles.explaining(x, 0.99), oracles.explaining(y, 0.99))).mean()


NAIVE = {
    "pip": oracles.reduced_pip,
    "procrustes": lambda x, y: oracles.procrustes_distance(x, y) / len(x) ** 0.5,
    "angular": angle,
    "eigenspace_instability": oracles.eigenspace_instability,
    "eigenspace_overlap": oracles.eigenspace_overlap,
    "cka": oracles.linear_cka,
    "debiased_cka": oracles.debiased_cka,
    "cca": lambda x, y: np.cos(subspace_angles(oracles.centred(x), oracles.centred(y))).mean(),
    "svcca": svcca,
    "rdm": lambda x, y: np.corrcoef(*(oracles.upper_cosines(part) for part in (x, y)))[0, 1],
    "pwcca": lambda x, y: (oracles.pwcca(x, y) + oracles.pwcca(y, x)) / 2,
}


@pytest.mark.parametrize("metric", SIMILARITIES)
@pytest.mark.parametrize("runs", [2, 4])
def test_every_metric_of_all_pairs_against_naive_formulas_and_scipy(metric, runs):
    given = runs_of(noisy_copies(runs, 63, 7))
    found = similarity_matrix(given, metric)
    stack = given.stack().numpy()
    np.testing.assert_allclose(found.diagonal(), SIMILARITIES[metric])
    assert torch.equal(found, found.T)
    for i, j in oracles.pairs(runs):
        assert found[i, j].item() == pytest.approx(NAIVE[metric](stack[i], stack[j]), rel=1e-8)


def test_the_names_are_those_of_the_options():
    assert set(MEASURES) == set(SIMILARITIES) == set(NAIVE)


TURNS, SCALE, LINEAR = "turns", "scale", "linear maps"
INVARIANT = {
    "pip": {TURNS},
    "procrustes": {TURNS},
    "angular": {TURNS, SCALE},
    "eigenspace_instability": {TURNS},
    "eigenspace_overlap": {TURNS, SCALE, LINEAR},
    "cka": {TURNS, SCALE},
    "debiased_cka": {TURNS, SCALE},
    "cca": {TURNS, SCALE, LINEAR},
    "svcca": {TURNS, SCALE},
    "rdm": {TURNS, SCALE},  # of unit rows, which no scale reaches
    "pwcca": {SCALE},
}


@pytest.mark.parametrize("metric", SIMILARITIES)
@pytest.mark.parametrize("change", [TURNS, SCALE, LINEAR])
def test_what_is_declared_invariant_is_and_what_is_not_is_not(metric, change):
    # Directions of small variance, which SVCCA leaves out.
    x, y = noisy_copies(2, 63, 7, noise=0.6) * torch.logspace(0, -1.5, 7, dtype=torch.float64)
    general = torch.randn(7, 7, dtype=torch.float64, generator=generators.generator(5)) + 3 * torch.eye(7)
    other = {TURNS: x @ generators.rotation(7, 8), SCALE: 3 * x, LINEAR: x @ general}[change]
    before, after = (
        similarity_matrix(runs_of(torch.stack([first, y]), unit=metric == "rdm"), metric)[0, 1].item()
        for first in (x, other)
    )
    assert (after == pytest.approx(before, rel=1e-6)) == (change in INVARIANT[metric])


@pytest.mark.parametrize("metric", SIMILARITIES)
def test_equal_runs_have_what_is_said_of_them(metric):
    found = similarity_matrix(runs_of(noisy_copies(3, 63, 7, noise=0)), metric)
    np.testing.assert_allclose(found, SIMILARITIES[metric], atol=3e-7)


def test_runs_of_unequal_dimensions_and_fewer_words_than_dimensions():
    words = [f"w{i}" for i in range(20)]
    x, y = noisy_copies(2, 20, 7)
    runs = load_runs([(words, x.numpy()), (words, y[:, :4].numpy())])
    for metric in ("cka", "cca", "pwcca"):
        a, b = runs.stack().numpy()
        b = b[:, :4]
        wanted = {"cka": NAIVE["cka"], "cca": lambda a, b: oracles.canonical_correlations(a, b).mean()}.get(metric)
        found = similarity_matrix(runs, metric)[0, 1].item()
        assert 0 < found < 1
        if wanted:
            assert found == pytest.approx(wanted(a, b), rel=1e-8)
    assert similarity_matrix(runs_of(noisy_copies(2, 5, 9)), "cca")[0, 1].item() == pytest.approx(1)  # v − 1 < d


@pytest.mark.parametrize("metric", SIMILARITIES)
@pytest.mark.parametrize(("v", "d"), [(50, 60), (63, 7)])
def test_the_level_by_chance_is_that_of_permuted_words(metric, v, d):
    """Of noise with more dimensions than words CKA is 0.6 and CCA 1: what every number must be read beside."""
    runs = runs_of(noisy_copies(2, v, d))
    x, y = runs.stack()
    measure = lambda x, y: similarity_matrix(runs_of(torch.stack([x, y])), metric)[0, 1].item()  # noqa: E731
    mean, error = oracles.permuted(measure, x, y, 12, np.random.default_rng(0))
    # Sixteen draws have an error too, of the size of twelve permutations.
    assert abs(similarity_by_chance(runs, metric) - mean) < 6 * error + 1e-9


def test_a_level_is_seeded_and_of_runs_that_are_not_unit_too():
    runs = runs_of(noisy_copies(3, 40, 5), unit=False)
    for metric in set(SIMILARITIES) - {"rdm"}:
        assert similarity_by_chance(runs, metric, seed=1) == similarity_by_chance(runs, metric, seed=1)
    assert similarity_by_chance(runs, "cca", seed=1) != similarity_by_chance(runs, "cca", seed=2)


def test_debiased_cka_of_rows_that_are_not_unit_is_summed_over_them():
    """In several chunks, far from the origin."""
    runs = runs_of(noisy_copies(3, 60, 6) + 100, unit=False)
    stack = runs.stack().numpy()  # as rounded as float32 files are
    found = similarity_matrix(runs, "debiased_cka", compute=Compute(memory=4_000))
    for i, j in oracles.pairs(3):
        assert found[i, j].item() == pytest.approx(
            oracles.debiased_cka(oracles.centred(stack[i]), oracles.centred(stack[j])), rel=1e-8
        )


def test_stability_tells_them_beside_the_loss():
    runs = runs_of(noisy_copies(3, 63, 7))
    result = stability(runs, metrics=["pip", "cka", "procrustes"])
    (group,) = result.groups
    assert list(group["similarity"]) == ["pip", "cka", "procrustes"]
    assert group["similarity"]["pip"]["mean"] == group["pip"]["reduced"]["mean"]
    i, j = zip(*oracles.pairs(3), strict=True)
    np.testing.assert_allclose(result.tables["pairs"]["cka"], similarity_matrix(runs, "cka")[i, j])
    assert group["similarity"]["cka"]["chance"] == similarity_by_chance(runs, "cka")
    assert "by chance" in str(result).split("Similarity of pairs of spaces")[1]
    assert group["similarity"]["cka"]["se"] == pytest.approx(oracles.jackknife(similarity_matrix(runs, "cka").numpy()))
    assert "Similarity of pairs of spaces" in str(result)
    assert "similarity" not in stability(runs).groups[0]


def test_metrics_are_of_float64_sums_whatever_the_losses_are():
    runs = runs_of(noisy_copies(3, 63, 7))
    for metric in SIMILARITIES:
        found = similarity_matrix(runs, metric, compute=Compute(precision="fp32"))
        rtol = 1e-5 if metric == "pip" else 1e-12
        np.testing.assert_allclose(found, similarity_matrix(runs, metric), rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("metric", SIMILARITIES)
@pytest.mark.parametrize(("words", "d"), [(20, 26), (12, 11), (63, 7)])
def test_levels_by_chance_are_of_float64_sums_too(metric, words, d):
    """More dimensions than words, as float32 sums see them, have directions that no centred column has."""
    runs = runs_of(noisy_copies(3, words, d, 0.8).float())
    found = similarity_by_chance(runs, metric, compute=Compute(precision="fp32"))
    assert found == pytest.approx(similarity_by_chance(runs, metric), rel=1e-4 if metric == "pip" else 1e-9, abs=1e-9)


CONSTANT = "all rows of run-000 are equal"


@pytest.mark.parametrize(
    ("metric", "rows", "unit", "message"),
    [
        *[(metric, torch.ones(5, 2), False, CONSTANT) for metric in ("cka", "cca", "svcca", "pwcca")],
        ("cka", 0.1 * torch.ones(5, 2), True, CONSTANT),
        ("debiased_cka", torch.ones(5, 2), False, "all rows of run-000 lie equally far apart"),
        ("debiased_cka", torch.ones(5, 2), True, "all rows of run-000 lie equally far apart"),
        ("debiased_cka", torch.eye(5), True, "all rows of run-000 lie equally far apart"),
        ("debiased_cka", generators.rotation(5, 3), False, "all rows of run-000 lie equally far apart"),
        ("debiased_cka", torch.eye(3), True, "3 words, wanted at least 4"),
        ("rdm", torch.ones(5, 2), True, "cosines of run-000 do not vary"),
        ("rdm", generators.anisotropic(5, 2), False, "wants runs loaded with unit=True"),
    ],
)
def test_a_level_by_chance_is_refused_where_the_measure_is(metric, rows, unit, message):
    rows = rows.double()
    runs = runs_of(torch.stack([rows, generators.anisotropic(*rows.shape)]), unit=unit)
    for measure in (similarity_matrix, similarity_by_chance):
        with pytest.raises(InputError, match=f"group 'runs': .*{message}"):
            measure(runs, metric)


def test_several_groups_have_their_pairs_each():
    groups = [generators.named("a/shuffled"), generators.named("b/shuffled", runs=2)]
    result = stability(groups, metrics=["cka"])
    assert len(result.tables["pairs"]["cka"]) == 3 + 1
    assert np.isfinite(result.tables["pairs"]["cka"]).all()
    assert result.tables["pairs"]["cka"][3] == pytest.approx(similarity_matrix(groups[1], "cka")[0, 1].item())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda runs: similarity_matrix(runs, "rsa"), "metric is 'rsa', wanted one of pip"),
        (lambda runs: similarity_matrix(runs, "debiased-cka"), "near it is debiased_cka"),
        (lambda runs: similarity_matrix(runs_of(noisy_copies(2, 3, 3)), "debiased_cka"), "wanted at least 4"),
        (lambda runs: similarity_by_chance(runs, "rsa"), "metric is 'rsa', wanted one of pip"),
        (lambda runs: stability(runs, metrics=["cka", "rsa"]), "metrics: 'rsa' is none of"),
        (
            lambda runs: similarity_matrix(runs_of(noisy_copies(2, 9, 3), unit=False), "rdm"),
            "wants runs loaded with unit",
        ),
        (lambda runs: similarity_matrix(runs_of(torch.ones(2, 9, 3)), "rdm"), "cosines of run-000 do not vary"),
        (lambda runs: stability(runs, metrics="cka"), "metrics is 'cka', wanted several names"),
        (
            lambda runs: similarity_matrix(runs_of(torch.ones(2, 9, 3)), "cka"),
            "group 'runs': all rows of run-000 are equal",
        ),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call(runs_of(noisy_copies(2, 20, 4)))
