"""The law of cosines over runs, and p@n as it predicts it."""

import numpy as np
import pytest
import torch

from gpustab import engine
from gpustab.studies.instability.cosines import distribution_tables, exact_agreement, nearest_cosines, prediction_tables
from tests import oracles
from tests.generators import generator, noisy_copies, runs_of
from tests.studies.instability.made import technique


@pytest.fixture(scope="module")
def normal():
    return distribution_tables(technique(runs_of(noisy_copies(6, 400, 10, noise=0.02)), pairs=300))


def test_small_noise_gives_normal_and_independent_cosines(normal):
    table = normal["distribution"]
    assert table["hypothesis"] == ["normal", "independent, disjoint", "independent, sharing"]
    assert min(table["p"][:2]) > 0.01
    assert table["kurtosis"][0] == pytest.approx(3 * 5 / 7, rel=0.1)
    assert table["kurtosis_normal"][0] == pytest.approx(3 * 5 / 7)


def test_the_histograms_are_densities_and_shares(normal):
    assert sum(normal["whitened"]["density"]) * 0.25 == pytest.approx(1)
    assert sum(normal["whitened"]["normals"]) * 0.25 == pytest.approx(1, abs=0.01)
    for column in ("share", "normals"):
        assert sum(normal["p_values"][column]) == pytest.approx(3)  # of three tests


def test_runs_of_two_kinds_are_found_to_be_neither_normal_nor_independent():
    kinds = noisy_copies(2, 200, 8, noise=0.5)
    noise = 1e-3 * torch.randn(8, 200, 8, dtype=torch.float64, generator=generator(1))
    table = distribution_tables(technique(runs_of(kinds.repeat(4, 1, 1) + noise), pairs=200))["distribution"]
    assert max(table["p"]) < 1e-6
    assert table["below_0.05"][0] > 0.9


@pytest.fixture(scope="module")
def runs():
    return runs_of(noisy_copies(5, 80, 8, noise=0.1))


@pytest.fixture(scope="module")
def tables(runs):
    return prediction_tables(technique(runs, targets=20, seed=3))


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


def test_many_runs_of_an_exact_model_are_predicted():
    runs = runs_of(noisy_copies(40, 60, 8, noise=0.05))
    found = exact_agreement(nearest_cosines(runs, torch.arange(60)), 40, [1, 10], 0)
    assert min(found.pearson) > 0.97
    assert max(found.bias.abs()) < 0.02
    assert max(found.rmse) < 0.05


def test_few_runs_agree_less_and_are_predicted_too_stable():
    stack = noisy_copies(40, 60, 8, noise=0.2)
    few, many = (
        exact_agreement(nearest_cosines(runs_of(stack[:runs]), torch.arange(60)), runs, [1], 0) for runs in (4, 40)
    )
    assert few.pearson < many.pearson
    assert few.rmse > 2 * many.rmse


def test_the_normals_come_from_the_seed_and_a_small_vocabulary_is_enough():
    nearest = nearest_cosines(runs_of(noisy_copies(4, 12, 4)), torch.arange(5))
    first, again, other = (exact_agreement(nearest, 4, [1, 11], seed) for seed in (0, 0, 1))
    assert torch.equal(first.rmse, again.rmse)
    assert first.rmse[0] != other.rmse[0]
    assert first.rmse[1].item() == pytest.approx(0, abs=1e-9)  # all other words are neighbours
