"""SemEval-2020 task 1 on a made folder in both layouts: joined by name, scored beside the larger class."""

import math
from statistics import stdev

import pytest
import torch
from scipy.stats import spearmanr

from gpustab.errors import InputError
from gpustab.evaluation.semeval import read_semeval
from gpustab.statistics.intervals import jackknife_error
from gpustab.studies.change.semeval import Judged, cells
from gpustab.studies.change.study import change
from tests.studies.change.planted import groups, runset

TARGETS = ("w3", "w9", "w20", "w33", "w41", "gone_nn")
MOVED = {3: 1, 20: 1}


def write(place, binary, graded, targets=TARGETS):
    """The layout of the data, or with ``binary`` a path the evaluation package's."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "targets.txt").write_text("\n".join(targets) + "\n")
    for path, values in ((binary, (1, 0, 1, 0, 0, 1)), (graded, (0.9, 0.1, 0.8, 0.2, 0.0, 0.5))):
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"{word}\t{value}" for word, value in zip(targets, values, strict=True)]
        path.write_bytes(("\r\n".join(reversed(rows)) + "\r\n").encode())  # in another order, with Windows' ends


@pytest.fixture(params=["data", "package"])
def folder(request, tmp_path):
    if request.param == "data":
        place = tmp_path / "english"
        write(place, place / "truth" / "binary.txt", place / "truth" / "graded.txt")
    else:
        place, truth = tmp_path / "test_data_public" / "english", tmp_path / "test_data_truth" / "answer"
        write(place, truth / "task1" / "english.txt", truth / "task2" / "english.txt")
    return place


def test_both_layouts_are_joined_by_name(folder):
    task = read_semeval(folder)
    assert task.name == "english"
    assert task.targets == TARGETS
    assert task.binary == dict(zip(TARGETS, (1, 0, 1, 0, 0, 1), strict=True))
    assert task.graded["w20"] == 0.8
    assert task.majority == 0.5


def test_planted_changes_score_as_by_hand(folder):
    found = groups(runset(epochs=2, runs=3, moved=tuple(MOVED), step=4.0, documents=0.1, training=0.1))
    answer = change(found, min_count=1, semeval=str(folder))
    assert any("column 1 of targets.txt; of the truth words are column 1, scores column 2" in n for n in answer.notes)
    rows = {row["way"]: row for row in answer.tables["task"].records()}
    words = {row["word"]: row for row in answer.tables["words"].records()}
    graded = [read_semeval(folder).graded[word] for word in TARGETS[:5]]
    for way, column in (("AA", "averaged"), ("EA", "change")):
        values = [words[word][column] for word in TARGETS[:5]]
        assert rows[way]["spearman"] == pytest.approx(spearmanr(values, graded)[0])
        level = torch.tensor([row[column] for row in words.values()])
        tau = float(level.mean() + level.std(correction=0) / 2)
        said = [value > tau for value in values]
        assert rows[way]["accuracy"] == pytest.approx(
            sum(a == b for a, b in zip(said, (1, 0, 1, 0, 0), strict=True)) / 5
        )
        assert rows[way]["beyond"] == pytest.approx(rows[way]["spearman"] - rows["IR"]["spearman"])
    assert rows["IR"]["beyond"] == 0
    assert rows["EA"]["accuracy"] == 1
    assert rows["IR"]["accuracy_sd"] >= 0
    assert (rows["IR"]["found"], rows["IR"]["targets"]) == (5, 6)
    assert any("gone_nn" in note for note in answer.notes)


def test_two_runs_give_averages_no_error(folder):
    """Without one of two runs the average is the other: the difference was said to be sure, from +0.35 to +0.35."""
    found = groups(runset(epochs=2, runs=2, moved=(3, 20), step=1.0, documents=0.5, training=0.6))
    answer = change(found, min_count=1, semeval=str(folder))
    row = next(row for row in answer.tables["task"].rows() if row.way == "AA")
    assert math.isfinite(row.beyond)
    assert math.isnan(row.beyond_se)
    assert not any("the targets better than" in said or "the targets worse than" in said for said in answer.verdict)


def test_targets_are_ranked_by_the_averages_and_by_people(folder):
    """Table 4.2."""
    answer = change(groups(runset(epochs=2, runs=3, moved=tuple(MOVED), step=4.0)), min_count=1, semeval=str(folder))
    rows = list(answer.tables["targets"].rows())
    assert [row.place for row in rows] == [1, 2, 3, 4, 5]
    assert {row.word: row.place_by_people for row in rows} == {"w3": 1, "w20": 2, "w33": 3, "w9": 4, "w41": 5}
    assert {row.word: row.changed for row in rows} == {word: word in ("w3", "w20") for word in TARGETS[:5]}
    words = {row["word"]: row["averaged"] for row in answer.tables["words"].records()}
    assert [row.change for row in rows] == sorted((words[word] for word in TARGETS[:5]), reverse=True)


def test_a_text_without_suffixes_is_said_to_be(tmp_path):
    targets = tuple(f"w{k}_nn" for k in range(6))
    write(tmp_path / "english", tmp_path / "b.txt", tmp_path / "g.txt", targets)
    with pytest.raises(InputError, match="'w0' is: this text lacks the suffix"):
        change(groups(runset(epochs=2, runs=2, v=20)), min_count=1, semeval=str(tmp_path / "english"))


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("truth/binary.txt", "w3\tyes\n", "line 1"),
        ("truth/binary.txt", "w3\t2\n", "wanted 0 or 1"),
        ("truth/graded.txt", "other\t0.5\n", "not a word of targets.txt"),
        ("targets.txt", "\n", "holds no word"),
        ("targets.txt", "1\tattack\n2\tfall\n", "'1' is a number, not a word"),
    ],
)
def test_wrong_files_are_named(tmp_path, file, text, said):
    place = tmp_path / "english"
    write(place, place / "truth" / "binary.txt", place / "truth" / "graded.txt")
    (place / file).write_text(text)
    with pytest.raises(InputError, match=said):
        read_semeval(place)
    with pytest.raises(InputError, match=r"no targets\.txt"):
        read_semeval(tmp_path)


def judged(language_scores, way="AA", majority=0.5, draws=((0.1, 0.3), (0.2, 0.6))):
    return [
        Judged(
            *("sgns", "shuffled", way, 4, (score, -score)),
            *(
                [(x, x) for x in own],
                [(x + 1, x) for x in own],
                majority,
                score / 2,
                [x / 2 for x in own],
                [0.0, 1.0, 0.5],
            ),
        )
        for score, own in zip(language_scores, draws, strict=True)
    ]


def test_the_spread_is_that_of_the_mean_over_languages():
    row = next(cells(judged((0.4, 0.8))))
    assert row.accuracy == pytest.approx(0.6)
    assert row.spearman == pytest.approx(-0.6)
    assert row.accuracy_sd == pytest.approx(stdev([0.15, 0.45]))
    assert (row.beyond, row.beyond_se) == pytest.approx((0.3, jackknife_error([0.075, 0.225])))
    assert row.runs == 2
    assert (row.gain, row.gain_se, row.targets) == pytest.approx((0.5, 0.5 / math.sqrt(6), 6))
    assert row.accuracy_se == pytest.approx(jackknife_error([1.15, 1.45]))
    assert math.isnan(next(cells(judged((0.4, 0.8), draws=((0.1, 0.3), (0.2,))))).accuracy_sd)
    assert list(cells(judged((0.4, 0.8), majority=math.nan))) == []
