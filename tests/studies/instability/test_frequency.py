"""Trends over word frequency, and their errors over words and over runs."""

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from gpustab import InputError, load_runs
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.studies.instability.frequency import BATCHES_OF_WORDS, change_error, frequency_tables, pair_sums, trend
from gpustab.studies.instability.losses import instability_tables
from tests import oracles
from tests.generators import spaces
from tests.studies.instability.made import technique


def test_a_straight_line_over_the_logarithm_is_found_exactly():
    frequency = torch.logspace(1, 4, 200, dtype=torch.float64)
    found = trend(frequency, 2 + 0.5 * frequency.log10())
    assert (found.slope, found.correlation, found.batch_correlation) == pytest.approx((0.5, 1, 1))
    assert found.slope_se < 1e-12
    decades = 3 * 190 / 199  # between the middles of the outer batches
    assert found.change == pytest.approx(0.5 * decades / 3.25)


def test_the_error_is_the_sandwich_of_white():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 4, 500)
    y = 1 + 0.1 * x + x * rng.normal(size=500)
    found = trend(torch.from_numpy(10**x), torch.from_numpy(y))
    design = np.stack([np.ones(500), x], 1)
    bread = np.linalg.inv(design.T @ design)
    slope = bread @ design.T @ y
    rest = y - design @ slope
    sandwich = bread @ (design.T * rest**2) @ design @ bread
    assert found.slope == pytest.approx(slope[1])
    assert found.slope_se == pytest.approx(np.sqrt(sandwich[1, 1]))
    order = np.argsort(x)
    batches = [np.array_split(z[order], 20) for z in (x, y)]
    wanted = spearmanr(*([part.mean() for part in parts] for parts in batches))
    assert (found.batch_correlation, found.batch_p) == pytest.approx(wanted)
    assert found.low < found.change < found.high


def test_too_few_words_or_unseen_ones_are_refused():
    with pytest.raises(InputError, match="39 words in 20 batches"):
        trend(torch.ones(39), torch.ones(39))
    with pytest.raises(InputError, match="above 0"):
        trend(torch.arange(50), torch.ones(50))


def test_words_without_a_value_or_a_count_are_left_out():
    words = {"technique": ["x"] * 60, "frequency": [float(k) for k in range(60)], "intrinsic": [1.0] * 59 + [np.nan]}
    words["extrinsic_square"] = [np.nan] * 60
    tables = frequency_tables(Table(words))
    assert tables["frequency"]["quantity"] == ["intrinsic"]
    assert tables["frequency"]["words"] == [58]
    assert tables["frequency"]["least_frequency"] == [0]
    assert frequency_tables(Table({**words, "frequency": [None] * 60}))["batches"]["mean"] == []


def test_frequent_words_have_a_trend_of_their_own():
    frequency = torch.logspace(1, 4, 300, dtype=torch.float64)
    x = frequency.log10()
    values = torch.where(x < 2, x, 4 - x)  # up, then down
    words = {"technique": ["x"] * 300, "frequency": frequency.tolist(), "intrinsic": values.tolist()}
    table = frequency_tables(Table(words | {"extrinsic_square": [np.nan] * 300}))["frequency"]
    assert table["least_frequency"] == [0, 100]
    assert table["slope"][1] == pytest.approx(-1)
    assert table["words"] == [300, int((frequency >= 100).sum())]


def group(runs, seed, v=70):
    return load_runs(spaces(runs, v, 5, seed=seed))


@pytest.fixture(scope="module")
def groups():
    return {"shuffled": group(4, 0), "bootstrap": group(5, 2)}


def word_losses(runs):
    x = oracles.unit(runs.stack())
    return {(i, j): oracles.wordwise_pip(x[i], x[j]) for i, j in oracles.pairs(len(x))}


def test_sums_are_those_of_the_naive_losses(groups):
    weights = torch.randn(3, 70, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    found = pair_sums(groups, weights, Compute())
    for name, runs in groups.items():
        for (i, j), losses in word_losses(runs).items():
            np.testing.assert_allclose(found[name].losses[:, i, j], weights.numpy() @ losses, atol=1e-12)
            np.testing.assert_allclose(found[name].squares[:, j, i], weights.numpy() @ losses**2, atol=1e-12)


def change(frequency, values):
    """Fitted change from the rarest to the most frequent batch, as a part of the mean."""
    x = np.log10(frequency)
    order = np.argsort(x, kind="stable")
    ends = [part.mean() for part in np.array_split(x[order], BATCHES_OF_WORDS)]
    slope = ((x - x.mean()) * values).sum() / np.square(x - x.mean()).sum()
    return slope * (ends[-1] - ends[0]) / values.mean()


def leave_out(losses, runs, square):
    powers = {pair: x**2 if square else x for pair, x in losses.items()}
    whole = np.mean(list(powers.values()), axis=0)
    return whole, [np.mean([x for pair, x in powers.items() if r not in pair], axis=0) for r in range(runs)]


def test_errors_are_those_of_leaving_out_every_run(groups):
    tables = instability_tables(technique(groups))
    rows = list(frequency_tables(tables["words"], technique(groups))["frequency"].records())
    frequency = np.array(tables["words"]["frequency"])
    shuffled, bootstrap = (word_losses(groups[name]) for name in ("shuffled", "bootstrap"))
    whole, rest = leave_out(shuffled, 4, False)
    changes = [change(frequency, x) for x in rest]
    assert rows[0]["change"] == pytest.approx(change(frequency, whole))
    assert rows[0]["change_runs_se"] == pytest.approx(np.sqrt(3) * np.std(changes))
    (s, s_rest), (b, b_rest) = leave_out(shuffled, 4, True), leave_out(bootstrap, 5, True)
    variance = 3 * np.var([change(frequency, b - x) for x in s_rest]) + 4 * np.var(
        [change(frequency, x - s) for x in b_rest]
    )
    assert rows[1]["quantity"] == "extrinsic squared"
    assert rows[1]["change"] == pytest.approx(change(frequency, b - s))
    assert rows[1]["change_runs_se"] == pytest.approx(np.sqrt(variance))


def test_the_interval_holds_both_errors(groups):
    tables = instability_tables(technique(groups))
    both, words = (
        list(frequency_tables(tables["words"], *x)["frequency"].records()) for x in ((technique(groups),), ())
    )
    for a, b in zip(both, words, strict=True):
        assert np.isnan(b["change_runs_se"])
        half = (b["high"] - b["low"]) / 2
        wanted = np.hypot(half, 3.182446305 * a["change_runs_se"])  # t(3): 4 runs
        assert (a["high"] - a["low"]) / 2 == pytest.approx(wanted)


def test_runs_that_move_all_words_together_are_seen():
    """Words of equal loss within a pair: no scatter over words, all of it over runs."""
    a = np.array([1.0, 1.2, 0.9, 1.1])
    losses = a[:, None] + a
    np.fill_diagonal(losses, 0)
    error, runs = change_error({"shuffled": torch.from_numpy(np.stack([losses**2, losses]))})
    mean = [
        [x[np.ix_(k, k)].sum() / 6 for x in (losses**2, losses)]
        for k in [[r for r in range(4) if r != o] for o in range(4)]
    ]
    ratios = [x / y for x, y in mean]
    assert runs == 4
    assert error == pytest.approx(np.sqrt(3) * np.std(ratios))
