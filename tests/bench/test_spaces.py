import numpy as np
import pytest
import torch

from gpustab.bench.spaces import LOSS, noise_share, synthetic_runs
from gpustab.engine import pip_pass
from tests import oracles

CPU = torch.device("cpu")


def test_runs_are_unit_turned_and_of_the_promised_loss():
    runs = synthetic_runs(3, 1500, 60, CPU)
    stack = torch.stack(list(runs.rows)).double()
    torch.testing.assert_close(stack.norm(dim=2), torch.ones(3, 1500, dtype=torch.float64), rtol=1e-6, atol=0)
    torch.testing.assert_close(runs.lengths, stack.norm(dim=2))
    found = [oracles.reduced_pip(stack[i].numpy(), stack[j].numpy()) for i, j in oracles.pairs(3)]
    np.testing.assert_allclose(found, LOSS, rtol=0.03)
    np.testing.assert_allclose(pip_pass(runs).reduced, found, rtol=1e-4)  # rows are unit to float32
    assert oracles.mean_cosine(stack[0].numpy()) == pytest.approx(0.3, abs=0.05)
    assert (stack[0] - stack[1]).norm(dim=1).mean() > 0.5  # not in one frame


def test_a_seed_gives_the_same_runs_and_another_gives_others():
    a, b, c = (synthetic_runs(2, 20, 4, CPU, seed).rows[1] for seed in (1, 1, 2))
    assert torch.equal(a, b)
    assert not torch.equal(a, c)


@pytest.mark.parametrize("dimension", [2, 60, 300, 1000])
def test_noise_solves_its_equation(dimension):
    t = noise_share(LOSS, dimension)
    assert (0.9 * t / dimension) ** 0.5 / (1 + t) == pytest.approx(LOSS)


def test_no_noise_is_enough_beyond_a_quarter():
    assert noise_share(LOSS, 10_000) == 1
