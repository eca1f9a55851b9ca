"""Shared neighbours against their definition: how many, over n, beside the loss, and of one word."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import norm, spearmanr

from gpustab import InputError, load_runs
from gpustab.kernels import overlap
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.machine.device import Compute
from gpustab.studies.instability import InstabilityOptions, neighbours
from gpustab.studies.instability import technique as technique_module
from gpustab.studies.instability.neighbours import (
    HALVES,
    OVER_LENGTHS,
    RANKS,
    halves,
    list_tables,
    over_lengths,
    overlap_tables,
)
from gpustab.studies.instability.page import side_by_side
from gpustab.studies.instability.technique import measure
from tests import oracles
from tests.generators import noisy_copies, runs_of
from tests.studies.instability.made import technique

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


def naive_shares(part, n):
    stack = noisy_copies(5, 90, 8)
    lists = [[oracles.top_k(stack[r].numpy(), t, 50) for t in range(90)] for r in part]
    return [x.mean(0).round(10) for x in oracles.overlap(lists, n)]


def test_correlations_between_list_lengths_are_those_of_the_naive_overlap(measured):
    table = OVER_LENGTHS.table(over_lengths("x", measured))
    for row, metric in ((1, 0), (7, 1)):
        wanted = spearmanr(naive_shares(range(5), 2)[metric], naive_shares(range(5), 10)[metric]).statistic
        assert table["@10"][row] == pytest.approx(wanted)
    assert [table[f"@{n}"][row] for row, n in enumerate((1, 2, 5, 10, 25, 50))] == pytest.approx([1] * 6)


def test_halves_are_disjoint_and_leave_an_odd_run_out(measured):
    table = HALVES.table(halves("x", measured, Compute()))
    assert table["runs_each"] == [2] * 6
    wanted = spearmanr(naive_shares(range(2), 5)[0], naive_shares(range(2, 4), 5)[0]).statistic
    assert table["p"][2] == pytest.approx(wanted)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("rows", [[0, 7, 88, 89], [5]])
def test_lists_of_some_words_are_those_of_all_of_them(measured, rows, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr(technique_module, "free_memory", lambda _: 0)
    whole = technique(runs_of(noisy_copies(5, 90, 8)))
    lists, p_word, lengths = whole.neighbours_of(torch.tensor(rows))
    assert lengths == measured.lengths
    assert lists.targets.tolist() == rows
    assert torch.equal(lists.indices, measured.lists.indices[:, rows])
    assert torch.equal(lists.present, measured.lists.present[:, rows])
    torch.testing.assert_close(p_word, measured.overlap.p_word[:, rows])


def test_lists_that_are_kept_stay_though_they_leave_less_memory(measured, monkeypatch):
    whole = technique(runs_of(noisy_copies(5, 90, 8)))
    first = whole.neighbours
    monkeypatch.setattr(technique_module, "free_memory", lambda _: 0)
    assert whole.neighbours is first


def test_words_that_are_no_usual_targets_are_searched_for(measured, monkeypatch):
    """Of very large vocabularies the usual targets are a draw, and more than those may be asked for."""
    monkeypatch.setattr(technique_module.engine, "draw_targets", lambda *_, **__: torch.arange(0, 90, 9))
    lists, p_word, _ = technique(runs_of(noisy_copies(5, 90, 8))).neighbours_of(torch.tensor([9, 10, 89]))
    assert torch.equal(lists.indices, measured.lists.indices[:, [9, 10, 89]])
    torch.testing.assert_close(p_word, measured.overlap.p_word[:, [9, 10, 89]])


def test_a_small_vocabulary_has_short_lists_and_three_runs_no_halves():
    few = measure(runs_of(noisy_copies(3, 12, 4)), Compute(), torch.arange(12))
    assert few.lengths == [1, 2, 5, 10]
    assert OVER_LENGTHS.table(over_lengths("x", few))["@25"] == [None] * 8
    assert halves("x", few, Compute()) == []
    assert few.overlap.p_word.isfinite().all()


def test_the_table_of_lengths_forms_one_pair_matrix_a_number(monkeypatch):
    formed = []
    for module in (neighbours, overlap):
        form = module.pair_matrix
        monkeypatch.setattr(module, "pair_matrix", lambda *given, form=form: formed.append(1) or form(*given))
    table = overlap_tables(technique(runs_of(noisy_copies(3, 12, 4))))["neighbours"]
    assert table["n"] == [1, 2, 5, 10]
    assert len(formed) == 2 * 4


def test_all_samplings_are_measured_over_the_same_words_and_targets():
    """Bootstrap runs lack words: shuffled neighbours are among the common ones too."""
    stack = noisy_copies(6, 70, 6)
    shuffled, bootstrap = runs_of(stack[:3]), runs_of(stack[3:, :58])
    table = overlap_tables(technique({"bootstrap": bootstrap, "shuffled": shuffled}))["neighbours"]
    assert set(table["targets"]) == {58}
    common = runs_of(stack[:3, :58])
    wanted = overlap_tables(technique(common))["neighbours"]
    for name in ("p", "j", "p_se", "chance_p"):
        got = [row[name] for row in table_rows(table) if row["sampling"] == "shuffled"]
        assert got == pytest.approx([row[name] for row in table_rows(wanted)])
    alone = overlap_tables(technique(shuffled))["neighbours"]
    assert set(alone["targets"]) == {70}


def table_rows(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def test_samplings_without_common_words_are_refused():
    words = [[f"{c}{i}" for i in range(20)] for c in "ab"]
    groups = [load_runs([(w, x.numpy()) for x in noisy_copies(3, 20, 4)]) for w in words]
    with pytest.raises(InputError, match="0 words are in all runs of all samplings"):
        overlap_tables(technique(dict(zip(("shuffled", "bootstrap"), groups, strict=True))))


LISTED_WORDS, LISTED_RUNS, TARGET = 70, 5, 7


@pytest.fixture(scope="module")
def listed_stack():
    return noisy_copies(LISTED_RUNS, LISTED_WORDS, 6, noise=0.1).numpy()


@pytest.fixture(scope="module")
def listed(listed_stack):
    made = technique(runs_of(torch.from_numpy(listed_stack)), word=f"w{TARGET}")
    found = list_tables(made)
    assert made.notes == []
    return found


def cosines_with_target(space):
    unit = oracles.unit(space)
    return unit @ unit[TARGET]


def naive_average(spaces):
    """Of two, four, ... spaces, pairs first."""
    while len(spaces) > 1:
        spaces = [oracles.aligned_average(x, y) for x, y in zip(spaces[::2], spaces[1::2], strict=True)]
    return spaces[0]


def check_lists(table, shared, first, second, beneath):
    lists = [oracles.top_k(space, TARGET, LISTED_WORDS - 1) for space in (first, second)]
    top = lists[0][:15] + [k for k in lists[1][:15] if k not in lists[0][:15]]
    assert len(top) > 15  # else no word is in the second alone
    assert table["neighbour"] == [f"w{k}" for k in top]
    assert set(table["target"]) == {f"w{TARGET}"}
    for side, space, ranked in zip(("first", "second"), (first, second), lists, strict=True):
        assert table[f"{side}_rank"] == [ranked.index(k) + 1 for k in top]
        assert table[f"{side}_cosine"] == pytest.approx([cosines_with_target(space)[k] for k in top], abs=1e-6)
    for n in (10, 15):
        p, j = oracles.overlap([[ranked] for ranked in lists], n)
        (row,) = shared.records(runs_beneath=beneath, n=n)
        assert (row["p"], row["j"]) == (p.item(), j.item())


def test_two_runs_beside_each_other(listed_stack, listed):
    check_lists(listed["table_2_2"], listed["lists_shared"], listed_stack[0], listed_stack[1], 1)


def test_two_averages_of_disjoint_runs_beside_each_other(listed_stack, listed):
    averages = [naive_average(list(listed_stack[:2])), naive_average(list(listed_stack[2:4]))]
    check_lists(listed["table_3_5"], listed["lists_shared"], *averages, 2)
    assert set(listed["table_3_5"]["runs_beneath"]) == {2}


def naive_probabilities(mean, sd):
    """p_#1 and p_#2 of every word: eq. 2.22 and A.15 summed over a fine grid."""
    x = np.linspace(-1.5, 1.5, 6_001)
    below = norm.cdf((x[:, None] - mean) / sd)
    density = norm.pdf((x[:, None] - mean) / sd) / sd
    one, two = [], []
    for s in range(len(mean)):
        rest = np.delete(below, s, axis=1)
        none = rest.prod(1)
        single = sum((1 - rest[:, t]) * np.delete(rest, t, axis=1).prod(1) for t in range(rest.shape[1]))
        one.append((density[:, s] * none).sum() * (x[1] - x[0]))
        two.append((density[:, s] * (none + single)).sum() * (x[1] - x[0]))
    return np.array(one), np.array(two)


def test_means_and_probabilities_are_the_naive_ones(listed_stack, listed):
    values = np.array([np.delete(cosines_with_target(x), TARGET) for x in listed_stack])
    mean, sd = values.mean(0), values.std(0, ddof=1)
    names = [f"w{k}" for k in range(LISTED_WORDS) if k != TARGET]
    order = np.argsort(-mean)
    keep = order[:25]  # the others are far below
    one, two = naive_probabilities(mean[keep], sd[keep])
    rows = list(listed["table_2_4"].records())
    assert [row["rank"] for row in rows] == [rank for rank in RANKS if rank < LISTED_WORDS]
    for row in rows:
        k = order[row["rank"] - 1]
        assert (row["neighbour"], row["target"]) == (names[k], f"w{TARGET}")
        assert (row["mean"], row["sd"]) == pytest.approx((mean[k], sd[k]))
        wanted = (one[row["rank"] - 1], two[row["rank"] - 1]) if row["rank"] <= 25 else (0, 0)
        assert (row["p_1"], row["p_2"]) == pytest.approx(wanted, abs=1e-5)
    assert 0.05 < rows[0]["p_1"] < 0.95  # else the test could not fail


def test_equal_runs_have_sure_neighbours():
    space = noisy_copies(1, 30, 5)[0]
    listed = list_tables(technique(runs_of(space.repeat(4, 1, 1)), word="w3"))
    assert listed["table_2_2"].height == listed["table_3_5"].height == 15
    for name in ("table_2_2", "table_3_5"):
        assert listed[name]["first_rank"] == listed[name]["second_rank"] == list(range(1, 16))
        assert listed[name]["first_cosine"] == pytest.approx(listed[name]["second_cosine"])
    assert listed["lists_shared"]["p"] == [1.0] * 4
    assert listed["table_2_4"]["p_1"][:3] == [1, 0, 0]
    assert listed["table_2_4"]["p_2"][:3] == [1, 1, 0]


def listed_with_note(runs=3, **options):
    made = technique(runs_of(noisy_copies(runs, 30, 5)), **options)
    listed, (note,) = list_tables(made), made.notes
    return listed, note


def test_three_runs_have_no_two_averages_and_that_is_said():
    listed, note = listed_with_note(word="w3")
    assert listed["table_3_5"].height == 0
    assert note == "x: no lists of averages (table 3.5), because two averages of two need 4 runs."
    assert listed["table_2_2"].height > 0


def test_a_tiny_vocabulary_is_listed_whole():
    listed = list_tables(technique(runs_of(noisy_copies(4, 4, 3)), word="w0"))
    assert sorted(listed["table_2_2"]["neighbour"]) == ["w1", "w2", "w3"]
    assert listed["lists_shared"]["n"] == [3, 3]
    assert listed["table_2_4"]["rank"] == [1, 2, 3]
    assert math.isclose(sum(listed["table_2_4"]["p_1"]), 1, abs_tol=1e-6)


def test_two_words_have_one_neighbour():
    listed = list_tables(technique(runs_of(noisy_copies(4, 2, 3)), word="w0"))
    assert listed["table_2_4"]["p_1"] == pytest.approx([1])
    assert listed["table_2_4"]["p_2"] == [1]


def test_a_word_that_is_missing_is_said():
    listed, note = listed_with_note(name="sgns", word="zebra")
    assert listed == {}
    assert note == "Skip-gram: no lists of neighbours, because 'zebra' is not in all runs."


def test_the_cosines_of_a_pair_are_the_naive_ones_in_every_run(listed_stack, listed):
    nearest = listed["table_2_4"]["neighbour"][0]
    named = list_tables(technique(runs_of(torch.from_numpy(listed_stack)), word=f"w{TARGET}", other="w40"))
    for found, second in ((listed, nearest), (named, "w40")):
        pair = found["figure_2_2"]
        assert set(pair["second"]) == {second}
        assert pair["cosine"] == pytest.approx(
            [cosines_with_target(x)[int(second[1:])] for x in listed_stack], abs=1e-6
        )
    assert len(set(named["figure_2_2"]["run"])) == LISTED_RUNS


def test_a_missing_second_word_costs_the_pair_alone():
    listed, note = listed_with_note(4, word="w3", other="zebra")
    assert listed["figure_2_2"].height == 0
    assert listed["table_2_2"].height > 0
    assert note == "x: no cosines with 'zebra' (figure 2.2), because it is not in all runs."


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"other": "dog"}, r"other='dog' wants word=\.\.\. beside it"),
        ({"word": ""}, "word is empty"),
        ({"word": "dog", "other": "dog"}, "word and other are both 'dog', wanted different words"),
    ],
)
def test_words_that_cannot_be_listed_are_refused_at_once(words, message):
    with pytest.raises(InputError, match=message):
        InstabilityOptions(**words)


def test_a_missing_word_of_any_bytes_is_shown():
    _, note = listed_with_note(word="\udcff")
    assert r"'\xff' is not in all runs" in note


def test_the_page_shows_both_lists_side_by_side(listed_stack, listed):
    (runs,) = side_by_side(listed["table_2_2"])
    (averages,) = side_by_side(listed["table_3_5"])
    assert runs.title == f"x: 'w{TARGET}' in two runs"
    assert averages.title == f"x: 'w{TARGET}' in two averages of 2 disjoint runs each"
    first, second = (oracles.top_k(x, TARGET, LISTED_WORDS - 1) for x in listed_stack[:2])
    k = first[0]
    cosines = [f"{cosines_with_target(x)[k]:.3f}" for x in listed_stack[:2]]
    assert runs.rows[0] == [f"w{k}", "1", cosines[0], str(second.index(k) + 1), cosines[1]]
