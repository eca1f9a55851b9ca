"""The law of frequency: errors over runs are those of repeated trainings, and a word's excess is its residual."""

import math
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.stats import false_discovery_control, t
from statsmodels.regression.mixed_linear_model import MixedLM

from gpustab.statistics.intervals import Estimate
from gpustab.studies.change.claims import BEYOND_LAW
from gpustab.studies.change.laws import Laws, Rows, by_frequency, changes_of, excesses, law_rows, run_error
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.page import page
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import Excess
from tests.studies.change.planted import groups, runset

V, RUNS = 100, 8


def made(seed, runs=RUNS, per_pair=False):
    """Two pairs of epochs; averages of n runs have 1/n of the runs' noise, whose logarithm is far from normal."""
    rng, fixed = np.random.default_rng([3, seed]), np.random.default_rng(4)
    words, parts = [f"w{k}" for k in range(V)], []
    log_f, own = fixed.normal(size=V) - 8, fixed.normal(size=V)
    for pair in range(2):
        truth = np.exp(-0.3 * log_f + 0.3 * own + 0.3 * fixed.normal(size=V) - 4)
        noise = 0.2 * truth.mean() * rng.exponential(size=(runs, V)) * np.exp(0.5 * rng.normal(size=(runs, 1)))
        changes, without = {}, {}
        for n in (1, 2, 8):
            if n <= runs:
                blocks = noise.reshape(runs // n, n, V)
                changes[n] = truth + blocks.mean(1)
                if n > 1:
                    without[n] = truth + (blocks.sum(1, keepdims=True) - blocks) / (n - 1)
        parts.append(Rows(f"e{pair}", f"e{pair + 1}", words, np.exp(log_f), changes, without))
    return Laws(parts, per_pair)


def test_errors_over_runs_are_those_of_repeated_trainings():
    rows = [list(law_rows("s", False, made(seed), ChangeOptions(resamples=0))) for seed in range(40)]
    for k, n in enumerate((1, 2, 8)):
        for value, error in (("beta", "beta_se_runs"), ("r2_marginal", "r2_se_runs")):
            true = stdev(getattr(own[k], value) for own in rows)
            told = math.sqrt(fmean(getattr(own[k], error) ** 2 for own in rows))
            assert told == pytest.approx(true, rel=0.3), (n, value)


def test_one_run_has_no_error_over_runs():
    only = list(law_rows("s", False, made(0, runs=1), ChangeOptions(resamples=0)))
    assert [row.n for row in only] == [1]
    assert math.isnan(only[0].r2_se_runs)
    assert run_error([1.0, 3.0], []) == pytest.approx(1.0)
    assert run_error([5.0], [[1.0, 3.0]]) == pytest.approx(1.0)  # of a mean of two it is half their difference


@pytest.mark.parametrize("per_pair", [False, True])
def test_an_excess_is_the_residual_of_the_fit(per_pair):
    own = made(1, per_pair=per_pair)
    rows = excesses("s", own, {})
    y = np.log(np.stack([part.changes[8][0] for part in own.parts]))
    x = np.log(np.stack([part.frequency for part in own.parts]))
    axis = 1 if per_pair else None
    sd = y.std(axis, ddof=1, keepdims=True)
    frame = {
        "y": ((y - y.mean(axis, keepdims=True)) / sd).ravel(),
        "x": ((x - x.mean(axis, keepdims=True)) / x.std(axis, ddof=1, keepdims=True)).ravel(),
        "word": np.tile(np.arange(V), 2),
    }
    design = np.column_stack([np.ones(2 * V), frame["x"]])
    fixed = design @ MixedLM(frame["y"], design, groups=frame["word"]).fit().fe_params
    want = ((frame["y"] - fixed).reshape(2, V) * sd).ravel()
    found = {(row.first, row.word): row for row in rows}
    for pair in range(2):
        for k in range(V):
            row = found[f"e{pair}", f"w{k}"]
            assert row.excess == pytest.approx(want[pair * V + k], abs=2e-3)
            assert row.expected == pytest.approx(row.change / math.exp(row.excess))
            assert row.excess_se > 0
            assert row.freedom == 7
    assert [row.excess for row in rows[:V]] == sorted((row.excess for row in rows[:V]), reverse=True)


def test_beyond_the_control_by_frequency():
    own, other = made(0), made(1)
    rows = excesses("s", own, {key: [0.5 * x, 0.7 * x] for key, x in changes_of(other).items() if key[2] != "w0"})
    parts = list(by_frequency(rows))
    assert [part.words for part in parts] == [25, 25, 25, 24] * 2  # the control lacks w0
    known = [row for row in rows if row.first == "e0" and not math.isnan(row.noise)]
    assert fmean(part.words * part.beyond for part in parts[:4]) * 4 / 99 == pytest.approx(
        fmean(row.change - row.noise for row in known)
    )
    assert parts[0].high <= parts[1].low
    assert list(by_frequency(excesses("s", own, {}))) == []


def test_the_page_lists_those_that_are_surely_above_the_law():
    answer = change(groups(runset(epochs=3, runs=6, v=60, moved=(7,), step=4.0)), min_count=1, resamples=0)
    block = next(own for own in page(answer) if own.title.startswith("Which words changed more than words of"))
    rows = list(answer.tables["excess"].records(first="1800-1819"))
    p = [float(t.sf(row["excess"] / row["excess_se"], 5)) for row in rows]
    np.testing.assert_allclose([row["q"] for row in rows], false_discovery_control(p))
    listed = [cells[0] for cells in block.tables[0].rows]
    low = {row["word"]: Estimate(row["excess"], row["excess_se"], 5).interval[0] for row in rows if row["q"] <= 0.05}
    assert listed[0] == "w7"
    assert listed == sorted(low, key=lambda word: -low[word])[: len(listed)]
    one = change(groups(runset(epochs=3, runs=1, v=60)), min_count=1, resamples=0)
    block = next(own for own in page(one) if own.title.startswith("Which words changed more than words of"))
    assert block.tables == []
    assert "can be said of no word" in block.answer


def test_no_word_is_beyond_the_law_by_chance_or_where_documents_at_random_take_it_as_far():
    """Of 500 words that follow the law every fortieth has an interval above it."""
    rng = np.random.default_rng(0)
    z = rng.standard_t(3, size=500)
    rows = [Excess("s", "a", "b", f"w{k}", 0.1, 0.5, 0.4, x, 1.0, 3, math.nan, math.nan) for k, x in enumerate(z)]
    assert sum(row.interval[0] > 0 for row in rows) >= 5
    q = false_discovery_control([row.p for row in rows])
    judged = [BEYOND_LAW.judge(row._replace(q=float(rate))) for row, rate in zip(rows, q, strict=True)]
    assert "yes" not in judged
    sure = rows[0]._replace(q=0.001)
    assert BEYOND_LAW.judge(sure) == "yes"
    assert BEYOND_LAW.judge(sure._replace(noise=0.6)) == "no"
