"""Two groups against loops over pairs, and where the answer is known: expected lists, a turn, the noise of one law."""

import numpy as np
import pytest
import torch

from gpustab.kernels.two_groups import residual_variance, two_groups


def naive(pairs, first):
    """Means within and between, by loops over one word's pairs of runs."""
    runs = range(len(pairs))
    one, other = [r for r in runs if r < first], [r for r in runs if r >= first]
    within = [np.mean([pairs[i, j] for i in own for j in own if i < j]) for own in (one, other)]
    return np.mean([pairs[i, j] for i in one for j in other]), *within


def test_means_and_their_parts_without_a_run_are_those_of_loops():
    x = np.random.default_rng(0).normal(size=(3, 7, 5))
    pairs = x @ x.swapaxes(1, 2)
    found = two_groups(torch.from_numpy(pairs), 3)
    for word in range(3):
        for part, expected in zip(found, naive(pairs[word], 3), strict=True):
            assert float(part.value[word]) == pytest.approx(expected)
        for left in range(7):
            kept = [r for r in range(7) if r != left]
            expected = naive(pairs[word][np.ix_(kept, kept)], 3 - (left < 3))
            for part, value in zip(found, expected, strict=True):
                without = part.without_first[left] if left < 3 else part.without_second[left - 3]
                assert float(without[word]) == pytest.approx(value)
    between, one, other = (part.value.numpy() for part in found)
    known = (one > 0) & (other > 0)
    np.testing.assert_allclose(found.agreement.value[known], (between / np.sqrt(np.abs(one * other)))[known])
    assert bool(found.agreement.value[~known].isnan().all())
    np.testing.assert_allclose(found.beyond.value, (one + other) / 2 - between)
    np.testing.assert_allclose(found.mean.between.value, between.mean())


@pytest.mark.parametrize("noise", [0.3, 2.0])
@pytest.mark.parametrize("cosine", [1.0, 0.6, 0.0])
def test_the_agreement_is_that_of_what_both_expect_whatever_the_noise(cosine, noise):
    """Two expected points at a known angle; single runs of the noisy ones agree far less."""
    rng, d, runs = np.random.default_rng(1), 400, 5
    one, across = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    other = cosine * one + np.sqrt(1 - cosine**2) * across
    x = np.stack([p + noise * rng.normal(size=(300, d)) / d**0.5 for p in [one] * runs + [other] * runs], 1)
    found = two_groups(torch.from_numpy(x @ x.swapaxes(1, 2)), runs).mean
    assert float(found.agreement.value) == pytest.approx(cosine, abs=0.03)
    assert float(found.beyond.value) == pytest.approx(1 - cosine, abs=0.03)
    assert float(found.agreement.se) < 0.1


def test_groups_of_one_or_two_have_what_they_can_have():
    pairs = torch.ones(1, 3, 3, dtype=torch.float64)
    found = two_groups(pairs, 1)
    assert (float(found.between.value), float(found.second.value)) == (1.0, 1.0)
    assert bool(found.first.value.isnan())
    assert bool(found.agreement.value.isnan())
    two = two_groups(torch.ones(1, 4, 4), 2)
    assert float(two.agreement.value) == 1.0
    assert bool(two.agreement.without_first.isnan().all())


def test_residuals_leave_out_what_runs_have_in_common():
    rng = np.random.default_rng(2)
    block = rng.normal(size=(2000, 4, 1)) + rng.normal(size=(2000, 1, 5)) + 0.5 * rng.normal(size=(2000, 4, 5))
    assert float(residual_variance(torch.from_numpy(block)).mean()) == pytest.approx(0.25, rel=0.05)
    assert bool(residual_variance(torch.ones(1, 1, 3)).isnan())


def test_pairs_that_are_left_out_count_nowhere():
    rng = np.random.default_rng(3)
    pairs, apart = rng.normal(size=(50, 9, 9)), ~np.eye(4, 5, dtype=bool)
    pairs += pairs.swapaxes(1, 2)
    found = two_groups(torch.from_numpy(pairs), 4, torch.from_numpy(apart))
    between = pairs[:, :4, 4:]
    np.testing.assert_allclose(found.between.value, between[:, apart].mean(1))
    np.testing.assert_allclose(found.between.without_first[2], between[:, [0, 1, 3]][:, apart[[0, 1, 3]]].mean(1))
    np.testing.assert_allclose(found.between.without_second[0], between[:, :, 1:][:, apart[:, 1:]].mean(1))
    design = np.array([[i == a for a in range(4)] + [j == b for b in range(5)] for i, j in np.argwhere(apart)], float)
    fit = design @ np.linalg.lstsq(design, between[:, apart].T, rcond=None)[0]
    expected = ((between[:, apart].T - fit) ** 2).sum(0) / (16 - 8)
    np.testing.assert_allclose(
        residual_variance(torch.from_numpy(between), torch.from_numpy(apart)), expected, rtol=1e-6
    )
