"""The block Gram as the fused word-wise kernel reads it: scaled, rounded, padded; and the tiles that fit a device.

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

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.gram import diagonal_blocks, runs_of

Format = Literal["fp32", "tf32", "fp16", "bf16"]
"""Format of the factors; sums are float32. ``fp32`` multiplies as three products of ``tf32`` on a GPU."""

DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
"""What the factors are stored in."""

PRODUCTS = {"fp32": "tf32x3", "tf32": "tf32", "fp16": "ieee", "bf16": "ieee"}
"""Triton's ``input_precision``."""

_EXPONENT = 14
"""Binary exponent of a packed Gram's largest entry. float16 ends at 2^16; the other end is for the second terms."""

_TILES = ((128, 64, 3), (128, 64, 2), (128, 32, 2), (64, 64, 2), (64, 32, 2), (64, 16, 2), (32, 16, 2), (16, 16, 2))
"""Words of a tile, columns of a step, steps in flight: the first that fits is taken."""

SHARED_MEMORY = 232_448
"""Bytes of a Hopper multiprocessor; used where no device tells its own."""


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
    precision: Format


def pack_gram(gram: Tensor, words: int, precision: Format, terms: int = 1) -> PackedGram:
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
    width = padded_width(d)
    packed = torch.zeros(blocks, terms, width, width, dtype=DTYPES[precision], device=gram.device)
    size = runs_of(gram)  # blocks at a time: a scaled float64 copy of the whole would not fit beside it
    for part, target in zip(gram.split(size), packed.split(size), strict=True):
        rest = part.mT * scale
        for term in range(terms):
            rounded = rounded_to(rest, precision)
            target[:, term, :d, :d] = rounded
            rest = rest - rounded
    return PackedGram(packed, (own * scale).float(), 1 / (4 * words * scale), precision)


def rounded_to(x: Tensor, precision: Format) -> Tensor:
    """Round to nearest; ``tf32`` keeps 10 bits of the fraction, in float32.

    >>> rounded_to(torch.tensor([1 + 2**-10, 1 + 2**-12]), "tf32").tolist()
    [1.0009765625, 1.0]
    """
    if precision != "tf32":
        return x.to(DTYPES[precision])
    # Rounded here, not by the tensor cores, so that the same rows stand in all three terms.
    bits = x.float().contiguous().view(torch.int32)
    return ((bits + 0x1000) & ~0x1FFF).view(torch.float32)


def padded_width(dimension: int) -> int:
    """Pad a dimension to a power of two or the sum of two, as tiles must be; from 64 on, of 64 at least each.

    >>> [padded_width(d) for d in (5, 33, 64, 100, 300, 400, 512)]
    [16, 64, 64, 128, 320, 512, 512]
    """
    if dimension <= 64:
        return max(16, _power_of_two(dimension))
    head = 1 << (dimension.bit_length() - 1)
    return head + (max(64, _power_of_two(dimension - head)) if dimension > head else 0)


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


def fitting_tile(width: int, precision: Format, device: torch.device) -> tuple[int, int, int]:
    """Return the first of :data:`_TILES` that fits the shared memory, its columns cut to the width."""
    memory = SHARED_MEMORY
    if device.type == "cuda":
        properties: Any = torch.cuda.get_device_properties(device)
        memory = properties.shared_memory_per_block_optin
    for tile, columns, stages in _TILES:
        columns = min(columns, width)
        # Hopper's tensor cores, from 64 rows on, read the second half of a float32 factor from shared memory too.
        copies = 2 if precision == "fp32" and tile >= 64 else 1
        items = copies * tile * width + (stages + copies - 1) * width * columns + tile * columns
        if items * DTYPES[precision].itemsize <= memory:
            return tile, columns, stages
    raise ValueError(f"rows of {width} dimensions do not fit {memory} bytes of shared memory")
