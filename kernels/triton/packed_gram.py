"""The Gram of deviations as the fused word-wise kernel reads it: scaled, rounded, padded; and tiles that fit a device.

Precision. Losses are lengths of differences ``z_i − z_j`` that are as large as the ``z_i`` themselves, so that nothing
amplifies what rounding does, however near the runs are to each other. ``E_iᵀE_j`` is rounded to float16, rows to one or
two terms of it; sums, and all that is not formed for every pair, are float32. Relative errors of the words' means
against float64, median / maximum over some 300 words (losses of 0.001 to 0.1, condition κ of the plain form from 1 to
9e6; *estimate* is the largest of :func:`rounding_of_words`):

=============================================== ========= =================== ===================
spaces                                          estimate  rows of one term    of two terms
=============================================== ========= =================== ===================
noisy copies, R = 4, d = 50                     1.4e-6    8e-6 / 5e-5         1e-6 / 4e-6
the same, d = 300                                         5e-6 / 3e-5         5e-7 / 2e-6
skip-gram on sotu, R = 6, and shrunk 20 times   3.2e-6    8e-6 / 6e-5         1e-6 / 4e-6
skip-gram on sotu, R = 3                        4.4e-6    1e-5 / 7e-5         2e-6 / 1e-5
skip-gram on sotu, R = 2                        5.8e-6    3e-5 / 1e-4         2e-5 / 7e-5
GloVe on sotu, R = 6                            5.5e-7    2e-5 / 8e-5         3e-8 / 3e-7
mean cosine of 0.9                              6.8e-6    2e-5 / 8e-5         3e-6 / 1e-5
collapsed, mean cosine of 0.9999, d = 50        3.5e-3    1e-3 / 3e-3         1e-3 / 2e-3
=============================================== ========= =================== ===================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.centred import DeviationGram, centred_pip_loss
from gpustab.kernels.gram import blocks_of_pairs, diagonal_blocks

_EXPONENT = 14
"""Binary exponent of a packed Gram's largest entry; float16 ends at 2^16."""

_TILES = ((128, 64, 3), (128, 64, 2), (128, 32, 2), (64, 64, 2), (64, 32, 2), (64, 16, 2), (32, 16, 2), (16, 16, 2))
"""Words of a tile, columns of a step, steps in flight: the first that fits is taken."""

SHARED_MEMORY = 232_448
"""Bytes of a Hopper multiprocessor; used where no device tells its own."""


class PackedGram(NamedTuple):
    """A Gram of mean and deviations in the form that the fused kernel reads; made once for all chunks of words.

    Attributes:
        blocks: ``(R(R+1)/2, width, width)`` float16, ``σ E_jᵀE_i``, zero-padded.
        own: ``(R, d, d)`` float32, ``E_iᵀE_i``.
        mean: ``(d, d)`` float32, ``MᵀM``.
        with_mean: ``(R, d, d)`` float32, ``MᵀE_i``.
        scale: σ, a power of two.
        words: size ``v`` of the vocabulary.
    """

    blocks: Tensor
    own: Tensor
    mean: Tensor
    with_mean: Tensor
    scale: Tensor
    words: int


def pack_gram(gram: Tensor, words: int) -> PackedGram:
    """Return the block Gram of mean and deviations, its large part scaled by a power of two, rounded and padded.

    Args:
        gram: ``((R+1)(R+2)/2, d, d)`` float64 over the whole vocabulary.
        words: size ``v`` of that vocabulary.
    """
    frame = DeviationGram.of(gram)
    own, d = diagonal_blocks(frame.blocks), gram.shape[1]
    # Entries of E_iᵀE_j exceed no diagonal entry of the E_iᵀE_i (Cauchy-Schwarz).
    scale = scale_to(own.abs().amax(), _EXPONENT)
    width = padded_width(d)
    packed = torch.zeros(len(frame.blocks), width, width, dtype=torch.float16, device=gram.device)
    size = len(own)  # blocks at a time: a scaled float64 copy of the whole would not fit beside it
    for part, target in zip(frame.blocks.split(size), packed.split(size), strict=True):
        target[:, :d, :d] = part.mT * scale
    return PackedGram(packed, own.float(), frame.mean.float(), frame.with_mean.float(), scale.float(), words)


def rounding_of_words(gram: Tensor, words: int) -> Tensor:
    """Estimate the standard deviation of what rounding ``E_iᵀE_j`` changes in a word's loss, ``(R(R-1)/2,)``.

    As a share of the pair's root mean square loss of a word. An entry changes by ``2⁻¹²/√3`` of itself, so the squared
    loss by twice the root of ``Σ_ab (E_iᵀE_j)²_ab u²_a u²_b`` of that, taken at the mean squares of the coordinates.

    Args:
        gram: ``((R+1)(R+2)/2, d, d)`` float64 of mean and deviations over the whole vocabulary.
        words: size ``v`` of that vocabulary.
    """
    frame = DeviationGram.of(gram)
    own = 2 * frame.with_mean.diagonal(dim1=1, dim2=2) + diagonal_blocks(frame.blocks).diagonal(dim1=1, dim2=2)
    squares = (frame.mean.diagonal() + own.mean(0)) / words
    both = squares[:, None] * squares
    changed = [(blocks.square() * both).sum((1, 2)).sqrt() for blocks in blocks_of_pairs(frame.blocks)]
    share: Tensor = 2**-12 / 3**0.5 * torch.cat(changed) * words / centred_pip_loss(gram).total.square()
    return share


def scale_to(largest: Tensor, exponent: int) -> Tensor:
    """Return by what to multiply numbers so that the largest lies between ``2^(exponent - 1)`` and ``2^exponent``.

    >>> float(scale_to(torch.tensor(3.0), 14))
    4096.0
    """
    return torch.ldexp(torch.ones_like(largest), exponent - torch.frexp(largest).exponent)


def rounded_terms(x: Tensor, terms: int) -> Tensor:
    """Return float16 numbers that add up to ``x``, ``(terms, ...)``: of 11 bits each.

    >>> rounded_terms(torch.tensor([1 + 2**-14]), 2).flatten().tolist()
    [1.0, 6.103515625e-05]
    """
    found: list[Tensor] = []
    for _ in range(terms):
        found.append(x.half())
        x = x - found[-1].float()
    return torch.stack(found)


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


def fitting_tile(width: int, terms: int, device: torch.device) -> tuple[int, int, int]:
    """Return the first of :data:`_TILES` that fits the shared memory, its columns cut to the width.

    Args:
        width: of padded rows.
        terms: of a row.
        device: its shared memory is asked for; a CPU, which has none, stands for Hopper.
    """
    memory = SHARED_MEMORY
    if device.type == "cuda":
        properties: Any = torch.cuda.get_device_properties(device)
        memory = properties.shared_memory_per_block_optin
    for tile, columns, stages in _TILES:
        columns = min(columns, width)
        items = terms * tile * width + stages * width * columns + terms * tile * columns
        if 2 * items <= memory:  # of two bytes
            return tile, columns, stages
    raise ValueError(f"rows of {width} dimensions do not fit {memory} bytes of shared memory")
