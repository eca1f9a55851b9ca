import pytest
import torch

from gpustab.kernels import gram
from tests import generators


@pytest.mark.parametrize("size", generators.SIZES)
def test_every_block_is_the_product(size):
    stack = generators.noisy_copies(*size)
    blocks = gram.block_gram(stack)
    positions = gram.block_positions(size[0])
    for i in range(size[0]):
        for j in range(i, size[0]):
            torch.testing.assert_close(blocks[positions[i, j]], stack[i].T @ stack[j])


def test_long_vocabularies_are_summed_in_short_pieces(monkeypatch):
    stack = generators.noisy_copies(3, 1000, 8)
    whole = gram.block_gram(stack)
    monkeypatch.setattr(gram, "ROWS_PER_MATMUL", 127)
    torch.testing.assert_close(gram.block_gram(stack), whole, rtol=1e-13, atol=1e-12)


def test_float32_products_are_summed_in_float64():
    stack = generators.noisy_copies(2, 20_000, 4)
    exact, single = gram.block_gram(stack), gram.block_gram(stack.float())
    assert single.dtype == torch.float64
    assert ((single - exact).abs() / exact.abs().amax()).max() < 1e-6


def test_pair_and_diagonal_blocks():
    stack = generators.noisy_copies(4, 30, 3)
    blocks = gram.block_gram(stack)
    torch.testing.assert_close(gram.diagonal_blocks(blocks)[2], stack[2].T @ stack[2])
    i, j = gram.run_pairs(4)
    torch.testing.assert_close(gram.pair_blocks(blocks), stack[i].mT @ stack[j])


def test_block_count_that_fits_no_number_of_runs():
    with pytest.raises(ValueError, match="4 blocks"):
        gram.runs_of(torch.zeros(4, 2, 2))
