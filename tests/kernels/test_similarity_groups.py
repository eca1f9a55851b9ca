import itertools
import math
from functools import cache

import numpy as np
import pytest
import torch

from gpustab.kernels.similarity_groups import GROUPS, STEPS, group_numbers, value_groups
from gpustab.kernels.similarity_histogram import BINS, similarity_histogram
from gpustab.kernels.similarity_lists import list_groups
from tests.oracles import unit
from tests.studies.thresholds.oracles import group, groups_by_place, groups_by_value


def drawn(words, dimension, seed, levels=7):
    """Rows, symmetric levels with one level that has no value, and the values."""
    rng = np.random.default_rng(seed)
    x = unit(rng.normal(size=(words, dimension)) + 0.4)
    level = rng.integers(0, levels, (words, words))
    level = np.triu(level, 1) + np.triu(level, 1).T
    values = torch.tensor([*rng.normal(size=levels - 1), math.nan], dtype=torch.float64)
    return torch.from_numpy(x), torch.from_numpy(level).to(torch.uint8), values


@pytest.mark.parametrize(("words", "dimension"), [(2, 3), (63, 5), (127, 4)])
@pytest.mark.parametrize("rows", [1, 50, 300])
def test_value_groups_are_those_of_a_loop_over_pairs(words, dimension, rows, monkeypatch):
    monkeypatch.setattr("gpustab.kernels.similarity_groups._INNER", {"cpu": 300})
    x, level, values = drawn(words, dimension, words)
    found = value_groups(x, lambda a, b: level[a:b], values, rows)
    counts, by_word, sums = looped(words, dimension)
    assert torch.equal(found.counts, counts)
    assert torch.equal(found.word_counts, by_word)
    torch.testing.assert_close(found.word_sums, sums, rtol=1e-12, atol=1e-12)


@cache
def looped(words, dimension):
    """Counts, words' counts and words' sums of values, from a loop over pairs."""
    x, level, values = drawn(words, dimension, words)
    pairs = {(i, j): int(level[i, j]) for i, j in itertools.combinations(range(words), 2)}
    counts = torch.zeros(GROUPS, len(values), dtype=torch.int64)
    by_word = torch.zeros(words, GROUPS, dtype=torch.int64)
    sums = torch.zeros(words, GROUPS, dtype=torch.float64)
    for k, members in groups_by_value(x, pairs).items():
        for i, j, own in members:
            counts[k + STEPS, own] += 2
            if own < len(values) - 1:
                by_word[[i, j], k + STEPS] += 1
                sums[[i, j], k + STEPS] += values[own]
    return counts, by_word, sums


def test_levels_beyond_the_last_have_no_value():
    x, level, values = drawn(20, 3, 0)
    far = torch.where(level == len(values) - 1, 110, level)
    a, b = (value_groups(x, lambda i, j, own=own: own[i:j], values) for own in (level, far))
    assert all(torch.equal(p, q) for p, q in zip(a, b, strict=True))


def test_edges_belong_below_and_equal_rows_to_the_last_group():
    edges = torch.arange(-100, 101, dtype=torch.float64) / 100
    assert group_numbers(edges).tolist() == list(range(201))
    assert group_numbers(edges[:-1] + 1e-6).tolist() == list(range(1, 201))
    assert group_numbers(torch.tensor([1 + 2e-16, -1 - 2e-16, 1e-17, -1e-17]).double()).tolist() == [200, 0, 100, 100]
    assert [group(float(x)) + 100 for x in edges] == list(range(201))


@pytest.mark.parametrize(("dictionary", "known"), [(3, 2), (64, 41), (90, 90)])
def test_list_groups_are_those_of_sorted_lists(dictionary, known, monkeypatch):
    monkeypatch.setattr("gpustab.kernels.similarity_lists._INNER", {"cpu": 500})
    x, _, _ = drawn(dictionary, 5, dictionary)
    _, level, values = drawn(known, 5, 1)
    rows = torch.randperm(dictionary, generator=torch.Generator().manual_seed(3))[:known]
    window = (torch.arange(1, dictionary, dtype=torch.float64).log() * 2).long()
    found = list_groups(x, rows, lambda a, b: level[a:b], values, window, 17)
    number = {int(row): k for k, row in enumerate(rows)}
    members = groups_by_place(x, set(number), lambda i, k: int(level[number[i], number[k]]))
    counts = torch.zeros(dictionary - 1, len(values), dtype=torch.int64)
    by_word = torch.zeros(known, int(window.max()) + 1, dtype=torch.int64)
    sums = by_word.double()
    for j, own in members.items():
        for i, k, at in own:
            counts[j - 1, at] += 1
            if at < len(values) - 1:
                for word in (i, k):
                    by_word[number[word], window[j - 1]] += 1
                    sums[number[word], window[j - 1]] += values[at]
    assert torch.equal(found.counts, counts)
    assert torch.equal(found.word_counts, by_word)
    torch.testing.assert_close(found.word_sums, sums, rtol=1e-12, atol=1e-12)
    cosines = x @ x.mT
    cosines.fill_diagonal_(9)
    assert torch.equal(found.last, torch.bincount(cosines[rows].argmin(1), minlength=dictionary))


def test_equal_cosines_stand_in_the_order_of_rows():
    """Coordinates of −1/4, 0 and 1/4: products are exact, and most words of a list share theirs with others."""
    x = torch.randint(-1, 2, (150, 6), generator=torch.Generator().manual_seed(0)).double() / 4
    _, level, values = drawn(150, 5, 1)
    found = list_groups(x, torch.arange(150), lambda a, b: level[a:b], values, torch.arange(149))
    order = (x @ x.mT).fill_diagonal_(9).argsort(dim=1, descending=True, stable=True)[:, 1:]
    want = torch.stack([torch.bincount(own, minlength=len(values)) for own in level.gather(1, order).long().mT])
    assert torch.equal(found.counts, want)


@pytest.mark.parametrize("words", [2, 63, 200])
def test_histogram_powers_and_places_are_those_of_all_cosines(words, monkeypatch):
    monkeypatch.setattr("gpustab.kernels.similarity_histogram._INNER", {"cpu": 1000})
    x, _, _ = drawn(words, 6, words)
    queries = torch.arange(0, words, 2)
    found = similarity_histogram(x, queries, 25)
    cosines = (x @ x.mT).numpy()
    rows = [np.delete(cosines[q], q) for q in queries.tolist()]
    flat = np.concatenate(rows)
    want = np.bincount(np.ceil(np.round(flat * BINS, 7)).astype(int) + BINS, minlength=2 * BINS + 1)
    assert found.counts.tolist() == want.tolist()
    np.testing.assert_allclose(found.powers, [np.sum(flat**k) for k in (1, 2, 3, 4)], rtol=1e-12)
    np.testing.assert_allclose(found.by_place, np.sum([np.sort(row)[::-1][:25] for row in rows], 0), rtol=1e-12)
    assert len(found.by_place) == min(25, words - 1)
    assert found.words == len(queries)


def test_turning_the_space_changes_no_table():
    x, level, values = drawn(50, 6, 9)
    turn = torch.linalg.qr(torch.randn(6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))).Q
    a, b = (value_groups(y, lambda i, j: level[i:j], values) for y in (x, x @ turn))
    assert torch.equal(a.counts, b.counts)


@pytest.mark.gpu
def test_tables_are_the_same_on_a_gpu():
    x, level, values = drawn(200, 8, 4)
    window = (torch.arange(1, 200, dtype=torch.float64).log() * 2).long()
    known, queries = torch.arange(200), torch.arange(50)
    device = torch.device("cuda")
    there = [part.to(device) for part in (x, level, values, window, known, queries)]
    found = []
    for y, own, worth, windows, rows, asked in ([x, level, values, window, known, queries], there):
        found.append(
            [
                *value_groups(y, lambda a, b, own=own: own[a:b], worth),
                *list_groups(y, rows, lambda a, b, own=own: own[a:b], worth, windows),
                *similarity_histogram(y, asked, 20)[:3],
            ]
        )
    for here, there in zip(*found, strict=True):
        torch.testing.assert_close(there.cpu(), here, rtol=1e-12, atol=1e-9)
