"""The block Gram matrix of R runs: every stability number over the whole vocabulary is read from it.

For runs ``V_1 ... V_R`` it holds all ``C_ij = V_iᵀ V_j`` with ``i <= j``. ``C`` is a sum over the rows of the
vocabulary, so it is accumulated chunk by chunk and never needs a ``v × v`` array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.run_blocks import cross_blocks, own_block, run_groups, side_by_side
from gpustab.kernels.shapes import want

__all__ = [
    "ROWS_PER_MATMUL",
    "Moments",
    "add",
    "add_",
    "block_gram",
    "block_positions",
    "blocks_of_pairs",
    "blocks_of_run",
    "diagonal_blocks",
    "empty_moments",
    "merge",
    "moments",
    "pair_blocks",
    "run_pairs",
    "run_squares",
    "runs_of",
    "squared_norms",
]

ROWS_PER_MATMUL = 4096
"""Longest accumulation inside one matmul: float32 sums over 200,000 rows lose two digits, over 4,096 they do not."""


def run_pairs(runs: int, device: torch.device | None = None) -> Tensor:
    """Return the unordered pairs ``i < j`` of ``runs`` runs as ``(2, R(R-1)/2)`` indices, row-major.

    >>> run_pairs(3).tolist()
    [[0, 0, 1], [1, 2, 2]]
    """
    return torch.triu_indices(runs, runs, offset=1, device=device or "cpu")


def block_positions(runs: int, device: torch.device | None = None) -> Tensor:
    """Return the symmetric ``(R, R)`` table that says where ``C_ij`` (or its transpose) lies in a block Gram.

    >>> block_positions(3).tolist()
    [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
    """
    rows, columns = torch.triu_indices(runs, runs, device=device or "cpu")
    table = torch.empty(runs, runs, dtype=torch.long, device=device or "cpu")
    table[rows, columns] = table[columns, rows] = torch.arange(len(rows), device=device or "cpu")
    return table


def runs_of(gram: Tensor) -> int:
    """Return R for a block Gram of ``R(R+1)/2`` blocks."""
    want("gram", gram, "(R(R+1)/2, d, d)")
    runs = int((2 * gram.shape[0]) ** 0.5)
    if runs * (runs + 1) // 2 != gram.shape[0]:
        raise ValueError(f"{gram.shape[0]} blocks are not R(R+1)/2 for any R")
    return runs


class Moments(NamedTuple):
    """What is summed over the words: everything that is said of whole spaces is a function of it.

    Sums of disjoint words add up, so that it may be collected chunk by chunk, on several devices, or over time.

    Attributes:
        gram: ``(R(R+1)/2, d, d)`` float64 block Gram, ``C_ij = V_iᵀ V_j`` for ``i <= j`` in the order of
            ``torch.triu_indices``.
        sums: ``(R, d)`` float64, the sum of each run's rows.
        words: ``()`` int64, how many words were summed.
    """

    gram: Tensor
    sums: Tensor
    words: Tensor


def empty_moments(runs: int, dimension: int, device: torch.device | None = None) -> Moments:
    """Return the moments of no words, to be filled by :func:`add_` or :func:`add`."""
    blocks = runs * (runs + 1) // 2
    return Moments(
        torch.zeros(blocks, dimension, dimension, dtype=torch.float64, device=device or "cpu"),
        torch.zeros(runs, dimension, dtype=torch.float64, device=device or "cpu"),
        torch.zeros((), dtype=torch.int64, device=device or "cpu"),
    )


def moments(stack: Tensor, dtype: torch.dtype | None = None) -> Moments:
    """Return the moments of some words of all runs.

    Products are formed in one dtype, at most :data:`ROWS_PER_MATMUL` rows at a time, and summed in float64. Products of
    bfloat16 or float16 rows are exact in float32 and are added up in float32. Nothing happens in place, so that
    gradients flow and ``torch.func.vmap`` works.

    Args:
        stack: ``(R, c, d)``, row k of every run being the same word.
        dtype: of the products; default: that of the rows.
    """
    want("stack", stack, "(R, v, d)")
    words = stack.shape[1]
    gram = _summed(_products(part) for part in _short(stack, dtype))
    sums = stack.sum(1, dtype=torch.float64)
    return Moments(gram, sums, torch.full((), words, dtype=torch.int64, device=stack.device))


def add(some: Moments, stack: Tensor, dtype: torch.dtype | None = None) -> Moments:
    """Return moments with more words; see :func:`moments`."""
    return merge(some, moments(stack, dtype))


def merge(a: Moments, b: Moments) -> Moments:
    """Return the moments of two disjoint sets of words together."""
    return Moments(a.gram + b.gram, a.sums + b.sums, a.words + b.words)


def add_(some: Moments, stack: Tensor, counted: Tensor | None = None, dtype: torch.dtype | None = None) -> Moments:
    """Add words to moments in place, as :func:`add` does without a second copy of the Gram.

    Args:
        some: changed and returned.
        stack: ``(R, c, d)``; rows that are not counted must be zero.
        counted: ``(c,)`` bool, which words count; default: all.
        dtype: of the products; default: that of the rows.
    """
    want("stack", stack, "(R, v, d)")
    runs, words, d = stack.shape
    for part in _short(stack, dtype):
        rows = side_by_side(part)
        if runs == 2:
            _add_pair_(some.gram, rows)
            continue
        for first, end in run_groups(runs, rows):
            blocks = cross_blocks(rows[:, first:end], rows[:, first:])[:, :d, :, :d]  # (I, d, R - first, d)
            for i in range(first, end):
                blocks_of_run(some.gram, runs, i).add_(blocks[i - first, :, i - first :].transpose(0, 1))
    some.sums.add_(stack.sum(1, dtype=torch.float64))
    some.words.add_(words if counted is None else counted.sum())
    return some


def _add_pair_(total: Tensor, rows: Tensor) -> None:
    """Add the three blocks of two runs ``(c, 2, width)``, of which two are symmetric."""
    x, y = rows.unbind(1)
    for block, some in zip(total, (own_block(x), product(x.mT, y), own_block(y)), strict=True):
        block.add_(some[: len(block), : len(block)])


def _short(stack: Tensor, dtype: torch.dtype | None) -> Iterator[Tensor]:
    return (part.to(dtype or stack.dtype) for part in stack.split(ROWS_PER_MATMUL, dim=1))


def _summed(parts: Iterable[list[Tensor]]) -> Tensor:
    """Sum blocks over parts of the rows in float64; those of one part alone are only put together."""
    first, *others = (torch.cat(blocks).double() for blocks in parts)
    return reduce(torch.add, others, first)


def _products(stack: Tensor) -> list[Tensor]:
    """``V_iᵀ V_j`` for ``j >= i``, R times ``(R - i, d, d)``; of bfloat16 rows in float32."""
    runs, _, d = stack.shape
    rows = side_by_side(stack)
    return [cross_blocks(rows[:, i : i + 1], rows[:, i:])[0, :d, :, :d].transpose(0, 1) for i in range(runs)]


def block_gram(stack: Tensor) -> Tensor:
    """Return the block Gram of a whole stack.

    Args:
        stack: ``(R, v, d)``; float64 gives float64 products, float32 short float32 accumulations.

    Returns:
        ``(R(R+1)/2, d, d)`` float64: ``C_ij = V_iᵀ V_j`` for ``i <= j`` in the order of ``torch.triu_indices``.
    """
    return moments(stack).gram


def blocks_of_run(gram: Tensor, runs: int, i: int) -> Tensor:
    """Return ``C_ij`` for ``j >= i``, ``(R - i, d, d)``: a view."""
    start = i * runs - i * (i - 1) // 2
    return gram[start : start + runs - i]


def diagonal_blocks(gram: Tensor) -> Tensor:
    """Return ``C_ii`` of every run, ``(R, d, d)``."""
    return gram[block_positions(runs_of(gram), gram.device).diagonal()]


def run_squares(gram: Tensor) -> Tensor:
    """Return ``‖V_i‖² = tr C_ii`` of every run, ``(R,)``: the sum of its rows' squared lengths."""
    own = block_positions(runs_of(gram), gram.device).diagonal()
    return gram.diagonal(dim1=1, dim2=2).sum(1)[own]


def pair_blocks(gram: Tensor) -> Tensor:
    """Return ``C_ij`` of every pair ``i < j``, ``(R(R-1)/2, d, d)``, in the order of :func:`run_pairs`."""
    return torch.cat(list(blocks_of_pairs(gram)))


def blocks_of_pairs(gram: Tensor) -> Iterator[Tensor]:
    """Yield the parts of :func:`pair_blocks`, those of run after run: no copy, where a second Gram would not fit."""
    runs = runs_of(gram)
    return (blocks_of_run(gram, runs, i)[1:] for i in range(runs - 1))


def squared_norms(gram: Tensor) -> Tensor:
    """Return ``‖C_ij‖²`` of all pairs of runs and of every run with itself, ``(R, R)`` float64."""
    want("gram", gram, "(R(R+1)/2, d, d)")
    # Row by row: a norm makes no copy of the blocks, and short sums keep the last digit.
    norms = torch.linalg.vector_norm(gram, dim=2).square().sum(1)
    table: Tensor = norms[block_positions(runs_of(gram), gram.device)]
    return table
