"""Sentences by their rules: beyond the floor, no more than it, and what cannot be told."""

import math

import numpy as np
import pytest

from gpustab.results import Table
from gpustab.studies.change.named import asked, called
from gpustab.studies.change.rules import (
    against_control,
    against_floor,
    beyond,
    beyond_margin,
    expected,
    law_verdict,
)
from gpustab.studies.change.sentences import of_control, of_laws, of_pair, of_sampling, of_words, unlike, verdict
from gpustab.studies.change.tables import Pair, floor_series
from gpustab.studies.shared.wording import signed_span

BASE = dict.fromkeys(Pair._fields, 0.1) | {
    "series": "sgns/shuffled",
    "of": "sgns/shuffled",
    "split": "",
    "control": False,
    "bootstrap": False,
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
    "mean_cosine_first": 0.2,
    "mean_cosine_second": 0.4,
}
MOVED = (
    "From 1800-1819 to 1820-1839, 1,200 words moved by {} between a run of each. Two samplings of one period's "
    "documents "
)
COMES = "differ by 0.20, which alone can come to 0.23 between periods"
WITHOUT = " Without the noise of training the change is 0.20 (0.19–0.21)."


def control(split, **other):
    return BASE | {"control": True, "series": f"sgns/shuffled/control={split}", "split": str(split)} | other


@pytest.mark.parametrize(
    ("row", "wanted", "said"),
    [
        (
            {},
            "more",
            f"{MOVED.format('0.30')}{COMES}: what is beyond that, +0.04 to +0.11, is above 0.",
        ),
        (
            {"change": 0.18},
            "no more",
            f"{MOVED.format('0.18')}differ by 0.20, as much as the periods do: the change less 1.1 times that, −0.07 "
            "to −0.01, is below 0.",
        ),
        (
            {"change": 0.22},
            "open",
            f"{MOVED.format('0.22')}{COMES}: what is beyond that, −0.04 to +0.03, would have to be above 0 to tell a "
            "change.",
        ),
        (
            {"change_se": math.nan},
            "open",
            f"{MOVED.format('0.30')}{COMES}; so few runs give no interval of what is beyond that.",
        ),
    ],
)
def test_change_against_the_sampling_floor(row, wanted, said):
    assert against_floor(BASE | row) == wanted
    assert of_pair(BASE | row) == said + WITHOUT


@pytest.mark.parametrize("row", [{"change": 0.21, "runs_first": 60, "runs_second": 60}, {"change_se": 0.1}])
def test_between_floor_and_margin_nothing_can_be_told(row):
    low, high = beyond(BASE | row)
    assert against_floor(BASE | row) == "open"
    assert low < 0 < beyond_margin(BASE | row)[1]
    assert signed_span(low, high) in of_pair(BASE | row)


def test_the_lead_tells_the_scale_and_what_moves_where_nothing_changed():
    row = BASE | {"sampling_floor": None, "tested": 1}
    below = [control(1, corrected=-0.031)]
    assert of_pair(row, below).endswith("so that nothing changed, −0.031.")
    splits = [control(k, corrected=value) for k, value in ((1, 0.08), (2, 0.1))]
    assert unlike(row) == pytest.approx(0.7)
    assert of_pair(row, splits, scale=True) == (
        "From 1800-1819 to 1820-1839, 1 word moved by 0.30 between a run of each (0: used alike; 0.70: two different "
        "words). Without the noise of training the change is 0.20 (0.19–0.21), where documents were dealt out at "
        "random, so that nothing changed, 0.090."
    )
    assert of_pair(row | {"corrected": math.nan}).endswith(
        "With one run, how much of it is training noise cannot be told."
    )


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


def test_the_lead_says_between_which_periods_contexts_differ():
    rows = [
        BASE,
        BASE | {"first": "b", "second": "c", "change": 0.18},
        BASE | {"first": "c", "second": "d", "change": 0.22},
    ]
    assert list(of_sampling(rows)) == [
        "Contexts differ beyond the sampling of documents from 1800-1819 to 1820-1839; contexts differ no more than "
        "two samplings of one period's documents from b to c; whether contexts differ beyond the sampling of documents "
        "from c to d cannot be told."
    ]
    assert list(of_sampling(rows[2:] * 2)) == [
        "Whether contexts differ beyond the sampling of documents from c to d and from c to d cannot be told."
    ]
    assert list(of_sampling([BASE | {"sampling_floor": None}])) == []
    glove = list(of_sampling([BASE, BASE | {"series": "glove/shuffled"}]))
    assert "1839 (sgns/shuffled) and from 1800-1819 to 1820-1839 (glove/shuffled)." in glove[0]


def test_without_bootstrap_runs_nothing_is_said_to_differ():
    row = BASE | {"sampling_floor": None, "sampling_se": None}
    said = verdict({"pairs": Table.of([row]), "laws": Table()})
    assert said[0] == (
        "No change can be told yet from other documents of the same time: how far apart two samplings of one period's "
        "documents would lie is not known. Train bootstrap runs too, or a control (train --control 2)."
    )
    assert len(said) == 2
    said = verdict({"pairs": Table.of([row | {"bootstrap": True}]), "laws": Table()})
    assert "train shuffled runs too" in said[0]
    splits = [control(k, corrected=0.1, sampling_floor=None) for k in (1, 2)]
    said = verdict({"pairs": Table.of([row, *splits]), "laws": Table()})
    assert len(said) == 2  # the control tells change from other documents by itself
    assert said[0].startswith("Periods differ more than documents dealt out at random do")
    said = verdict({"pairs": Table.of([BASE, *splits]), "laws": Table()})
    assert [sentence[:9] for sentence in said] == ["Contexts ", "From 1800", "Periods d"]


def test_of_many_pairs_three_are_told():
    rows = [BASE | {"first": str(k), "second": str(k + 1)} for k in range(5)]
    said = verdict({"pairs": Table.of(rows)})
    assert len(said) == 4
    assert said[3].endswith("2 more pairs of periods are in the table below.")
    assert [sentence.count("used alike") for sentence in said] == [0, 1, 0, 0]
    techniques = verdict({"pairs": Table.of([BASE, BASE | {"series": "glove/shuffled"}])})
    assert [sentence.partition(": ")[0] for sentence in techniques[1:]] == ["sgns/shuffled", "glove/shuffled"]


@pytest.mark.parametrize(
    ("genuine", "control", "wanted"),
    [(0.3, [0.1], "more"), (0.1, [0.3], "less"), (0.2, [0.18], "open"), (0.3, [0.0, 0.4], "open")],
)
def test_frequency_against_the_control(genuine, control, wanted):
    rows = [{"r2_marginal": x, "r2_se": 0.03, "r2_se_runs": math.nan} for x in (genuine, *control)]
    assert law_verdict(rows[0], rows[1:]) == wanted
    wide = [row | {"r2_se_runs": 0.2} for row in rows]
    assert law_verdict(wide[0], wide[1:]) == "open"


@pytest.mark.parametrize(
    ("genuine", "other", "said"),
    [
        (
            0.5,
            [0.3],
            "and 30% where nothing changed. The difference, +12 to +28 points, is above 0: rarer words changed more "
            "than noise says.",
        ),
        (
            0.1,
            [0.3],
            "and 30% where nothing changed. The difference, −28 to −12 points, is below 0, so these data do not show "
            "that rarer words change more.",
        ),
        (
            0.26,
            [0.3],
            "and 30% where nothing changed. Whether rarer words changed more than noise says cannot be told: the "
            "difference, −12 to +4 points, would have to be above 0.",
        ),
    ],
)
def test_the_law_is_told_with_the_interval_that_decides(genuine, other, said):
    rows = [
        {"series": "a", "control": k > 0, "r2_marginal": x, "r2_se": 0.03, "r2_se_runs": math.nan}
        for k, x in enumerate((genuine, *other))
    ]
    start = f"Frequency explains {genuine:.0%} of how words differ in change (R² of its logarithm), "
    assert list(of_laws(Table.of(rows))) == [start + said]
    assert "train --control 1" in next(of_laws(Table.of(rows[:1])))


def test_words_that_differ_are_counted_with_their_rate():
    rows = [{"first": first, "second": chr(ord(first) + 1), "found": k < 2} for first in "ab" for k in range(5)]
    assert of_words(Table.of(rows), 0.05) == [
        "Contexts differ beyond author sampling for 2 of 5 words from a to b and 2 of 5 words from b to c (of those "
        "found, 5% may be false)."
    ]
    assert of_words(Table.of(rows[:1]), 0.05) == [
        "Contexts differ beyond author sampling for 1 of 1 word from a to b (of those found, 5% may be false)."
    ]
    assert of_words(None, 0.05) == []


def test_floors_are_bootstrap_series_alone():
    """A control without bootstrap runs of its own is no floor, and the law of a bootstrap series is none of another."""
    drawn = {"series": "sgns/bootstrap", "bootstrap": True, "sampling_floor": None, "sampling_se": None}
    other = control(1, sampling_floor=None, corrected=0.07)
    pairs = Table.of([BASE | drawn, BASE, other])
    assert floor_series(pairs) == {"sgns/bootstrap"}
    assert asked(pairs) == ["sgns/shuffled"]
    law = {"r2_se": 0.01, "r2_se_runs": 0.01}
    rows = [
        law | {"series": "sgns/bootstrap", "control": False, "r2_marginal": 0.9},
        law | {"series": "sgns/bootstrap/control=1", "control": True, "r2_marginal": 0.8},
        law | {"series": "sgns/shuffled", "control": False, "r2_marginal": 0.2},
        law | {"series": "sgns/shuffled/control=1", "control": True, "r2_marginal": 0.3},
    ]
    drawn_control = {"series": "sgns/bootstrap/control=1", "of": "sgns/bootstrap", "bootstrap": True}
    pairs = Table.of([*pairs.records(), other | drawn_control])
    assert "Frequency explains 20% of" in next(of_laws(Table.of(rows), {"sgns/bootstrap", "sgns/bootstrap/control=1"}))
    said = verdict({"pairs": pairs, "laws": Table.of(rows)})
    assert "so that nothing changed, 0.070." in said[1]
    assert called(pairs) == {
        "sgns/bootstrap": "sgns/bootstrap",
        "sgns/shuffled": "sgns/shuffled",
        "sgns/shuffled/control=1": "dealt out at random (1), sgns/shuffled",
        "sgns/bootstrap/control=1": "dealt out at random (1), sgns/bootstrap",
    }


@pytest.mark.parametrize(
    ("splits", "wanted", "said"),
    [
        (
            (0.10, 0.105),
            "more",
            "Periods differ more than documents dealt out at random do: the difference is 0.098 (+0.04 to +0.15, above "
            "0), without the noise of training.",
        ),
        (
            (0.10, 0.20),
            "open",
            "Whether periods differ more than documents dealt out at random cannot be told from these splits: the "
            "difference is 0.050, and its interval, −1.05 to +1.15, would have to be above 0.",
        ),
        (
            (0.10,),
            "unknown",
            "Periods differ by 0.10 more than documents dealt out at random without the noise of training. Two splits "
            "or more would tell how far that is chance (train --control 2).",
        ),
    ],
)
def test_periods_against_splits_at_random(splits, wanted, said):
    other = [control(k, corrected=x) for k, x in enumerate(splits, 1)]
    assert against_control([BASE, *other]) == wanted
    assert list(of_control([BASE, *other])) == [said]
    assert against_control([BASE, *(row | {"corrected": math.nan} for row in other)]) == "unknown"
    assert list(of_control([BASE, *(row | {"corrected": math.nan} for row in other)])) == []
    assert list(of_control([BASE])) == []


def test_fewer_splits_than_periods_differ():
    other = [control(k, corrected=x) for k, x in enumerate((0.3, 0.31), 1)]
    assert against_control([BASE, *other]) == "open"
    pairs = [row | {"first": first} for first in "ab" for row in (BASE, *other)]
    assert "the difference, mean of 2 pairs of periods, is −0.10, and" in next(of_control(pairs))


@pytest.mark.parametrize(
    ("value", "by"), [(0.23, "by 0.030 less than"), (0.2, "as much as"), (0.17, "by 0.030 more than")]
)
def test_one_split_may_differ_more_than_periods_do(value, by):
    (said,) = of_control([BASE, control(1, corrected=value)])
    assert said.startswith(f"Periods differ {by} documents dealt out at random without")


def test_many_splits_know_how_far_they_differ():
    """Where the epochs are one split more, by t 2.5 % are said to be more."""
    rng, often = np.random.default_rng(0), 0
    for _ in range(400):
        draws = 0.1 + 0.01 * rng.normal(size=(2, 4))
        rows = [
            BASE | {"first": str(pair), "control": k > 0, "corrected": float(draws[pair, k]), "corrected_se": 0.0}
            for pair in range(2)
            for k in range(4)
        ]
        often += against_control(rows) == "more"
    assert often <= 0.04 * 400
