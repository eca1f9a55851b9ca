import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.studies.instability.prediction import prediction_tables
from tests import oracles
from tests.generators import noisy_copies, runs_of


@pytest.fixture(scope="module")
def runs():
    return runs_of(noisy_copies(5, 80, 8, noise=0.1))


@pytest.fixture(scope="module")
def tables(runs):
    return prediction_tables("x", runs, 20, 3, Compute())


def column(tables, name, n):
    table = tables["predictions"]
    return np.array([value for value, length in zip(table[name], table["n"], strict=True) if length == n])


def test_the_targets_are_a_seeded_draw_and_their_overlap_is_the_naive_one(runs, tables):
    targets = engine.draw_targets(runs, 20, 3).tolist()
    assert tables["predictions"]["word"][:20] == [f"w{k}" for k in targets]
    assert tables["table_a_2"]["targets"] == [20] * 6
    stack = runs.stack().numpy()
    lists = [[oracles.top_k(x, t, 50) for t in targets] for x in stack]
    np.testing.assert_allclose(column(tables, "measured", 5), oracles.overlap(lists, 5)[0].mean(0), atol=1e-6)


@pytest.mark.parametrize("n", [1, 10])
def test_agreement_is_that_of_the_rows(tables, n):
    measured, plain, factor = (column(tables, name, n) for name in ("measured", "plain", "structure"))
    row = tables["table_a_2"]["n"].index(n)
    error = plain - measured
    found = [tables["table_a_2"][f"plain_{field}"][row] for field in ("pearson", "bias", "rmse")]
    wanted = [np.corrcoef(plain, measured)[0, 1], error.mean(), np.sqrt((error**2).mean())]
    assert found == pytest.approx(wanted)
    assert tables["table_2_5"]["pearson"][row] == pytest.approx(np.corrcoef(factor, measured)[0, 1])


def test_small_independent_noise_is_predicted(tables):
    assert tables["table_a_2"]["plain_pearson"][3] > 0.8
    assert max(map(abs, tables["table_a_2"]["plain_bias"])) < 0.1


def test_the_loss_of_a_word_is_what_p_is_compared_with(runs, tables):
    stack = runs.stack().numpy()
    losses = np.mean([oracles.wordwise_pip(stack[i], stack[j]) for i, j in oracles.pairs(5)], axis=0)
    rows = engine.draw_targets(runs, 20, 3)
    wanted = np.corrcoef(losses[rows], column(tables, "measured", 1))[0, 1]
    assert tables["table_2_5"]["pearson_with_pip"][0] == pytest.approx(wanted)
    assert isinstance(rows, torch.Tensor)
