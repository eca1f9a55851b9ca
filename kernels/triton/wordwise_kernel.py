"""Sums over all pairs of runs of the word-wise PIP loss: the fused kernel, and the torch operator that launches it.

One program takes a tile of words through all pairs ``i < j`` in a fixed order, without atomics: equal input gives equal
bits. Run i's rows stay in shared memory for all its partners; the ``E_iᵀE_j`` are streamed through the L2 cache, by all
programs at about the same time; ``u_jk`` meets the product ``u_ik E_iᵀE_j`` in the epilogue. Only sums over pairs leave
the chip, in float64: of every run (for the mean and the jackknife) and of the squares (for the SD).

Work for R = 128 runs, v = 200,000 words, d = 300 (padded to 320): 8,128 pairs × v × 2d² = 2.9e14 flop, padded 3.3e14.
From memory comes ``u_j``'s tile for every pair, pairs × v × 640 B = 1.0 TB; from L2 that and, for every 128 words,
``E_iᵀE_j``: 1,563 tiles × pairs × (82 + 205) kB = 3.6 TB. At 990 Tflop/s (16 bits), 3 TB/s (memory) and about 5.5 TB/s
(L2) of an H100 that is 0.34 s, 0.35 s and 0.66 s. Rows of two terms double operations and rows, but not ``E_iᵀE_j``:
0.68, 0.69 and 0.85 s. Predicted, not measured: 0.7 to 1.0 s of one term, 1.0 to 1.6 s of two, with what does not
overlap; the kernel that was measured, 2.41 s, read two terms of every block.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.library import triton_op, wrap_triton

_TRITON = find_spec("triton") is not None
if _TRITON:  # else nothing here can be launched, see gpustab.kernels.dispatch
    import triton
    import triton.language as tl


def _jit(function: Callable[..., None]) -> Any:
    return triton.jit(function) if _TRITON else function


@_jit
def _multiply(first: tl.tensor, second: tl.tensor, factor: tl.tensor, product: tl.tensor, TERMS: tl.constexpr) -> Any:
    """Add the product of rows of one or two terms, of which the second is unused if there is only one."""
    product = tl.dot(first, factor, product)
    if TERMS > 1:
        product = tl.dot(second, factor, product)
    return product


@_jit
def _wordwise_kernel(
    rows: tl.tensor,  # (TERMS, R, c, WIDTH): σ' u_ik
    own: tl.tensor,  # (R, c): σ σ'² ‖z_ik‖²
    alone: tl.tensor,  # (R, R, c): σ σ'² ⟨z_ik, z_jk⟩ without what the blocks give
    blocks: tl.tensor,  # (R(R+1)/2, WIDTH, WIDTH): σ E_jᵀE_i
    present: tl.tensor,  # (R, c)
    sums: tl.tensor,  # (R, c): Σ_j of the roots
    total: tl.tensor,  # (c,): Σ_ij of the squares
    runs: int,
    words: int,
    HEAD: tl.constexpr,
    TAIL: tl.constexpr,
    COLUMNS: tl.constexpr,
    TERMS: tl.constexpr,
    TILE: tl.constexpr,
) -> None:
    WIDTH: tl.constexpr = HEAD + TAIL
    PARTS: tl.constexpr = WIDTH // COLUMNS
    word = tl.program_id(0) * TILE + tl.arange(0, TILE)
    head = tl.arange(0, HEAD)
    run_stride = tl.cast(words, tl.int64) * WIDTH
    term_stride = run_stride * runs
    block = blocks
    squares = tl.zeros((TILE,), tl.float64)
    for i in range(runs):
        # Run i's rows stay on the chip for all partners. Tiles are powers of two, hence a head and a tail.
        left = rows + i * run_stride + word[:, None] * WIDTH
        less = left + (TERMS - 1) * term_stride
        left_head, less_head = tl.load(left + head[None, :]), tl.load(less + head[None, :])
        if TAIL > 0:
            tail = HEAD + tl.arange(0, TAIL)
            left_tail, less_tail = tl.load(left + tail[None, :]), tl.load(less + tail[None, :])
        own_i = tl.load(own + i * words + word)
        has_i = tl.load(present + i * words + word)
        roots = tl.zeros((TILE,), tl.float64)
        both = tl.zeros((TILE,), tl.float32)
        # Partners and parts of their columns in one loop: the next loads are under way while it multiplies.
        for step in range((runs - i - 1) * PARTS):
            j = i + 1 + step // PARTS
            column = step % PARTS * COLUMNS + tl.arange(0, COLUMNS)
            place = rows + j * run_stride + word[:, None] * WIDTH + column[None, :]
            right = tl.load(place).to(tl.float32)
            if TERMS > 1:
                right += tl.load(place + term_stride).to(tl.float32)
            factor = block + tl.cast(j - i, tl.int64) * (WIDTH * WIDTH) + column[None, :] * WIDTH
            upper = tl.load(factor + head[:, None])
            product = _multiply(left_head, less_head, upper, tl.zeros((TILE, COLUMNS), tl.float32), TERMS)
            if TAIL > 0:
                lower = tl.load(factor + tail[:, None])
                product = _multiply(left_tail, less_tail, lower, product, TERMS)
            both += tl.sum(product * right, 1)
            if step % PARTS == PARTS - 1:
                at = j * words + word
                both += tl.load(alone + tl.cast(i * runs + j, tl.int64) * words + word)
                valid = (has_i & tl.load(present + at)) != 0
                square = (own_i + tl.load(own + at) - 2 * both).to(tl.float64)
                # Not maximum(square, 0): that may make 0 of NaN, a perfectly stable word.
                square = tl.where(valid & ~(square < 0), square, 0.0)
                root = tl.sqrt(square)
                squares += square
                roots += root
                # Run 0 is the first partner of every other run, so there is nothing to add to.
                before = tl.load(sums + at, mask=(word >= 0) & (i > 0), other=0.0)
                tl.store(sums + at, before + root)
                both = tl.zeros((TILE,), tl.float32)
        at = i * words + word
        before = tl.load(sums + at, mask=(word >= 0) & (i > 0), other=0.0)
        tl.store(sums + at, before + roots)
        # From here on another thread may read what one has stored.
        tl.debug_barrier()
        block += tl.cast(runs - i, tl.int64) * (WIDTH * WIDTH)
    tl.store(total + word, squares)


@triton_op("gpustab::wordwise_sums", mutates_args={})
def wordwise_sums(
    rows: Tensor, own: Tensor, alone: Tensor, blocks: Tensor, present: Tensor, tile: int, columns: int, stages: int
) -> tuple[Tensor, Tensor]:
    """Return ``Σ_j d_ij`` of every run, ``(R, c)``, and ``Σ_ij d²_ij``, ``(c,)``, in float64: the kernel as a torch op.

    Args:
        rows: ``(terms, R, c, width)`` float16, ``c`` a multiple of ``tile``, rows as sums of one or two terms; see
            :func:`gpustab.kernels.triton.packed_gram.pack_gram` for the width.
        own: ``(R, c)`` float32, ``‖z_i‖²``.
        alone: ``(R, R, c)`` float32, ``⟨z_i, z_j⟩`` without ``u_i E_iᵀE_j u_jᵀ``.
        blocks: ``(R(R+1)/2, width, width)`` float16, ``E_jᵀE_i``.
        present: ``(R, c)`` uint8.
        tile: words per program.
        columns: columns of ``E_iᵀE_j`` per step.
        stages: steps whose loads are in flight.
    """
    terms, runs, words, width = rows.shape
    sums = torch.empty(runs, words, dtype=torch.float64, device=rows.device)
    total = torch.empty(words, dtype=torch.float64, device=rows.device)
    head = 1 << (width.bit_length() - 1)
    wrap_triton(_wordwise_kernel)[(words // tile,)](
        rows,
        own,
        alone,
        blocks,
        present,
        sums,
        total,
        runs,
        words,
        HEAD=head,
        TAIL=width - head,
        COLUMNS=columns,
        TERMS=terms,
        TILE=tile,
        num_warps=8 if tile == 128 else 4,
        num_stages=stages,
    )
    return sums, total


def _shapes(rows: Tensor, *_rest: object) -> tuple[Tensor, Tensor]:
    sums = rows.new_empty(rows.shape[1:3], dtype=torch.float64)
    return sums, sums.new_empty(rows.shape[2])


wordwise_sums.register_fake(_shapes)
