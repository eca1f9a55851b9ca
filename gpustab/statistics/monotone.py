"""Curves that never fall, as broken lines by least squares, and means over pairs that share items.

Isotonic regression alone has no interval that holds: the bootstrap of its steps covers 86 to 93 % where 95 % are meant
(Sen, Banerjee & Woodroofe 2010 say why). A broken line of few knots has one, and errs no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.statistics.intervals import Estimate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SEGMENTS = 20
_BETWEEN = 5
"""Parts of a segment in which the interval of a curve is kept: it is narrowest between two knots."""
_STEP = 0.5
"""Weights of the bootstrap are 1 plus and minus so much, an item's part of each of its pairs (Hong & Li 2018)."""
_DRAWS, _AT_ONCE = 200, 50


def knots_of(x: Floats) -> Floats:
    """Return the least and the greatest value, and quantiles between: as many segments as the third root of n.

    >>> knots_of(np.arange(28.0)).tolist()
    [0.0, 9.0, 18.0, 27.0]
    """
    segments = int(np.clip(round(len(x) ** (1 / 3)), 2, _SEGMENTS))
    return np.asarray(np.unique(np.quantile(x, np.linspace(0, 1, segments + 1))))


class BrokenLine:
    """Least squares by lines that are broken at some knots and never fall.

    Args:
        x: ``(n,)`` places.
        y: ``(n,)`` values.
        knots: ``(k,)`` ascending, two at least, the first and the last around all places.
    """

    def __init__(self, x: Floats, y: Floats, knots: Floats) -> None:
        self.knots = knots
        left, part = self._place(x)
        n, self._segments = len(x), len(knots) - 1
        of_pair = np.stack([(1 - part) ** 2, part * (1 - part), part**2, (1 - part) * y, part * y], 1)
        columns = 5 * left[:, None] + np.arange(5)
        row = np.repeat(np.arange(n), 5)
        self.sums = sparse.csr_array((of_pair.ravel(), (row, columns.ravel())), (n, 5 * self._segments))
        """``(n, 5 s)`` what each place adds to the sums that a fit needs: weighted ones are products with weights."""

    def _place(self, x: Floats) -> tuple[Ints, Floats]:
        left = np.clip(np.searchsorted(self.knots, x, side="right") - 1, 0, len(self.knots) - 2)
        return left, np.clip((x - self.knots[left]) / (self.knots[left + 1] - self.knots[left]), 0, 1)

    def fits(self, weights: Floats) -> Floats:
        """Return the values at the knots, ``(B, k)``, of the best lines for weights of the places, ``(B, n)``."""
        from scipy.optimize import nnls

        sums = (self.sums.T @ weights.T).T.reshape(len(weights), self._segments, 5)
        square = np.zeros((len(weights), self._segments + 1, self._segments + 1))
        left = np.arange(self._segments)
        for k, (row, column) in enumerate(((left, left), (left, left + 1), (left + 1, left + 1))):
            square[:, row, column] += sums[:, :, k]
            square[:, column, row] += sums[:, :, k] * (k == 1)
        target = np.zeros((len(weights), self._segments + 1))
        target[:, :-1] += sums[:, :, 3]
        target[:, 1:] += sums[:, :, 4]
        rises = np.tril(np.ones(square.shape[1:]))  # values are sums of rises, of which the first alone may be negative
        square, target = rises.T @ square @ rises, target @ rises
        first, own = square[:, :1, 0], square[:, 0, 1:]
        values, vectors = np.linalg.eigh(square[:, 1:, 1:] - own[:, :, None] * own[:, None] / first[:, :, None])
        roots = np.sqrt(np.maximum(values, values[:, -1:] * 1e-12 + 1e-300))
        turned = np.einsum("bji,bj->bi", vectors, target[:, 1:] - own * target[:, :1] / first) / roots
        sides = np.swapaxes(vectors, 1, 2) * roots[:, :, None]
        gains = np.array([nnls(side, right)[0] for side, right in zip(sides, turned, strict=True)])
        start = (target[:, :1] - (own * gains).sum(1, keepdims=True)) / first
        return np.asarray(np.cumsum(np.concatenate([start, gains], 1), 1))

    def fit(self) -> Floats:
        """Return the values at the knots, ``(k,)``, of the best line."""
        return np.asarray(self.fits(np.ones((1, self.sums.shape[0])))[0])

    def grid(self) -> Floats:
        """Return the knots and places between."""
        steps = np.arange(_BETWEEN) / _BETWEEN
        inner = self.knots[:-1, None] + np.diff(self.knots)[:, None] * steps
        return np.append(inner.ravel(), self.knots[-1])

    def errors(self, items: Ints, value: Floats, seed: int) -> Floats:
        """Return the standard errors of the best line at the places of :meth:`grid`, by two bootstraps.

        One draws weights of pairs, one of distinct pairs, where some occur twice. One draws weights of items, of which
        a pair gets both: its variance counts every distinct pair once too often. The largest of the first, the second
        and of what the third has beyond the second holds.

        Args:
            items: ``(n, 2)`` items of each pair, numbers from 0.
            value: ``(k,)`` the line.
            seed: of the draws.
        """
        rng, at = np.random.default_rng([seed, 34]), self.grid()
        best = np.interp(at, self.knots, value)
        items, equal = _distinct(items)
        alone = int(equal.max()) + 1 == len(items)
        of_pairs, of_equal, of_items = np.zeros((3, len(at)))
        for _ in range(_DRAWS // _AT_ONCE):
            of_pairs += (moved := self._moved(1 + self._signs(rng, len(items)), at, best))
            of_equal += moved if alone else self._moved(1 + self._signs(rng, len(items))[:, equal], at, best)
            signs = self._signs(rng, int(items.max()) + 1)
            of_items += self._moved(1 + signs[:, items[:, 0]] + signs[:, items[:, 1]], at, best)
        variance = np.maximum.reduce([of_pairs, of_equal, of_items - of_equal]) / _DRAWS
        return np.asarray(np.sqrt(variance) / _STEP)

    def _signs(self, rng: np.random.Generator, n: int) -> Floats:
        return np.asarray(_STEP * (2.0 * rng.integers(0, 2, (_AT_ONCE, n)) - 1), np.float64)

    def _moved(self, weights: Floats, at: Floats, best: Floats) -> Floats:
        """Return the sum over draws of the squares by which the line moves."""
        moved = [np.interp(at, self.knots, values) - best for values in self.fits(weights)]
        return np.asarray(np.square(moved).sum(0))


def mean_over_pairs(values: Floats, items: Ints) -> Estimate:
    """Return a mean over pairs, with an error for pairs that share items (Aronow, Samii & Assenova 2015).

    Its variance sums the products of all two pairs that share an item, each once: a pair that occurs twice shares two.

    Args:
        values: ``(n,)`` one for each pair.
        items: ``(n, 2)`` its items, numbers from 0.

    >>> alone = mean_over_pairs(np.array([1.0, 2.0, 3.0]), np.array([[0, 1], [2, 3], [4, 5]]))
    >>> round(alone.value, 3), round(alone.se, 3)
    (2.0, 0.471)
    """
    n, number = len(values), len(np.unique(items))
    apart = values - values.mean()
    items, equal = _distinct(items)
    of_pairs, of_equal = float(apart @ apart), float(np.square(np.bincount(equal, apart)).sum())
    of_items = float(np.square(np.bincount(items.ravel(), np.repeat(apart, 2))).sum())
    variance = max(of_pairs, of_equal, of_items - of_equal)
    return Estimate(float(values.mean()), math.sqrt(variance) / n, min(n, number) - 1)


def _distinct(items: Ints) -> tuple[Ints, Ints]:
    """Return the items of each pair, ``(n, 2)``, no item twice in one, and a number of each distinct pair, ``(n,)``.

    >>> [part.tolist() for part in _distinct(np.array([[0, 1], [1, 0], [1, 1]]))]
    [[[0, 1], [1, 0], [1, 3]], [0, 0, 1]]
    """
    number = int(items.max()) + 1
    one = items[:, 0] == items[:, 1]
    items = np.stack([items[:, 0], items[:, 1] + number * one], 1)
    return items, np.unique(items.min(1) * 2 * number + items.max(1), return_inverse=True)[1].reshape(-1)


def numbers_of(items: Sequence[tuple[object, object]]) -> Ints:
    """Return items of pairs as numbers from 0, ``(n, 2)``.

    >>> numbers_of([("a", "b"), ("c", "a")]).tolist()
    [[0, 1], [2, 0]]
    """
    number: dict[object, int] = {}
    rows = [[number.setdefault(item, len(number)) for item in pair] for pair in items]
    return np.array(rows, np.int64).reshape(-1, 2)
