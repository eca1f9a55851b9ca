import numpy as np
import pytest
import torch

from gpustab.studies.thresholds.groups import Sums
from gpustab.studies.thresholds.rules import MARGIN, REFERENCE, cuts, levels, lower_edge, monotone, rungs
from tests.studies.thresholds.planted import planted


def similarity_of(ladder, rung):
    return lower_edge(int(ladder.first[rung]))


def test_rungs_hold_their_shares_and_lose_no_pair():
    sums = planted(np.random.default_rng(0), 100)
    ladder = rungs(sums)
    n = ladder.sums.n
    total = float(sums.n.sum())
    assert float(n.sum()) == total
    assert REFERENCE * total <= float(n[0]) < REFERENCE * total + float(sums.n.max())
    assert float(n[-1]) >= 0.01 * total
    assert ladder.below.tolist() == pytest.approx([0, *(n.cumsum(0)[:-1] / total).tolist()])
    assert (sums.n[ladder.pool < 0] == 0).all()
    assert min(rungs(sums, least=200).sums.n.tolist()) >= 200


@pytest.mark.parametrize("n", [[5.0], [3.0, 0, 4], [0, 0, 1], [1.0, 1, 1]])
def test_few_groups_make_few_rungs(n):
    n = torch.tensor(n, dtype=torch.float64)
    ladder = rungs(Sums(n, n * 2.0, n * 4.5, n[None] * 2, n[None] * 4))
    assert float(ladder.sums.n.sum()) == float(n.sum())
    for cut in cuts(ladder, 0.99):
        assert cut.proven is None


def test_monotone_means_are_the_nearest_that_never_fall():
    means, weights = torch.tensor([1.0, 3, 2, 4]).double(), torch.tensor([1.0, 1, 3, 1]).double()
    assert monotone(means, weights).tolist() == pytest.approx([1, 2.25, 2.25, 4])


def test_a_planted_threshold_is_found_and_proven_only_above_it():
    """The level is reached at plant + 0.1 SD / slope: 0.034 above a plant at 0. Below it nothing is proven."""
    rng = np.random.default_rng(0)
    estimates, proven, floor = [], [], []
    for _ in range(40):
        ladder = rungs(planted(rng, 300, 0.0, 1.0))
        clear = cuts(ladder, 0.99)[0]
        estimates.append(similarity_of(ladder, clear.rung))
        proven.append(similarity_of(ladder, clear.proven))
        floor.append(similarity_of(ladder, clear.not_below))
    reached = 0.1 * float(ladder.sums.overall.variance.sqrt())
    assert np.median(estimates) == pytest.approx(reached, abs=0.02)
    assert np.mean(np.array(proven) < reached - 0.01) <= 0.05  # nominal 0.01; a rung is 0.01 wide
    assert np.mean(np.array(floor) > reached + 0.01) <= 0.05
    # A rung of 900 pairs is clear by 3 SE = 0.03 of the value, which is 0.03 of similarity at slope 1.
    assert np.median(proven) < reached + 0.12


def test_what_is_proven_comes_down_to_the_plant_as_pairs_grow():
    rng = np.random.default_rng(1)
    found = []
    for words in (80, 250, 800):
        ladder = rungs(planted(rng, words, 0.0, 1.0))
        found.append(similarity_of(ladder, cuts(ladder, 0.99)[0].proven))
    assert found[0] > found[1] > found[2] > 0.02


def test_without_any_relation_nothing_is_proven():
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(40):
        ladder = rungs(planted(rng, 120, 9.0, effect=0.3))
        wrong += any(cut.proven is not None for cut in cuts(ladder, 0.99))
    assert wrong <= 3


def test_the_levels_are_a_tenth_of_an_sd_above_the_lowest_and_the_mean_of_all():
    ladder = rungs(planted(np.random.default_rng(3), 200))
    everything = ladder.sums.overall
    level = levels(ladder)
    assert level["chance"] == pytest.approx(float(everything.mean))
    assert level["clear"] == pytest.approx(float(ladder.means[0] + MARGIN * everything.variance.sqrt()))
