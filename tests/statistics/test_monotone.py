import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gpustab.statistics.monotone import BrokenLine, knots_of, mean_over_pairs


def naive(x, y, knots):
    """Values at knots of the best line that never falls, by a general minimiser."""

    def loss(rises):
        return np.square(y - np.interp(x, knots, np.cumsum(rises))).sum()

    start = np.array([y.mean(), *np.full(len(knots) - 1, 0.1)])
    bounds = [(None, None)] + [(0, None)] * (len(knots) - 1)
    return np.cumsum(minimize(loss, start, bounds=bounds, tol=1e-12).x)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([30, 65, 200]), st.floats(-2, 2))
def test_the_line_is_that_of_a_general_minimiser(seed, n, slope):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = slope * x + rng.normal(size=n) - 3
    line = BrokenLine(x, y, knots_of(x))
    found, best = line.fit(), naive(x, y, line.knots)
    assert (np.diff(found) >= 0).all()
    assert np.square(y - np.interp(x, line.knots, found)).sum() <= np.square(
        y - np.interp(x, line.knots, best)
    ).sum() * (1 + 1e-6)


def test_a_weight_counts_as_so_many_places():
    rng = np.random.default_rng(1)
    x, times = rng.uniform(size=60), rng.integers(1, 4, 60)
    y = x + rng.normal(size=60)
    knots = knots_of(x)
    weighted = BrokenLine(x, y, knots)
    repeated = BrokenLine(np.repeat(x, times), np.repeat(y, times), knots)
    assert np.allclose(weighted.fits(times[None])[0], repeated.fit())


@pytest.mark.parametrize("many", [2, 7, 30])
@pytest.mark.parametrize("replace", [False, True])
def test_the_error_of_a_mean_is_the_sum_over_pairs_that_share_an_item(many, replace):
    rng = np.random.default_rng(2)
    items = np.array([rng.choice(many + 2, 2, replace=replace) for _ in range(40)])
    values = rng.normal(size=40) + items.sum(1)
    apart = values - values.mean()
    both = list(itertools.product(range(40), repeat=2))
    naive = sum(apart[k] * apart[m] for k, m in both if set(items[k]) & set(items[m]))
    equal = sum(apart[k] * apart[m] for k, m in both if set(items[k]) == set(items[m]))
    found = mean_over_pairs(values, items)
    assert found.se == pytest.approx(np.sqrt(max(naive, equal, np.square(apart).sum())) / 40)
    assert found.freedom == min(40, len(np.unique(items))) - 1
