"""Separation and ranks against loops over all pairs."""

import itertools

import pytest
import torch

from gpustab.kernels.context_sums import context_sums
from gpustab.kernels.separation import separation
from gpustab.kernels.word_ranks import word_ranks


def _naive(unit, term, allowed):
    """Every sum by its definition."""
    n, terms = len(term), int(term.max()) + 1
    cosine = [[float(unit[i].double() @ unit[j].double()) for j in range(n)] for i in range(n)]
    own = [(i, j) for i, j in itertools.combinations(range(n), 2) if term[i] == term[j]]
    null = [(i, j) for i, j in itertools.combinations(range(n), 2) if allowed[i, j]]

    def wins(pairs, others):
        found = [(cosine[i][j], cosine[k][m]) for i, j in pairs for k, m in others]
        return sum((a > b) + (a == b) / 2 for a, b in found)

    rows = []
    for t in range(terms):
        mine = [p for p in own if term[p[0]] == t]
        touch = [p for p in null if t in (int(term[p[0]]), int(term[p[1]]))]
        ordered = [*mine, *((j, i) for i, j in mine)]
        places = [1 + sum(bool(allowed[i, k]) and cosine[i][k] > cosine[i][j] for k in range(n)) for i, j in ordered]
        rows.append(
            (
                sum(cosine[i][j] for i, j in mine),
                len(mine),
                sum(cosine[i][j] for i, j in touch),
                len(touch),
                wins(mine, null),
                wins(own, touch),
                wins(mine, touch),
                sum(places),
                sum(1 + int(allowed[i].sum()) for i, _ in ordered),
            )
        )
    return torch.tensor(rows, dtype=torch.float64).T


@pytest.mark.parametrize("ties", [False, True])
def test_sums_are_those_of_all_pairs(ties):
    generator = torch.Generator().manual_seed(3)
    term = torch.tensor([0, 0, 0, 1, 1, 2, 3, 3, 3, 3])
    x = torch.randn(10, 3, generator=generator, dtype=torch.float64)
    if ties:  # few different vectors, of exact cosines
        x = torch.eye(4, dtype=torch.float64)[torch.randint(4, (10,), generator=generator)]
    unit = torch.nn.functional.normalize(x, dim=1)
    shared = torch.rand(10, 10, generator=generator) < 0.2
    allowed = (term[:, None] != term) & ~(shared | shared.T)
    for found, wanted in zip(separation(unit, term, allowed), _naive(unit, term, allowed), strict=True):
        torch.testing.assert_close(found.double(), wanted, rtol=1e-12, atol=1e-12)


def test_a_place_counts_the_nearer_words():
    generator = torch.Generator().manual_seed(1)
    words, x = (torch.nn.functional.normalize(torch.randn(n, 5, generator=generator).double(), dim=1) for n in (63, 7))
    cosines = torch.rand(7, 3, generator=generator).double() - 0.5
    found = word_ranks(x, words, cosines)
    for p in range(7):
        for k in range(3):
            nearer = [w for w in range(63) if float(x[p] @ words[w]) > float(cosines[p, k])]
            assert int(found[p, k]) == 1 + len(nearer)


def test_ranks_do_not_depend_on_the_blocks(monkeypatch):
    generator = torch.Generator().manual_seed(1)
    words, x = torch.randn(100, 4, generator=generator), torch.randn(3, 4, generator=generator)
    cosines = torch.zeros(3, 2)
    whole = word_ranks(x, words, cosines)
    monkeypatch.setattr("gpustab.kernels.word_ranks._BLOCK", 21)
    assert torch.equal(word_ranks(x, words, cosines), whole)


def test_a_sum_of_contexts_is_a_matrix_product():
    generator = torch.Generator().manual_seed(2)
    counts = torch.randint(0, 3, (6, 9), generator=generator).double()
    counts[2] = 0
    table = torch.randn(9, 4, generator=generator).double()
    samples, words = counts.nonzero(as_tuple=True)
    found = context_sums(samples, words, counts[samples, words], lambda rows: table[rows], (6, 4))
    torch.testing.assert_close(found, counts @ table)
    none = torch.zeros(0, dtype=torch.long)
    assert not context_sums(none, none, none.double(), lambda rows: table[rows], (2, 4)).any()


def test_a_sample_without_a_direction_is_in_no_pair():
    generator = torch.Generator().manual_seed(5)
    term = torch.tensor([0, 0, 0, 1, 1, 1, 2, 2, 3, 3])
    unit = torch.nn.functional.normalize(torch.randn(10, 3, generator=generator, dtype=torch.float64), dim=1)
    allowed = term[:, None] != term
    empty = torch.tensor([1, 5, 8, 9])  # one sample of two terms, both of another
    unit[empty] = 0
    known = torch.ones(10, dtype=torch.bool)
    known[empty] = False
    found = separation(unit, term, allowed)
    wanted = separation(unit[known], term[known], allowed[known][:, known])
    for some, all_known in zip(found, wanted, strict=True):
        torch.testing.assert_close(some[:3], all_known, rtol=1e-12, atol=1e-12)
    assert [float(part[3]) for part in found] == [0] * len(found)
