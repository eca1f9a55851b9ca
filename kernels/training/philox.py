"""Philox 4x32-10 (Salmon et al. 2011): random numbers that are a function of a counter and a key.

Any number of a stream is had without those before it, in any order, on any device, with the same bits.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["philox", "random_words"]

_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW = 0xFFFFFFFF


def philox(counter: tuple[Tensor, Tensor, Tensor, Tensor], key: tuple[int, int]) -> tuple[Tensor, ...]:
    """Return the four random words of every counter.

    Args:
        counter: four int64 tensors of shapes that broadcast, values 0 to 2³² − 1.
        key: two numbers 0 to 2³² − 1.

    Returns:
        Four int64 tensors, values 0 to 2³² − 1.

    Example:
        >>> zero = torch.zeros((), dtype=torch.int64)
        >>> [f"{word:08x}" for word in philox((zero, zero, zero, zero), (0, 0))]
        ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    low, high = key
    for _ in range(_ROUNDS):
        # The product of two 32-bit numbers wraps around in int64; its 64 bits are right all the same.
        first, third = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b = (third >> 32 & _LOW) ^ b ^ low, third & _LOW
        c, d = (first >> 32 & _LOW) ^ d ^ high, first & _LOW
        low, high = (low + _WEYL[0]) & _LOW, (high + _WEYL[1]) & _LOW
    return a, b, c, d


def random_words(n: int, key: tuple[int, int], stream: int = 0, device: torch.device | None = None) -> Tensor:
    """Return the first n random words of a stream, ``(n,)`` int64, values 0 to 2³² − 1.

    All four words of a counter are used, the words of counter ``(i, stream, 0, 0)`` at places 4i to 4i + 3.

    >>> [f"{word:08x}" for word in random_words(5, key=(0, 0)).tolist()[:4]]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    place = torch.arange((n + 3) // 4, device=device or "cpu")
    zero = torch.zeros((), dtype=torch.int64, device=device or "cpu")
    return torch.stack(philox((place, zero + stream, zero, zero), key), 1).flatten()[:n]
