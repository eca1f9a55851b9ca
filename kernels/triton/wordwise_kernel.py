"""Sums over all pairs of runs of the word-wise PIP loss: the fused kernel, and the torch operator that launches it.

One program takes a tile of words through all pairs ``i < j`` in a fixed order, without atomics: equal input gives equal
bits. Run i's rows stay in shared memory for all its partners; the ``C_ij`` are streamed through the L2 cache, by all
programs at about the same time; ``v_jk`` meets the product ``v_ik C_ij`` in the epilogue. Only sums over pairs leave
the chip, in float64: of every run (for the mean and the jackknife) and of the squares (for the SD).

Work for R = 128 runs, v = 200,000 words, d = 300 (padded to 320): 8,128 pairs × v × 2d² = 2.9e14 flop, padded 3.3e14.
From memory comes ``v_j``'s tile for every pair, pairs × v × 640 B = 1.0 TB; from L2 that and, for every 128 words,
``C_ij``: 1,563 tiles × pairs × (82 + 205) kB = 3.6 TB. At 990 Tflop/s (16 bits), 3 TB/s (memory) and about 5.5 TB/s
(L2) of an H100 that is 0.34 s, 0.35 s and 0.66 s. Predicted, not measured: 0.7 to 1.0 s with what does not overlap;
1.4 to 1.9 s with two terms, which double operations and L2 traffic.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import os
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
def _wordwise_kernel(
    rows: tl.tensor,  # (R, c, WIDTH)
    own: tl.tensor,  # (R, c): v_ik C_ii v_ikᵀ
    blocks: tl.tensor,  # (R(R+1)/2, TERMS, WIDTH, WIDTH): C_ijᵀ
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
    PRODUCTS: tl.constexpr,
    WIDEN: tl.constexpr,
) -> None:
    WIDTH: tl.constexpr = HEAD + TAIL
    PARTS: tl.constexpr = WIDTH // COLUMNS
    STEPS: tl.constexpr = PARTS * TERMS
    word = tl.program_id(0) * TILE + tl.arange(0, TILE)
    head = tl.arange(0, HEAD)
    run_stride = tl.cast(words, tl.int64) * WIDTH
    block = blocks
    squares = tl.zeros((TILE,), tl.float64)
    for i in range(runs):
        # Run i's rows stay on the chip for all partners. Tiles are powers of two, hence a head and a tail.
        left = rows + i * run_stride + word[:, None] * WIDTH
        left_head = tl.load(left + head[None, :])
        if WIDEN:
            left_head = left_head.to(tl.float32)
        if TAIL > 0:
            tail = HEAD + tl.arange(0, TAIL)
            left_tail = tl.load(left + tail[None, :])
            if WIDEN:
                left_tail = left_tail.to(tl.float32)
        own_i = tl.load(own + i * words + word)
        has_i = tl.load(present + i * words + word)
        roots = tl.zeros((TILE,), tl.float64)
        both = tl.zeros((TILE,), tl.float32)
        # Partners, parts of their columns and terms in one loop: the next loads are under way while it multiplies.
        for step in range((runs - i - 1) * STEPS):
            j = i + 1 + step // STEPS
            column = step % STEPS // TERMS * COLUMNS + tl.arange(0, COLUMNS)
            right = tl.load(rows + j * run_stride + word[:, None] * WIDTH + column[None, :])
            term = tl.cast((j - i) * TERMS + step % TERMS, tl.int64)
            factor = block + term * (WIDTH * WIDTH) + column[None, :] * WIDTH
            upper = tl.load(factor + head[:, None])
            if WIDEN:
                upper = upper.to(tl.float32)
            product = tl.dot(left_head, upper, input_precision=PRODUCTS)
            if TAIL > 0:
                lower = tl.load(factor + tail[:, None])
                if WIDEN:
                    lower = lower.to(tl.float32)
                product = tl.dot(left_tail, lower, product, input_precision=PRODUCTS)
            both += tl.sum(product * right.to(tl.float32), 1)
            if step % STEPS == STEPS - 1:
                at = j * words + word
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
        block += tl.cast(runs - i, tl.int64) * (TERMS * WIDTH * WIDTH)
    tl.store(total + word, squares)


@triton_op("gpustab::wordwise_sums", mutates_args={})
def wordwise_sums(
    rows: Tensor, own: Tensor, blocks: Tensor, present: Tensor, tile: int, columns: int, stages: int, products: str
) -> tuple[Tensor, Tensor]:
    """Return ``Σ_j d_ij`` of every run, ``(R, c)``, and ``Σ_ij d²_ij``, ``(c,)``, in float64: the kernel as a torch op.

    Args:
        rows: ``(R, c, width)``, ``c`` a multiple of ``tile``; see
            :func:`gpustab.kernels.triton.packed_gram.pack_gram` for the width.
        own: ``(R, c)`` float32, ``v_ik C_ii v_ikᵀ``.
        blocks: ``(R(R+1)/2, terms, width, width)``, ``C_ijᵀ`` in the dtype of ``rows``.
        present: ``(R, c)`` uint8.
        tile: words per program.
        columns: columns of ``C_ij`` per step.
        stages: steps whose loads are in flight.
        products: Triton's ``input_precision``.
    """
    runs, words, width = rows.shape
    sums = torch.empty(runs, words, dtype=torch.float64, device=rows.device)
    total = torch.empty(words, dtype=torch.float64, device=rows.device)
    head = 1 << (width.bit_length() - 1)
    wrap_triton(_wordwise_kernel)[(words // tile,)](
        rows,
        own,
        blocks,
        present,
        sums,
        total,
        runs,
        words,
        HEAD=head,
        TAIL=width - head,
        COLUMNS=columns,
        TERMS=blocks.shape[1],
        TILE=tile,
        PRODUCTS=products,
        WIDEN=rows.dtype == torch.bfloat16 and _interpreted(),
        num_warps=8 if tile == 128 else 4,
        num_stages=stages,
    )
    return sums, total


def _shapes(rows: Tensor, *_rest: object) -> tuple[Tensor, Tensor]:
    sums = rows.new_empty(rows.shape[:2], dtype=torch.float64)
    return sums, sums.new_empty(rows.shape[1])


wordwise_sums.register_fake(_shapes)


def _interpreted() -> bool:
    # Triton's interpreter multiplies the bit patterns of bfloat16 tiles; widened, the products are the same.
    return os.environ.get("TRITON_INTERPRET") == "1"
