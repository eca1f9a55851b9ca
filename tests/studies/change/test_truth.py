"""Words that people judged, in tables of several columns: read by name, turned as told, ranked by every measure."""

import math

import pytest
import torch
from scipy.stats import spearmanr

from gpustab.errors import InputError
from gpustab.evaluation.truth import read_truth
from gpustab.kernels.kept import kept_neighbours
from gpustab.statistics.intervals import jackknife_error
from gpustab.studies.change.claims import BARELY
from gpustab.studies.change.page import page
from gpustab.studies.change.periods import aligned
from gpustab.studies.change.study import change
from tests.studies.change.planted import groups, runset

MOVED = (3, 20, 50, 70)
WORDS = [f"w{k}" for k in (3, 20, 50, 70, 8, 15, 33, 41, 90, 100)]
GRADES = (0.9, 0.8, 0.7, 0.95, 0.1, 0.2, 0.0, 0.15, 0.3, 0.05)
DWUG = "lemma\tgrouping\tchange_binary\tchange_graded\tEARLIER\tCOMPARE\n"
BOTH = ("change_graded:changed", "COMPARE:unchanged")


@pytest.fixture
def table(tmp_path):
    """A table as DWUG has it: relatedness falls where the grade of change rises; three words lack one of both."""
    rows = [f"{w}\t1_2\t{int(g > 0.5)}\t{g}\t3.5\t{4 - 3 * g}\n" for w, g in zip(WORDS, GRADES, strict=True)]
    rows += ["w5\t1_2\t0\tnan\t3.1\t2.0\n", "w6\t1_2\t0\t0.5\t3.1\t-\n", "w7\t1_2\t0\t\t3.1\t\n"]
    path = tmp_path / "stats_groupings.csv"
    path.write_text(DWUG + "".join(rows) + "gone\t1_2\t1\t0.4\t2\t3\n")
    return path


@pytest.fixture(scope="module")
def moved():
    """Two periods of three runs, of which four words moved."""
    return groups(runset(epochs=2, runs=3, moved=MOVED, step=3.0))


def answered(found, path, *columns, **options):
    choices = {"min_count": 1, "resamples": 0} | options
    return change(found, truth=str(path), truth_columns=columns, **choices)


def test_all_measures_rank_the_same_words_as_by_hand(table, moved):
    answer = answered(moved, table, *BOTH)
    rows = {(row.column, row.way): row for row in answer.tables["truth"].rows()}
    assert len(rows) == 8
    words = {row["word"]: row for row in answer.tables["words"].records()}
    ranked = [*WORDS, "w6"]
    for way, column in (("AA", "averaged"), ("EA", "change"), ("neighbours", "lost")):
        expected = spearmanr([round(words[word][column], 9) for word in ranked], [*GRADES, 0.5])[0]
        assert rows["change_graded", way].spearman == pytest.approx(expected)
        related = spearmanr([round(words[w][column], 9) for w in [*WORDS, "w5"]], [*(4 - 3 * g for g in GRADES), 2.0])[
            0
        ]
        assert rows["COMPARE", way].spearman == pytest.approx(-related)
    assert {(row.column, row.words, row.listed) for row in rows.values()} == {
        ("change_graded", 11, 14),
        ("COMPARE", 11, 14),
    }
    assert all(row.spearman > 0.5 for row in rows.values())
    assert all(row.low < row.spearman < row.up and math.isfinite(row.se) for row in rows.values())
    notes = " ".join(answer.notes)
    assert "change_graded, 1800-1819 to 1820-1839: 2 of 14 words have no value: w5, w7." in notes
    assert "COMPARE, 1800-1819 to 1820-1839: 2 of 14 words have no value: w6, w7." in notes
    assert "1 of 14 words is not in all runs of both periods: gone." in notes


def test_errors_of_neighbours_leave_every_run_out(table, moved):
    row = next(r for r in answered(moved, table, BOTH[0]).tables["truth"].rows() if r.way == "neighbours")
    at = [int(word[1:]) for word in [*WORDS, "w6"]]
    first, second = ([group.select(r, torch.arange(120)) for r in range(3)] for group in moved)

    def rho(one, two):
        lost = kept_neighbours(one, two, 12).lost(BARELY).value
        return spearmanr([round(float(lost[k]), 9) for k in at], [*GRADES, 0.5])[0]

    without = [[rho(first[:k] + first[k + 1 :], second) for k in range(3)]]
    without += [[rho(first, second[:k] + second[k + 1 :]) for k in range(3)]]
    assert row.se == pytest.approx(math.hypot(*map(jackknife_error, without)))


def test_the_sign_decides_and_is_never_guessed(table, moved):
    right, wrong = (
        list(answered(moved, table, f"COMPARE:{high}").tables["truth"].rows()) for high in ("unchanged", "changed")
    )
    assert [row.spearman for row in right] == pytest.approx([-row.spearman for row in wrong])
    with pytest.raises(InputError, match=r"COMPARE:changed \(as of change_graded\) or COMPARE:unchanged"):
        answered(moved, table, "COMPARE")


def test_all_columns_of_two_periods_are_ranked_by_the_same_turns(table, moved, monkeypatch):
    """Every run of a period was turned onto every run of the other anew for each column."""
    turned = []
    monkeypatch.setattr("gpustab.studies.change.ranked.aligned", lambda both: turned.append(both) or aligned(both))
    answered(moved, table, *BOTH)
    assert len(turned) == 1


def test_columns_without_a_heading_are_numbers_and_of_a_pair_of_periods(tmp_path):
    """RuShiftEval's form: first against second, second against third, first against third period."""
    path = tmp_path / "annotated_all.tsv"
    rows = [f"{w}\t{4 - 3 * g}\t{1 + g}\t{2 + k}\n" for k, (w, g) in enumerate(zip(WORDS, GRADES, strict=True))]
    path.write_bytes("".join(["w1\t-\t-\t2\n", *rows]).replace("\n", "\r\n").encode())
    found = groups(runset(epochs=3, runs=2, moved=MOVED, step=3.0))
    answer = answered(found, path, "2:unchanged:1800-1819", "3:unchanged:1820-1839")
    rows = {(row.column, row.first, row.way): row for row in answer.tables["truth"].rows()}
    assert {key[:2] for key in rows} == {("2", "1800-1819"), ("3", "1820-1839")}
    assert rows["2", "1800-1819", "AA"].spearman > 0.5 > -0.5 > rows["3", "1820-1839", "AA"].spearman
    assert math.isnan(rows["2", "1800-1819", "neighbours"].se)  # without one of two runs none says what two share
    assert (rows["2", "1800-1819", "AA"].words, rows["2", "1800-1819", "AA"].listed) == (10, 11)
    with pytest.raises(InputError, match="Name the earlier one: 2:unchanged:1800-1819, 2:unchanged:1820-1839"):
        answered(found, path, "2:unchanged")
    with pytest.raises(InputError, match="no two periods begin with it; near it is 1820-1839"):
        answered(found, path, "2:unchanged:1840-1859")


def test_the_page_has_one_table_with_splits_beside(table):
    found = groups(runset(epochs=2, runs=3, moved=MOVED, step=3.0, splits=2))
    answer = answered(found, table, BOTH[1])
    block = next(block for block in page(answer) if "that people judged" in block.title)
    assert len(block.tables) == 1
    small = block.tables[0]
    assert [row[small.header.index("measure")] for row in small.rows] == ["IR", "AA", "EA", "neighbours"]
    assert {row[small.header.index("column")] for row in small.rows} == {"COMPARE (high: unchanged)"}
    rows = answer.tables["truth"].rows(way="AA")
    at_random = [row.spearman for row in rows if row.series != row.of]
    assert len(at_random) == 2
    shown = float(small.rows[1][small.header.index("at random")].replace("−", "-"))
    assert shown == pytest.approx(sum(at_random) / 2, rel=0.06)
    assert "--nearest takes others" in next(block.answer for block in page(answer) if "neighbours?" in block.title)


def test_words_that_are_too_rare_or_without_neighbours_are_told(table, moved):
    answer = answered(moved, table, BOTH[0], min_count=240)  # of w90 and w100 fewer
    assert {row.words for row in answer.tables["truth"].rows()} == {9}
    assert any("2 of 14 words are too rare to have neighbours (--min-count takes" in note for note in answer.notes)
    single = answered(groups(runset(epochs=2, runs=1, moved=MOVED, step=3.0)), table, BOTH[0])
    assert {row.way for row in single.tables["truth"].rows()} == {"IR", "AA", "EA"}
    assert any("what neighbours lost is unknown" in note for note in single.notes)
    table.write_text("w3\t1\nw8\t0\nw9\t0.5\n" + "".join(f"gone{k}\t{k}\n" for k in range(3)))
    few = answered(moved, table, "2:changed")
    assert not few.tables["truth"].height
    assert any("3 of 6 words are not in all runs" in note for note in few.notes)
    assert any("3 words are left, too few or all of one value, so nothing is ranked" in note for note in few.notes)


@pytest.mark.parametrize(("seeds", "least"), [(2, 6), pytest.param(20, 68, marks=pytest.mark.slow)])
def test_nothing_is_ranked_well_where_nothing_moved(table, seeds, least):
    """A placebo: of drawn periods without change the intervals over words hold 0 in most cases, four a seed."""
    held = 0
    for seed in range(seeds):
        found = groups(runset(epochs=2, runs=2, v=104, d=6, seed=seed))
        held += sum(row.low < 0 < row.up for row in answered(found, table, BOTH[0]).tables["truth"].rows())
    assert held >= least


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("lemma\tx\na\t1\nb\t2\nc\t3\nd\t4\n", "y:changed", "there is no column 'y'; its columns are x"),
        ("lemma\tgraded\na\t1\nb\t2\n", "graded:changed", "column graded has 2 values, wanted at least 4"),
        ("lemma\tx\na\t1\nb\t2\nc\t3\na\t4\n", "x:changed", "'a' stands in lines 2 and 5; keep one line a word"),
        ("lemma\tx\na\t1\nb\t2,5\nc\t3\nd\t4\n", "x:changed", "line 3: column x of 'b' is '2,5', wanted a number"),
        ("lemma\tx\na\tinf\nb\t2\nc\t3\nd\t4\n", "x:changed", "line 2: column x of 'a' is 'inf', wanted a number"),
        ("lemma\tx\na\t1\nb\nc\t3\nd\t4\n", "x:changed", "line 3 has 1 cells, the first has 2"),
        ("a 1\nb 2\nc 3\n", "2:changed", "has one cell, wanted a word and numbers with tabs between"),
        (
            "a\t1\nb\t2\nc\t3\nd\t4\n",
            "COMPARE:unchanged",
            "no column 'COMPARE'; it has no heading, so its columns are 2",
        ),
        ("a\t1\nb\t2\nc\t3\nd\t4\n", "3:changed", "no column '3'"),
        ("a\t1\nb\t2\nc\t3\nd\t4\n", "2:unchangd", "Give 2:changed (as of change_graded) or 2:unchanged"),
        ("a\t1\nb\t1\nc\t1\nd\t1\n", "2:changed", "all values of column 2 are equal, so they rank no word"),
        ("\tlemma\tx\n0\ta\t1\n1\tb\t2\n", "x:changed", "line 2 begins with '0', wanted a word in the first column"),
        ("lemma\tx\tx\na\t1\t2\n", "x:changed", "there are 2 columns 'x'; give the number of one"),
        ("lemma\tx\n", "x:changed", "has a heading and no word"),
        ("lemma\tchange_graded\na\t1\nb\t2\n", "change_grade:changed", "near it is change_graded"),
        ("a\t1\nb\t2\n", None, "name columns, as truth_columns='NAME:changed'; it has no heading"),
    ],
)
def test_wrong_tables_are_refused_plainly(tmp_path, text, column, said):
    path = tmp_path / "truth.tsv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_truth(path, [column] if column else [])
    assert said in str(error.value)


def test_semevals_own_file_commas_and_a_sign_in_a_name(tmp_path):
    path = tmp_path / "graded.txt"
    path.write_bytes(b"\xef\xbb\xbfattack_nn\t0.1\r\nbag_nn\t0.2\r\nball_nn\tNaN\r\nbit_nn\t0.3\r\ncut_nn\t0.7\r\n")
    truth = read_truth(path, ["2:changed"])[0]
    assert truth.values == {"attack_nn": 0.1, "bag_nn": 0.2, "bit_nn": 0.3, "cut_nn": 0.7}
    assert truth.undefined == ["ball_nn"]
    path.write_text('word,a:b,c\n"x",1,\ny,2,\nz,3,\nw,4,\n')
    truth = read_truth(path, ["a:b:unchanged:1800:1"])[0]
    assert (truth.name, truth.sign, truth.period) == ("a:b", -1, "1800:1")
    assert truth.changes == {"x": -1, "y": -2, "z": -3, "w": -4}


def test_columns_need_their_file_and_words_of_the_runs(tmp_path, moved):
    with pytest.raises(InputError, match=r"truth_columns has no effect: give their file, truth=\.\.\., too"):
        change(moved, truth_columns=("x:changed",))
    path = tmp_path / "truth.tsv"
    path.write_text("".join(f"other{k}\t{k}\n" for k in range(5)))
    with pytest.raises(InputError, match="none of the 5 targets of 2 is in both periods"):
        answered(moved, path, "2:changed")
