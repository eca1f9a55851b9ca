import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from gpustab.statistics.monotone import BrokenLine, few_items, knots_of, mean_over_pairs


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
    found, few = mean_over_pairs(values, items), few_items(items)
    if few.items < 5:
        assert np.isnan(found.se)
        return
    times = Counter(items.ravel().tolist())
    number = sum(n**2 for n in times.values()) ** 2 / sum(n**4 for n in times.values())
    assert few.items == pytest.approx(number)
    of_items = number * (number - 1) / (number - 2) ** 2 * (naive + equal) - equal
    assert found.se == pytest.approx(np.sqrt(max(of_items, equal * 40 / 39, np.square(apart).sum() * 40 / 39)) / 40)
    assert found.freedom == min(len({frozenset(pair) for pair in items.tolist()}), int(number)) - 1


def of_items(kind, number):
    """Pairs of some items: all of them, half of them, or each item with 20 others that stand once."""
    if kind == "one beside twenty":
        return np.array([(k, number + 20 * k + other) for k in range(number) for other in range(20)])
    return np.array(list(itertools.combinations(range(number), 2)))[:: 2 if kind == "half of all" else 1]


def within(kind, number, sets, effect):
    """How often the interval of a mean holds the truth, 0, where items have effects."""
    items, rng, held = of_items(kind, number), np.random.default_rng([number, sets]), 0
    for _ in range(sets):
        own = effect * rng.normal(size=items.max() + 1)
        low, high = mean_over_pairs(own[items].sum(1) + rng.normal(size=len(items)), items).interval
        held += low <= 0 <= high
    return held / sets


KINDS = ["all", "half of all", "one beside twenty"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [10, 20])
def test_intervals_of_few_items_mostly_hold_the_truth(kind, number):
    assert within(kind, number, 100, 1.0) >= 0.86  # without the correction 0.85 in the mean


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [6, 10, 20])
def test_intervals_of_few_items_hold_the_truth_in_95_of_100(kind, number):
    assert 0.925 <= within(kind, number, 2000, 1.0) <= 0.99
    assert within(kind, number, 2000, 0.0) >= 0.935


@pytest.mark.parametrize("values", [(0, 1), (0, 0.5, 1), (0, 1e-9, 1), (-3, 0, 0.1, 7)])
def test_knots_are_values_that_occur_so_that_every_width_is_a_number(values):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.choice(values, 20, p=[0.65, *[0.35 / (len(values) - 1)] * (len(values) - 1)]).astype(float)
        line = BrokenLine(x, x + rng.normal(size=20), knots_of(x))
        assert np.isin(line.knots, x).all()
        assert np.isfinite(line._freedom()).all()


@pytest.mark.parametrize("items", [[(0, 1)], [(0, k) for k in range(1, 50)], list(itertools.combinations(range(4), 2))])
def test_of_fewer_than_five_items_no_error_is_given(items):
    found = mean_over_pairs(np.arange(float(len(items))), np.array(items))
    assert np.isnan(found.interval).all()
    assert found.value == (len(items) - 1) / 2
