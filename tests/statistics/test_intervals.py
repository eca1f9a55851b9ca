import math

import numpy as np
import pytest
from scipy import stats

from gpustab.statistics.intervals import Estimate, chi_square_quantile, ratio, sd_interval, t_quantile, wilson


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 8, 15, 16, 127, 998])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(freedom, level):
    assert t_quantile(freedom, level) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom), rel=1e-9)
    for p in ((1 - level) / 2, (1 + level) / 2):
        assert chi_square_quantile(freedom, p) == pytest.approx(stats.chi2.ppf(p, freedom), rel=1e-8)


@pytest.mark.parametrize(("freedom", "level"), [(0, 0.95), (3, 1.0), (3, 0.0)])
def test_quantiles_that_do_not_exist_are_refused(freedom, level):
    with pytest.raises(ValueError, match="wanted 1 or more"):
        t_quantile(freedom, level)
    with pytest.raises(ValueError, match="wanted 1 or more"):
        chi_square_quantile(freedom, level)


@pytest.mark.parametrize("runs", [3, 4, 16])
def test_the_interval_of_a_mean_of_normals_covers_it_as_often_as_it_says(runs):
    values = np.random.default_rng(runs).normal(size=(20_000, runs))
    means, errors = values.mean(1), values.std(1, ddof=1) / math.sqrt(runs)
    inside = [abs(m) <= Estimate.of_runs(m, e, runs).half for m, e in zip(means, errors, strict=True)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.006)
    assert np.mean(np.abs(means) <= 1.96 * errors) < 0.935


def test_a_difference_has_the_fewer_degrees_of_freedom():
    found = Estimate.of_runs(3.0, 0.3, 8).minus(Estimate.of_runs(1.0, 0.4, 3))
    assert found == pytest.approx((2.0, 0.5, 2))
    assert found.half == pytest.approx(0.5 * stats.t.ppf(0.975, 2))


def test_what_has_no_error_has_no_interval_and_what_does_not_vary_has_a_point():
    assert math.isnan(Estimate.of_runs(1.0, None, 2).half)
    assert math.isnan(Estimate.of_runs(None, 1.0, 1).half)
    assert Estimate.of_runs(0.0, 0.0, 3).interval == (0.0, 0.0)


def test_a_part_of_nothing_is_undefined():
    assert math.isnan(ratio(0.0, 0.0))
    assert math.isnan(Estimate(1.0, 0.1, 2).over(0.0).value)


@pytest.mark.parametrize("runs", [3, 4, 8])
def test_the_interval_of_an_sd_over_pairs_covers_it(runs):
    """Losses a_i + a_j + e_ij, run part as large as pair part, and no run part at all."""
    rng = np.random.default_rng(runs)
    i, j = np.triu_indices(runs, 1)
    for run_part, least in ((1.0, 0.93), (0.0, 0.95)):
        true = math.sqrt(2 * run_part**2 + 1)
        inside = []
        for _ in range(2000):
            a = run_part * rng.normal(size=runs)
            low, high = sd_interval(float((a[i] + a[j] + rng.normal(size=len(i))).std(ddof=1)), runs)
            inside.append(low <= true <= high)
        assert np.mean(inside) > least
    assert all(map(math.isnan, sd_interval(0.1, 1)))
    assert all(map(math.isnan, sd_interval(math.nan, 2)))


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (0, 10), (9, 10), (10, 10), (1, 2), (64, 128)])
def test_wilson_against_scipy(hits, trials):
    wanted = stats.binomtest(hits, trials).proportion_ci(0.95, "wilson")
    assert wilson(hits, trials) == pytest.approx((wanted.low, wanted.high), abs=1e-7)


def test_the_interval_holds_the_share_and_narrows():
    widths = []
    for trials in (2, 10, 100):
        low, high = wilson(trials // 2, trials)
        assert 0 <= low < 0.5 < high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert wilson(9, 10, z=2.575829)[0] < wilson(9, 10)[0]
