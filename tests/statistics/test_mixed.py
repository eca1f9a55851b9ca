"""The mixed model against statsmodels, against the full covariance matrix, and where nothing can be fitted."""

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.statistics.mixed import fit_random_intercept


def planted(words=300, epochs=3, between=0.6, seed=0):
    """Rows of words over epochs, with β = −0.5 and intercepts of variance ``between``; the rest has variance 0.4."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(words), epochs)
    x = np.repeat(rng.normal(size=words), epochs) + 0.2 * rng.normal(size=words * epochs)
    y = 0.3 - 0.5 * x + between**0.5 * rng.normal(size=words)[groups] + 0.4**0.5 * rng.normal(size=len(x))
    return y, x, groups


def full_likelihood(y, x, groups, between, within):
    """Restricted log-likelihood from the N × N covariance: nothing is profiled."""
    design = np.column_stack([np.ones(len(y)), x])
    v = within * np.eye(len(y)) + between * (groups[:, None] == groups[None])
    inverse = np.linalg.inv(v)
    beta = np.linalg.solve(design.T @ inverse @ design, design.T @ inverse @ y)
    rest = y - design @ beta
    logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(design.T @ inverse @ design)[1]
    return -0.5 * ((len(y) - 2) * np.log(2 * np.pi) + logs + rest @ inverse @ rest)


def test_planted_values_come_back():
    fits = [fit_random_intercept(*planted(seed=seed)) for seed in range(20)]
    assert np.mean([fit.beta[1] for fit in fits]) == pytest.approx(-0.5, abs=0.02)
    assert np.mean([fit.between for fit in fits]) == pytest.approx(0.6, abs=0.03)
    assert np.mean([fit.within for fit in fits]) == pytest.approx(0.4, abs=0.02)
    assert np.mean([fit.beta_se[1] for fit in fits]) == pytest.approx(np.std([f.beta[1] for f in fits]), rel=0.4)
    explained = 0.25 * 1.04
    assert np.mean([fit.r2_marginal for fit in fits]) == pytest.approx(explained / (explained + 1), abs=0.02)
    assert np.mean([fit.r2_conditional for fit in fits]) == pytest.approx((explained + 0.6) / (explained + 1), abs=0.02)


def test_likelihood_is_that_of_the_full_covariance_and_the_highest():
    y, x, groups = planted(words=40)
    fit = fit_random_intercept(y, x, groups)
    assert fit.likelihood == pytest.approx(full_likelihood(y, x, groups, fit.between, fit.within), abs=1e-8)
    for a, b in ((1.05, 1), (0.95, 1), (1, 1.05), (1, 0.95)):
        assert full_likelihood(y, x, groups, a * fit.between, b * fit.within) < fit.likelihood


def test_statsmodels_agrees():
    mixedlm = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    y, x, groups = planted(words=100)
    own = fit_random_intercept(y, x, groups)
    other = mixedlm.MixedLM(y, np.column_stack([np.ones(len(y)), x]), groups).fit(reml=True, method="powell")
    np.testing.assert_allclose(own.beta, other.fe_params, rtol=1e-4)
    np.testing.assert_allclose(own.between, other.cov_re[0, 0], rtol=1e-3)
    np.testing.assert_allclose(own.within, other.scale, rtol=1e-3)
    assert own.likelihood == pytest.approx(other.llf, abs=1e-3)


def test_no_variance_between_groups_is_least_squares():
    rng = np.random.default_rng(3)
    x, groups = rng.normal(size=60), np.repeat(np.arange(20), 3)
    y = x + rng.normal(size=60)
    y -= np.bincount(groups, y)[groups] / 3  # groups are more alike than by chance
    x -= np.bincount(groups, x)[groups] / 3
    fit = fit_random_intercept(y, x, groups)
    assert fit.between == 0
    np.testing.assert_allclose(fit.beta, np.polyfit(x, y, 1)[::-1], atol=1e-12)


@pytest.mark.parametrize(
    ("y", "x", "groups", "said"),
    [
        ([1.0, 2, 3], [1.0, 2, 4], [0, 1, 2], "no group has two rows"),
        ([1.0, 2, 3, 4], [1.0, 1, 1, 1], [0, 0, 1, 1], "do not determine"),
        ([1.0, 2], [1.0, 3], [0, 0], "do not determine"),
        ([1.0, np.nan, 3], [1.0, 2, 4], [0, 0, 1], "finite"),
    ],
)
def test_refuses_what_it_cannot_tell(y, x, groups, said):
    with pytest.raises(InputError, match=said):
        fit_random_intercept(np.array(y), np.array(x), np.array(groups))
