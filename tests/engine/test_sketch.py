import pytest
import torch

from gpustab import engine, load_runs
from gpustab.engine import sketch as module
from gpustab.errors import InputError
from gpustab.kernels.jackknife import pair_matrix
from gpustab.machine.device import Compute
from tests.generators import collapsed, noisy_copies, runs_of


def squares_of(runs):
    """The true squared losses of all pairs, ``(R, R)``."""
    pip = engine.pip_pass(runs)
    return pair_matrix(2 * pip.basis.words * pip.reduced, len(runs)).square()


def union():
    stack, words = noisy_copies(4, 120, 9).numpy(), [f"w{i}" for i in range(120)]
    return load_runs([(words[9 * r :], run[9 * r :]) for r, run in enumerate(stack)], vocabulary="union")


@pytest.mark.parametrize(
    "make", [lambda: runs_of(noisy_copies(5, 150, 12)), lambda: runs_of(collapsed(4, 80, 6)), union]
)
def test_estimates_have_the_squared_losses_as_their_mean_and_a_bound(make, monkeypatch):
    runs = make()
    true, rest = squares_of(runs), ~torch.eye(len(runs), dtype=torch.bool)
    found = []
    for seed in range(20):
        monkeypatch.setattr(module, "_SEED", seed)
        sketch = engine.sketch_pass(runs, Compute(memory=20_000))  # many chunks
        assert sketch.words == int(runs.joint.sum())
        assert (sketch.distances.mean(0) <= true * sketch.stretch * (1 + 1e-9) + 1e-9).all()
        found.append(sketch.distances)
    ratio = torch.cat(found)[:, rest] / true[rest]
    assert (ratio.mean(0) - 1).abs().max() < 5 * float(ratio.std(0).max()) / len(ratio) ** 0.5 < 0.5


def test_lengths_and_sums_are_those_of_all_rows_and_chunks_change_nothing():
    runs = runs_of(3 * noisy_copies(3, 70, 5), unit=False)
    sketch, stack = engine.sketch_pass(runs, Compute(memory=10_000)), runs.stack()
    torch.testing.assert_close(sketch.squares, stack.square().sum((1, 2)))
    torch.testing.assert_close(sketch.sums, stack.sum(1))
    torch.testing.assert_close(sketch.distances, engine.sketch_pass(runs).distances, rtol=1e-10, atol=1e-9)


def test_runs_that_are_not_finite_any_more_are_named():
    stack = noisy_copies(3, 30, 4)
    runs = runs_of(stack)
    runs.rows[1][3, 2] = torch.nan
    with pytest.raises(InputError, match="run-001"):
        engine.sketch_pass(runs)
