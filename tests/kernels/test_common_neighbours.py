"""Neighbours common to all of m runs against every choice of m runs, and where the answer is known."""

from itertools import combinations

import numpy as np
import pytest
import torch

from gpustab.kernels.common_neighbours import common_neighbours
from gpustab.kernels.overlap import neighbour_overlap

N = 4


def random_lists(runs=6, targets=5, words=9, k=5, seed=0):
    rng = np.random.default_rng(seed)
    weights = 0.6 ** np.arange(words)
    ranks = (np.log(weights) + rng.gumbel(size=(runs, targets, words))).argsort(2)[:, :, ::-1]
    return torch.from_numpy(ranks[:, :, :k].copy())


def naive(lists, have, m):
    """Means over every choice of m runs of |∩| / n, and of |∩| / |∪|; NaN where a target has fewer runs."""
    share, jaccard = [], []
    for t in range(lists.shape[1]):
        sets = [set(run[:N]) for run, own in zip(lists[:, t].tolist(), have[:, t].tolist(), strict=True) if own]
        chosen = list(combinations(sets, m))
        common = [(len(set.intersection(*some)), len(set.union(*some))) for some in chosen]
        share.append(np.mean([x / N for x, _ in common]) if chosen else np.nan)
        jaccard.append(np.mean([x / y for x, y in common]) if chosen else np.nan)
    return np.array(share), np.array(jaccard)


@pytest.mark.parametrize("lacking", [0.0, 0.3])
def test_it_is_the_mean_over_every_choice_of_runs(lacking):
    lists = random_lists()
    have = torch.from_numpy(np.random.default_rng(1).random((6, 5)) >= lacking)
    lists[~have] = -1
    found = common_neighbours(lists, N, [2, 3, 5, 6], have)
    for at, m in enumerate((2, 3, 5, 6)):
        np.testing.assert_allclose(found.share[at], naive(lists, have, m)[0])
        for r in range(6):
            others = [k for k in range(6) if k != r]
            expected = naive(lists[others], have[others], m)[0] if m < 6 else np.full(5, np.nan)
            np.testing.assert_allclose(found.share_without[r, at], expected)
    for t in range(5):
        own = have[:, t].nonzero().flatten()
        one = lists[own][:, [t]]
        whole = naive(one, torch.ones(len(own), 1, dtype=torch.bool), len(own))[1] if len(own) > 1 else [np.nan]
        np.testing.assert_allclose(found.jaccard[t], whole[0])
    if not lacking:  # what their program prints: each of the runs left out in turn
        np.testing.assert_allclose(found.jaccard_without.mean(0), naive(lists, have, 5)[1])


def test_of_two_runs_it_is_the_overlap_of_pairs():
    lists = random_lists(runs=7, targets=30)
    found, pairs = common_neighbours(lists, N, [2]), neighbour_overlap(lists, [N])
    np.testing.assert_allclose(found.share[0], pairs.p_word[0])
    two = common_neighbours(lists[:2], N, [2])
    np.testing.assert_allclose(two.jaccard, neighbour_overlap(lists[:2], [N]).j_word[0])
    assert bool(two.share_without.isnan().all())


def test_it_falls_with_the_runs_as_the_probabilities_of_the_neighbours_say():
    """Of independent runs that list a word with probability π it is Σ π^m / n: two are sure, four as a coin falls."""
    rng, n, runs, targets = np.random.default_rng(0), 6, 8, 4000
    sure = np.tile([0, 1], (runs, targets, 1))
    half = np.stack([2 + 2 * k + rng.integers(0, 2, (runs, targets)) for k in range(2)], 2)
    rare = 6 + rng.integers(0, 1 << 30, (runs, targets, 2))
    lists = torch.from_numpy(np.concatenate([sure, half, rare], 2))
    found = common_neighbours(lists, n, [2, 3, 5, 8]).share.mean(1)
    for at, m in enumerate((2, 3, 5, 8)):
        assert float(found[at]) == pytest.approx((2 + 2 * 2 * 0.5**m) / n, abs=0.01)
    assert bool((found.diff() < 0).all())


def test_equal_runs_have_all_in_common_and_unlike_ones_nothing():
    same = random_lists(runs=1).expand(4, -1, -1)
    found = common_neighbours(same, N, [2, 4])
    assert found.share.unique().tolist() == found.jaccard.unique().tolist() == [1.0]
    apart = torch.arange(4 * 3 * 5).view(4, 3, 5)
    assert float(common_neighbours(apart, 5, [2, 4]).share.max()) == 0.0
    assert float(common_neighbours(apart, 5, [2]).jaccard.max()) == 0.0


@pytest.mark.parametrize(
    ("n", "runs", "said"), [(6, [2], "n is 6"), (4, [1], "2 .. 6"), (4, [7], "2 .. 6"), (4, [], "2")]
)
def test_what_cannot_be_asked_is_refused(n, runs, said):
    with pytest.raises(ValueError, match=said):
        common_neighbours(random_lists(), n, runs)


def test_many_runs_do_not_overflow():
    found = common_neighbours(random_lists(runs=128, targets=2), N, [2, 64, 128])
    assert bool(found.share.isfinite().all())
    assert float(found.share[0].mean()) > float(found.share[1].mean()) >= float(found.share[2].mean())
