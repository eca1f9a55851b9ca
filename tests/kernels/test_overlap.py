import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import OverlapSums, as_overlap, neighbour_overlap, overlap_sums, shared_neighbours
from tests import generators, oracles


def random_lists(runs, targets, k, words, seed):
    g = generators.generator(seed)
    return torch.stack(
        [torch.stack([torch.randperm(words, generator=g)[:k] for _ in range(targets)]) for _ in range(runs)]
    )


@settings(max_examples=30)
@given(st.integers(2, 6), st.integers(1, 9), st.integers(1, 12), st.integers(0, 20), st.integers(0, 99))
def test_equals_sets_of_words(runs, targets, k, more, seed):
    lists = random_lists(runs, targets, k, k + more, seed)
    lengths = sorted({1, (k + 1) // 2, k})
    got = neighbour_overlap(lists, lengths)
    for n, p_pairs, j_pairs, p_word, j_word in zip(lengths, got.p, got.j, got.p_word, got.j_word, strict=True):
        p, j = oracles.overlap(lists.tolist(), n)
        i_run, j_run = torch.triu_indices(runs, runs, 1)
        np.testing.assert_allclose(p_pairs[i_run, j_run], p.mean(1), rtol=1e-12)
        np.testing.assert_allclose(j_pairs[i_run, j_run], j.mean(1), rtol=1e-12)
        np.testing.assert_allclose(p_word, p.mean(0), rtol=1e-12)
        np.testing.assert_allclose(j_word, j.mean(0), rtol=1e-12)
        assert torch.equal(p_pairs, p_pairs.T)
        assert (p_pairs.diagonal() == 0).all()


@pytest.mark.parametrize("runs", [2, 3, 6])
def test_the_spread_of_words_against_pairs_one_by_one(runs):
    lists = random_lists(runs, 9, 4, 7, 5)
    lists[:, 8] = lists[:1, 8]  # equal in all runs
    present = torch.ones(runs, 9, dtype=torch.bool)
    present[1:, 3] = present[0, 6] = False
    sums = overlap_sums(lists, [2, 4], present, spread=4)
    words = as_overlap(sums, present).of_words()
    assert torch.equal(words.mean.nan_to_num(), sums.p_word[1].nan_to_num())
    p, _ = oracles.overlap(lists.tolist(), 4)
    for target in range(9):
        have = present[:, target].nonzero().flatten().tolist()
        pairs = [k for k, (i, j) in enumerate(oracles.pairs(runs)) if i in have and j in have]
        matrix = torch.full((runs, runs), torch.nan, dtype=torch.float64)
        for k in pairs:
            i, j = oracles.pairs(runs)[k]
            matrix[i, j] = matrix[j, i] = p[k, target]
        want = pair_statistics(matrix)
        for value, true in zip((words.mean, words.sd, words.se), want[:3], strict=True):
            assert value[target].item() == pytest.approx(true, rel=1e-12, abs=0, nan_ok=True)


def test_the_lists_of_the_thesis():
    """Rettenmeier 2020, table 2.2 and eq. 2.9-2.10: 8 of 10 and 11 of 15 words shared."""
    first = torch.arange(15)
    second = torch.cat([first[:8], torch.tensor([20, 21]), first[8:9], torch.tensor([22, 23]), first[9:11]])
    got = neighbour_overlap(torch.stack([first, second])[:, None], [10, 15])
    assert got.p[:, 0, 1].tolist() == pytest.approx([0.8, 11 / 15])
    assert got.j[:, 0, 1].tolist() == pytest.approx([8 / 12, 11 / 19])


def test_j_follows_p_word_by_word_but_not_on_average():
    lists = random_lists(2, 50, 5, 9, 1)
    p = shared_neighbours(lists, [5])[0, :, 0, 1].double() / 5
    got = neighbour_overlap(lists, [5])
    torch.testing.assert_close(got.j_word[0], p / (2 - p))
    assert abs(got.j[0, 0, 1] - got.p[0, 0, 1] / (2 - got.p[0, 0, 1])) > 1e-3


def test_absent_targets_leave_their_pairs():
    lists = random_lists(3, 4, 3, 8, 2)
    present = torch.ones(3, 4, dtype=torch.bool)
    present[2, 1] = present[1:, 3] = False
    got = neighbour_overlap(lists, [3], present)
    p, _ = oracles.overlap(lists.tolist(), 3)
    assert got.targets[0, 1] == 3
    assert got.p[0, 0, 1].item() == pytest.approx(p[0, :3].mean())
    assert got.p_word[0, 1].item() == pytest.approx(p[0, 1])
    assert got.p_word[0, 3].isnan()


def test_missing_neighbours_are_not_shared():
    lists = torch.tensor([[[3, -1, -1]], [[3, -1, -1]]])
    assert shared_neighbours(lists, [3])[0, 0, 0, 1] == 1


def test_length_beyond_the_lists():
    with pytest.raises(ValueError, match=r"1 \.\. 3"):
        neighbour_overlap(torch.zeros(2, 1, 3, dtype=torch.long), [4])


def test_sums_of_some_targets_add_up_with_those_of_others():
    lists = random_lists(5, 7, 6, 11, 3)
    present = torch.ones(5, 7, dtype=torch.bool)
    present[2, 1] = present[1:, 3] = present[0, 6] = False
    want = neighbour_overlap(lists, [1, 4, 6], present)
    first, second = (overlap_sums(lists[:, part], [1, 4, 6], present[:, part]) for part in (slice(0, 4), slice(4, 7)))
    words = (torch.cat(parts, 1) for parts in zip(first[2:4], second[2:4], strict=True))
    found = as_overlap(OverlapSums(first.p + second.p, first.j + second.j, *words), present)
    for a, b in zip(found, want, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-14, atol=0, equal_nan=True)
