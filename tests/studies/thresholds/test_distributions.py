import numpy as np
import pytest
import torch
from scipy import stats

from gpustab.kernels.similarity_histogram import similarity_histogram
from gpustab.studies.thresholds.claims_of_paper import SAME, shape_of
from gpustab.studies.thresholds.distributions import Moments, compare, distance, of_histogram, of_steps, rejected
from tests.studies.thresholds.oracles import kolmogorov_smirnov


def space(words, dimension, seed, skew=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(words, dimension)) + skew * rng.exponential(size=(words, 1)) ** 2 * np.ones(dimension)
    return torch.nn.functional.normalize(torch.from_numpy(x), dim=1)


def of_space(x):
    """Its distribution, and all its cosines of different words."""
    cosines = (x @ x.mT).numpy()
    found = of_histogram(similarity_histogram(x, torch.arange(len(x)), 10), "space")
    return found, cosines[~np.eye(len(x), dtype=bool)]


def test_moments_are_scipys():
    found, cosines = of_space(space(90, 5, 0, 0.2))
    want = np.mean(cosines), np.std(cosines), stats.skew(cosines), stats.kurtosis(cosines)
    assert tuple(found.law.moments) == pytest.approx(want, rel=1e-9)
    assert found.counts.sum() == len(cosines)
    assert found.lowest <= cosines.min() <= found.lowest + 1e-4
    assert found.highest - 1e-4 <= cosines.max() <= found.highest


def test_a_law_without_spread_has_no_shape():
    assert Moments.of_powers(3, np.array([3.0, 3, 3, 3]))[1] == 0.0
    assert np.isnan(Moments.of_powers(3, np.array([3.0, 3, 3, 3])).skewness)


def test_the_distance_is_that_of_the_scaled_values():
    """Up to the width of a bin, 1e-4 of similarity."""
    (a, first), (b, second) = of_space(space(120, 6, 1)), of_space(space(150, 2, 2))
    want = kolmogorov_smirnov(stats.zscore(first), stats.zscore(second))
    assert want > 0.05
    assert distance(a.law, b.law) == pytest.approx(want, abs=1e-3)
    assert distance(a.law, a.law) == 0


def test_steps_keep_their_jumps():
    values, numbers = np.array([3.0, 1.0, 2.0, 9.0]), np.array([10.0, 40, 50, 0])
    law = of_steps("levels", values, numbers)
    assert law.moments.mean == pytest.approx(1.7)
    assert law.at(np.array([0.0, 0.99, 1.0, 1.5, 2.0, 2.5, 3.0])).tolist() == pytest.approx(
        [0, 0, 0.4, 0.4, 0.9, 0.9, 1]
    )
    other = of_steps("others", values, np.array([40.0, 10, 50, 0]))
    repeated = [np.repeat(values, own.astype(int)) for own in (numbers, np.array([40.0, 10, 50, 0]))]
    want = kolmogorov_smirnov(*(np.round(stats.zscore(own), 6) for own in repeated))
    assert distance(law, other) == pytest.approx(want, abs=1e-9)
    rng = np.random.default_rng(0)
    assert np.mean(law.draw(20_000, rng)) == pytest.approx(1.7, abs=0.02)


def test_draws_follow_the_law():
    found, cosines = of_space(space(100, 5, 3, 0.3))
    drawn = found.law.draw(20_000, np.random.default_rng(0))
    assert stats.ks_2samp(drawn, cosines).pvalue > 1e-3


def test_samples_of_one_law_are_rejected_in_one_of_a_hundred_and_other_laws_by_their_distance():
    same, other = (of_space(space(100, dimension, 4))[0].law for dimension in (5, 2))
    assert rejected(same, same, 300, 0) <= 0.03
    assert distance(same, other) > 0.073  # at which 1,000 values each are rejected at 1 %
    assert rejected(same, other, 50, 0) > 0.5


def test_every_two_groups_and_the_spaces_of_each_are_compared():
    laws = {"a": [of_space(space(100, 5, k))[0].law for k in (0, 1, 2)], "b": [of_space(space(100, 2, 9))[0].law]}
    found = {(row.first, row.second): row for row in compare(laws, 20, 0)}
    assert set(found) == {("a", "a"), ("a", "b")}
    assert found["a", "a"].pairs == found["a", "b"].pairs == 3
    assert found["a", "a"].shape == "same"
    assert found["a", "b"].shape == "different"
    want = [distance(a, laws["b"][0]) for a in laws["a"]]
    assert found["a", "b"].distance == pytest.approx(np.mean(want))
    assert (found["a", "b"].lowest, found["a", "b"].highest) == (min(want), max(want))


@pytest.mark.parametrize("runs", [2, 3, 4, 8])
@pytest.mark.parametrize("law", ["normal", "standard_exponential", "heavy"])
def test_few_runs_at_the_limit_are_hardly_ever_judged(runs, law):
    """All pairs of two runs each lie on one side in a third of the sets, of three in a tenth: they share runs."""
    rng, sets = np.random.default_rng(runs), 2000
    draw = (lambda size: rng.standard_t(3, size=size)) if law == "heavy" else lambda size: getattr(rng, law)(size=size)
    one, other = (1e-3 * draw((sets, runs)) for _ in range(2))
    apart = SAME + (other[:, None, :] - one[:, :, None]).reshape(sets, -1)
    assert sum(shape_of(row, 0.0) != "undecided" for row in apart.tolist()) <= 0.08 * sets
    assert {shape_of(row, 0.0) for row in (apart + 0.5).tolist()} == {"different"}
