"""What some of the runs tell, against its definition: correlations freed of noise, and errors of fewer runs."""

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab.engine import neighbour_pass
from gpustab.machine.device import Compute
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.losses import word_matrices
from gpustab.studies.instability.subsets import (
    FARTHEST,
    consistency_over_n,
    corrected,
    corrected_error,
    errors,
    halves_of,
    how_many_table,
    mean_overlap,
    with_distance,
)
from gpustab.studies.shared.claims import within
from tests import oracles
from tests.generators import anisotropic, generator, noisy_copies, runs_of
from tests.studies.instability.made import technique


@pytest.mark.parametrize(("runs", "wanted"), [(4, 3), (5, 10), (6, 10), (9, 10), (40, 2)])
def test_splits_are_different_and_their_halves_disjoint(runs, wanted):
    splits = halves_of(runs, 0)
    assert len(splits) == len({frozenset(map(frozenset, split)) for split in splits}) == wanted
    for first, second in splits:
        assert len(first) == len(second) == runs // 2
        assert not set(first) & set(second)
    assert splits == halves_of(runs, 0)


def naive_mean(noisy_stack, part, n):
    lists = [
        [oracles.top_k(noisy_stack[r].numpy(), t, max(FARTHEST)) for t in range(noisy_stack.shape[1])] for r in part
    ]
    return oracles.overlap(lists, n)[0].mean(0)


@pytest.fixture(scope="module")
def noisy_stack():
    """Words that differ in how noisy they are, so that halves of the runs agree on the stable ones."""
    base = anisotropic(80, 8)
    noise = torch.linspace(0.02, 0.8, 80, dtype=torch.float64)[torch.randperm(80, generator=generator(1)), None]
    x = base + noise * torch.randn(5, 80, 8, dtype=torch.float64, generator=generator(2))
    return x / x.norm(dim=2, keepdim=True)


@pytest.fixture(scope="module")
def lists(noisy_stack):
    return neighbour_pass(runs_of(noisy_stack), torch.arange(80), 50, Compute())


def test_overlap_of_subsets_is_the_naive_one(noisy_stack, lists):
    subsets = [(0, 1, 2, 3, 4), (1, 3), (0, 2, 4)]
    got = mean_overlap(lists, FARTHEST, subsets, Compute())
    for m, n in enumerate(FARTHEST):
        for s, subset in enumerate(subsets):
            np.testing.assert_allclose(got[m, s], naive_mean(noisy_stack, subset, n), atol=1e-12)


def test_the_row_is_made_of_the_naive_halves(noisy_stack, lists):
    (row,) = consistency_over_n("x", lists, Compute(), 3)
    cross, reliabilities = [], [[], []]
    splits = halves_of(5, 3)
    p = {(n, half): naive_mean(noisy_stack, half, n).round(10) for n in FARTHEST for half in itertools.chain(*splits)}
    for a, b in splits:
        cross += [spearmanr(p[2, a], p[50, b])[0], spearmanr(p[2, b], p[50, a])[0]]
        for k, n in enumerate(FARTHEST):
            reliabilities[k].append(spearmanr(p[n, a], p[n, b])[0])
    x, y = map(np.mean, reliabilities)
    assert (row.reliability, row.other_reliability) == pytest.approx((x, y))
    assert row.correlation == pytest.approx(np.mean(cross) / math.sqrt(x * y))
    assert row.measured == pytest.approx(
        spearmanr(naive_mean(noisy_stack, range(5), 2).round(10), naive_mean(noisy_stack, range(5), 50).round(10))[0]
    )
    assert (row.runs_each, row.splits, row.words) == (2, 10, 80)


def planted_halves(correlation, noise, words=3000, splits=4, seed=0):
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
    value, first, second = corrected(planted_halves(correlation, noise))
    assert value == pytest.approx(correlation, abs=0.04)
    assert first == pytest.approx(1 / (1 + noise**2), abs=0.05)
    assert second == pytest.approx(first, abs=0.04)


def test_the_error_is_that_of_many_draws():
    draws = [planted_halves(0.8, 0.7, words=400, splits=3, seed=s) for s in range(40)]
    values = [corrected(x)[0] for x in draws]
    errors = [corrected_error(x, 0) for x in draws]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(values), rel=0.25)
    assert math.isnan(corrected_error(draws[0][..., :39], 0))


def test_where_halves_do_not_agree_nothing_is_said(lists):
    values = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 1, 2, 200)))
    values[0, :, 1] = -values[0, :, 0]
    assert math.isnan(corrected(values)[0])
    few = lists._replace(**{f: getattr(lists, f)[:3] for f in ("indices", "cosines", "tied", "present")})
    assert consistency_over_n("x", few, Compute(), 0) == []


def test_targets_that_a_run_lacks_are_left_out(lists):
    present = lists.present.clone()
    present[2, :7] = False
    (row,) = consistency_over_n("x", lists._replace(present=present), Compute(), 0)
    assert row.words == 73


NOISY_WORDS = 80


@pytest.fixture(scope="module")
def distance_rows(noisy_stack):
    runs, compute = runs_of(noisy_stack), Compute()
    found = neighbour_pass(runs, torch.arange(NOISY_WORDS), 10, compute)
    return with_distance("x", found, word_matrices(runs, torch.arange(NOISY_WORDS), compute), compute, 0)


def rank(x):
    return np.array([(np.sum(x < a) + np.sum(x <= a)) / 2 for a in x])


def spearman(x, y):
    return np.corrcoef(rank(x), rank(y))[0, 1]


def naive_with_loss(noisy_stack, part, n):
    """p@n of words, and the mean PIP loss of words, over the pairs of some runs."""
    x = noisy_stack[list(part)].numpy()
    lists = [[oracles.top_k(space, k, n) for k in range(NOISY_WORDS)] for space in x]
    cosines = np.stack([space @ space.T for space in x])
    i, j = np.triu_indices(len(x), 1)
    losses = np.sqrt(np.square(cosines[i] - cosines[j]).sum(2)) / (2 * np.sqrt(NOISY_WORDS))
    return oracles.overlap(lists, n)[0].mean(0).round(10), losses.mean(0)


@pytest.mark.parametrize(("place", "n"), [(0, 1), (1, 10)])
def test_rows_are_made_of_the_naive_halves(noisy_stack, distance_rows, place, n):
    row = distance_rows[place]
    assert (row.n, row.words, row.runs_each) == (n, NOISY_WORDS, 2)
    assert row.measured == pytest.approx(spearman(*naive_with_loss(noisy_stack, range(5), n)))
    cross, own, other = [], [], []
    for first, second in halves_of(5, 0):
        (p, loss), (q, loss_2) = naive_with_loss(noisy_stack, first, n), naive_with_loss(noisy_stack, second, n)
        cross += [spearman(p, loss_2), spearman(q, loss)]
        own.append(spearman(p, q))
        other.append(spearman(loss, loss_2))
    assert row.splits == len(own)
    assert (row.reliability, row.pip_reliability) == pytest.approx((np.mean(own), np.mean(other)))
    both = np.mean(own) * np.mean(other)
    wanted = np.mean(cross) / np.sqrt(both) if both > 0 else np.nan  # p@1 of one pair of runs is 0 or 1
    assert row.correlation == pytest.approx(wanted, nan_ok=True)


def test_words_that_are_noisy_by_design_are_no_test_of_independence(distance_rows):
    row = distance_rows[1]
    assert row.correlation < row.measured < -0.5
    assert within(Estimate(row.correlation, row.se, 19), -0.2, 0.2) == "no"


def test_three_runs_and_vocabularies_of_ten_words_are_no_error(noisy_stack):
    runs, compute = runs_of(noisy_stack[:3]), Compute()
    found = neighbour_pass(runs, torch.arange(NOISY_WORDS), 10, compute)
    assert with_distance("x", found, word_matrices(runs, torch.arange(NOISY_WORDS), compute), compute, 0) == []
    few, some = runs_of(noisy_stack[:, :9]), torch.arange(9)
    (row,) = with_distance("x", neighbour_pass(few, some, 10, compute), word_matrices(few, some, compute), compute, 0)
    assert row.n == 1
    assert row.se != row.se


def additive(runs):
    """Distances a_i + a_j, whose mean over the pairs of r runs is twice the mean of their a."""
    a = torch.randn(runs, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 9
    return a, (a[:, None] + a).fill_diagonal_(0)


@pytest.mark.parametrize("size", [3, 4, 6])
def test_both_errors_are_exact_where_runs_add_up(size):
    a, matrix = additive(8)
    wanted = 2 * float(a.std()) / math.sqrt(size) / (2 * float(a.mean()))
    assert errors(matrix, size, 0) == pytest.approx((wanted, wanted))


def test_all_runs_have_no_subsets_and_two_no_jackknife():
    _, matrix = additive(5)
    jackknife, subsampling = errors(matrix, 5, 0)
    value = matrix.sum() / 20
    assert jackknife == pytest.approx(oracles.jackknife(matrix.numpy()) / float(value))
    assert math.isnan(subsampling)
    assert math.isnan(errors(matrix, 2, 0)[0])


def test_drawn_subsets_stand_for_all():
    a, matrix = additive(16)  # 12,870 subsets of eight
    wanted = float(a.std() / math.sqrt(8) / a.mean())
    assert errors(matrix, 8, 0) == pytest.approx((wanted, wanted), rel=0.15)


def test_the_table_has_all_three_numbers_and_an_outlook_at_the_end():
    table = how_many_table(technique(runs_of(noisy_copies(4, 40, 6))))["how_many"]
    assert table["quantity"] == [q for q in ("reduced PIP loss", "p@10", "one word's PIP loss") for _ in range(3)]
    assert table["runs"] == [2, 3, 4] * 3
    assert table["for_1_percent"][:2] == [None, None]
    assert table["for_1_percent"][2] == math.ceil(4 * (table["jackknife"][2] / 0.01) ** 2)
