import math

import numpy as np
import pytest
import torch
from scipy.stats import norm

from gpustab import InputError
from gpustab.machine.device import Compute
from gpustab.report import Result
from gpustab.report.terminal import to_text
from gpustab.results import Table
from gpustab.studies.instability.lists import RANKS, list_tables
from gpustab.studies.instability.options import InstabilityOptions
from gpustab.studies.instability.pair_of_lists import side_by_side
from tests import oracles
from tests.generators import noisy_copies, runs_of

WORDS, RUNS, TARGET = 70, 5, 7


@pytest.fixture(scope="module")
def stack():
    return noisy_copies(RUNS, WORDS, 6, noise=0.1).numpy()


@pytest.fixture(scope="module")
def tables(stack):
    found, notes = list_tables("x", runs_of(torch.from_numpy(stack)), f"w{TARGET}", Compute())
    assert notes == []
    return found


def cosines(space):
    unit = oracles.unit(space)
    return unit @ unit[TARGET]


def naive_average(spaces):
    """Of two, four, ... spaces, pairs first."""
    while len(spaces) > 1:
        spaces = [oracles.aligned_average(x, y) for x, y in zip(spaces[::2], spaces[1::2], strict=True)]
    return spaces[0]


def check(table, shared, first, second, beneath):
    lists = [oracles.top_k(space, TARGET, WORDS - 1) for space in (first, second)]
    top = lists[0][:15] + [k for k in lists[1][:15] if k not in lists[0][:15]]
    assert len(top) > 15  # else no word is in the second alone
    assert table["neighbour"] == [f"w{k}" for k in top]
    assert set(table["target"]) == {f"w{TARGET}"}
    for side, space, ranked in zip(("first", "second"), (first, second), lists, strict=True):
        assert table[f"{side}_rank"] == [ranked.index(k) + 1 for k in top]
        assert table[f"{side}_cosine"] == pytest.approx([cosines(space)[k] for k in top], abs=1e-6)
    for n in (10, 15):
        p, j = oracles.overlap([[ranked] for ranked in lists], n)
        (row,) = shared.records(runs_beneath=beneath, n=n)
        assert (row["p"], row["j"]) == (p.item(), j.item())


def test_two_runs_beside_each_other(stack, tables):
    check(tables["table_2_2"], tables["lists_shared"], stack[0], stack[1], 1)


def test_two_averages_of_disjoint_runs_beside_each_other(stack, tables):
    averages = [naive_average(list(stack[:2])), naive_average(list(stack[2:4]))]
    check(tables["table_3_5"], tables["lists_shared"], *averages, 2)
    assert set(tables["table_3_5"]["runs_beneath"]) == {2}


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


def test_means_and_probabilities_are_the_naive_ones(stack, tables):
    values = np.array([np.delete(cosines(x), TARGET) for x in stack])
    mean, sd = values.mean(0), values.std(0, ddof=1)
    names = [f"w{k}" for k in range(WORDS) if k != TARGET]
    order = np.argsort(-mean)
    keep = order[:25]  # the others are far below
    one, two = naive_probabilities(mean[keep], sd[keep])
    rows = list(tables["table_2_4"].records())
    assert [row["rank"] for row in rows] == [rank for rank in RANKS if rank < WORDS]
    for row in rows:
        k = order[row["rank"] - 1]
        assert (row["neighbour"], row["target"]) == (names[k], f"w{TARGET}")
        assert (row["mean"], row["sd"]) == pytest.approx((mean[k], sd[k]))
        wanted = (one[row["rank"] - 1], two[row["rank"] - 1]) if row["rank"] <= 25 else (0, 0)
        assert (row["p_1"], row["p_2"]) == pytest.approx(wanted, abs=1e-5)
    assert 0.05 < rows[0]["p_1"] < 0.95  # else the test could not fail


def test_equal_runs_have_sure_neighbours():
    space = noisy_copies(1, 30, 5)[0]
    tables, _ = list_tables("x", runs_of(space.repeat(4, 1, 1)), "w3", Compute())
    assert tables["table_2_2"].height == tables["table_3_5"].height == 15
    for name in ("table_2_2", "table_3_5"):
        assert tables[name]["first_rank"] == tables[name]["second_rank"] == list(range(1, 16))
        assert tables[name]["first_cosine"] == pytest.approx(tables[name]["second_cosine"])
    assert tables["lists_shared"]["p"] == [1.0] * 4
    assert tables["table_2_4"]["p_1"][:3] == [1, 0, 0]
    assert tables["table_2_4"]["p_2"][:3] == [1, 1, 0]


def test_three_runs_have_no_two_averages_and_that_is_said():
    tables, (note,) = list_tables("x", runs_of(noisy_copies(3, 30, 5)), "w3", Compute())
    assert tables["table_3_5"].height == 0
    assert "want 4 runs" in note
    assert tables["table_2_2"].height > 0


def test_a_tiny_vocabulary_is_listed_whole():
    tables, _ = list_tables("x", runs_of(noisy_copies(4, 4, 3)), "w0", Compute())
    assert sorted(tables["table_2_2"]["neighbour"]) == ["w1", "w2", "w3"]
    assert tables["lists_shared"]["n"] == [3, 3]
    assert tables["table_2_4"]["rank"] == [1, 2, 3]
    assert math.isclose(sum(tables["table_2_4"]["p_1"]), 1, abs_tol=1e-6)


def test_two_words_have_one_neighbour():
    tables, _ = list_tables("x", runs_of(noisy_copies(4, 2, 3)), "w0", Compute())
    assert tables["table_2_4"]["p_1"] == pytest.approx([1])
    assert tables["table_2_4"]["p_2"] == [1]


def test_a_word_that_is_missing_is_said():
    tables, (note,) = list_tables("sgns", runs_of(noisy_copies(3, 30, 5)), "zebra", Compute())
    assert tables == {}
    assert note == "sgns: no lists of neighbours, the word 'zebra' is not in all runs."


def test_the_cosines_of_a_pair_are_the_naive_ones_in_every_run(stack, tables):
    nearest = tables["table_2_4"]["neighbour"][0]
    named, _ = list_tables("x", runs_of(torch.from_numpy(stack)), f"w{TARGET}", Compute(), "w40")
    for found, second in ((tables, nearest), (named, "w40")):
        pair = found["figure_2_2"]
        assert set(pair["second"]) == {second}
        assert pair["cosine"] == pytest.approx([cosines(x)[int(second[1:])] for x in stack], abs=1e-6)
    assert len(set(named["figure_2_2"]["run"])) == RUNS


def test_a_missing_second_word_costs_the_pair_alone():
    tables, (note,) = list_tables("x", runs_of(noisy_copies(4, 30, 5)), "w3", Compute(), "zebra")
    assert tables["figure_2_2"].height == 0
    assert tables["table_2_2"].height > 0
    assert note == "x: no cosines with 'zebra' (figure 2.2), it is not in all runs."


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
    _, (note,) = list_tables("x", runs_of(noisy_copies(3, 30, 5)), "\udcff", Compute())
    assert r"'\xff' is not in all runs" in note


def test_the_page_shows_both_lists_side_by_side(stack, tables):
    (runs,) = side_by_side(tables["table_2_2"])
    (averages,) = side_by_side(tables["table_3_5"])
    assert runs.title == f"x: 'w{TARGET}' in two runs"
    assert averages.title == f"x: 'w{TARGET}' in two averages of 2 disjoint runs each"
    first, second = (oracles.top_k(x, TARGET, WORDS - 1) for x in stack[:2])
    k = first[0]
    assert runs.rows[0] == [
        f"w{k}", "1", f"{cosines(stack[0])[k]:.3f}", str(second.index(k) + 1), f"{cosines(stack[1])[k]:.3f}"
    ]  # fmt: skip
    text = to_text(Result("instability", tables={"observations": Table(), "table_2_2": tables["table_2_2"]}), width=80)
    (line,) = (line for line in text.splitlines() if line.split()[:1] == [f"w{k}"])
    assert line.split() == runs.rows[0]  # not parted
