import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab.statistics.levels import highest_tenth
from gpustab.statistics.reliability import SINGLE, WordValues, common_error, parts, pooled_error, reliability
from gpustab.statistics.windows import local_mean, local_median, place, standing_out
from tests import oracles


def simulated(words, runs, word=1.0, run=0.5, pair=0.7, common=0.0, trend=0.0, seed=0):
    """(v, R, R) symmetric values of the model, with SDs; the levels (v,)."""
    rng = np.random.default_rng(seed)
    level = word * rng.normal(size=words)
    a = run * rng.normal(size=(words, runs)) + common * rng.normal(size=runs)
    e = np.triu(pair * rng.normal(size=(words, runs, runs)), 1)
    slope = trend * np.linspace(3, -3, words)[:, None, None]
    d = 10 + slope + level[:, None, None] + a[:, :, None] + a[:, None, :] + e + e.transpose(0, 2, 1)
    d[:, range(runs), range(runs)] = 0
    return d, level


def of_normal(correlation):
    """Spearman's correlation of a normal law (Pearson 1907)."""
    return 6 / math.pi * math.asin(correlation / 2)


def values_of(d):
    runs = d.shape[1]
    i, j = np.triu_indices(runs, 1)
    flat = d[:, i, j]
    sd = flat.std(1, ddof=1) if len(i) > 1 else np.full(len(d), np.nan)
    se = oracles.jackknife(d) if runs > 2 else np.full(len(d), np.nan)
    return WordValues(*(torch.as_tensor(np.asarray(x)) for x in (flat.mean(1), sd, se)))


def naive_covariances(d):
    """Mean covariances over words of two pairs without, with one, and with both runs in common."""
    pairs = list(itertools.combinations(range(d.shape[1]), 2))
    flat = np.array([d[:, i, j] for i, j in pairs])
    covariance = np.cov(flat)
    found = {0: [], 1: [], 2: []}
    for (m, a), (n, b) in itertools.product(enumerate(pairs), repeat=2):
        found[len({*a} & {*b})].append(covariance[m, n])
    return [np.mean(found[k]) if found[k] else math.nan for k in (0, 1, 2)]


def exact_common(d):
    """Squared error of the mean over all words, from the means of all pairs."""
    (mean,) = [d.mean(0)]
    runs = d.shape[1]
    i, j = np.triu_indices(runs, 1)
    sd, se = np.std(mean[i, j], ddof=1), oracles.jackknife(mean)
    return float(parts(torch.tensor(sd), torch.tensor(se), runs).noise(runs))


@pytest.mark.parametrize("runs", [4, 5, 7])
def test_the_parts_are_those_of_the_covariances(runs):
    d, _ = simulated(60, runs, common=0.8, seed=runs)
    none, one, both = naive_covariances(d)
    found = reliability(values_of(d), runs, exact_common(d))
    wanted = 4 * (one - none) / runs + 2 * (both - 2 * one + none) / (runs * (runs - 1))
    of_words = 4 * found.run / runs + 2 * found.pair / (runs * (runs - 1))
    assert found.word == pytest.approx(none, rel=0.1)
    assert of_words == pytest.approx(wanted, rel=0.05)  # of 60 words their mean takes a sixtieth of the noise away


@pytest.mark.parametrize("runs", [3, 4, 6, 8])
@pytest.mark.parametrize("noise", [0.4, 1.5])
def test_it_is_the_correlation_of_the_orders_of_two_sets_of_runs(runs, noise):
    """With 2σ_a² = σ_e², so that three runs tell it as well; of fewer than five runs it is rather too low."""
    d, _ = simulated(1200, 2 * runs, run=noise, pair=noise * 2**0.5, common=0.5, seed=runs)
    halves = [d[:, some][:, :, some] for some in (np.arange(runs), np.arange(runs, 2 * runs))]
    direct = spearmanr(*(values_of(half).mean for half in halves)).statistic
    found = np.mean([reliability(values_of(half), runs, exact_common(half)).value for half in halves])
    assert direct - (0.15 if runs < SINGLE else 0.05) <= found <= direct + 0.05


def test_the_order_of_the_many_is_not_that_of_a_few_far_from_them():
    """A few function words carry Pearson's correlation; nobody asks whether they come first again."""
    runs = 6
    d, _ = simulated(1000, 2 * runs, word=0.1, run=0.2, pair=0.2)
    d[:20] += 6 * (1 - np.eye(2 * runs))
    halves = [values_of(d[:, some][:, :, some]) for some in (np.arange(runs), np.arange(runs, 2 * runs))]
    assert np.corrcoef(*(half.mean for half in halves))[0, 1] > 0.9
    direct = spearmanr(*(half.mean for half in halves)).statistic
    assert reliability(halves[0], runs).value == pytest.approx(direct, abs=0.08)
    assert direct < 0.5


def test_runs_that_are_needed():
    found = reliability(values_of(simulated(4000, 6, run=0.9, pair=0.9)[0]), 6)
    pearson = lambda r: 1 / (1 + 4 * 0.81 / r + 2 * 0.81 / (r * (r - 1)))  # noqa: E731
    truth = next(r for r in range(2, 99) if of_normal(pearson(r)) >= 0.9)
    assert abs(found.needed(0.9) - truth) <= 5
    assert found.at(found.needed(0.9)) >= 0.9 > found.at(found.needed(0.9) - 1)
    assert reliability(values_of(simulated(4000, 6, word=0.0)[0]), 6).needed(0.9999) is None


def test_frequency_removed_leaves_the_words_own_part():
    d, _ = simulated(4000, 5, word=0.5, run=0.4, pair=0.5, trend=2.0)
    whole, rest = (reliability(values_of(d), 5, like=like) for like in (None, 200))
    noise = 4 * 0.16 / 5 + 2 * 0.25 / 20
    assert rest.value == pytest.approx(of_normal(0.25 / (0.25 + noise)), abs=0.05)
    assert whole.value > 0.95 > rest.value


def test_what_all_words_have_in_common_moves_no_rank():
    runs, (d, _) = 6, simulated(500, 6, word=0.5, run=0.3, pair=0.3, common=3.0)
    with_it = reliability(values_of(d), runs)
    without = reliability(values_of(d), runs, exact_common(d))
    truth = 0.25 / (0.25 + 4 * 0.09 / 6 + 2 * 0.09 / 30)
    assert without.value == pytest.approx(of_normal(truth), abs=0.07)
    assert with_it.value < without.value
    assert with_it.run > 5 > without.run


def test_common_error_is_in_proportion_to_the_level():
    d, _ = simulated(400, 6, word=0.5, run=0.1, pair=0.1, common=1.0)
    mean = d.mean(0)
    level = values_of(d).mean.mean()
    assert common_error(torch.as_tensor(mean), float(level)) == pytest.approx(exact_common(d), rel=1e-9)
    assert common_error(torch.as_tensor(3 * mean), float(level)) == pytest.approx(exact_common(d), rel=1e-9)
    assert common_error(torch.zeros(2, 2), 1.0) == 0


def test_two_runs_and_few_words_say_nothing():
    assert reliability(values_of(simulated(100, 2)[0]), 2) is None
    assert reliability(values_of(simulated(19, 5)[0]), 5) is None
    assert pooled_error(values_of(simulated(100, 2)[0]), 2).isnan().all()


@pytest.mark.parametrize("runs", [3, 4, 6, 8])
def test_the_pooled_error_is_right_where_the_jackknife_is_too_large(runs):
    d, level = simulated(6000, runs, run=0.3, pair=0.3 * 2**0.5, seed=runs)
    values = values_of(d)
    error = pooled_error(values, runs)
    true = float((values.mean - 10 - torch.as_tensor(level)).square().mean().sqrt())
    assert float(error.square().mean().sqrt()) == pytest.approx(true, rel=0.05)
    jackknife = float(values.se.square().mean().sqrt())
    assert jackknife > 1.03 * true
    z = (values.mean - 10 - torch.as_tensor(level)) / error
    assert 0.03 < float((z.abs() > 1.96).double().mean()) < 0.07


def test_the_pooled_error_has_a_floor():
    """All noise is of pairs: single windows' own parts scatter, and none may come out below the floor."""
    d, _ = simulated(300, 4, run=0.0, pair=1.0)
    values = values_of(d)
    error, floor = pooled_error(values, 4, like=4), local_mean(values.se.square(), 4) * 2 / 6
    assert bool((error.square() >= floor * (1 - 1e-12)).all())
    assert bool((error.square() <= floor * (1 + 1e-12)).any())


def test_the_least_stable_tenth_holds_what_it_says():
    runs, (d, level) = 6, simulated(4000, 6, run=0.3, pair=0.3, trend=1.0)
    values = values_of(d)
    chosen = standing_out(highest_tenth(values.mean, parts(values.sd, values.se, runs).noise(runs)))
    truth = place(torch.as_tensor(level))
    assert len(chosen) > 50
    assert float((truth[chosen] >= 0.9).double().mean()) >= 0.92
    assert float((truth[chosen] >= 0.8).double().mean()) >= 0.97


def test_no_word_stands_out_of_equal_ones():
    for seed in range(5):
        values = values_of(simulated(1000, 4, word=0.0, seed=seed)[0])
        assert not len(standing_out(highest_tenth(values.mean, parts(values.sd, values.se, 4).noise(4))))


def test_words_without_any_noise_are_ranked_as_they_are():
    x = torch.arange(100.0, dtype=torch.float64) % 10
    chance = highest_tenth(x, torch.zeros_like(x))
    assert bool((chance[x == 9] > 0.99).all())
    assert bool((chance[x < 9] < 0.01).all())
    assert bool((highest_tenth(torch.ones(50), torch.zeros(50)) == 0).all())


@pytest.mark.parametrize(("count", "like"), [(7, 4), (3, 200), (30, 5), (1, 200)])
def test_windows_against_a_loop(count, like):
    x = torch.randn(count, dtype=torch.float64, generator=torch.Generator().manual_seed(count))
    width = min(like + 1, count)
    for k in range(count):
        start = min(max(k - width // 2, 0), count - width)
        window = x[start : start + width]
        assert local_mean(x, like)[k] == pytest.approx(float(window.mean()))
        assert local_median(x, like)[k] == window.median()
        assert place(x, like)[k] == pytest.approx(float((window < x[k]).sum()) / max(width - 1, 1))
