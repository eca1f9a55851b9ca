"""Intervals of means over sentences that come in components, and over runs too."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.intervals import t_quantile

Array = NDArray[np.float64]


def bootstrap_weights(components: int, draws: int, seed: int) -> Array:
    """Return how often every component is in every bootstrap sample, ``(draws, C)``."""
    if not components:
        return np.zeros((draws, 0))
    generator = np.random.default_rng(seed)
    return generator.multinomial(components, np.full(components, 1 / components), size=draws).astype(np.float64)


def bootstrap_interval(hits: Array, component: NDArray[np.int64], weights: Array) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean of ``hits``, drawn by whole components.

    Args:
        hits: ``(n,)``.
        component: ``(n,)`` of each.
        weights: of :func:`bootstrap_weights`.

    Returns:
        Both ends; NaN for fewer than two components.
    """
    size = weights.shape[1]
    if len(np.unique(component)) < 2:
        return math.nan, math.nan
    sums, numbers = np.bincount(component, hits, size), np.bincount(component, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ sums) / (weights @ numbers)
    low, high = np.nanquantile(means, (0.025, 0.975))
    return float(low), float(high)


def interval_over_runs(hits: Array, component: NDArray[np.int64], weights: Array) -> tuple[float, float, float]:
    """Return the SD over runs of the mean over sentences, and the 95 % interval of its mean over runs.

    Other sentences and another training are two errors: the bootstrap over components of the sentences' means over
    runs, and ± t(R − 1) SD / √R; they are added as squares, on either side. One run has the first alone, which says
    nothing of another training.

    Args:
        hits: ``(R, n)``.
        component: ``(n,)`` of each sentence.
        weights: of :func:`bootstrap_weights`.
    """
    runs = len(hits)
    low, high = bootstrap_interval(hits.mean(0), component, weights)
    if runs < 2:
        return math.nan, low, high
    mean, sd = float(hits.mean()), float(hits.mean(1).std(ddof=1))
    trained = t_quantile(runs - 1) * sd / math.sqrt(runs)
    return sd, mean - math.hypot(mean - low, trained), mean + math.hypot(high - mean, trained)
