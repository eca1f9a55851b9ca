import itertools
import math

import numpy as np
import pytest
import torch
from scipy import stats

from gpustab import InputError
from gpustab.statistics import hypotheses, ranks
from gpustab.studies.instability import cosines
from tests import generators
from tests.studies.instability.made import technique


def normals(rows, runs, seed=0):
    return torch.randn(rows, runs, dtype=torch.float64, generator=generators.generator(seed))


def test_p_values_are_those_of_scipy_row_by_row():
    a, b = normals(20, 9), normals(20, 9, 1)
    a[3, :4] = a[3, 0]  # tied ranks
    np.testing.assert_allclose(hypotheses.shapiro_p(a), [stats.shapiro(row).pvalue for row in a.numpy()], rtol=1e-12)
    correlation, p = ranks.spearman_p(a, b)
    wanted = [stats.spearmanr(x, y) for x, y in zip(a.numpy(), b.numpy(), strict=True)]
    np.testing.assert_allclose(correlation, [w.statistic for w in wanted], atol=1e-12)
    np.testing.assert_allclose(p, [w.pvalue for w in wanted], rtol=1e-9)


def test_truly_normal_data_fail_the_uniform_law_but_not_the_calibrated_test():
    for test, runs in ((hypotheses.shapiro_p, 16), (lambda x: ranks.spearman_p(x[0::2], x[1::2])[1], 8)):
        null = hypotheses.simulated_p(test, runs, seed=1)
        got = hypotheses.uniformity(test(normals(6000, runs, 2)), null)
        assert got.naive_p < 1e-3
        assert got.p > 0.01
        assert got.low == pytest.approx(got.null_low, abs=0.02)


def test_the_calibrated_test_keeps_its_level():
    def test(values):
        return ranks.spearman_p(values[0::2], values[1::2])[1]

    null = hypotheses.simulated_p(test, 8, seed=3)
    p = [hypotheses.uniformity(test(normals(400, 8, s)), null).p for s in range(100, 200)]
    assert np.mean(np.array(p) < 0.1) < 0.22  # 0.1 expected; 4 standard errors
    assert np.mean(p) > 0.35


def test_values_that_are_not_normal_are_found():
    skewed = normals(500, 32).exp()
    p = hypotheses.shapiro_p(skewed)
    got = hypotheses.uniformity(p, hypotheses.simulated_p(hypotheses.shapiro_p, 32, seed=0, count=2000))
    assert got.p < 1e-6
    assert got.low > 0.8


def test_independence_and_a_common_part():
    a, b, common = normals(300, 16), normals(300, 16, 1), normals(300, 16, 2)
    independent = hypotheses.independence(a, b, seed=0)
    assert independent.p > 0.01
    assert independent.uniformity.p > 0.01
    assert abs(independent.correlation) < 0.05
    dependent = hypotheses.independence(a + 0.7 * common, b + 0.7 * common, seed=0)
    assert dependent.p == 1 / 1000
    assert dependent.uniformity.p < 1e-6
    # Spearman's of normals with correlation r is (6/π) asin(r/2).
    assert dependent.correlation == pytest.approx(6 / math.pi * math.asin(0.49 / 1.49 / 2), abs=0.05)


def test_couples_that_depend_on_each_other_do_not_fool_the_permutation_of_runs():
    """All couples are nearly the same one: one weak correlation, 300 times."""
    found = []
    for seed in range(60):
        a, b = (x + 0.3 * normals(300, 12, 500 + seed) for x in (normals(1, 12, seed), normals(1, 12, 1000 + seed)))
        found.append(hypotheses.independence(a, b, seed, permutations=199, simulated=50).p)
    assert np.mean(np.array(found) < 0.1) < 0.27


def test_permuted_means_are_those_of_permuted_runs():
    a, b = normals(7, 5), normals(7, 5, 1)
    got = hypotheses.independence(a, b, seed=4, permutations=20)
    generator = torch.Generator().manual_seed(4)
    means = [ranks.spearman_p(a, b[:, torch.randperm(5, generator=generator)])[0].mean().item() for _ in range(20)]
    observed = abs(ranks.spearman_p(a, b)[0].mean().item())
    assert got.p == (1 + sum(abs(m) >= observed - 1e-12 for m in means)) / 21


@pytest.mark.parametrize("runs", [3, 4, 16, 101])
def test_whitened_normals(runs):
    z = hypotheses.whiten(normals(20_000, runs) * 7 + 3)
    assert z.abs().max() <= (runs - 1) / math.sqrt(runs) + 1e-12
    np.testing.assert_allclose(z.mean(1), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(1), 1, rtol=1e-12)
    assert hypotheses.kurtosis(z) == pytest.approx(hypotheses.whitened_kurtosis(runs), rel=0.02)
    if runs > 3:  # for 3 the density has poles at its ends
        x = torch.linspace(-4, 4, 20_001, dtype=torch.float64)
        density = hypotheses.whitened_density(x, runs)
        assert torch.trapezoid(density, x).item() == pytest.approx(1, abs=2e-3)
        below = torch.trapezoid(density.where(x <= 0.5, 0), x).item()
        assert below == pytest.approx((z < 0.5).double().mean().item(), abs=0.01)


def test_the_bound_of_whitened_values_is_reached():
    z = hypotheses.whiten(torch.tensor([[0.0, 0.0, 0.0, 0.0, 1.0]]))
    assert z.max().item() == pytest.approx(4 / math.sqrt(5))


def test_words_of_a_row_differ_and_all_come_before_one_comes_again():
    drawn = cosines.draw_words(11, 7, seed=1)
    assert drawn.shape == (7, 4)
    assert all(len(set(row)) == 4 for row in drawn.tolist())
    assert len(set(drawn[:2].flatten().tolist())) == 8
    assert torch.equal(drawn, cosines.draw_words(11, 7, seed=1))
    assert not torch.equal(drawn, cosines.draw_words(11, 7, seed=2))


@pytest.mark.filterwarnings("error")
def test_pairs_that_do_not_vary_are_left_out():
    a, b = normals(30, 6), normals(30, 6, 1)
    a[4] = 0.25
    assert hypotheses.shapiro_p(a).isnan().tolist() == [i == 4 for i in range(30)]
    got = hypotheses.independence(a, b, seed=0)
    assert got.p_values.isnan().sum() == 1
    assert got.uniformity.tested == 29
    assert hypotheses.whiten(a)[4].isnan().all()
    with pytest.raises(InputError, match="no word pair varies"):
        hypotheses.independence(a[4:5], b[4:5], seed=0)


def test_cosines_of_runs():
    stack = generators.noisy_copies(8, 100, 6)
    runs = generators.runs_of(stack)
    made = technique(runs, pairs=25, seed=3)
    values, disjoint, sharing = cosines.drawn_cosines(made)
    against = [hypotheses.independence(values, x, 3, simulated=500).p_values for x in (disjoint, sharing)]
    vectors = runs.stack()
    for row, (a, b, c, d) in enumerate(cosines.draw_words(100, 5, seed=3).tolist()):
        ab, ac, cd = ((vectors[:, x] * vectors[:, y]).sum(1).numpy() for x, y in ((a, b), (a, c), (c, d)))
        np.testing.assert_allclose(values[row], ab, atol=1e-12)
        for other, p in zip((cd, ac), against, strict=True):
            assert p[row].item() == pytest.approx(stats.spearmanr(ab, other).pvalue)
    kurtosis = hypotheses.kurtosis(hypotheses.whiten(values))
    assert kurtosis == pytest.approx(hypotheses.whitened_kurtosis(8), abs=0.4)
    assert torch.equal(values, cosines.drawn_cosines(made)[0])


def test_wrong_inputs():
    with pytest.raises(InputError, match="of 3 words"):
        cosines.draw_words(3, 5, seed=0)
    with pytest.raises(InputError, match="R of at least 3"):
        hypotheses.shapiro_p(normals(4, 2))
    with pytest.raises(InputError, match=r"\(4, 5\) and \(4, 6\)"):
        ranks.spearman_p(normals(4, 5), normals(4, 6))
    with pytest.raises(InputError, match="runs is 2"):
        hypotheses.whitened_density(torch.zeros(1), 2)


@pytest.mark.parametrize("runs", [4, 5, 6])
def test_all_orders_of_few_runs_are_taken(runs):
    a, b = normals(7, runs), normals(7, runs, 1)
    got = hypotheses.independence(a, b, seed=4, simulated=50)
    orders = [torch.tensor(o) for o in itertools.permutations(range(runs))]
    means = np.array([ranks.spearman_p(a, b[:, o])[0].mean().item() for o in orders])
    assert got.p == pytest.approx(np.mean(np.abs(means) >= abs(got.correlation) - 1e-12))
    assert got.spread == pytest.approx(np.sqrt(np.square(means).mean()))


def test_the_spread_is_the_error_of_the_mean_correlation():
    found = [hypotheses.independence(normals(200, 8, s), normals(200, 8, 900 + s), 0, simulated=50) for s in range(50)]
    assert np.std([f.correlation for f in found]) == pytest.approx(np.mean([f.spread for f in found]), rel=0.2)


def test_the_distance_has_a_band():
    null = torch.rand(8000, generator=generators.generator(0), dtype=torch.float64)
    found = [
        hypotheses.uniformity(torch.rand(500, generator=generators.generator(s + 1), dtype=torch.float64), null)
        for s in range(200)
    ]
    assert found[0].band == pytest.approx(1.358 * math.sqrt(1 / 500 + 1 / 8000))
    assert np.mean([f.distance <= f.band for f in found]) == pytest.approx(0.95, abs=0.04)
