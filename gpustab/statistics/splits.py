"""Permutation tests of a difference of two means: all splits of some values into two sets, or a draw of them."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST = 200_000
"""So many splits are enumerated at most: 10 and 10 values have 184,756."""
DRAWN = 9_999
"""Splits that are drawn where there are more; the one at hand is counted besides."""
_AT_ONCE = 1 << 22
"""Differences that are held at once."""
_NOISE = 1e-12
"""Differences are as large if they are so but for rounding, in parts of the largest value."""


class SplitTest(NamedTuple):
    """Two-sided permutation p-values of many differences by the same splits.

    Attributes:
        p: ``(K,)`` in (0, 1]: share of the splits whose two means lie as far apart; the one at hand counts.
        splits: how many these are.
        exact: whether these are all.
    """

    p: Floats
    splits: int
    exact: bool

    @property
    def error(self) -> Floats:
        """``(K,)`` standard error of p by the draw of splits; 0 where all were enumerated."""
        return np.zeros_like(self.p) if self.exact else np.sqrt(self.p * (1 - self.p) / self.splits)


def split_test(values: Floats, first: int, seed: int = 0) -> SplitTest:
    """Test whether the first values differ from the others in their mean, for many rows of values at once.

    Every row is dealt out anew to two sets of the sizes that it has. Of sets of one size each split comes twice, with
    either sign; a one-sided p is then half of this one.

    Args:
        values: ``(K, n)``.
        first: how many belong to the first set, 1 to n − 1.
        seed: of the draw.

    Example:
        >>> split_test(np.array([[3.0, 4.0, 1.0, 2.0]]), 2).p.round(3).tolist()  # 2 of 6
        [0.333]
    """
    count = values.shape[1]
    chosen, exact = _splits(count, first, seed)
    total, scale = values.sum(1), np.abs(values).max(1)
    others = count - first

    def apart(sums: Floats) -> Floats:
        return np.asarray(np.abs(sums / first - (total - sums) / others))

    least = apart(values[:, :first].sum(1)) - _NOISE * scale
    reached, step = np.zeros(len(values)), max(1, _AT_ONCE // len(values))
    for start in range(0, len(chosen), step):
        sums = np.einsum("sn,kn->sk", chosen[start : start + step], values, optimize=True)
        reached += (apart(sums) >= least).sum(0)
    splits = len(chosen) + (not exact)
    return SplitTest((reached + (not exact)) / splits, splits, exact)


@lru_cache(maxsize=8)
def _splits(count: int, first: int, seed: int) -> tuple[Floats, bool]:
    """Which values are in the first set, ``(S, n)`` of 0 and 1; and whether these are all splits."""
    exact = math.comb(count, first) <= MOST
    if exact:
        places = np.fromiter(chain.from_iterable(combinations(range(count), first)), np.int64).reshape(-1, first)
    else:
        places = np.random.default_rng(seed).random((DRAWN, count)).argsort(1)[:, :first]
    chosen = np.zeros((len(places), count))
    np.put_along_axis(chosen, places, 1.0, 1)
    return chosen, exact


def least_p(first: int, second: int) -> float:
    """Return the smallest two-sided p that sets of such sizes can have.

    >>> round(least_p(3, 3), 3), round(least_p(4, 4), 3), round(least_p(2, 3), 3)
    (0.1, 0.029, 0.1)
    """
    return (2 if first == second else 1) / math.comb(first + second, first)
