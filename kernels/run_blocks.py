"""Runs side by side: the rows that several runs have of a word lie next to each other, so that one product serves all.

``(R, c, d)`` as ``(c, R, width)``. A product of ``(c, I d)`` with ``(c, J d)`` columns gives ``I · J`` blocks
``C_ij = V_iᵀ V_j`` at once: on a CPU 1.25 times as fast as block by block at d = 100 and as fast at 300; an H200
multiplies bfloat16 four times as fast. A *tile* is all blocks between two groups of runs, ``(I, d, J, d)``: any loss of
a pair needs its own block only, so that R runs need no more memory than a tile.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.arithmetic import product

__all__ = [
    "NARROW",
    "add_cross_",
    "cross_blocks",
    "own_block",
    "run_groups",
    "side_by_side",
    "squared_block_norms",
    "word_products",
]

_ALIGNED = 8
"""Rows of 2-byte numbers are padded to a multiple of so many: others take tensor cores four times as long."""

_COLUMNS_ON_CPU = 200
"""Columns from which on a CPU multiplies at its full rate."""

_HELD = 4 << 20
"""Bytes of products that are formed at once on a CPU and read while they are in its cache: 1.3 times as fast as all of
2,048 words at 15 partners and d = 300, and 2.5 times at 63 and 100."""

NARROW = 200
"""Columns up to which two narrow products and putting them together take as long as one whole one."""

_GROUP_ON_GPU = 16
"""Runs side by side in one product on a GPU."""


def side_by_side(stack: Tensor) -> Tensor:
    """Return ``(R, c, d)`` rows as ``(c, R, width)``, contiguous; nothing is copied that lies so already.

    Numbers of two bytes are padded with zeros to a width that is a multiple of 8; zeros change no inner product.
    """
    rows = stack.transpose(0, 1)
    missing = -rows.shape[2] % _ALIGNED if rows.element_size() == 2 else 0
    return pad(rows, (0, missing)) if missing else rows.contiguous()


def run_groups(runs: int, rows: Tensor) -> Iterator[tuple[int, int]]:
    """Yield first run and one beyond the last of groups whose products with all later runs are formed at once.

    Blocks within a group are formed twice, so that a group is at most an eighth of the runs.
    """
    usual = _GROUP_ON_GPU if rows.device.type == "cuda" else _COLUMNS_ON_CPU // rows.shape[2]
    size = max(1, min(usual, runs // 8))
    return ((start, min(start + size, runs)) for start in range(0, runs, size))


def cross_blocks(x: Tensor, y: Tensor) -> Tensor:
    """Return ``C_ij = X_iᵀ Y_j`` of some words, ``(I, d, J, d)``; of bfloat16 and float16 rows in float32.

    Args:
        x: ``(c, I, d)`` rows of I runs side by side.
        y: ``(c, J, d)``.
    """
    return product(x.flatten(1).mT, y.flatten(1)).view(*x.shape[1:], *y.shape[1:])


def own_block(x: Tensor) -> Tensor:
    """Return ``XᵀX`` of some words ``(c, d)``, ``(d, d)``: of two halves of its columns, as one quarter is another.

    On a CPU that takes 0.96 of the time of the whole product at d = 300, and 0.79 at 600.
    """
    if x.is_cuda or x.shape[1] < NARROW:
        return product(x.mT, x)
    half = x.shape[1] // 2
    above, last = product(x[:, :half].mT, x), product(x[:, half:].mT, x[:, half:])
    below = torch.cat([above[:, half:].mT, last], dim=1)
    return torch.cat([above, below])


def add_cross_(tile: Tensor, x: Tensor, y: Tensor) -> None:
    """Add the products of some words to a tile ``(I, d, J, d)`` float64, in place; see :func:`cross_blocks`."""
    (i, d, j, _), e = tile.shape, tile.shape[3]
    if x.dtype == tile.dtype and tile.is_contiguous():
        tile.view(i * d, j * e).addmm_(x.flatten(1).mT, y.flatten(1))  # float64, which needs no protection
    else:
        tile += cross_blocks(x, y)


def squared_block_norms(tile: Tensor) -> Tensor:
    """Return ``‖C_ij‖²`` of the blocks of a tile ``(I, d, J, d)``, ``(I, J)`` float64."""
    # Row by row: a norm makes no copy of the blocks, and short sums keep the last digit.
    norms: Tensor = torch.linalg.vector_norm(tile, dim=3).square().sum(1)
    return norms


def word_products(x: Tensor, blocks: Tensor, y: Tensor) -> Tensor:
    """Return ``x_k C_j y_jkᵀ`` of every word k and run j, ``(J, c)``, in the dtype of the rows.

    Args:
        x: ``(c, d)`` rows of one run.
        blocks: ``(d, J, e)``, its blocks ``C_j`` with J runs side by side.
        y: ``(c, J, e)`` the rows of these.
    """
    flat = blocks.flatten(1)
    held = len(x) if x.is_cuda else max(1, _HELD // (flat.shape[1] * flat.element_size()))
    parts = [_turned_dot(product(a, flat), b) for a, b in zip(x.split(held), y.split(held), strict=True)]
    return torch.cat(parts).mT if len(parts) > 1 else parts[0].mT


def _turned_dot(turned: Tensor, y: Tensor) -> Tensor:
    """Return the inner products of rows ``(c, J e)``, which are lost, with ``(c, J, e)``, ``(c, J)``."""
    turned = turned.view(y.shape)
    if turned.requires_grad or y.requires_grad:
        return (turned * y).sum(2)
    return turned.mul_(y).sum(2)
