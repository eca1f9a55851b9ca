"""Least squares of a number of words on what is known of them, with errors over runs and over words told apart.

A regression is made of the correlations of its columns alone, so that hundreds of them, each without a run or without a
part of the words, cost no more than one pass over the words each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.intervals import jackknife_error, t_quantile

Floats = NDArray[np.float64]

PARTS = 20
"""Parts of the words of which the jackknife over words leaves out one after the other."""


class Fit(NamedTuple):
    """A regression with an intercept.

    Attributes:
        slopes: ``(p,)``, the change of y by one unit of a column, all other columns the same.
        effects: ``(p,)``, the same in standard deviations of y: by one standard deviation of a column, or for a column
            of yes and no by yes in place of no.
        partial: of every factor the part of what the others leave unexplained that it explains: partial R², freed of
            what columns of chance explain, and so perhaps below 0.
        r2: the part of the variance of y that all explain.
        centre: ``(p,)`` means of the columns.
        level: mean of y.
    """

    slopes: Floats
    effects: Floats
    partial: Floats
    r2: float
    centre: Floats
    level: float

    def predict(self, x: Floats) -> Floats:
        """Return what the regression expects for rows ``(v, p)``."""
        return np.asarray(self.level + ((x - self.centre) * self.slopes).sum(1))


def fit(x: Floats, y: Floats, factors: Sequence[Sequence[int]], classes: Sequence[int] = ()) -> Fit:
    """Fit ``y = a + x b`` by least squares.

    Args:
        x: ``(v, p)``, no column constant.
        y: ``(v,)``.
        factors: the columns of each factor.
        classes: columns of yes and no (1 and 0).

    Returns:
        The fit; NaN where y is constant.

    >>> x = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0], [4, 4]])
    >>> found = fit(x, 2 * x[:, 0] - x[:, 1] + 5, [[0], [1]])
    >>> found.slopes.round(6).tolist(), round(found.r2, 6), found.partial.round(6).tolist()
    ([2.0, -1.0], 1.0, [1.0, 1.0])
    """
    columns = np.column_stack([x, y])
    spread = columns.std(0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = (columns - columns.mean(0)) / spread
    correlations = np.einsum("vi,vj->ij", scaled, scaled) / (len(y) - 1)
    inner, outer, p = correlations[:-1, :-1], correlations[:-1, -1], x.shape[1]
    if not np.isfinite(correlations).all() or not np.ptp(y):
        nothing = np.full(p, math.nan)
        return Fit(nothing, nothing, np.full(len(factors), math.nan), math.nan, x.mean(0), float(y.mean()))

    def explained(kept: Sequence[int]) -> tuple[Floats, float]:
        own = np.ix_(kept, kept)
        weights = np.linalg.lstsq(inner[own], outer[kept], rcond=1e-10)[0]
        return weights, float((weights * outer[kept]).sum())

    weights, r2 = explained(range(p))
    partial = []
    for factor in factors:
        _, less = explained([k for k in range(p) if k not in factor])
        free = len(y) - 1 - p
        partial.append(1 - (1 - r2) / max(1 - less, 1e-300) * (free + len(factor)) / free if free > 0 else math.nan)
    slopes = weights * spread[-1] / spread[:-1]
    effects = np.array([slopes[k] / spread[-1] if k in classes else weights[k] for k in range(p)])
    return Fit(slopes, effects, np.array(partial), r2, x.mean(0), float(y.mean()))


class Known(NamedTuple):
    """A number, and how surely it is known.

    Attributes:
        value: of all runs and words.
        runs_se: its error over runs, by the jackknife.
        words_se: its error over words, by the jackknife over parts of them.
        runs: how many runs there are.
    """

    value: float
    runs_se: float
    words_se: float
    runs: int

    @property
    def half(self) -> float:
        """Half of the 95 % interval, which holds both errors; NaN for fewer than three runs."""
        if self.runs < 3:  # pairs of runs have no error
            return math.nan
        return math.hypot(t_quantile(self.runs - 1) * self.runs_se, t_quantile(PARTS - 1) * self.words_se)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - self.half, self.value + self.half


def known(whole: float, without_runs: Sequence[float], without_words: Sequence[float]) -> Known:
    """Return a number with its errors, from what it is without each run and without each part of the words."""
    errors = jackknife_error(list(without_runs)), jackknife_error(list(without_words))
    return Known(float(whole), *errors, len(without_runs))


def parts_of(words: int, seed: int) -> NDArray[np.int64]:
    """Return to which part of the words each belongs, ``(v,)``: parts of equal size (to one), drawn."""
    return np.random.default_rng(seed).permutation(words) % PARTS


class Regression(NamedTuple):
    """A regression, and the same without each run and without each part of the words."""

    whole: Fit
    without_runs: list[Fit]
    without_words: list[Fit]

    def number(self, of: str, k: int | None = None) -> Known:
        """Return a number of the fit with its errors: by the name of its field, and its place there."""

        def value(one: Fit) -> float:
            own = getattr(one, of)
            return float(own if k is None else own[k])

        return known(value(self.whole), list(map(value, self.without_runs)), list(map(value, self.without_words)))


def regress(
    designs: Sequence[Floats], values: Floats, factors: Mapping[str, Sequence[int]], classes: Sequence[int], seed: int
) -> Regression:
    """Regress with all runs, without each of them, and without each part of the words.

    Args:
        designs: the columns ``(v, p)`` by all runs, then without each run.
        values: ``(1 + R, v)``, likewise.
        factors: the columns of each factor, by its name.
        classes: columns of yes and no.
        seed: of the parts.
    """
    own = list(factors.values())
    first, *others = (fit(x, y, own, classes) for x, y in zip(designs, values, strict=True))
    part = parts_of(values.shape[1], seed)
    rest = [fit(designs[0][part != k], values[0][part != k], own, classes) for k in range(PARTS)]
    return Regression(first, others, rest)
