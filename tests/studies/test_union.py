"""What is said of runs that do not have the same words: chance, and shares of runs."""

import pytest
import torch

from gpustab import load_runs
from gpustab.kernels.overlap import chance_overlap
from gpustab.report.describe import describe
from gpustab.studies.instability.neighbours import overlap_tables
from gpustab.studies.neighbours.study import neighbours_of
from gpustab.studies.stability.study import stability
from tests.generators import generator, noisy_copies, runs_of
from tests.studies.instability.made import technique


def unrelated(runs=6, common=120, own=180, seed=0):
    """Random spaces: some words are in all runs, others in two runs each."""
    g = generator(seed)
    spaces = []
    for r in range(runs):
        words = [f"c{k}" for k in range(common)] + [f"p{min(r, r ^ 1)}-{k}" for k in range(own)]
        spaces.append((words, torch.randn(len(words), 20, generator=g).numpy()))
    return load_runs(spaces, vocabulary="union", min_runs=2)


def test_chance_is_what_unrelated_spaces_share():
    """Pairs of runs that were drawn together have 300 words in common, the others 120; n/(v - 1) says 0.0303."""
    runs = unrelated()
    measured = stability(runs, neighbours=[20]).groups[0]["neighbours"]["20"]
    together, apart = 20 * 299 / 299**2, 20 * 119 / 299**2
    assert measured["chance_p"] == pytest.approx((3 * together + 12 * apart) / 15)
    assert measured["chance_p"] == pytest.approx(measured["p"], abs=3 * measured["p_se"])
    assert abs(20 / (runs.words - 1) - measured["p"]) > 4 * measured["p_se"]
    table = overlap_tables(technique(runs))["neighbours"]
    assert table["chance_p"][table["n"].index(10)] == pytest.approx(measured["chance_p"] / 2)


def test_chance_of_one_word_is_over_the_runs_that_have_it():
    runs = unrelated()
    assert neighbours_of(runs, "p2-7", 20).groups[0]["chance_p"] == pytest.approx(20 / 299)
    assert neighbours_of(runs, "c3", 20).groups[0]["chance_p"] == pytest.approx(
        stability(runs, neighbours=[20]).groups[0]["neighbours"]["20"]["chance_p"]
    )


def test_chance_of_equal_vocabularies_and_of_hardly_any():
    assert chance_overlap(torch.ones(3, 50, dtype=torch.bool))[0, 1].item() == pytest.approx(1 / 49)
    present = torch.tensor([[True, False, False], [True, True, False], [False, False, True]])
    assert chance_overlap(present).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]  # the target is all they share


def test_chance_is_that_of_drawing_lists():
    present = torch.rand(2, 40, generator=generator(1)) < 0.7
    present[:, 0] = True
    g, shared = generator(2), []
    for _ in range(20_000):
        lists = [
            set(have[1:].nonzero().flatten()[torch.randperm(int(have.sum()) - 1, generator=g)[:5]].tolist())
            for have in present
        ]
        shared.append(len(lists[0] & lists[1]) / 5)
    assert 5 * chance_overlap(present)[0, 1].item() == pytest.approx(sum(shared) / len(shared), abs=0.005)


def six_runs():
    """w1 is the nearest word of w0 in all three runs that have it, w2 in five of six, w3 in one."""
    axes = torch.eye(6, dtype=torch.float64)
    spaces = []
    for r in range(6):
        words, rows = ["w0", "w2", "w3", "w4", "w5"], [axes[0], axes[0] + axes[2] / 2, axes[3], axes[4], axes[5]]
        if r == 5:
            rows[1], rows[2] = axes[2], axes[0] + axes[3]
        if r < 3:
            words, rows = [*words, "w1"], [*rows, axes[0] + axes[1] / 9]
        spaces.append((words, torch.stack(rows).numpy()))
    return load_runs(spaces, vocabulary="union", min_runs=1)


def test_a_neighbour_is_judged_by_all_runs_that_have_the_query():
    """In the lists of the three runs that have it, of six: a run that lacks it does not list it."""
    rows = {row["neighbour"]: row for row in neighbours_of(six_runs(), "w0", 1).tables["shares"].records()}
    assert (rows["w1"]["runs"], rows["w1"]["of"], rows["w1"]["share"]) == (3, 6, 0.5)
    assert (round(rows["w1"]["low"], 2), round(rows["w1"]["high"], 2)) == (0.19, 0.81)
    assert (rows["w2"]["runs"], rows["w2"]["of"]) == (2, 6)
    assert list(rows) == ["w1", "w2", "w3"]


def test_few_runs_that_agree_come_after_many_that_nearly_do():
    """A word that two of ten runs have is in two lists of ten, though it is near in both."""
    axes = torch.eye(5, dtype=torch.float64)
    spaces = []
    for r in range(10):
        rows = [axes[0], axes[0] + axes[1] / 2 if r else -axes[0], axes[2], axes[3]]
        words = ["w0", "often", "x", "y"]
        if r < 2:
            words, rows = [*words, "rare"], [*rows, axes[0] + axes[4] / 3]
        spaces.append((words, torch.stack(rows).numpy()))
    table = neighbours_of(load_runs(spaces, vocabulary="union", min_runs=1), "w0", 2).tables["shares"]
    rows = [(row["neighbour"], row["runs"], row["of"]) for row in table.records()]
    assert rows.index(("often", 9, 10)) < rows.index(("rare", 2, 10))


def test_the_page_says_of_how_many_runs():
    (block,) = describe(neighbours_of(six_runs(), "w0", 1))
    (table,) = block.tables
    assert [row[3] for row in table.rows] == ["3 of 6", "2 of 6", "1 of 6"]
    (block,) = describe(neighbours_of(runs_of(noisy_copies(3, 20, 4)), "w2", 3))
    assert all(row[3].endswith(" of 3") for row in block.tables[0].rows)
