import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab.engine import neighbour_pass
from gpustab.machine.device import Compute
from gpustab.studies.instability.consistency import (
    PAIR,
    consistency_over_n,
    corrected,
    corrected_error,
    halves_of,
    mean_overlap,
)
from tests import oracles
from tests.generators import anisotropic, generator, runs_of


@pytest.mark.parametrize(("runs", "wanted"), [(4, 3), (5, 10), (6, 10), (9, 10), (40, 2)])
def test_splits_are_different_and_their_halves_disjoint(runs, wanted):
    splits = halves_of(runs, 0)
    assert len(splits) == len({frozenset(map(frozenset, split)) for split in splits}) == wanted
    for first, second in splits:
        assert len(first) == len(second) == runs // 2
        assert not set(first) & set(second)
    assert splits == halves_of(runs, 0)


def naive(stack, part, n):
    lists = [[oracles.top_k(stack[r].numpy(), t, max(PAIR)) for t in range(stack.shape[1])] for r in part]
    return oracles.overlap(lists, n)[0].mean(0)


@pytest.fixture(scope="module")
def stack():
    """Words that differ in how noisy they are, so that halves of the runs agree on the stable ones."""
    base = anisotropic(80, 8)
    noise = torch.linspace(0.02, 0.8, 80, dtype=torch.float64)[torch.randperm(80, generator=generator(1)), None]
    x = base + noise * torch.randn(5, 80, 8, dtype=torch.float64, generator=generator(2))
    return x / x.norm(dim=2, keepdim=True)


@pytest.fixture(scope="module")
def found(stack):
    return neighbour_pass(runs_of(stack), torch.arange(80), 50, Compute())


def test_overlap_of_subsets_is_the_naive_one(stack, found):
    subsets = [(0, 1, 2, 3, 4), (1, 3), (0, 2, 4)]
    got = mean_overlap(found, PAIR, subsets, Compute())
    for m, n in enumerate(PAIR):
        for s, subset in enumerate(subsets):
            np.testing.assert_allclose(got[m, s], naive(stack, subset, n), atol=1e-12)


def test_the_row_is_made_of_the_naive_halves(stack, found):
    (row,) = consistency_over_n("x", found, Compute(), 3)
    cross, reliabilities = [], [[], []]
    splits = halves_of(5, 3)
    p = {(n, half): naive(stack, half, n).round(10) for n in PAIR for half in itertools.chain(*splits)}
    for a, b in splits:
        cross += [spearmanr(p[2, a], p[50, b])[0], spearmanr(p[2, b], p[50, a])[0]]
        for k, n in enumerate(PAIR):
            reliabilities[k].append(spearmanr(p[n, a], p[n, b])[0])
    x, y = map(np.mean, reliabilities)
    assert (row.reliability, row.other_reliability) == pytest.approx((x, y))
    assert row.correlation == pytest.approx(np.mean(cross) / math.sqrt(x * y))
    assert row.measured == pytest.approx(
        spearmanr(naive(stack, range(5), 2).round(10), naive(stack, range(5), 50).round(10))[0]
    )
    assert (row.runs_each, row.splits, row.words) == (2, 10, 80)


def halves(correlation, noise, words=3000, splits=4, seed=0):
    """Two quantities of words of known rank correlation, measured with noise that both share within a half."""
    rng = np.random.default_rng(seed)
    pearson = 2 * math.sin(math.pi * correlation / 6)
    x = rng.normal(size=words)
    truth = np.stack([x, pearson * x + math.sqrt(1 - pearson**2) * rng.normal(size=words)])
    shared = rng.normal(size=(1, splits, 2, words))
    values = truth[:, None, None] + noise * (0.7 * shared + 0.7 * rng.normal(size=(2, splits, 2, words)))
    return torch.from_numpy(values)


@pytest.mark.parametrize("correlation", [0.3, 0.7, 0.95])
@pytest.mark.parametrize("noise", [0.3, 1.0])
def test_noise_that_both_quantities_share_does_not_count(correlation, noise):
    value, first, second = corrected(halves(correlation, noise))
    assert value == pytest.approx(correlation, abs=0.04)
    assert first == pytest.approx(1 / (1 + noise**2), abs=0.05)
    assert second == pytest.approx(first, abs=0.04)


def test_the_error_is_that_of_many_draws():
    draws = [halves(0.8, 0.7, words=400, splits=3, seed=s) for s in range(60)]
    values = [corrected(x)[0] for x in draws]
    errors = [corrected_error(x, 0) for x in draws]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(values), rel=0.25)
    assert math.isnan(corrected_error(draws[0][..., :39], 0))


def test_where_halves_do_not_agree_nothing_is_said(found):
    values = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 1, 2, 200)))
    values[0, :, 1] = -values[0, :, 0]
    assert math.isnan(corrected(values)[0])
    few = found._replace(**{f: getattr(found, f)[:3] for f in ("indices", "cosines", "tied", "present")})
    assert consistency_over_n("x", few, Compute(), 0) == []


def test_targets_that_a_run_lacks_are_left_out(found):
    present = found.present.clone()
    present[2, :7] = False
    (row,) = consistency_over_n("x", found._replace(present=present), Compute(), 0)
    assert row.words == 73
