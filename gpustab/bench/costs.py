"""Operations and bytes that every step needs at least; what its share of the ceilings is taken of.

R runs of v words in d dimensions, ``P = R(R−1)/2`` pairs. An operation is one addition or multiplication. Bytes are
those that any method must move: the float32 rows read once, float64 Grams and maps read or written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

POLAR_STEPS = 19
"""Steps of two products that the scaled polar iteration takes for the synthetic runs (300 dimensions, condition 6e3).
A CPU takes another way; its share of the ceiling is of the same work all the same."""


class Cost(NamedTuple):
    """Operations and bytes of one step."""

    flop: float
    bytes: float


def gram(runs: int, words: int, dimension: int) -> Cost:
    """``R(R+1)/2`` products of ``d × v`` and ``v × d``: ``2vd²`` each. Reads the rows, writes the blocks.

    >>> f"{gram(128, 200_000, 300).flop:.2e}"
    '2.97e+14'
    """
    blocks = runs * (runs + 1) // 2
    return Cost(2.0 * blocks * words * dimension**2, 4.0 * runs * words * dimension + 8.0 * blocks * dimension**2)


def wordwise(runs: int, words: int, dimension: int, terms: int = 1) -> Cost:
    """``v_ik C_ij`` of all words and pairs, and of every run with itself: ``2vd²`` for each term of a row.

    Reads rows and blocks.
    """
    cost = gram(runs, words, dimension)
    return cost._replace(flop=terms * cost.flop)


def procrustes(runs: int, dimension: int) -> Cost:
    """:data:`POLAR_STEPS` of two ``d × d`` products for every pair: ``4d³`` each. Reads blocks, writes maps."""
    pairs = runs * (runs - 1) // 2
    return Cost(4.0 * POLAR_STEPS * pairs * dimension**3, 16.0 * pairs * dimension**2)


def average(runs: int, words: int, dimension: int) -> Cost:
    """``R − 1`` merges: a cross-Gram and a turned space, ``2vd²`` each, and a map. Reads two spaces, writes one."""
    merge = 4.0 * words * dimension**2 + 4.0 * POLAR_STEPS * dimension**3
    return Cost((runs - 1) * merge, (runs - 1) * 12.0 * words * dimension)


def search(runs: int, words: int, dimension: int, targets: int) -> Cost:
    """Every target's product with every word, ``2d``. Reads the rows."""
    return Cost(2.0 * runs * targets * words * dimension, 4.0 * runs * words * dimension)


def overlap(runs: int, targets: int, lengths: Sequence[int]) -> Cost:
    """One product of ``R × w`` and ``w × R`` for every target and n, w being at least the longest n.

    Reads the lists, writes p@n and j@n of pairs and targets.
    """
    k = max(lengths)
    written = 16.0 * len(lengths) * (runs**2 + targets)
    return Cost(2.0 * targets * len(lengths) * runs**2 * k, 8.0 * runs * targets * k + written)
