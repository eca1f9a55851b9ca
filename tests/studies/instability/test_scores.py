"""Scores of runs and of averages, against their definition."""

import importlib.util

import numpy as np
import pytest

from gpustab import load_runs
from gpustab.evaluation import RunScores, files, questions, read_similarity, score_similarity, usual
from gpustab.studies.instability import scores as scores_of
from gpustab.studies.instability.scores import gain, quality_tables
from gpustab.studies.instability.trees import Level, as_runs, levels_of
from tests.generators import noisy_copies
from tests.studies.instability.made import technique

needs_gensim = pytest.mark.skipif(importlib.util.find_spec("gensim") is None, reason="the tests come with gensim")


@pytest.fixture(scope="module")
def runs():
    words = sorted({w for pair in read_similarity("wordsim353").pairs[:60] for w in pair})
    return load_runs([(words, x.numpy()) for x in noisy_copies(4, len(words), 6)])


@needs_gensim
def test_runs_and_averages_are_scored_by_the_same_pairs(runs):
    made = technique(runs)
    tables = quality_tables(made)
    rows = {
        (test, n): (spaces, used, mean, best)
        for test, n, spaces, used, mean, best in zip(
            *(tables["scores"][c] for c in ("test", "runs_beneath", "spaces", "used", "mean", "best")), strict=True
        )
    }
    test = read_similarity("wordsim353")
    single = score_similarity(runs, test, ignore_case=True)
    averages = [*levels_of(runs, [0, 1, 2, 3], renormalise=False)][1].averages
    double = score_similarity(as_runs(runs, averages), test, ignore_case=True)
    assert rows["wordsim353", 1] == (4, single.used, single.rho.mean, single.rho.best)
    assert rows["wordsim353", 2] == (2, single.used, double.rho.mean, double.rho.best)
    assert tables["table_3_6"]["gain"][0] == pytest.approx(double.rho.mean - single.rho.mean)
    assert "questions-words" not in tables["scores"]["test"]  # no question has all its words
    columns = "words are columns 1 and 2, scores column 3."
    assert made.notes == [f"{name}: {columns}" for name in ("wordsim353", "simlex999")]


@needs_gensim
def test_without_gensim_the_tests_are_named_that_were_not_done(runs, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda _: None)
    monkeypatch.setattr(usual, "_similarity", files.read_similarity)  # what was read before is kept
    monkeypatch.setattr(usual, "_analogies", questions.read_analogies)
    made = technique(runs)
    assert quality_tables(made)["scores"]["test"] == []
    assert len(set(made.notes)) == 3
    assert "'wordsim353' comes with the package gensim" in made.notes[0]


def test_a_gain_of_one_average_has_no_error():
    averages, value, error = gain(RunScores((0.1, 0.2)), RunScores((0.4,)), [[0, 1]])
    assert averages == 1
    assert value == pytest.approx(0.25)
    assert error != error


def test_a_gain_is_over_the_runs_beneath_and_what_has_no_score_is_left_out():
    single = RunScores((0.1, 0.3, 0.5, 0.9, None, 0.2))
    found = gain(single, RunScores((0.25, 0.8, 0.9)), [[0, 1], [2, 3], [4, 5]])
    assert found == pytest.approx((2, (0.05 + 0.1) / 2, 0.025))
    assert gain(single, RunScores((None,)), [[4, 5]])[0] == 0


@needs_gensim
def test_every_level_has_its_gain():
    words = sorted({w for pair in read_similarity("wordsim353").pairs[:60] for w in pair})
    six = load_runs([(words, x.numpy()) for x in noisy_copies(8, len(words), 6)])
    table = quality_tables(technique(six))["table_3_6"]
    wordsim = [(n, k) for test, n, k in zip(table["test"], table["runs_beneath"], table["averages"], strict=True)]
    assert list(dict.fromkeys(wordsim)) == [(2, 4), (4, 2)]


def test_a_doubling_is_gained_on_the_two_averages_beneath(runs, monkeypatch):
    scores = {1: (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), 2: (0.2, 0.5, 0.6, 0.9), 4: (0.5, 0.7)}
    levels = [Level(n, [None] * (8 // n), [list(range(k, k + n)) for k in range(0, 8, n)]) for n in scores]
    monkeypatch.setattr(scores_of, "levels_of", lambda *_, **__: levels)
    monkeypatch.setattr(scores_of, "as_runs", lambda _, averages: scores[8 // len(averages)])
    monkeypatch.setattr(
        scores_of, "usual_scores", lambda x, *_: [("t", 9, 9, RunScores(x if isinstance(x, tuple) else scores[1]))]
    )
    second, fourth = quality_tables(technique(runs))["doublings"].records()
    assert (second["runs_beneath"], second["averages"]) == (2, 4)
    assert second["gain"] == pytest.approx(np.mean([0.05, 0.15, 0.05, 0.15]))
    assert (fourth["runs_beneath"], fourth["averages"]) == (4, 2)
    assert fourth["gain"] == pytest.approx((0.15 - 0.05) / 2)
    assert fourth["se"] == pytest.approx(np.std([0.15, -0.05], ddof=1) / 2**0.5)
