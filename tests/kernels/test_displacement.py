"""Displacement against a naive NumPy script, and where the answer is known."""

import numpy as np
import pytest
import torch

from gpustab.kernels.averaging import tree_average
from gpustab.kernels.displacement import (
    Jackknifed,
    average_displacement,
    averages,
    displacement,
    halves_displacement,
    left_out,
    moved,
    residual,
    two_frames,
)
from tests.generators import rotation


def naive_moved(x, y):
    u, _, vt = np.linalg.svd(x.T @ y)
    turned = x @ (u @ vt)
    return 1 - (turned * y).sum(1) / np.linalg.norm(turned, axis=1) / np.linalg.norm(y, axis=1)


def naive(first, second):
    """Change and corrected change of every word; no jackknife."""
    change = np.mean([naive_moved(x, y) for x in first for y in second], 0)
    w1, w2 = (
        1 - np.mean([naive_moved(g[i], g[j]) for i in range(len(g)) for j in range(i)], 0) for g in (first, second)
    )
    return change, 1 - (1 - change) / np.sqrt(w1 * w2)


def naive_error(first, second, which):
    parts = []
    for group, place in ((first, 0), (second, 1)):
        without = []
        for k in range(len(group)):
            both = [first, second]
            both[place] = [run for n, run in enumerate(group) if n != k]
            without.append(naive(*both)[which])
        n = len(group)
        parts.append((n - 1) / n * ((np.array(without) - np.mean(without, 0)) ** 2).sum(0))
    return np.sqrt(parts[0] + parts[1])


def epochs(runs=(4, 3), v=40, d=6, noise=0.3, change=None, seed=0):
    """Two groups of turned noisy copies of one space, whose first words moved by known steps in the second."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(v, d))
    later = base.copy()
    if change is not None:
        later[: len(change)] += np.array(change)[:, None] * rng.normal(size=(len(change), d))
    return [
        [(own + noise * rng.normal(size=(v, d))) @ np.asarray(rotation(d, 10 * k + r)) for r in range(n)]
        for k, (own, n) in enumerate(zip((base, later), runs, strict=True))
    ]


def tensors(runs):
    return torch.from_numpy(np.array(runs))


def test_equals_a_naive_script():
    first, second = epochs(change=[0.5, 1, 2])
    found = displacement(tensors(first), tensors(second))
    change, corrected = naive(first, second)
    np.testing.assert_allclose(found.change.value, change, atol=1e-12)
    np.testing.assert_allclose(found.corrected.value, corrected, atol=1e-12)
    np.testing.assert_allclose(found.change.se, naive_error(first, second, 0), atol=1e-12)
    np.testing.assert_allclose(found.corrected.se, naive_error(first, second, 1), atol=1e-12)
    floor = np.mean(
        [np.mean([naive_moved(g[i], g[j]) for i in range(len(g)) for j in range(i)], 0) for g in (first, second)], 0
    )
    np.testing.assert_allclose(found.within.value, floor, atol=1e-12)
    np.testing.assert_allclose(found.pairs[1, 2], naive_moved(first[1], second[2]).mean(), atol=1e-12)
    np.testing.assert_allclose(found.change.mean(torch.ones(40, dtype=torch.bool))[0], change.mean(), atol=1e-12)


def test_correction_takes_training_noise_out():
    """Nothing moved: the change is all noise, the corrected one is near 0, whatever the number of runs."""
    first, second = epochs((6, 6), v=400, d=20, noise=0.4)
    found = displacement(tensors(first), tensors(second))
    assert float(found.change.value.mean()) > 0.1
    assert abs(float(found.corrected.value.mean())) < 0.01
    assert float(average_displacement(averages(tensors(first)), averages(tensors(second))).value.mean()) < 0.05


def test_what_moved_more_is_found_to_have():
    first, second = epochs((4, 4), v=300, d=10, noise=0.1, change=[0.0, 0.5, 1.0, 3.0])
    for found in (
        displacement(tensors(first), tensors(second)).corrected,
        average_displacement(averages(tensors(first)), averages(tensors(second))),
    ):
        assert sorted(found.value[:4].tolist()) == found.value[:4].tolist()


def test_error_of_the_mean_is_that_of_repeated_groups():
    every = torch.ones(60, dtype=torch.bool)
    means, errors = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        base = np.random.default_rng(0).normal(size=(60, 5))
        scale = np.exp(0.5 * rng.normal(size=10)) * 0.2  # runs differ in their noise
        runs = [base + s * rng.normal(size=base.shape) for s in scale]
        mean, se, _ = displacement(tensors(runs[:5]), tensors(runs[5:])).change.mean(every)
        means.append(mean)
        errors.append(se**2)
    assert np.sqrt(np.mean(errors)) == pytest.approx(np.std(means, ddof=1), rel=0.35)


def test_one_run_has_no_error_and_nothing_to_correct_by():
    first, second = epochs((1, 2))
    found = displacement(tensors(first), tensors(second))
    assert found.change.value.isfinite().all()
    assert found.change.se.isnan().all()
    assert found.corrected.value.isnan().all()
    assert average_displacement(averages(tensors(first)), averages(tensors(second))).se.isnan().all()
    assert halves_displacement(averages(tensors(first))).isnan().all()


def test_halves_are_averages_of_equally_many_runs():
    first, _ = epochs((5, 2), v=200, d=8)
    found = halves_displacement(averages(tensors(first)))
    assert float(found.mean()) < float(moved(*tensors(first)[:2]).mean())


def test_averages_of_each_size_are_disjoint():
    runs, _ = epochs((5, 2))
    found = averages(tensors(runs))
    assert {n: len(level) for n, level in found.levels.items()} == {1: 5, 2: 2, 4: 1, 5: 1}
    assert len(found.without) == 5
    assert len(found.rows(torch.tensor([0, 2])).top) == 2


def test_error_of_an_average_leaves_each_run_out():
    first, second = epochs((3, 3))
    found = average_displacement(averages(tensors(first)), averages(tensors(second)))
    tops = [averages(tensors([run for k, run in enumerate(second) if k != left])).top for left in range(3)]
    without = np.array([naive_moved(averages(tensors(first)).top.numpy(), top.numpy()) for top in tops])
    np.testing.assert_allclose(found.without_second, without, atol=1e-12)


def test_a_word_that_one_run_lacks_has_the_others_average():
    first, _ = epochs((2, 2))
    stack, present = tensors(first), torch.ones(2, 40, dtype=torch.bool)
    present[0, 7] = False
    found = averages(stack, present)
    np.testing.assert_allclose(found.top[7], stack[1, 7], atol=1e-12)


def test_averages_without_a_run_are_those_of_the_others():
    runs, _ = epochs((7, 2))
    levels = dict(left_out(tree_average(tensors(runs))))
    assert {n: len(own) for n, own in levels.items()} == {2: 6, 4: 4, 7: 7}
    for k, own in enumerate(levels[4]):
        pair, single = ((0, 1), k ^ 1) if k > 1 else ((2, 3), k ^ 1)
        both = (naive_turned(runs[pair[0]], runs[pair[1]]) + runs[pair[1]]) / 2
        if k < 2:  # what comes first is turned onto the other
            want = (naive_turned(runs[single], both) + 2 * both) / 3
        else:
            want = (2 * naive_turned(both, runs[single]) + runs[single]) / 3
        np.testing.assert_allclose(own, want, atol=1e-12)
    np.testing.assert_allclose(levels[2][3], runs[2], atol=1e-12)


def naive_turned(x, y):
    return naive_turn(x, y, x)


def test_a_word_that_loses_its_value_without_a_run_takes_no_error_from_the_others():
    first, second = map(tensors, epochs(runs=(4, 4), noise=0.2))
    corrected = displacement(first, second).corrected
    value = corrected.value.clone()
    value[0] = 0.3
    without = corrected.without_first.clone()
    without[2, 0] = torch.nan
    every = torch.ones(40, dtype=torch.bool)
    mean = Jackknifed(value, without, corrected.without_second).mean(every)
    others = Jackknifed(*(part[..., 1:] for part in corrected)).mean(every[1:])
    assert mean == others
    assert mean.words == 39
    assert np.isfinite(mean.se)


def test_a_mean_of_words_without_any_error_keeps_their_values():
    first, second = map(tensors, epochs(runs=(2, 4)))  # without one of two runs there is nothing to correct by
    mean = displacement(first, second).corrected.mean(torch.ones(40, dtype=torch.bool))
    assert np.isfinite(mean.value)
    assert np.isnan(mean.se)
    assert mean.words == 40


@pytest.mark.parametrize(("v", "d", "noise"), [(300, 15, 0.1), (1000, 50, 0.3), (300, 50, 0.3)])
def test_words_that_turned_together_fit_a_turn_of_their_own_and_words_that_moved_each_by_itself_do_not(v, d, noise):
    rng = np.random.default_rng(v)
    base, turn = rng.normal(size=(v, d)), np.asarray(rotation(d, 3))

    def noisy(x):
        return torch.from_numpy(x + noise * rng.normal(size=(v, d)))

    camps = two_frames(noisy(base), noisy(np.where(np.arange(v)[:, None] < v // 3, base, base @ turn)))
    assert camps.ratio < 0.4
    assert camps.second == pytest.approx(1 / 3, abs=0.05)
    for moved_words in (0, v // 3, 2 * v // 3):
        later = np.where(np.arange(v)[:, None] < moved_words, rng.normal(size=(v, d)), base)
        assert two_frames(noisy(base), noisy(later @ turn)).ratio > 0.6


def test_the_residual_is_held_out_of_what_gave_the_turn():
    """Over hardly more rows than dimensions a turn fits noise, and held out it does not."""
    rng = np.random.default_rng(0)
    x, y = (torch.from_numpy(rng.normal(size=(60, 10))) for _ in range(2))
    over = torch.arange(60) < 20
    found = residual(x, y, over)
    assert found.rows == 20
    np.testing.assert_allclose(found.fit, naive_moved(x[:20].numpy(), y[:20].numpy()).mean(), atol=1e-12)
    np.testing.assert_allclose(found.by_all, naive_moved(x.numpy(), y.numpy()).mean(), atol=1e-12)
    halves = []
    for one, other in ((slice(0, 20, 2), slice(1, 20, 2)), (slice(1, 20, 2), slice(0, 20, 2))):
        turned, want = naive_turn(x[one].numpy(), y[one].numpy(), x[other].numpy()), y[other].numpy()
        halves.append(1 - (turned * want).sum(1) / np.linalg.norm(turned, axis=1) / np.linalg.norm(want, axis=1))
    np.testing.assert_allclose(found.held_out, np.mean(halves), atol=1e-12)
    assert found.fit < found.held_out - 0.3
    assert np.isnan(residual(x, y, torch.arange(60) < 19).held_out)
    unturned = residual(x, y, torch.zeros(60, dtype=torch.bool))
    assert unturned.rows == 60
    assert unturned.fit == unturned.held_out
    np.testing.assert_allclose(unturned.fit, 1 - torch.cosine_similarity(x, y).mean(), atol=1e-12)


def naive_turn(x, y, own):
    u, _, vt = np.linalg.svd(x.T @ y)
    return own @ (u @ vt)


def test_fewer_words_than_dimensions_have_no_camps():
    x = torch.randn(30, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert all(np.isnan(two_frames(x, x)))
