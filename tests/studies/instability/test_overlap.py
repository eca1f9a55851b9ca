import pytest
import torch
from scipy.stats import spearmanr

from gpustab import InputError, load_runs
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.machine.device import Compute
from gpustab.studies.instability.overlap import consistency, halves, measure, overlap_tables
from tests import oracles
from tests.generators import noisy_copies, runs_of

# Ranks in the second run of the first 15 neighbours of 'momentum' in the first one.
TABLE_2_2 = [1, 3, 2, 6, 5, 9, 4, 7, 11, 16, 18, 29, 17, 14, 8]
TABLE_3_5 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10, 12, 14, 13, 20]


@pytest.mark.parametrize(
    ("ranks", "wanted"), [(TABLE_2_2, (0.8, 0.667, 0.733, 0.579)), (TABLE_3_5, (0.9, 0.818, 0.933, 0.875))]
)
def test_the_lists_of_the_thesis_give_its_numbers(ranks, wanted):
    second = [ranks.index(rank) if rank in ranks else 100 + rank for rank in range(1, 16)]
    found = neighbour_overlap(torch.tensor([[list(range(15))], [second]]), [10, 15])
    p, j = found.p[:, 0, 1].tolist(), found.j[:, 0, 1].tolist()
    assert (p[0], j[0], p[1], j[1]) == pytest.approx(wanted, abs=5e-4)


@pytest.fixture(scope="module")
def measured():
    return measure(runs_of(noisy_copies(5, 90, 8)), Compute(), torch.arange(90))


def naive(part, n):
    stack = noisy_copies(5, 90, 8)
    lists = [[oracles.top_k(stack[r].numpy(), t, 50) for t in range(90)] for r in part]
    return [x.mean(0).round(10) for x in oracles.overlap(lists, n)]


def test_correlations_between_list_lengths_are_those_of_the_naive_overlap(measured):
    table = consistency("x", measured)
    for row, metric in ((1, 0), (7, 1)):
        wanted = spearmanr(naive(range(5), 2)[metric], naive(range(5), 10)[metric]).statistic
        assert table["@10"][row] == pytest.approx(wanted)
    assert [table[f"@{n}"][row] for row, n in enumerate((1, 2, 5, 10, 25, 50))] == pytest.approx([1] * 6)


def test_halves_are_disjoint_and_leave_an_odd_run_out(measured):
    table = halves("x", measured, Compute())
    assert table["runs_each"] == [2] * 6
    wanted = spearmanr(naive(range(2), 5)[0], naive(range(2, 4), 5)[0]).statistic
    assert table["p"][2] == pytest.approx(wanted)


def test_a_small_vocabulary_has_short_lists_and_three_runs_no_halves():
    few = measure(runs_of(noisy_copies(3, 12, 4)), Compute(), torch.arange(12))
    assert few.lengths == [1, 2, 5, 10]
    assert consistency("x", few)["@25"] == [None] * 8
    assert halves("x", few, Compute())["n"] == []
    assert few.overlap.p_word.isfinite().all()


def test_all_samplings_are_measured_over_the_same_words_and_targets():
    """Bootstrap runs lack words: shuffled neighbours are among the common ones too."""
    stack = noisy_copies(6, 70, 6)
    shuffled, bootstrap = runs_of(stack[:3]), runs_of(stack[3:, :58])
    table = overlap_tables("x", {"bootstrap": bootstrap, "shuffled": shuffled}, 0, Compute())["neighbours"]
    assert set(table["targets"]) == {58}
    common = runs_of(stack[:3, :58])
    wanted = overlap_tables("x", {"shuffled": common}, 0, Compute())["neighbours"]
    for name in ("p", "j", "p_se", "chance_p"):
        got = [row[name] for row in table_rows(table) if row["sampling"] == "shuffled"]
        assert got == pytest.approx([row[name] for row in table_rows(wanted)])
    alone = overlap_tables("x", {"shuffled": shuffled}, 0, Compute())["neighbours"]
    assert set(alone["targets"]) == {70}


def table_rows(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def test_samplings_without_common_words_are_refused():
    words = [[f"{c}{i}" for i in range(20)] for c in "ab"]
    groups = [load_runs([(w, x.numpy()) for x in noisy_copies(3, 20, 4)]) for w in words]
    with pytest.raises(InputError, match="0 words are in all runs of all samplings"):
        overlap_tables("x", dict(zip(("shuffled", "bootstrap"), groups, strict=True)), 0, Compute())
