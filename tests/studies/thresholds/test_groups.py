"""Sums, dyadic errors and Welch's tests of random groups against loops over pairs and against scipy."""

import itertools

import numpy as np
import pytest
import torch
from scipy import stats

from gpustab.studies.thresholds.groups import adjusted_mean, against, merged, of_pairs
from gpustab.studies.thresholds.rules import welch_p
from tests.studies.thresholds.oracles import dyadic_variance


def drawn(words=12, groups=4, seed=0, effect=0.5):
    """All pairs of some words in random groups, with word effects; group 2 is empty."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(words), 2)))
    group = rng.choice([k for k in range(groups) if k != 2], len(pairs))
    word = effect * rng.normal(size=words)
    values = word[pairs].sum(1) + rng.normal(size=len(pairs)) + 0.2 * group
    sums = of_pairs(torch.from_numpy(group), torch.from_numpy(pairs), torch.from_numpy(values), groups, words)
    members = [
        [(*p, v) for p, v, g in zip(pairs.tolist(), values, group, strict=True) if g == k] for k in range(groups)
    ]
    return sums, members


def independent(pairs):
    values = [value for *_, value in pairs]
    return np.var(values) / len(values)


def test_means_and_variances_are_those_of_the_pairs():
    sums, members = drawn()
    for k, own in enumerate(members):
        values = [value for *_, value in own]
        if values:
            assert float(sums.mean[k]) == pytest.approx(np.mean(values), abs=1e-12)
            assert float(sums.variance[k]) == pytest.approx(np.var(values, ddof=1), abs=1e-12)
        else:
            assert sums.mean[k].isnan()
    assert float(sums.overall.variance[0]) == pytest.approx(
        np.var([value for own in members for *_, value in own], ddof=1), abs=1e-12
    )


def test_the_dyadic_variance_is_that_of_all_couples_of_pairs_that_share_a_word():
    sums, members = drawn(seed=3, effect=2)
    found = against(sums, merged(sums, torch.tensor([0, -1, -1, -1])))
    for k in (1, 3):
        want = max(dyadic_variance(members[k], members[0]), independent(members[k]) + independent(members[0]))
        assert float(found.se[k]) ** 2 == pytest.approx(want, rel=1e-9)
        assert float(found.value[k]) == pytest.approx(float(sums.mean[k] - sums.mean[0]))
    assert found.value[2].isnan()
    assert found.se[2].isnan()


def test_against_all_pairs_a_pair_of_both_sides_has_one_weight():
    sums, members = drawn(seed=5, effect=2)
    found = against(sums, sums.overall, inside=True)
    everything = [pair for own in members for pair in own]
    mean = np.mean([value for *_, value in everything])
    for k in (0, 1, 3):
        own = set(members[k])
        own_mean = np.mean([value for *_, value in own])
        terms = [
            ({i, j}, (x - own_mean) / len(own) * ((i, j, x) in own) - (x - mean) / len(everything))
            for i, j, x in everything
        ]
        want = max(sum(a * b for p, a in terms for q, b in terms if p & q), sum(a * a for _, a in terms))
        assert float(found.se[k]) ** 2 == pytest.approx(want, rel=1e-9)


def test_without_shared_words_it_is_the_variance_of_independent_pairs():
    rng = np.random.default_rng(0)
    pairs = torch.arange(400).view(200, 2)
    group = torch.arange(200) % 2
    sums = of_pairs(group, pairs, torch.from_numpy(rng.normal(size=200)), 2, 400)
    found = against(sums, merged(sums, torch.tensor([0, -1])))
    independent = sums.variance * (sums.n - 1) / sums.n.square()
    assert float(found.se[1]) == pytest.approx(float(independent.sum().sqrt()), rel=1e-12)


def test_it_covers_where_welch_does_not():
    """Groups of one mean, with word effects and groups that follow the words: standardised differences have SD 1."""
    rng = np.random.default_rng(1)
    words, dyadic, welch = 120, [], []
    pairs = np.array(list(itertools.combinations(range(words), 2)))
    for _ in range(300):
        word, taste = rng.normal(size=(2, words))
        values = word[pairs].sum(1) + rng.normal(size=len(pairs))
        group = (taste[pairs].sum(1) > 0).astype(int)
        sums = of_pairs(torch.from_numpy(group), torch.from_numpy(pairs), torch.from_numpy(values), 2, words)
        found = against(sums, merged(sums, torch.tensor([0, -1])))
        dyadic.append(float(found.value[1] / found.se[1]))
        welch.append(float(found.value[1] / (sums.variance / sums.n).sum().sqrt()))
    assert 0.9 < np.std(dyadic) < 1.15  # 1.2 with 40 words: t with few degrees of freedom
    assert np.std(welch) > 3


def test_welch_equals_scipy():
    _, members = drawn(seed=7)
    sums, _ = drawn(seed=7)
    p = welch_p(sums)
    for a, b in itertools.combinations((0, 1, 3), 2):
        first, second = ([value for *_, value in members[k]] for k in (a, b))
        assert p[a, b] == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue, rel=1e-9)
    assert np.isnan(p[2]).all()


def test_word_effects_leave_the_adjusted_mean():
    """Groups that differ only by which words are in them: the raw means differ, the adjusted ones do not."""
    rng = np.random.default_rng(2)
    words = 60
    word = rng.normal(size=words)
    pairs = np.array(list(itertools.combinations(range(words), 2)))
    group = (word[pairs].sum(1) + rng.normal(size=len(pairs)) > 0).astype(int)
    sums = of_pairs(torch.from_numpy(group), torch.from_numpy(pairs), torch.from_numpy(word[pairs].sum(1)), 2, words)
    assert float(sums.mean.diff()) > 1
    assert abs(float(adjusted_mean(sums).diff())) < 0.06
    weighted = (adjusted_mean(sums) * sums.n).sum() / sums.n.sum()
    assert float(weighted) == pytest.approx(float(sums.total.sum() / sums.n.sum()), abs=1e-12)
