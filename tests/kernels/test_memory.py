"""What kernels take beside their inputs: the block Gram of 128 runs of d = 300 is 5.9 GB, and no second one fits."""

import pytest
import torch

from gpustab.kernels import centred, gram, pip_loss
from gpustab.kernels.pair import pair_pip_loss
from tests import generators


def peak(work):
    """Bytes that a call holds at most beside what was there before."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profiled:
        work()
    events = profiled.profiler.kineto_results.events()
    taken = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    held = highest = 0
    for _, size in taken:
        held += size
        highest = max(highest, held)
    assert taken
    return highest


@pytest.fixture(scope="module")
def block_gram():
    return gram.block_gram(generators.noisy_copies(41, 30, 24))


BLOCK = 24 * 24 * 8


@pytest.mark.parametrize(
    ("kernel", "blocks"),
    [
        # A row of every block, twice.
        (pip_loss.pip_from_gram, 2 * 861 / 24 + 4),
        (lambda g: pip_loss.scale(g, torch.ones(41, 24, dtype=torch.float64), 30), 2 * 861 / 24 + 8),
        # The blocks of runs with themselves and with the mean, and those of a few pairs; 861 would be all.
        (centred.centred_pip_loss, 2 * 41 + 12 * 16),
        (centred.distances, 2 * 41 + 12 * 16),
    ],
)
def test_losses_take_a_few_blocks_and_no_second_gram(kernel, blocks, block_gram):
    assert peak(lambda: kernel(block_gram)) <= blocks * BLOCK


@pytest.mark.parametrize("noise", [1.0, 1e-4])
def test_the_loss_of_a_pair_takes_its_gradients_and_a_few_rows(noise):
    """Whole copies of the rows, as autograd would keep them, are a dozen of these sizes."""
    v, d = 40_000, 16
    g = generators.generator(0)
    x = torch.randn(v, d, generator=g, requires_grad=True)
    y = (x.detach() + noise * torch.randn(v, d, generator=g)).requires_grad_()
    few = 15 * gram.ROWS_PER_MATMUL * d * 8
    assert peak(lambda: pair_pip_loss(x, y)) <= few
    assert peak(lambda: pair_pip_loss(x, y).backward()) <= 2 * v * d * 4 + few
