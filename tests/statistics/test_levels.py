"""Levels behind noisy means, where the levels are known."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab.statistics.levels import highest_tenth, levels, of_shares
from gpustab.statistics.windows import place, standing_out

KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "long right tail": lambda rng, n: np.exp(rng.normal(size=n)),
    "two kinds": lambda rng, n: rng.normal(size=n) * 0.3 + 4 * (rng.random(n) < 0.15),
    "few far": lambda rng, n: rng.normal(size=n) * 0.2 + 6 * (rng.random(n) < 0.02),
}


def drawn(kind, noise, n=1500, seed=0):
    """Levels, and two means of every word; noise as a part of the levels' SD."""
    rng = np.random.default_rng([seed, len(kind)])
    level = KINDS[kind](rng, n)
    error = noise * level.std() * np.ones(n)
    means = [torch.from_numpy(level + error * rng.normal(size=n)) for _ in range(2)]
    return torch.from_numpy(level), means, torch.from_numpy(error**2)


@pytest.mark.parametrize("noise", [0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_is_that_of_other_runs_whatever_the_levels_distribution(kind, noise):
    pairs = [drawn(kind, noise, seed=seed) for seed in range(4)]
    true = np.mean([spearmanr(*means).statistic for _, means, _ in pairs])
    told = np.mean([levels(means[0], error).order() for _, means, error in pairs])
    assert told == pytest.approx(true, abs=0.05)


def test_pearsons_correlation_is_another_where_few_words_are_far_from_the_others():
    _, means, error = drawn("few far", 0.3)
    assert np.corrcoef(*means)[0, 1] > 0.85
    assert levels(means[0], error).order() < 0.5


def test_less_noise_gives_the_order_of_more_runs():
    _, means, error = drawn("normal", 1.0)
    level = levels(means[0], error)
    _, less, _ = drawn("normal", 0.5)
    assert level.order(0.25) == pytest.approx(spearmanr(*less).statistic, abs=0.05)
    assert level.order(0.0) == pytest.approx(1, abs=0.01)
    assert level.order() < level.order(0.5) < level.order(0.25)


def test_equal_words_have_no_order():
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(1000, generator=generator, dtype=torch.float64)
    assert levels(noise, torch.ones(1000)).order() < 0.1
    assert levels(torch.ones(50), torch.zeros(50)).order() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("noise", [0.2, 0.4])
@pytest.mark.parametrize("kind", KINDS)
def test_words_that_are_said_to_be_in_the_tenth_are(kind, noise):
    wrong = named = 0
    for seed in range(2):
        level, (mean, _), error = drawn(kind, noise, n=1000, seed=seed)
        words = standing_out(highest_tenth(mean, error))
        wrong += int((place(level)[words] < 0.9).sum())
        named += len(words)
    assert named > 0 or noise > 0.2
    assert wrong <= 0.1 * named, (wrong, named)


def test_of_words_that_do_not_differ_none_is_named():
    generator = torch.Generator().manual_seed(1)
    for _ in range(5):
        mean = torch.randn(1000, generator=generator, dtype=torch.float64)
        assert not len(standing_out(highest_tenth(mean, torch.ones(1000))))


def test_words_that_stand_out_of_their_frequency_are_named_though_others_lie_higher():
    rng = np.random.default_rng(0)
    level = np.linspace(8, 0, 1000) + 0.1 * rng.normal(size=1000)  # the most frequent lie highest
    level[::50] += 5
    words = standing_out(highest_tenth(torch.from_numpy(level), torch.full((1000,), 0.01)))
    assert set(range(0, 1000, 50)) <= set(words.tolist())


def test_a_word_that_others_never_outdo_has_the_whole_probability():
    values = torch.cat([torch.zeros(95), torch.full((5,), 10.0)])
    probability = levels(values, torch.full((100,), 0.01)).highest(0.05)
    assert torch.allclose(probability[95:], torch.ones(5, dtype=torch.float64), atol=1e-6)
    assert float(probability[:95].max()) < 1e-6


def test_bands_are_judged_one_by_one():
    first, second = (drawn(kind, 0.4, n=120)[1:] for kind in ("normal", "two kinds"))
    both = levels(*(torch.stack([one, two]) for one, two in ((first[0][0], second[0][0]), (first[1], second[1]))))
    for k, (means, error) in enumerate((first, second)):
        alone = levels(means[0], error)
        torch.testing.assert_close(both.highest(0.1)[k], alone.highest(0.1))
        torch.testing.assert_close(both.known[k], alone.known)


def test_shares_near_none_are_not_known_exactly():
    rng = np.random.default_rng(0)
    share = rng.beta(0.5, 8, size=2000)  # many near 0
    counts = rng.binomial(40, share)
    mean = torch.from_numpy(counts / 40)
    turned, noise = of_shares(mean, mean * (1 - mean) / 40)
    assert turned[mean == 0].max() == 0
    assert noise.max() / noise.median() < 3  # 1/(4 · 40), but for the lowest
    assert noise.median() == pytest.approx(1 / 160, rel=0.3)
    again = rng.binomial(40, share) / 40
    assert levels(turned, noise).order() == pytest.approx(spearmanr(mean, again).statistic, abs=0.1)  # with many ties
