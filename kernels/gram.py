"""The block Gram matrix of R runs: every stability number over the whole vocabulary is read from it.

For runs ``V_1 ... V_R`` it holds all ``C_ij = V_iᵀ V_j`` with ``i <= j``. ``C`` is a sum over the rows of the
vocabulary, so it is accumulated chunk by chunk and never needs a ``v × v`` array.
"""

from __future__ import annotations

import torch
from torch import Tensor

ROWS_PER_MATMUL = 4096
"""Longest accumulation inside one matmul: float32 sums over 200,000 rows lose two digits, over 4,096 they do not."""


def run_pairs(runs: int, device: torch.device | None = None) -> Tensor:
    """Return the unordered pairs ``i < j`` of ``runs`` runs as ``(2, R(R-1)/2)`` indices, row-major.

    >>> run_pairs(3).tolist()
    [[0, 0, 1], [1, 2, 2]]
    """
    return torch.triu_indices(runs, runs, offset=1, device=device)


def block_positions(runs: int, device: torch.device | None = None) -> Tensor:
    """Return the symmetric ``(R, R)`` table that says where ``C_ij`` (or its transpose) lies in a block Gram.

    >>> block_positions(3).tolist()
    [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
    """
    rows, columns = torch.triu_indices(runs, runs, device=device)
    table = torch.empty(runs, runs, dtype=torch.long, device=device)
    table[rows, columns] = table[columns, rows] = torch.arange(len(rows), device=device)
    return table


def runs_of(gram: Tensor) -> int:
    """Return R for a block Gram of ``R(R+1)/2`` blocks."""
    runs = int((2 * gram.shape[0]) ** 0.5)
    if runs * (runs + 1) // 2 != gram.shape[0]:
        raise ValueError(f"{gram.shape[0]} blocks are not R(R+1)/2 for any R")
    return runs


def empty_gram(runs: int, dimension: int, device: torch.device | None = None) -> Tensor:
    """Return a zero block Gram ``(R(R+1)/2, d, d)`` in float64, to be filled by :func:`add_rows`."""
    return torch.zeros(runs * (runs + 1) // 2, dimension, dimension, dtype=torch.float64, device=device)


def add_rows(gram: Tensor, chunk: Tensor) -> Tensor:
    """Add the products of some rows of all runs to a block Gram, in place.

    Products are formed in the dtype of ``chunk``, at most :data:`ROWS_PER_MATMUL` rows at a time, and summed in
    float64. Products of bfloat16 rows are exact in float32 and are added up in float32.

    Args:
        gram: ``(R(R+1)/2, d, d)`` float64, see :func:`empty_gram`.
        chunk: ``(R, c, d)``, row k of every run being the same word.

    Returns:
        ``gram`` itself.
    """
    runs = chunk.shape[0]
    for rows in chunk.split(ROWS_PER_MATMUL, dim=1):
        start = 0
        for i in range(runs):
            blocks = gram[start : start + runs - i]
            start += runs - i
            left = rows[i].mT.expand(runs - i, -1, -1)  # (R - i, d, c)
            if rows.dtype == gram.dtype:
                blocks.baddbmm_(left, rows[i:])
            else:
                blocks += _product(left, rows[i:])
    return gram


def _product(x: Tensor, y: Tensor) -> Tensor:
    """``x @ y`` in float32; a CPU would round a bfloat16 result to 8 bits, and only CUDA can be told not to."""
    if x.dtype != torch.bfloat16:
        return torch.bmm(x, y)
    return torch.bmm(x, y, out_dtype=torch.float32) if x.is_cuda else torch.bmm(x.float(), y.float())


def block_gram(stack: Tensor) -> Tensor:
    """Return the block Gram of a whole stack.

    Args:
        stack: ``(R, v, d)``; float64 gives float64 products, float32 short float32 accumulations.

    Returns:
        ``(R(R+1)/2, d, d)`` float64: ``C_ij = V_iᵀ V_j`` for ``i <= j`` in the order of ``torch.triu_indices``.
    """
    runs, _, dimension = stack.shape
    return add_rows(empty_gram(runs, dimension, stack.device), stack)


def diagonal_blocks(gram: Tensor) -> Tensor:
    """Return ``C_ii`` of every run, ``(R, d, d)``."""
    return gram[block_positions(runs_of(gram), gram.device).diagonal()]


def pair_blocks(gram: Tensor) -> Tensor:
    """Return ``C_ij`` of every pair ``i < j``, ``(R(R-1)/2, d, d)``, in the order of :func:`run_pairs`."""
    i, j = run_pairs(runs_of(gram), gram.device)
    return gram[block_positions(runs_of(gram), gram.device)[i, j]]
