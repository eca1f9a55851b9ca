"""By which words periods are turned: numbers of a naive script, a hundred words that stood still, wrong anchors."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import torch
from typer.testing import CliRunner

from gpustab import load_runs
from gpustab.cli import app
from gpustab.errors import InputError
from gpustab.report.html import to_html
from gpustab.runs.key import Key
from gpustab.runs.runset import write_runset
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.study import change
from tests.generators import rotation
from tests.kernels.test_displacement import naive_moved

V, D, RUNS, FIXED = 300, 10, 4, 100
WORDS = [f"w{k}" for k in range(V)]
STILL = tuple(WORDS[:40])
BY_ANCHORS = {"align": "anchors", "anchors": STILL}


def naive_over(x, y, rows=()):
    """The change of every word where x is turned onto y over some rows, or not at all."""
    turned = x
    if rows:
        u, _, vt = np.linalg.svd(x[rows].T @ y[rows])
        turned = x @ (u @ vt)
    return 1 - (turned * y).sum(1) / np.linalg.norm(turned, axis=1) / np.linalg.norm(y, axis=1)


def spaces(shared=False, noise=0.1, still=FIXED):
    """Two periods of runs, raw: of 300 words a hundred stand still and two hundred turn together."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(V, D))
    later = np.where(np.arange(V)[:, None] < still, base, base @ np.asarray(rotation(D, 3)))
    frames = [np.eye(D) if shared else np.asarray(rotation(D, 10 + k)) for k in range(2 * RUNS)]
    runs = [
        (own + noise * rng.normal(size=own.shape)) @ frame
        for own, frame in zip([base] * RUNS + [later] * RUNS, frames, strict=True)
    ]
    return [runs[:RUNS], runs[RUNS:]]


def periods(found):
    return [load_runs([(WORDS, x) for x in own], name=name) for own, name in zip(found, ("old", "new"), strict=True)]


def first_words(answer, n=20):
    return answer.tables["words"]["word"][:n]


def row_of(answer):
    (row,) = answer.tables["pairs"].rows()
    return row


def test_by_anchors_numbers_are_those_of_a_naive_script():
    """Runs of two periods are turned over the anchors, two runs of one over all words."""
    old, new = periods(spaces())
    answer = change([old, new], min_count=1, **BY_ANCHORS)
    first, second = runs_of(old), runs_of(new)
    anchors = list(range(len(STILL)))
    of_words(answer, "change", np.mean([naive_over(x, y, anchors) for x in first for y in second], 0))
    of_words(answer, "training_floor", np.mean([within(own, naive_moved) for own in (first, second)], 0))


def test_without_a_turn_numbers_are_those_of_a_naive_script():
    old, new = periods(spaces())
    answer = change([old, new], min_count=1, align="none")
    first, second = runs_of(old), runs_of(new)
    of_words(answer, "change", np.mean([naive_over(x, y) for x in first for y in second], 0))
    of_words(answer, "training_floor", np.mean([within(own, naive_over) for own in (first, second)], 0))
    averages = np.mean(first, 0), np.mean(second, 0)
    of_words(answer, "averaged", naive_over(*averages))
    row = row_of(answer)
    assert (row.turned_by, row.residual) == (V, pytest.approx(naive_over(*averages).mean(), abs=1e-6))
    assert row.by_all == pytest.approx(naive_moved(*averages).mean(), abs=1e-6)


def runs_of(group):
    return [run.numpy() for run in group.stack()]


def within(runs, moved):
    return np.mean([moved(runs[i], runs[j]) for i in range(RUNS) for j in range(i)], 0)


def of_words(answer, column, want):
    there = {row.word: getattr(row, column) for row in answer.tables["words"].rows()}
    assert [there[word] for word in WORDS] == pytest.approx(want, abs=1e-6)


def test_all_words_give_the_alarm_and_anchors_the_finding():
    old, new = periods(spaces())
    by_all, by_anchors = (change([old, new], min_count=1, **chosen) for chosen in ({}, BY_ANCHORS))
    assert set(first_words(by_all)) <= set(WORDS[:FIXED])  # those that stood still
    (alarm,) = by_all.alarms
    assert "the words fall into two camps" in alarm
    assert "(67 % and 33 %)" in alarm
    assert "--align anchors with --anchors" in alarm
    assert by_anchors.alarms == []
    assert set(first_words(by_anchors, V - FIXED)) == set(WORDS[FIXED:])
    rows = [row_of(answer) for answer in (by_all, by_anchors)]
    assert [row.turned_by for row in rows] == [V, len(STILL)]
    assert rows[0].residual == rows[0].by_all > 0.2
    assert rows[1].residual < rows[1].held_out < 0.01
    assert rows[1].by_all == rows[0].by_all


def call(line):
    return CliRunner().invoke(app, ["study", "change", *line])


def test_the_advice_of_the_alarm_can_be_followed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, runs in zip(("old", "new"), spaces(), strict=True):
        own = [Space(Vocabulary(WORDS), torch.from_numpy(x), None, f"run-{k:03d}") for k, x in enumerate(runs)]
        write_runset({Key("sgns", "shuffled"): own}, name)
    (tmp_path / "anchors.txt").write_text("".join(f"{word}\n" for word in STILL))
    line = ["old", "new", "--min-count", "1", "-q"]
    assert call([*line, "-o", "all"]).exit_code == 0
    (alarm,) = json.loads((tmp_path / "all" / "summary.json").read_text())["alarms"]
    advised = re.search(r"align by them \((--align anchors) with (--anchors) FILE\)", alarm).groups()
    result = call([*line, *" ".join(advised).split(), "anchors.txt", "-o", "anchors"])
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "anchors" / "summary.json").read_text())["alarms"] == []
    assert set(pd.read_parquet(tmp_path / "anchors" / "words.parquet")["word"][:20]) <= set(WORDS[FIXED:])
    page = (tmp_path / "anchors" / "report.html").read_text()
    assert "By anchor words alone" in page
    assert "once the spaces are turned onto each other by the anchor words" in page


def test_anchors_that_a_period_lacks_are_told():
    answer = change(periods(spaces()), min_count=1, align="anchors", anchors=(*STILL, "gone", "lost"))
    assert any("2 of 42 anchors are not in all runs of old and new: gone, lost." in note for note in answer.notes)
    assert row_of(answer).turned_by == len(STILL)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"anchors": STILL}, "anchors has no effect: give align='anchors' too"),
        ({"align": "anchors"}, r"align='anchors' needs their file: anchors=\.\.\., one word a line"),
        ({"align": "none", "authors": "president"}, "align='none' cannot be asked of them"),
    ],
)
def test_options_that_do_not_fit_are_refused(chosen, said):
    with pytest.raises(InputError, match=said):
        ChangeOptions(**chosen)


@pytest.mark.parametrize("anchors", [(*WORDS[: D - 1], "gone"), ("gone",)])
def test_fewer_anchors_than_dimensions_leave_the_turn_open(anchors):
    with pytest.raises(InputError) as error:
        change(periods(spaces()), min_count=1, align="anchors", anchors=anchors)
    among = "9 of 10 words are" if len(anchors) == D else "0 of 1 word are"
    assert str(error.value).startswith(f"anchors: {among} in all runs of old and new, fewer than the 10 dimensions")
    assert "(not there: gone)" in str(error.value)


def test_anchors_that_do_not_span_the_space_leave_the_turn_open():
    found = spaces(shared=True, noise=0)
    for own in found:
        for x in own:
            x[:D] = x[0]
    with pytest.raises(InputError, match="do not span the 10 dimensions"):
        change(periods(found), min_count=1, align="anchors", anchors=tuple(WORDS[:D]))


@pytest.mark.parametrize(("text", "said"), [(None, "anchors.txt"), ("\n", "anchors.txt")])
def test_a_file_that_holds_no_anchors_is_refused(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "anchors.txt").write_text(text)
    result = call(["old", "new", "--align", "anchors", "--anchors", "anchors.txt"])
    assert result.exit_code != 0
    assert said in result.output
    assert "Traceback" not in result.output


def test_runs_that_share_a_frame_need_no_turn():
    answer = change(periods(spaces(shared=True, noise=0.3, still=290)), min_count=1, align="none")
    assert answer.alarms == []
    assert set(first_words(answer, 10)) == set(WORDS[290:])
    assert "these runs are taken to have one frame" in to_html(answer)


def test_runs_that_share_no_frame_are_told_so():
    answer = change(periods(spaces(noise=0.01)), min_count=1, align="none")
    (alarm,) = answer.alarms
    assert "These runs have no common axes, or training noise hides them" in alarm
    apart, unlike = map(float, re.search(r"lie ([\d.]+) apart, two different words ([\d.]+)\.", alarm).groups())
    assert apart == pytest.approx(unlike, abs=0.1)
    assert alarm.endswith("Take --align all.")


def test_periods_that_share_no_frame_are_told_so():
    found = spaces(shared=True, still=V)
    found[1] = [x @ np.asarray(rotation(D, 7)) for x in found[1]]
    (alarm,) = change(periods(found), min_count=1, align="none").alarms
    assert "have no common axes, or most words moved together" in alarm
    before, after = map(float, re.search(r"reduces the change from ([\d.]+) to ([\d.]+)\. Take", alarm).groups())
    assert before > 0.8
    assert after < 0.01
    assert alarm.endswith("Take --align all, unless both spaces were tuned from the same vectors.")
