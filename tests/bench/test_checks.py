"""A check is 0 for the right answer and sees a small fault, also NaN, wherever it looks."""

import math

import pytest
import torch

from gpustab import engine
from gpustab.bench import checks
from gpustab.bench.spaces import synthetic_runs
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.gram import pair_blocks
from tests import oracles

RUNS = synthetic_runs(5, 90, 8, torch.device("cpu"))
TARGETS = torch.arange(0, 90, 3)
LENGTHS = [1, 3, 10]


def shifted(tensor, place, by):
    out = tensor.clone()
    out[place] += by
    return out


@pytest.fixture(scope="module")
def pip():
    return engine.pip_pass(RUNS)


@pytest.fixture(scope="module")
def found():
    return engine.neighbour_pass(RUNS, TARGETS, 10)


def test_losses(pip):
    assert checks.losses(RUNS, pip.reduced) < 1e-11
    assert checks.losses(RUNS, pip.reduced * (1 + 1e-4)) == pytest.approx(1e-4, rel=1e-3)
    assert math.isnan(checks.losses(RUNS, shifted(pip.reduced, 2, math.nan)))


def test_word_means(pip):
    mean = engine.wordwise_pass(RUNS, pip.basis).mean
    assert checks.word_means(RUNS, mean) < 1e-10
    assert checks.word_means(RUNS, mean * 1.002) == pytest.approx(0.002, rel=1e-3)
    assert math.isnan(checks.word_means(RUNS, shifted(mean, 89, math.nan)))  # the last word is looked at


def test_maps(pip):
    cross = pair_blocks(pip.basis.gram)
    maps = engine.procrustes_pass(RUNS, pip.basis)[0].maps
    assert checks.maps(cross, maps) < 1e-12
    assert checks.maps(cross, shifted(maps, (7, 0, 0), 1e-5)) > 1e-6
    identity = torch.eye(8, dtype=torch.float64).expand_as(maps)
    assert checks.maps(cross, identity) > 0.1  # orthogonal, but not the best
    assert math.isnan(checks.maps(cross, shifted(maps, (7, 0, 0), math.nan)))


def test_levels():
    stack = RUNS.stack()
    tree = tree_average(stack)
    assert checks.levels(tree) < 1e-10
    want = oracles.aligned_average(stack[0].numpy(), stack[1].numpy())
    torch.testing.assert_close(tree[1][0].vectors, torch.from_numpy(want))
    for level in range(1, len(tree)):
        wrong = [list(nodes) for nodes in tree]
        wrong[level][0] = wrong[level][0]._replace(vectors=shifted(tree[level][0].vectors, (4, 2), 1e-3))
        assert checks.levels(wrong) > 0.9e-3


def test_neighbours(found):
    assert checks.neighbours(RUNS, found) < 1e-13
    swapped = found.indices.clone()
    swapped[1, 0, [0, 1]] = found.indices[1, 0, [1, 0]]
    assert checks.neighbours(RUNS, found._replace(indices=swapped)) > 1e-6
    assert checks.neighbours(RUNS, found._replace(cosines=shifted(found.cosines, (0, 0, 9), 1e-6))) > 0.9e-6
    own = found.indices.clone()
    own[0, 0, 0] = TARGETS[0]
    assert checks.neighbours(RUNS, found._replace(indices=own)) == math.inf


def test_overlaps(found):
    shared = engine.overlap_pass(found, LENGTHS)
    assert checks.overlaps(found, shared, LENGTHS) < 1e-14
    assert checks.overlaps(found, shared._replace(j_word=shifted(shared.j_word, (2, 0), 0.01)), LENGTHS) > 0.009
    one_pair = shifted(shared.p_word, (0, 29), 1 / 10)  # one of ten pairs, the last target
    assert checks.overlaps(found, shared._replace(p_word=one_pair), LENGTHS) == pytest.approx(0.1)


def test_cosines():
    queries = torch.tensor([3, 17])
    found = engine.query_cosines(RUNS, queries)
    assert checks.cosines(RUNS, queries, found) < 1e-13
    population = found.sd * (4 / 5) ** 0.5  # ddof = 0
    assert checks.cosines(RUNS, queries, found._replace(sd=population)) > 1e-4
