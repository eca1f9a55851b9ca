"""Sentences by their rules: beyond the floor, no more than it, and what cannot be told."""

import math

import pytest

from gpustab.results import Table
from gpustab.studies.change.sentences import against_floor, law_verdict, of_pair, of_words, verdict
from gpustab.studies.change.tables import Pair

BASE = dict.fromkeys(Pair._fields, 0.1) | {
    "series": "sgns/shuffled",
    "control": False,
    "first": "1800-1819",
    "second": "1820-1839",
    "tested": 1200,
    "runs_first": 4,
    "runs_second": 4,
    "change": 0.3,
    "change_se": 0.005,
    "corrected": 0.2,
    "corrected_se": 0.004,
    "sampling_floor": 0.2,
    "sampling_se": 0.005,
}


@pytest.mark.parametrize(
    ("row", "wanted", "said"),
    [
        ({}, "more", "contexts differ beyond the sampling"),
        ({"change": 0.18}, "no more", "as much as the epochs do"),
        ({"change": 0.22}, "open", "cannot be told from these runs"),
        ({"change_se": 0.1}, "open", "cannot be told from these runs"),
        ({"change_se": math.nan}, "open", "cannot be told from these runs"),
    ],
)
def test_change_against_the_sampling_floor(row, wanted, said):
    assert against_floor(BASE | row) == wanted
    assert said in of_pair(BASE | row)


def test_without_bootstrap_runs_nothing_is_said_to_differ():
    row = BASE | {"sampling_floor": None, "sampling_se": None}
    said = " ".join(verdict({"pairs": Table.of([row]), "laws": Table()}))
    assert "differ beyond" not in said
    assert "train bootstrap runs too" in said


@pytest.mark.parametrize(
    ("genuine", "control", "wanted"),
    [(0.3, [0.1], "more"), (0.1, [0.3], "less"), (0.2, [0.18], "open"), (0.3, [0.0, 0.4], "open")],
)
def test_frequency_against_the_control(genuine, control, wanted):
    rows = [{"r2_marginal": x, "r2_se": 0.03, "r2_se_runs": math.nan} for x in (genuine, *control)]
    assert law_verdict(rows[0], rows[1:]) == wanted
    wide = [row | {"r2_se_runs": 0.2} for row in rows]
    assert law_verdict(wide[0], wide[1:]) == "open"


def test_words_that_differ_are_counted_with_their_rate():
    rows = [{"first": "a", "second": "b", "found": k < 2} for k in range(5)]
    assert of_words(Table.of(rows), 0.05) == [
        "Contexts differ beyond author sampling for 2 of 5 words from a to b (of those found, 5% may be false)."
    ]
    assert of_words(None, 0.05) == []
