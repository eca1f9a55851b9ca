"""Word-wise PIP loss of all pairs of runs, fused: the twin of :func:`gpustab.kernels.pip_loss.wordwise_pip`.

One program takes a tile of words through all pairs ``i < j`` in a fixed order, without atomics: equal input gives equal
bits. Run i's rows stay in shared memory for all its partners; the ``C_ij`` are streamed through the L2 cache, by all
programs at about the same time; ``v_jk`` meets the product ``v_ik C_ij`` in the epilogue. Only sums over pairs leave
the chip, in float64: of every run (for the mean and the jackknife) and of the squares (for the SD).

Work for R = 128 runs, v = 200,000 words, d = 300 (padded to 320): 8,128 pairs × v × 2d² = 2.9e14 flop, padded 3.3e14.
From memory comes ``v_j``'s tile for every pair, pairs × v × 640 B = 1.0 TB; from L2 that and, for every 128 words,
``C_ij``: 1,563 tiles × pairs × (82 + 205) kB = 3.6 TB. At 990 Tflop/s (16 bits), 3 TB/s (memory) and about 5.5 TB/s
(L2) of an H100 that is 0.34 s, 0.35 s and 0.66 s. Predicted, not measured: 0.7 to 1.0 s with what does not overlap;
1.4 to 1.9 s with two terms, which double operations and L2 traffic.

Precision. The squares are differences of larger numbers, so errors of C are amplified by the condition number κ of the
pair. Rounded *rows* do little harm: ``d²_k = Σ_l (v_ik·v_il − v_jk·v_jl)²`` stays a sum of squares if the same rounded
``v_ik`` stand in all three terms, as they do here. What harms is the rounding of the ``C_ij``, which ``terms=2`` gives
as sums of two rounded numbers. Relative error of the words' means against float64, median / maximum, in Triton's
interpreter (v = 5,949, d = 100, 3 skip-gram runs, the lower losses by shrinking them towards their aligned mean):

=============== ============== =================== =================== =================== ===================
reduced loss    condition κ    bf16                fp16                bf16, 2 terms       fp16, 2 terms
=============== ============== =================== =================== =================== ===================
0.020           165            2.3e-3 / 1.2e-2     2.9e-4 / 1.6e-3     3.8e-4 / 2.2e-3     4.5e-5 / 2.7e-4
0.0082          1,030          1.2e-2 / 6.6e-2     1.5e-3 / 8.0e-3     8.8e-4 / 8.7e-3     1.1e-4 / 7.7e-4
0.0031          7,290          1.3e-1 / 7.2e-1     1.5e-2 / 6.5e-2     2.2e-3 / 2.0e-2     3.5e-4 / 2.1e-3
=============== ============== =================== =================== =================== ===================

tf32 errs as fp16. float32 gives 2.6e-5, 1.2e-4 and 1.1e-3 at most. The SD over pairs is 30 times less accurate where
pairs differ little.
"""
# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.library import triton_op, wrap_triton
from torch.nn.functional import pad

from gpustab.kernels.gram import diagonal_blocks, runs_of
from gpustab.kernels.jackknife import jackknife
from gpustab.kernels.pip_loss import WordwisePip

_TRITON = find_spec("triton") is not None
if _TRITON:  # else nothing here can be launched, see gpustab.kernels.dispatch
    import triton
    import triton.language as tl

Precision = Literal["fp32", "tf32", "fp16", "bf16"]
"""Format of the factors; sums are float32. ``fp32`` multiplies as three products of ``tf32`` on a GPU."""

_DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
_PRODUCTS = {"fp32": "tf32x3", "tf32": "tf32", "fp16": "ieee", "bf16": "ieee"}
_OWN: dict[torch.dtype, Precision] = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}

_EXPONENT = 14
"""Binary exponent of a packed Gram's largest entry. float16 ends at 2^16; the other end is for the second terms."""

_TILES = ((128, 64, 3), (128, 64, 2), (128, 32, 2), (64, 64, 2), (64, 32, 2), (64, 16, 2), (32, 16, 2), (16, 16, 2))
"""Words of a tile, columns of a step, steps in flight: the first that fits is taken."""

_SHARED_MEMORY = 232_448
"""Bytes of a Hopper multiprocessor; used where no device tells its own."""


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
        rows: ``(R, c, width)``, ``c`` a multiple of ``tile``; see :func:`pack_gram` for the width.
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


class PackedGram(NamedTuple):
    """A block Gram in the form that the fused kernel reads; made once for all chunks of words.

    Attributes:
        blocks: ``(R(R+1)/2, terms, width, width)``, ``σ C_ijᵀ`` as a sum of rounded terms, zero-padded.
        own: ``(R, d, d)`` float32, ``σ C_ii``.
        factor: ``1 / (4 v σ)``, what turns a difference into the square of a reduced loss.
        precision: of the blocks.
    """

    blocks: Tensor
    own: Tensor
    factor: Tensor
    precision: Precision


def pack_gram(gram: Tensor, words: int, precision: Precision, terms: int = 1) -> PackedGram:
    """Return a block Gram scaled by a power of two σ, so that no format overflows, rounded and padded.

    Args:
        gram: ``(R(R+1)/2, d, d)`` float64 over the whole vocabulary.
        words: size ``v`` of that vocabulary.
        precision: of the factors.
        terms: 1, or 2 for twice the digits of C at twice the work.
    """
    blocks, d = len(gram), gram.shape[1]
    own = diagonal_blocks(gram)
    # Entries of C_ij exceed no diagonal entry of the C_ii (Cauchy-Schwarz).
    scale = torch.ldexp(torch.ones_like(gram[0, 0, 0]), _EXPONENT - torch.frexp(own.abs().amax()).exponent)
    width = _width(d)
    packed = torch.zeros(blocks, terms, width, width, dtype=_DTYPES[precision], device=gram.device)
    size = runs_of(gram)  # blocks at a time: a scaled float64 copy of the whole would not fit beside it
    for part, target in zip(gram.split(size), packed.split(size), strict=True):
        rest = part.mT * scale
        for term in range(terms):
            rounded = _round(rest, precision)
            target[:, term, :d, :d] = rounded
            rest = rest - rounded
    return PackedGram(packed, (own * scale).float(), 1 / (4 * words * scale), precision)


def packed_wordwise(
    rows: Tensor, gram: PackedGram, present: Tensor | None = None, tile: int | None = None
) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss, by the fused kernel.

    Args:
        rows: ``(R, c, d)`` of any floating dtype, rounded to the precision of ``gram``; in float16 no entry may
            exceed 65,504. Many words at a time fill a GPU: one program takes up to 128.
        gram: from :func:`pack_gram`.
        present: ``(R, c)`` bool, which run has which word; default: all of them.
        tile: words per program, 16 to 128, a power of two; default: what fits the device.
    """
    runs, words, d = rows.shape
    width = gram.blocks.shape[-1]
    fitting, columns, stages = _tile(width, gram.precision, rows.device)
    tile = tile or fitting
    have = torch.ones(runs, words, dtype=torch.bool, device=rows.device) if present is None else present
    spare = -words % tile
    rounded = _round(rows, gram.precision)
    own = torch.stack([_quadratic(run.float(), block) for run, block in zip(rounded, gram.own, strict=True)])
    sums, total = wordwise_sums(
        pad(rounded, (0, width - d, 0, spare)),
        pad(own, (0, spare)),
        gram.blocks,
        pad(have.to(torch.uint8), (0, spare)),
        tile,
        columns,
        stages,
        _PRODUCTS[gram.precision],
    )
    return _statistics(sums[:, :words] * gram.factor.sqrt(), total[:words] * gram.factor, have)


def wordwise_statistics(
    rows: Tensor,
    gram: Tensor,
    words: int,
    present: Tensor | None = None,
    precision: Precision | None = None,
    terms: int = 1,
) -> WordwisePip:
    """Return what :func:`gpustab.kernels.pip_loss.wordwise_pip` returns, by the fused kernel.

    For many chunks of one vocabulary call :func:`pack_gram` once and :func:`packed_wordwise` for every chunk.

    Args:
        rows: ``(R, c, d)``, ``d`` at most 512.
        gram: ``(R(R+1)/2, d, d)`` float64 over the whole vocabulary.
        words: size ``v`` of the vocabulary behind ``gram``.
        present: ``(R, c)`` bool; default: all.
        precision: of the factors; default: that of ``rows``.
        terms: 1, or 2 for twice the digits of C.

    Raises:
        ValueError: for float64 rows without a precision, which is the plain twin's work.
    """
    if precision is None and rows.dtype not in _OWN:
        raise ValueError(f"rows are {rows.dtype}: give a precision, or use the plain kernel")
    return packed_wordwise(rows, pack_gram(gram, words, precision or _OWN[rows.dtype], terms), present)


def _round(x: Tensor, precision: Precision) -> Tensor:
    if precision != "tf32":
        return x.to(_DTYPES[precision])
    # Rounded here, not by the tensor cores, so that the same rows stand in all three terms.
    bits = x.float().contiguous().view(torch.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(torch.float32)


def _width(dimension: int) -> int:
    """Pad a dimension to a power of two or the sum of two, as tiles must be; from 64 on, of 64 at least each.

    >>> [_width(d) for d in (5, 33, 64, 100, 300, 400, 512)]
    [16, 64, 64, 128, 320, 512, 512]
    """
    if dimension <= 64:
        return max(16, _power_of_two(dimension))
    head = 1 << (dimension.bit_length() - 1)
    return head + (max(64, _power_of_two(dimension - head)) if dimension > head else 0)


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


def _tile(width: int, precision: Precision, device: torch.device) -> tuple[int, int, int]:
    """Return the first of :data:`_TILES` that fits the shared memory, its columns cut to the width."""
    memory = _SHARED_MEMORY
    if device.type == "cuda":
        properties: Any = torch.cuda.get_device_properties(device)
        memory = properties.shared_memory_per_block_optin
    for tile, columns, stages in _TILES:
        columns = min(columns, width)
        # Hopper's tensor cores, from 64 rows on, read the second half of a float32 factor from shared memory too.
        copies = 2 if precision == "fp32" and tile >= 64 else 1
        items = copies * tile * width + (stages + copies - 1) * width * columns + tile * columns
        if items * _DTYPES[precision].itemsize <= memory:
            return tile, columns, stages
    raise ValueError(f"rows of {width} dimensions do not fit {memory} bytes of shared memory")


def _quadratic(x: Tensor, block: Tensor) -> Tensor:
    return torch.einsum("cd,cd->c", x @ block, x)


def _statistics(sums: Tensor, total: Tensor, present: Tensor) -> WordwisePip:
    n = present.sum(0).double()
    pairs = n * (n - 1) / 2
    mean = sums.sum(0) / (2 * pairs)
    # A difference, but of float64 numbers made of float32 ones: what is lost, they never had.
    moment = (total - pairs * mean.square()).clamp(min=0)
    sd = (moment / (pairs - 1)).sqrt().where(pairs > 1, torch.nan)
    return WordwisePip(mean, sd, jackknife(sums, present), pairs.long(), total / pairs)
