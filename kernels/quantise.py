"""Vectors in few bits a number: uniform quantisation, as in May et al. 2019 and Leszczynski et al. 2020.

Numbers are clipped to ``[−c, c]`` and rounded to the nearest of ``2^b`` values at equal distances, the ends among them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.kernels.shapes import want

__all__ = ["WHOLE", "clipping", "in_bits", "quantised"]

WHOLE = 32
"""Bits of a number that is left as it is."""

_TRIED, _ROUNDS = 12, 4
"""Thresholds that are tried between two, and how often the best one's neighbourhood is looked at: to 5e-5 of the
largest number."""


def quantised(vectors: Tensor, bits: int, clip: float) -> Tensor:
    """Return numbers rounded to the nearest of ``2^b`` between −c and c; half a step is rounded to the even one.

    Args:
        vectors: of any shape, finite.
        bits: b, from 1 upwards; :data:`WHOLE` leaves all as it is.
        clip: c, above 0.

    Raises:
        ValueError: for fewer than one bit, or a threshold that is not above 0.

    >>> quantised(torch.tensor([-3.0, -0.4, 0.1, 0.6, 9.0]), 2, 1.5).tolist()
    [-1.5, -0.5, 0.5, 0.5, 1.5]
    """
    _check(bits)
    if bits >= WHOLE:
        return vectors
    if not clip > 0:
        raise ValueError(f"clip is {clip}, wanted a number above 0")
    steps = 2**bits - 1
    step = 2 * clip / steps
    placed: Tensor = ((vectors.double().clamp(-clip, clip) + clip) / step).round() * step - clip
    return placed


def clipping(vectors: Tensor, bits: int) -> float:
    """Return the threshold c of :func:`quantised` that has the least squared error.

    It is found by trying, ever nearer to the best, from a twelfth of the largest number on; of one bit it is the mean
    of the absolute values.

    Args:
        vectors: of any shape, finite and not all zero.
        bits: b, from 1 upwards; of :data:`WHOLE` nothing is clipped.

    Raises:
        ValueError: for fewer than one bit, or numbers that are all zero or not finite.

    >>> clipping(torch.tensor([-3.0, 1.0, 2.0]), 1)
    2.0
    """
    _check(bits)
    sizes = vectors.double().abs()
    largest = float(sizes.amax())
    if not 0 < largest < torch.inf:
        raise ValueError("vectors are all zero or not finite, so that no threshold has a meaning")
    if bits == 1:
        return float(sizes.mean())
    if bits >= WHOLE:
        return largest
    low, high = 0.0, largest
    for _ in range(_ROUNDS):
        tried = [low + (high - low) * k / _TRIED for k in range(1, _TRIED + 1)]
        errors = [float((quantised(sizes, bits, clip) - sizes).square().sum()) for clip in tried]
        best = errors.index(min(errors))
        step = (high - low) / _TRIED
        low, high = tried[best] - step, min(tried[best] + step, largest)
    return tried[best]


def _check(bits: int) -> None:
    if bits < 1:
        raise ValueError(f"bits are {bits}, wanted 1 or more")


def in_bits(runs: Tensor, bits: int) -> Tensor:
    """Return runs of one frame in few bits, with the threshold of the first run for all.

    Args:
        runs: ``(R, v, d)``, turned to one frame.
        bits: see :func:`quantised`.

    >>> in_bits(torch.tensor([[[-1.0, 1.0]], [[0.5, -3.0]]]), 1).tolist()
    [[[-1.0, 1.0]], [[1.0, -1.0]]]
    """
    want("runs", runs, "(R, v, d)")
    return quantised(runs, bits, clipping(runs[0], bits))
