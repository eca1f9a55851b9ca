"""Many runs of few words: the numbers of the block Gram, without one."""

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.engine import pip as engine_pip
from gpustab.engine import rows
from gpustab.kernels import neighbours, pip_loss
from gpustab.kernels.neighbours import RESOLUTION
from gpustab.machine.device import Compute
from tests import generators, oracles
from tests.generators import runs_of


def assert_same(found, want):
    for a, b in zip(
        (found.reduced, *found.scale, found.squares), (want.reduced, *want.scale, want.squares), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=1e-11, atol=0)


def both_ways(runs, monkeypatch, proxy=None, compute=Compute()):  # noqa: B008  # frozen
    """Losses and words without a Gram, and with one."""
    monkeypatch.setattr(engine_pip, "fewer_products", lambda *_, wordwise: wordwise)
    found = engine.pip_pass(runs, compute, proxy, wordwise=True)
    assert found.basis.moments is None
    want = engine.pip_pass(runs, proxy=proxy)
    assert want.basis.moments is not None
    return [(pip, engine.wordwise_pass(runs, pip.basis)) for pip in (found, want)]


@pytest.mark.parametrize("size", [(2, 63, 7), (5, 67, 7), (9, 130, 11), (5, 5, 9)])
def test_against_the_naive_numbers_and_the_block_gram(size, monkeypatch):
    runs = runs_of(generators.noisy_copies(*size))
    (found, words), (want, whole) = both_ways(runs, monkeypatch)
    assert_same(found, want)
    stack, pairs = runs.stack().numpy(), oracles.pairs(size[0])
    naive = np.array([oracles.reduced_pip(stack[i], stack[j]) for i, j in pairs])
    of_words = np.array([oracles.wordwise_pip(stack[i], stack[j]) for i, j in pairs])
    np.testing.assert_allclose(found.reduced, naive, rtol=1e-10)
    np.testing.assert_allclose(words.mean, of_words.mean(0), rtol=1e-10)
    for a, b in zip(words, whole, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-13, equal_nan=True)


def test_words_that_runs_lack_and_a_proxy_and_small_tiles(monkeypatch):
    stack = generators.noisy_copies(6, 90, 5)
    stack[1, 3] = stack[2, 3] = stack[0, 7] = stack[5, 9] = 0
    stack[:5, 11] = 0  # one run has it: no pair
    runs = runs_of(stack, vocabulary="union")
    for proxy in (None, engine.draw_proxy(runs, 30, 0)):
        for compute in (Compute(), Compute(memory=30_000)):
            (found, words), (want, whole) = both_ways(runs, monkeypatch, proxy, compute)
            assert_same(found, want)
            for a, b in zip(words, whole, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-10, atol=0, equal_nan=True)


def test_products_that_come_with_the_losses_are_those_of_words_alone():
    stack = generators.noisy_copies(6, 90, 5)
    stack[1, 3] = 0
    for runs in (runs_of(generators.noisy_copies(5, 67, 7)), runs_of(stack, vocabulary="union")):
        for compute in (Compute(), Compute(memory=30_000)):
            found = rows.rows_pass(runs, compute, runs.joint, inner=True).inner
            wanted = torch.cat(list(rows.inner_products(runs, torch.arange(runs.words))))
            torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-13)
            assert rows.rows_pass(runs, compute, runs.joint).inner is None


def lists_both_ways(runs, k):
    """Lists that come with the losses, and those of a search of their own."""
    return rows.rows_pass(runs, Compute(), runs.joint, k).lists, engine.neighbour_pass(
        runs, torch.arange(runs.words), k
    )


def assert_same_lists(found, want):
    assert found.k == want.k
    for a, b in zip(found[2:], want[2:], strict=True):
        if a.dtype == torch.float64:
            torch.testing.assert_close(a, b, rtol=0, atol=1e-13)
        else:
            assert torch.equal(a, b)


@pytest.mark.parametrize(("size", "k"), [((2, 63, 7), 10), ((5, 130, 11), 50), ((3, 5, 9), 10), ((3, 40, 2), 39)])
def test_lists_that_come_with_the_losses_are_those_of_a_search(size, k):
    runs = runs_of(generators.noisy_copies(*size))
    found, want = lists_both_ways(runs, k)
    assert_same_lists(found, want)
    n, stack = min(k, size[1] - 1), runs.stack()
    assert found.indices.tolist() == [[oracles.top_k(run, t, n) for t in range(size[1])] for run in stack]


def test_lists_full_of_ties_and_at_the_edge_of_a_tie():
    """Equal rows, whole numbers with equal cosines, and rows whose cosines lie a near tie apart."""
    stack = torch.randint(-2, 3, (3, 90, 3), generator=generators.generator(1)).double()
    stack += (stack == 0).all(2, keepdim=True)
    stack[:, 40:60] = stack[:, 20:40] * 3
    assert_same_lists(*lists_both_ways(runs_of(stack), 12))
    angles = torch.cat([torch.linspace(0, 3, 30), 1 + torch.arange(30) * (RESOLUTION / 0.8414709848)]).double()
    plane = torch.stack([angles.cos(), angles.sin()], 1)
    noisy = generators.noisy_copies(2, 60, 2, noise=0.5)
    assert_same_lists(*lists_both_ways(runs_of(torch.stack([plane, *noisy])), 20))


def test_lists_that_are_not_proven_are_searched_once_more(monkeypatch):
    runs = runs_of(generators.noisy_copies(3, 80, 6))
    cosines = neighbours.product(runs.run(0), runs.run(0).mT)
    for error in (1e-3, 1.0):
        monkeypatch.setattr(neighbours, "rounding_bound", lambda *_, error=error: error)
        _, proven = neighbours.lists_of_cosines(cosines[:, None].clone(), torch.arange(80), 10, 6)
        assert not proven.all()
    monkeypatch.undo()
    searched = []
    real = rows.neighbour_pass
    monkeypatch.setattr(rows, "neighbour_pass", lambda *given: searched.append(given) or real(*given))
    none = torch.zeros(1, 3, dtype=torch.bool)
    monkeypatch.setattr(rows, "lists_of_cosines", lambda *given: (_garbled(*given), none))
    assert_same_lists(*lists_both_ways(runs, 10))
    assert len(searched) == 1


def _garbled(cosines, targets, k, dimension):
    lists, _ = neighbours.lists_of_cosines(cosines, targets, k, dimension)
    return lists._replace(indices=lists.indices.flip(2))


def test_lists_come_only_where_all_runs_have_all_words_and_all_are_summed():
    stack = generators.noisy_copies(4, 60, 5)
    stack[1, 3] = 0
    union = runs_of(stack, vocabulary="union")
    assert rows.rows_pass(union, Compute(), union.joint, 5).lists is None
    runs = runs_of(generators.noisy_copies(4, 60, 5))
    assert rows.rows_pass(runs, Compute(), engine.draw_proxy(runs, 30, 0), 5).lists is None
    assert rows.rows_pass(runs, Compute(), runs.joint).lists is None


def test_copies_are_measured_in_a_frame_of_their_own(monkeypatch):
    stack = generators.noisy_copies(4, 60, 5)
    stack[2] = stack[0]
    runs = runs_of(stack)
    assert rows.rows_pass(runs, Compute(), runs.joint) is None
    monkeypatch.setattr(engine_pip, "fewer_products", lambda *_, wordwise: wordwise)
    assert torch.equal(engine.pip_pass(runs, wordwise=True).reduced, engine.pip_pass(runs).reduced)


@pytest.mark.parametrize(
    ("size", "fewer", "alone"),
    [
        ((128, 1738, 100), True, True),
        ((40, 1738, 100), True, False),
        ((3, 1738, 100), False, False),
        ((64, 9000, 100), False, False),
    ],
)
def test_where_it_takes_fewer_multiplications(size, fewer, alone):
    runs = runs_of(generators.noisy_copies(2, 8, 3))

    class Sized:
        words, dimension = size[1:]

        def __len__(self):
            return size[0]

    assert rows.fewer_products(Sized(), Compute(memory=1 << 40)) is fewer
    assert rows.fewer_products(Sized(), Compute(memory=1 << 40), wordwise=False) is alone
    assert not rows.fewer_products(Sized(), Compute(memory=1 << 20))
    assert not rows.fewer_products(runs, Compute(precision="fp32", memory=1 << 40))


def test_losses_of_many_runs_alone_hold_no_gram():
    runs = runs_of(generators.noisy_copies(40, 30, 20))  # 820 blocks
    found = engine.pip_pass(runs)
    assert found.basis.moments is None
    wanted = pip_loss.reduced(pip_loss.pip_from_gram(engine.gram_pass(runs).gram).total, 30)
    torch.testing.assert_close(found.reduced, wanted, rtol=1e-11, atol=0)
    assert engine.pip_pass(runs, gram=True).basis.moments is not None
