"""Kept neighbours against sets made by hand, and where the answer is known: turned, exchanged, half of all turned."""

import numpy as np
import pytest
import torch
from scipy.stats import rankdata

from gpustab.kernels.displacement import displacement
from gpustab.kernels.kept import kept_neighbours, lost
from tests.generators import rotation
from tests.kernels.test_displacement import epochs

K = 5


def naive_lists(run, k=K):
    unit = run / np.linalg.norm(run, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return [set(np.argsort(-row)[:k].tolist()) for row in cosines]


def naive_share(one, two):
    return np.array([len(a & b) / K for a, b in zip(naive_lists(one), naive_lists(two), strict=True)])


def naive(first, second):
    """Shares between two groups and within them, mean over pairs; no jackknife."""
    between = np.mean([naive_share(x, y) for x in first for y in second], 0)
    within = [np.mean([naive_share(g[i], g[j]) for i in range(len(g)) for j in range(i)], 0) for g in (first, second)]
    return between, (within[0] + within[1]) / 2


def kept(first, second):
    groups = [[torch.from_numpy(run) for run in group] for group in (first, second)]
    return kept_neighbours(*groups, K)


def test_shares_and_their_parts_without_a_run_are_those_of_sets():
    first, second = epochs(noise=0.5)
    found = kept(first, second)
    for part, expected in zip((found.shared, found.within), naive(first, second), strict=True):
        np.testing.assert_allclose(part.value, expected)
    for left in range(4):
        others = naive([run for k, run in enumerate(first) if k != left], second)
        for part, expected in zip((found.shared, found.within), others, strict=True):
            np.testing.assert_allclose(part.without_first[left], expected)
    others = naive(first, second[:1] + second[2:])
    np.testing.assert_allclose(found.shared.without_second[1], others[0])
    assert found.chance == pytest.approx(K / 39)
    scale = found.within.value - found.chance
    known, expected = scale > 0.05, (found.within.value - found.shared.value) / scale
    np.testing.assert_allclose(found.lost(0.05).value[known], expected[known], atol=1e-12)
    assert bool(found.lost(0.05).value[~known].isnan().all())


def test_a_turn_loses_no_neighbour_and_tiles_change_nothing(monkeypatch):
    first, second = epochs(noise=0.3)
    whole = kept(first, second)
    turned = kept(first, [run @ np.asarray(rotation(6, 99)) for run in second])
    np.testing.assert_allclose(turned.shared.value, whole.shared.value)
    monkeypatch.setattr("gpustab.kernels.kept._NUMBERS", 3 * K * 7)
    np.testing.assert_array_equal(kept(first, second).within.without_second, whole.within.without_second)


def test_runs_of_one_law_lose_nothing_and_a_group_of_one_or_two_has_what_it_can_have():
    first, second = epochs(runs=(8, 8), v=200, noise=0.3)
    assert abs(float(kept(first, second).mean.lost().value)) < 0.02
    one = kept(first[:1], second)
    assert bool(one.shared.value.isfinite().all())
    assert bool(one.within.value.isnan().all())
    assert bool(one.shared.without_first.isnan().all())
    two = kept(first[:2], second)
    assert bool(two.within.value.isfinite().all())
    assert bool(two.within.without_first.isnan().all())


def test_lists_longer_than_the_vocabulary_are_cut_and_share_all():
    first, second = epochs(v=K)
    found = kept(first, second)
    assert (found.k, found.chance) == (K - 1, 1.0)
    assert found.shared.value.tolist() == [1.0] * K
    assert bool(found.lost().value.isnan().all())  # chance is all there is
    assert bool(lost(torch.tensor(0.1), torch.tensor(0.12), 0.1, 0.05).isnan())


def places(score, of):
    """Mean place of some words by a score, 1 the most changed."""
    return float(np.mean(rankdata(-np.asarray(score))[of]))


@pytest.mark.parametrize("noise", [0.2, 0.3])
def test_exchanged_words_come_first_also_where_most_words_turned_and_alignment_fails(noise):
    v, d, rng = 150, 8, np.random.default_rng(0)
    base = rng.normal(size=(v, d))
    turned = np.where(np.arange(v)[:, None] < 100, base @ np.asarray(rotation(d, 5)), base)
    exchanged = np.arange(90, 110)  # half of them in either camp
    later = turned.copy()
    later[exchanged] = turned[np.roll(exchanged, 7)]
    groups = [[torch.from_numpy(own + noise * rng.normal(size=(v, d))) for _ in range(4)] for own in (base, later)]
    by_neighbours = places(kept_neighbours(*groups, 15).lost().value, exchanged)
    by_turn = places(displacement(*groups).change.value, exchanged)
    assert by_neighbours < 30  # 10.5 if all are ahead of all others, 75.5 by chance
    assert by_turn > by_neighbours + 3
