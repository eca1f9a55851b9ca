import numpy as np
import pytest
import torch

from gpustab import load_runs
from gpustab.machine.device import Compute
from gpustab.studies.instability.extrinsic import instability_tables
from gpustab.studies.instability.frequency import BATCHES, frequency_tables
from gpustab.studies.instability.trend_errors import change_error, pair_sums
from tests import oracles
from tests.generators import spaces


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
    ends = [part.mean() for part in np.array_split(x[order], BATCHES)]
    slope = ((x - x.mean()) * values).sum() / np.square(x - x.mean()).sum()
    return slope * (ends[-1] - ends[0]) / values.mean()


def leave_out(losses, runs, square):
    powers = {pair: x**2 if square else x for pair, x in losses.items()}
    whole = np.mean(list(powers.values()), axis=0)
    return whole, [np.mean([x for pair, x in powers.items() if r not in pair], axis=0) for r in range(runs)]


def test_errors_are_those_of_leaving_out_every_run(groups):
    tables = instability_tables("x", groups, Compute())
    rows = list(frequency_tables(tables["words"], groups, Compute())["frequency"].records())
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
    tables = instability_tables("x", groups, Compute())
    both, words = (list(frequency_tables(tables["words"], *x)["frequency"].records()) for x in ((groups,), ()))
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
