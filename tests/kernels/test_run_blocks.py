"""Padded and grouped products beside the plain ones, one block after the other, for odd widths and numbers of runs."""

import pytest
import torch

from gpustab.kernels import gram, run_blocks
from tests import generators

SIZES = [(1, 9, 3), (2, 130, 5), (2, 64, 63), (3, 127, 7), (7, 200, 13), (17, 90, 9), (19, 64, 1), (33, 50, 11)]
"""Runs, words, dimensions."""

UNIT = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.bfloat16: 2.0**-24, torch.float16: 2.0**-24}
"""Unit roundoff of the sums; products of numbers of 8 and 11 bits are exact in float32."""


def blocks_one_by_one(stack):
    """``C_ij`` of all pairs in float64, and the sums of absolute products, by which rounding is measured."""
    wide = stack.double()
    pairs = torch.triu_indices(len(stack), len(stack)).T.tolist()
    exact = torch.stack([wide[i].mT @ wide[j] for i, j in pairs])
    return exact, torch.stack([wide[i].abs().mT @ wide[j].abs() for i, j in pairs])


def in_place(stack):
    runs, _, d = stack.shape
    return gram.add_(gram.empty_moments(runs, d), stack).gram


@pytest.mark.parametrize("dtype", list(UNIT))
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("way", [gram.block_gram, in_place])
def test_padded_and_grouped_products_are_the_plain_ones(size, dtype, way, monkeypatch):
    """Higham 2002, §3.1: a sum of c products errs by at most c u / (1 − c u) of the sum of their absolute values."""
    stack = generators.noisy_copies(*size).to(dtype)
    exact, absolute = blocks_one_by_one(stack)
    error = size[1] * UNIT[dtype] / (1 - size[1] * UNIT[dtype])
    for columns in (1, 200, 10_000):  # groups of one run, of the usual size, and as large as they get
        monkeypatch.setattr(run_blocks, "_COLUMNS_ON_CPU", columns)
        found = way(stack)
        assert ((found - exact).abs() <= 2 * error * absolute).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("d", [1, 7, 8, 9, 63])
def test_rows_of_two_bytes_are_padded_with_zeros_to_a_multiple_of_eight(dtype, d):
    rows = run_blocks.side_by_side(generators.noisy_copies(3, 20, d).to(dtype))
    assert rows.shape[2] % 8 == 0
    assert rows.shape[2] - d < 8
    assert not rows[:, :, d:].any()
    assert rows.is_contiguous()


@pytest.mark.parametrize("runs", [1, 2, 3, 7, 8, 9, 16, 17, 33])
@pytest.mark.parametrize("d", [1, 7, 100, 301])
def test_groups_cover_all_runs_once(runs, d):
    groups = list(run_blocks.run_groups(runs, torch.empty(2, runs, d)))
    assert [run for first, end in groups for run in range(first, end)] == list(range(runs))


@pytest.mark.parametrize("d", [1, 2, 63, 199, 200, 201])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_of_the_block_of_a_run_with_itself_one_quarter_is_another(d, dtype):
    x = generators.noisy_copies(2, 300, d)[0].to(dtype)
    found = run_blocks.own_block(x)
    if d >= run_blocks.NARROW:
        assert torch.equal(found[d // 2 :, : d // 2], found[: d // 2, d // 2 :].mT)
    torch.testing.assert_close(found, x.mT @ x, rtol=1e-12 if dtype == torch.float64 else 1e-5, atol=1e-5)
