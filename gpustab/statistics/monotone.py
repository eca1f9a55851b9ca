"""Curves that never fall, as broken lines by least squares, and means over pairs that share items.

Isotonic regression alone has no interval that holds: the bootstrap of its steps covers 86 to 93 % where 95 % are meant
(Sen, Banerjee & Woodroofe 2010 say why). A broken line of few knots has one, and errs no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtrit

from gpustab.statistics.intervals import Estimate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SEGMENTS = 20
_BETWEEN = 5
"""Parts of a segment in which the interval of a curve is kept: it is narrowest between two knots."""
_STEP = 0.4
"""Weights of the bootstrap are 1 plus and minus so much, an item's part of each of its pairs (Hong & Li 2018)."""
_DRAWS, _AT_ONCE = 200, 50
FEWEST_ITEMS = 5
"""Items of equally many pairs, below which no error is given."""


def knots_of(x: Floats, times: int = 1) -> Floats:
    """Return the least and the greatest value, and quantiles between: as many segments as the third root of n.

    Args:
        x: ``(n,)`` places.
        times: so many times as many segments.

    All are values that occur: of a knot between two of them no place might say anything.

    >>> knots_of(np.arange(28.0)).tolist()
    [0.0, 9.0, 18.0, 27.0]
    """
    segments = times * int(np.clip(round(len(x) ** (1 / 3)), 2, _SEGMENTS))
    return np.asarray(np.unique(np.quantile(x, np.linspace(0, 1, segments + 1), method="nearest")))


class BrokenLine:
    """Least squares by lines that are broken at some knots and never fall.

    Args:
        x: ``(n,)`` places.
        y: ``(n,)`` values.
        knots: ``(k,)`` ascending, two at least, the first and the last around all places.
    """

    def __init__(self, x: Floats, y: Floats, knots: Floats) -> None:
        self.x, self.knots = x, knots
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

    def halves(self, items: Ints, value: Floats, seed: int) -> Floats:
        """Return half the widths of the 95 % intervals of the best line at the places of :meth:`grid`.

        They come from two bootstraps. One draws weights of pairs, one of distinct pairs, where some occur twice. One
        draws weights of items, of which a pair gets both: its variance counts every distinct pair once too often. The
        largest of the first, the second and of what the third has beyond the second holds.

        Args:
            items: ``(n, 2)`` items of each pair, numbers from 0.
            value: ``(k,)`` the line.
            seed: of the draws.
        """
        rng, best = np.random.default_rng([seed, 34]), np.interp(self.grid(), self.knots, value)
        few, signs = few_items(items), self._signs
        items, equal = _distinct(items)
        number, alone = int(items.max()) + 1, int(equal.max()) + 1 == len(items)
        of_pairs = self._variance(best, lambda: signs(rng, len(items)))
        of_equal = of_pairs if alone else self._variance(best, lambda: signs(rng, len(items))[:, equal])
        of_items = self._variance(best, lambda: signs(rng, number)[:, items].sum(2))
        variance = np.maximum.reduce([of_pairs, of_equal, few.factor * of_items - of_equal])
        return np.asarray(stdtrit(np.minimum(self._freedom(), few.freedom), 0.975) * np.sqrt(variance))

    def _freedom(self) -> Floats:
        """Return the degrees of freedom of the error at each place, 1 at least: at the ends a few pairs make the line.

        They are Satterthwaite's (1946) for the squares of what each pair gives to the line.
        """
        n, (left, part) = self.sums.shape[0], self._place(self.x)
        near = np.zeros((n, len(self.knots)))
        near[np.arange(n), left], near[np.arange(n), left + 1] = 1 - part, part
        at = np.stack([np.interp(self.grid(), self.knots, one) for one in np.eye(len(self.knots))], 1)
        squares = np.square(np.dot(at, np.linalg.pinv(near)))
        return np.asarray(np.maximum(np.square(squares.sum(1)) / np.square(squares).sum(1) - 1, 1))

    def _signs(self, rng: np.random.Generator, n: int) -> Floats:
        return np.asarray(2.0 * rng.integers(0, 2, (_AT_ONCE, n)) - 1, np.float64)

    def _variance(self, best: Floats, signs: Callable[[], Floats]) -> Floats:
        """Return the variance of the line at the places of :meth:`grid` over draws of weights."""
        at, draws = self.grid(), (self.fits(1 + _STEP * signs()) for _ in range(_DRAWS // _AT_ONCE))
        moved = [np.interp(at, self.knots, values) - best for fits in draws for values in fits]
        return np.asarray(np.square(moved).mean(0) / _STEP**2)


class Few(NamedTuple):
    """What few items cost.

    Attributes:
        items: how many items of equally many pairs each would know as much of effects of items.
        factor: what the variance over items is too small by, since the mean is estimated too; of all pairs of some
            items it is the jackknife's over items.
        freedom: degrees of freedom of an error over pairs and items.
    """

    items: float
    factor: float
    freedom: int


def few_items(items: Ints) -> Few:
    """Return what few items of pairs ``(n, 2)`` cost.

    Where effects of items make the scores, an item's part of the variance is the square of its pairs, and the number of
    items is that of Satterthwaite (1946).

    >>> few_items(np.array([[0, 1], [2, 3], [4, 5]]))
    Few(items=6.0, factor=1.875, freedom=2)
    >>> round(few_items(np.array([[0, k] for k in range(1, 50)])).items, 2)
    1.04
    """
    squares = np.square(np.bincount(items.ravel()).astype(np.float64))
    number = float(squares.sum() ** 2 / (squares @ squares))
    pairs = len(np.unique(np.sort(items, 1), axis=0))
    freedom = int(min(pairs, number) + 1e-9) - 1
    return Few(number, number * (number - 1) / max(number - 2, 1e-9) ** 2, max(1, freedom))


def mean_over_pairs(values: Floats, items: Ints) -> Estimate:
    """Return a mean over pairs, with an error for pairs that share items (Aronow, Samii & Assenova 2015).

    Its variance sums the products of all two pairs that share an item, each once: a pair that occurs twice shares two.
    It is corrected for few items; of fewer than five, see :func:`few_items`, the error is NaN. Of few pairs that share
    no item it is too wide, here 0.782 for 0.577: nobody can see from so few that their items have no effects.

    Args:
        values: ``(n,)`` one for each pair.
        items: ``(n, 2)`` its items, numbers from 0.

    >>> alone = mean_over_pairs(np.array([1.0, 2.0, 3.0]), np.array([[0, 1], [2, 3], [4, 5]]))
    >>> round(alone.value, 3), round(alone.se, 3)
    (2.0, 0.782)
    """
    n, few = len(values), few_items(items)
    if few.items < FEWEST_ITEMS:
        return Estimate(float(values.mean()), math.nan, few.freedom)
    apart = values - values.mean()
    items, equal = _distinct(items)
    once = n / (n - 1)
    of_pairs, of_equal = once * float(apart @ apart), float(np.square(np.bincount(equal, apart)).sum())
    of_items = float(np.square(np.bincount(items.ravel(), np.repeat(apart, 2))).sum())
    variance = max(of_pairs, once * of_equal, few.factor * of_items - of_equal)
    return Estimate(float(values.mean()), math.sqrt(variance) / n, few.freedom)


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
