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


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_moments_add_up_in_place_or_not_and_over_disjoint_words(dtype):
    stack = generators.noisy_copies(3, 9000, 5).to(dtype)
    whole = gram.moments(stack)
    parts = stack[:, :4000], stack[:, 4000:]
    some = gram.add(gram.moments(parts[0]), parts[1])
    place = gram.empty_moments(3, 5)
    for part in parts:
        gram.add_(place, part)
    for found in (some, place, gram.merge(gram.moments(parts[1]), gram.moments(parts[0]))):
        assert found.words == 9000
        torch.testing.assert_close(found.sums, whole.sums, rtol=1e-12, atol=1e-9)
        torch.testing.assert_close(found.gram, whole.gram, rtol=1e-6, atol=1e-3 if dtype != torch.float64 else 1e-9)


def test_words_that_do_not_count_are_left_out():
    stack = generators.noisy_copies(3, 60, 5)
    counted = torch.arange(60) % 3 > 0
    found = gram.add_(gram.empty_moments(3, 5), stack * counted[:, None], counted)
    want = gram.moments(stack[:, counted])
    assert found.words == want.words == 40
    torch.testing.assert_close(found.gram, want.gram)
    torch.testing.assert_close(found.sums, want.sums)


def test_moments_have_gradients_and_batches():
    stack = generators.noisy_copies(2, 7, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: gram.squared_norms(gram.moments(x).gram), stack)
    batch = torch.stack([generators.noisy_copies(2, 7, 3, seed=s) for s in range(4)])
    found = torch.func.vmap(lambda x: gram.moments(x).gram)(batch)
    torch.testing.assert_close(found[2], gram.moments(batch[2]).gram)


def test_autocast_of_the_host_program_changes_no_moment():
    stack = generators.noisy_copies(3, 200, 8).float()
    want = gram.moments(stack)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(gram.moments(stack).gram, want.gram)
        assert torch.equal(gram.add_(gram.empty_moments(3, 8), stack).gram, want.gram)


def test_squared_norms_of_all_pairs():
    stack = generators.noisy_copies(4, 30, 3)
    found = gram.squared_norms(gram.block_gram(stack))
    for i in range(4):
        for j in range(4):
            assert found[i, j].item() == pytest.approx((stack[i].T @ stack[j]).square().sum().item())
