"""p@n beside the PIP loss of words: the rows against their definition, and what noise does to them."""

import numpy as np
import pytest
import torch

from gpustab.engine import neighbour_pass
from gpustab.machine.device import Compute
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability.consistency import halves_of
from gpustab.studies.instability.distance import with_distance
from gpustab.studies.instability.how_many import word_matrices
from gpustab.studies.shared.claims import within
from tests import oracles
from tests.generators import anisotropic, generator, runs_of

WORDS = 80


@pytest.fixture(scope="module")
def stack():
    """Words that differ in how noisy they are: who lies farther apart shares fewer neighbours."""
    base = anisotropic(WORDS, 8)
    noise = torch.linspace(0.02, 0.8, WORDS, dtype=torch.float64)[torch.randperm(WORDS, generator=generator(1)), None]
    x = base + noise * torch.randn(5, WORDS, 8, dtype=torch.float64, generator=generator(2))
    return x / x.norm(dim=2, keepdim=True)


@pytest.fixture(scope="module")
def rows(stack):
    runs, compute = runs_of(stack), Compute()
    found = neighbour_pass(runs, torch.arange(WORDS), 10, compute)
    return with_distance("x", found, word_matrices(runs, torch.arange(WORDS), compute), compute, 0)


def rank(x):
    return np.array([(np.sum(x < a) + np.sum(x <= a)) / 2 for a in x])


def spearman(x, y):
    return np.corrcoef(rank(x), rank(y))[0, 1]


def naive(stack, part, n):
    """p@n of words, and the mean PIP loss of words, over the pairs of some runs."""
    x = stack[list(part)].numpy()
    lists = [[oracles.top_k(space, k, n) for k in range(WORDS)] for space in x]
    cosines = np.stack([space @ space.T for space in x])
    i, j = np.triu_indices(len(x), 1)
    losses = np.sqrt(np.square(cosines[i] - cosines[j]).sum(2)) / (2 * np.sqrt(WORDS))
    return oracles.overlap(lists, n)[0].mean(0).round(10), losses.mean(0)


@pytest.mark.parametrize(("place", "n"), [(0, 1), (1, 10)])
def test_rows_are_made_of_the_naive_halves(stack, rows, place, n):
    row = rows[place]
    assert (row.n, row.words, row.runs_each) == (n, WORDS, 2)
    assert row.measured == pytest.approx(spearman(*naive(stack, range(5), n)))
    cross, own, other = [], [], []
    for first, second in halves_of(5, 0):
        (p, loss), (q, loss_2) = naive(stack, first, n), naive(stack, second, n)
        cross += [spearman(p, loss_2), spearman(q, loss)]
        own.append(spearman(p, q))
        other.append(spearman(loss, loss_2))
    assert row.splits == len(own)
    assert (row.reliability, row.pip_reliability) == pytest.approx((np.mean(own), np.mean(other)))
    both = np.mean(own) * np.mean(other)
    wanted = np.mean(cross) / np.sqrt(both) if both > 0 else np.nan  # p@1 of one pair of runs is 0 or 1
    assert row.correlation == pytest.approx(wanted, nan_ok=True)


def test_words_that_are_noisy_by_design_are_no_test_of_independence(rows):
    row = rows[1]
    assert row.correlation < row.measured < -0.5
    assert within(Estimate(row.correlation, row.se, 19), -0.2, 0.2) == "no"


def test_three_runs_and_vocabularies_of_ten_words_are_no_error(stack):
    runs, compute = runs_of(stack[:3]), Compute()
    found = neighbour_pass(runs, torch.arange(WORDS), 10, compute)
    assert with_distance("x", found, word_matrices(runs, torch.arange(WORDS), compute), compute, 0) == []
    few, some = runs_of(stack[:, :9]), torch.arange(9)
    (row,) = with_distance("x", neighbour_pass(few, some, 10, compute), word_matrices(few, some, compute), compute, 0)
    assert row.n == 1
    assert row.se != row.se
