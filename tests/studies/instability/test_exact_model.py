import pytest
import torch

from gpustab.studies.instability.exact_model import exact_agreement
from tests.generators import noisy_copies, runs_of


def test_many_runs_of_an_exact_model_are_predicted():
    runs = runs_of(noisy_copies(40, 60, 8, noise=0.05))
    found = exact_agreement(runs, torch.arange(60), [1, 10], 0)
    assert min(found.pearson) > 0.97
    assert max(found.bias.abs()) < 0.02
    assert max(found.rmse) < 0.05


def test_few_runs_agree_less_and_are_predicted_too_stable():
    stack = noisy_copies(40, 60, 8, noise=0.2)
    few, many = (exact_agreement(runs_of(stack[:runs]), torch.arange(60), [1], 0) for runs in (4, 40))
    assert few.pearson < many.pearson
    assert few.rmse > 2 * many.rmse


def test_the_normals_come_from_the_seed_and_a_small_vocabulary_is_enough():
    runs = runs_of(noisy_copies(4, 12, 4))
    first, again, other = (exact_agreement(runs, torch.arange(5), [1, 11], seed) for seed in (0, 0, 1))
    assert torch.equal(first.rmse, again.rmse)
    assert first.rmse[0] != other.rmse[0]
    assert first.rmse[1].item() == pytest.approx(0, abs=1e-9)  # all other words are neighbours
