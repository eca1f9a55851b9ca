"""Least squares beside a naive solution, its partial R² beside two fits, and its errors beside what they say."""

import numpy as np
import pytest
from scipy.stats import t as student

from gpustab.studies.words.regression import PARTS, Known, fit, known, parts_of, regress


def made(v=120, p=4, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(v, p)) * [1.0, 10.0, 0.1, 1.0][:p]
    x[:, 3] = x[:, 3] > 0.3
    x[:, 1] += 5 * x[:, 0]
    return x, x @ [1.0, 0.2, 3.0, -0.7][:p] + noise * rng.normal(size=v) + 4


def naive(x, y):
    """Slopes and R² by a design with a column of ones."""
    ones = np.column_stack([np.ones(len(x)), x])
    beta = np.linalg.solve(ones.T @ ones, ones.T @ y)
    return beta, 1 - np.sum((y - ones @ beta) ** 2) / np.sum((y - y.mean()) ** 2)


def test_slopes_effects_and_r2_are_those_of_the_normal_equations():
    x, y = made()
    found, (beta, r2) = fit(x, y, [[0], [1], [2], [3]], [3]), naive(*made())
    assert found.slopes == pytest.approx(beta[1:])
    assert found.r2 == pytest.approx(r2)
    assert found.predict(x) == pytest.approx(np.column_stack([np.ones(len(x)), x]) @ beta)
    scaled = beta[1:] * x.std(0, ddof=1) / y.std(ddof=1)
    assert found.effects[:3] == pytest.approx(scaled[:3])
    assert found.effects[3] == pytest.approx(beta[4] / y.std(ddof=1))  # yes in place of no


@pytest.mark.parametrize("factor", [[0], [3], [1, 2]])
def test_partial_r2_is_what_the_others_leave(factor):
    x, y = made()
    others = [k for k in range(4) if k not in factor]
    left, rest = 1 - naive(x, y)[1], 1 - naive(x[:, others], y)[1]
    free = len(y) - 5
    assert fit(x, y, [factor]).partial[0] == pytest.approx(1 - (left / free) / (rest / (free + len(factor))))


def test_what_chance_explains_is_no_part():
    """Of a column without a part the mean over many draws is 0, where the plain partial R² is 1 / (v − p)."""
    parts = []
    for seed in range(400):
        x, _ = made(seed=seed)
        parts.append(fit(x, np.random.default_rng([seed, 1]).normal(size=len(x)), [[0], [1, 2]]).partial)
    mean, error = np.mean(parts, 0), np.std(parts, 0) / np.sqrt(len(parts))
    assert (np.abs(mean) < 3 * error).all()
    assert (error < 1 / 120).all()


def test_equal_values_have_no_regression():
    x, _ = made()
    found = fit(x, np.full(len(x), 0.4), [[0]])
    assert np.isnan(found.slopes).all()
    assert np.isnan(found.r2)
    assert np.isnan(found.partial).all()


def test_the_interval_joins_both_errors_and_two_runs_have_none():
    one = known(0.5, [0.4, 0.5, 0.6], [0.5] * PARTS)
    assert one.words_se == 0
    assert one.half == pytest.approx(student.ppf(0.975, 2) * np.sqrt(2 / 3 * 0.02))
    both = Known(0.5, 0.3, 0.4, 8)
    assert both.half == pytest.approx(np.hypot(student.ppf(0.975, 7) * 0.3, student.ppf(0.975, PARTS - 1) * 0.4))
    assert np.isnan(Known(0.5, 0.1, 0.1, 2).half)


def test_the_interval_over_words_holds_the_truth():
    """Draws of words of one law: the interval of a slope holds it in about 95 %, of which 200 draws tell 90 to 99."""
    hits = 0
    for seed in range(200):
        x, y = made(80, seed=seed)
        found = regress([x] * 4, np.stack([y] * 4), {"a": [0]}, [], seed).number("slopes", 0)
        assert found.runs_se < 1e-12
        hits += found.interval[0] <= 1.0 <= found.interval[1]
    assert 0.9 <= hits / 200 <= 0.99


def test_parts_are_equal_and_drawn():
    part = parts_of(107, 3)
    assert set(np.bincount(part)) == {5, 6}
    assert (part != parts_of(107, 4)).any()
    assert (part == parts_of(107, 3)).all()
