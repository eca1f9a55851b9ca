"""The law of frequency: errors over runs are those of repeated trainings, and a word's excess is its residual."""

import math
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest
import torch

from gpustab import InputError
from gpustab.studies.change.claims import BEYOND_LAW
from gpustab.studies.change.laws import Laws, Rows, beyond_splits, by_frequency, excesses, law_rows, run_error
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.page import page
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import EXCESS
from tests.statistics.test_curves import natural
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
    rows = [list(law_rows("s", False, made(seed), ChangeOptions(resamples=0))) for seed in range(24)]
    for k, n in enumerate((1, 2, 8)):
        for value, error in (("beta", "beta_se_runs"), ("r2_marginal", "r2_se_runs")):
            true = stdev(getattr(own[k], value) for own in rows)
            told = math.sqrt(fmean(getattr(own[k], error) ** 2 for own in rows))
            assert told == pytest.approx(true, rel=0.3), (n, value)


def test_pairs_that_share_no_word_are_not_asked_for_more_periods():
    first, second = made(0, runs=1).parts
    with pytest.raises(InputError, match="pairs of periods; give three periods or more"):
        Laws([first], False)
    with pytest.raises(InputError, match="two pairs of periods, which share no word"):
        Laws([first, second._replace(words=[f"other{k}" for k in range(V)])], False)


def test_one_run_has_no_error_over_runs():
    only = list(law_rows("s", False, made(0, runs=1), ChangeOptions(resamples=0)))
    assert [row.n for row in only] == [1]
    assert math.isnan(only[0].r2_se_runs)
    assert run_error([1.0, 3.0], []) == pytest.approx(1.0)
    assert run_error([5.0], [[1.0, 3.0]]) == pytest.approx(1.0)  # of a mean of two it is half their difference


@pytest.mark.parametrize("per_pair", [False, True])
def test_an_excess_is_what_a_curve_over_the_words_of_two_periods_leaves(per_pair):
    own = made(1, per_pair=per_pair)
    rows = excesses("s", own, [])
    found = {(row.first, row.word): row for row in rows}
    for pair, part in enumerate(own.parts):
        y, x = np.log(part.changes[8][0]), np.log(part.frequency)
        basis = natural(x, V // 25)
        want = y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
        for k in range(V):
            row = found[f"e{pair}", f"w{k}"]
            assert row.excess == pytest.approx(want[k], abs=1e-9)
            assert row.expected == pytest.approx(row.change / math.exp(row.excess))
            assert row.excess_se > 0
            assert row.freedom == 7
    assert [row.excess for row in rows[:V]] == sorted((row.excess for row in rows[:V]), reverse=True)


def test_beyond_the_control_by_frequency():
    own, lacking = made(0), [made(1), made(2)]
    for split in lacking:
        split.parts = [part._replace(words=["x0", *part.words[1:]]) for part in split.parts]
    rows = excesses("s", own, lacking)
    parts = list(by_frequency(rows))
    assert [part.words for part in parts] == [25, 25, 25, 24] * 2  # the control lacks w0
    known = [row for row in rows if row.first == "e0" and not math.isnan(row.noise)]
    assert fmean(part.words * part.beyond for part in parts[:4]) * 4 / 99 == pytest.approx(
        fmean(row.change - row.noise for row in known)
    )
    assert parts[0].high <= parts[1].low
    assert list(by_frequency(excesses("s", own, []))) == []


def test_the_page_lists_those_that_lead_documents_dealt_out_at_random():
    made_up = runset(epochs=3, runs=6, v=60, moved=(7, *range(20, 34)), step=4.0, splits=3)
    answer = change(groups(made_up), min_count=1, resamples=0)
    block = next(own for own in page(answer) if own.title.startswith("Which words changed more than words of"))
    rows = [row for row in answer.tables["excess"].rows() if row.first == "1800-1819"]
    listed = [cells[0] for cells in block.tables[0].rows]
    low = {row.word: row.interval[0] for row in rows if row.q <= 0.05}
    moved = {"w7", *(f"w{k}" for k in range(20, 34))}
    assert len(moved & set(low)) >= 7
    assert len(set(low) - moved) <= 1
    assert listed == sorted(low, key=lambda word: -low[word])[: len(listed)]
    one = change(groups(runset(epochs=3, runs=1, v=60)), min_count=1, resamples=0)
    block = next(own for own in page(one) if own.title.startswith("Which words changed more than words of"))
    assert block.tables == []
    assert "can be said of no word" in block.answer


def with_an_odd_run(laws, loud):
    """Laws of which every average holds a run whose noise is the same for all words, and much larger than theirs."""
    parts = []
    for part in laws.parts:
        large = 9 * part.changes[max(part.changes)].mean() * np.exp(0.02 * np.random.default_rng(0).normal(size=V))
        parts.append(
            part._replace(
                changes={n: x + large for n, x in part.changes.items()},
                without={n: x + large for n, x in part.without.items()},
                training=loud,
            )
        )
    laws.parts = parts
    return laws


@pytest.mark.parametrize("odd", [(False, True, True), (False, True, False), (True, False, False)])
def test_words_lead_no_split_whose_runs_are_of_other_noise(odd):
    """Noise that is the same for all words hides what each would lead by: the periods then lead by what is usual."""
    own, *splits = (
        with_an_odd_run(made(k), 0.9) if loud else Laws([x._replace(training=0.3) for x in made(k).parts], False)
        for k, loud in enumerate(odd)
    )
    rows = excesses("s", own, splits)
    assert [row.unlike_noise for row in rows] == pytest.approx([3.0] * len(rows))
    assert {BEYOND_LAW.judge(row) for row in rows} == {"no test"}
    if odd == (False, True, True):
        assert sum(row.q <= 0.05 for row in rows) > V / 10  # which were named


def test_a_pair_of_periods_says_how_unlike_its_noise_and_that_of_splits_are():
    sound = runset(runs=3, splits=2)
    names = {name: str(name.part) for name in sound}
    bad = dict(sound)
    (one,) = (name for name, said in names.items() if "1800" in said and "'2'" in said)
    first, *others = bad[one]
    noise = torch.from_numpy(np.random.default_rng(0).normal(size=tuple(first.vectors.shape))).to(first.vectors.dtype)
    bad[one] = [replace(first, vectors=noise), *others]
    for made_up, least, most in ((sound, 1.0, 1.2), (bad, 2.0, 20.0)):
        answer = change(groups(made_up), min_count=1, resamples=0)
        unlike = {row.first: row.unlike_noise for row in EXCESS.rows(answer.tables)}
        assert least <= unlike["1800-1819"] <= most
        assert 1.0 <= unlike["1820-1839"] <= 1.2
        block = next(own for own in page(answer) if own.title.startswith("Which words changed more than words of"))
        assert ("No word is sought from 1800-1819 to 1820-1839" in block.answer) is (made_up is bad)


def naive_rates(excess, splits):
    """What :func:`beyond_splits` says, word by word."""
    words = [w for w in range(len(excess)) if np.isfinite(splits[:, w]).sum() >= 2]
    leads, of_splits = {}, []
    for w in words:
        there = [x for x in splits[:, w] if np.isfinite(x)]
        s = len(there)
        leads[w] = excess[w] - fmean(there)
        for k, x in enumerate(there):
            factor = math.sqrt((1 + 1 / s) / (1 + 1 / (s - 1)))
            of_splits.append(factor * (x - fmean(there[:k] + there[k + 1 :])))
    share = len(of_splits) / len(words) if words else 1
    rates = np.ones(len(excess))
    for w in words:
        lower = [leads[k] for k in words if leads[k] <= leads[w]]
        rates[w] = min(
            1.0, *((1 + sum(x >= t for x in of_splits)) / share / sum(x >= t for x in leads.values()) for t in lower)
        )
    return rates


@pytest.mark.parametrize("count", [2, 3, 7])
def test_rates_are_those_of_counting(count):
    rng = np.random.default_rng(count)
    excess, splits = rng.normal(size=40) + 3 * (np.arange(40) < 15), rng.normal(size=(count, 40))
    splits[rng.random(splits.shape) < 0.2] = math.nan
    np.testing.assert_allclose(beyond_splits(excess, splits), naive_rates(excess, splits))


def test_no_word_leads_without_two_splits():
    assert (beyond_splits(np.arange(9.0), np.zeros((1, 9))) == 1).all()
    assert (beyond_splits(np.arange(9.0), np.zeros((0, 9))) == 1).all()


def test_words_that_scatter_ever_so_differently_lead_no_split():
    """Every split at random has words whose documents are unlike: by an error over runs alone they are all named."""
    rng, named = np.random.default_rng(5), 0
    for _ in range(100):
        bursty = np.exp(rng.normal(size=500))
        excess, *splits = bursty * (rng.standard_t(4, size=(4, 500)) + 1)
        named += (beyond_splits(excess, np.array(splits)) <= 0.05).any()
    assert named <= 8
