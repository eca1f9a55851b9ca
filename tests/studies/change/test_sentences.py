"""Sentences by their rules: beyond the floor, no more than it, and what cannot be told."""

import math

import numpy as np
import pytest

from gpustab.results import Table
from gpustab.studies.change.sentences import against_floor, expected, law_verdict, of_pair, of_words, verdict
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
    "training_floor": 0.1,
    "training_se": 0.002,
    "beyond_se_words": 0.002,
}


@pytest.mark.parametrize(
    ("row", "wanted", "said"),
    [
        ({}, "more", "contexts differ beyond the sampling"),
        ({"change": 0.18}, "no more", "as much as the epochs do"),
        ({"change": 0.21, "runs_first": 60, "runs_second": 60}, "open", "cannot be told."),
        ({"change": 0.22}, "open", "cannot be told."),
        ({"change_se": 0.1}, "open", "cannot be told."),
        ({"change_se": math.nan}, "open", "cannot be told."),
    ],
)
def test_change_against_the_sampling_floor(row, wanted, said):
    assert against_floor(BASE | row) == wanted
    assert said in of_pair(BASE | row)


def test_the_change_that_sampling_comes_to_is_that_of_the_model():
    """Training noise 0.1 and sampling noise 0.15 of a unit signal, in two epochs and their bootstrap runs."""
    rng, d = np.random.default_rng(0), 200_000
    signal = rng.normal(size=d)

    def noise(share):
        return share**0.5 * rng.normal(size=d)

    epochs = [signal + noise(0.15) for _ in range(2)]
    runs = [[own + noise(0.1) for _ in range(2)] for own in epochs]
    drawn = [own + noise(0.15) + noise(0.1) for own in epochs[:1] * 2]
    apart = [1 - np.corrcoef(*pair)[0, 1] for pair in (runs[0], drawn, (runs[0][0], runs[1][0]))]
    row = BASE | {"training_floor": apart[0], "sampling_floor": apart[1]}
    assert expected(row).value == pytest.approx(apart[2], rel=0.02)
    assert apart[1] < 0.95 * apart[2]


def test_the_error_of_the_expected_change_follows_from_those_of_both_floors():
    steps = [expected(BASE | {name: BASE[name] + 1e-6}).value for name in ("sampling_floor", "training_floor")]
    slopes = [(x - expected(BASE).value) / 1e-6 for x in steps]
    want = math.hypot(slopes[0] * BASE["sampling_se"], slopes[1] * BASE["training_se"])
    assert expected(BASE).se == pytest.approx(want, rel=1e-4)


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
