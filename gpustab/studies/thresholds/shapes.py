"""Have the spaces' similarities one shape, once they have mean 0 and SD 1? Hypothesis 2 of the paper (§3.1).

The paper draws 1,000 values of each and asks a two-sample Kolmogorov-Smirnov test. Critical there is D = 0.073: shapes
that differ by 0.023 (skip-gram and CBOW, skewness 0.29 and 0.02) are rejected in one draw of twenty, so that "not
rejected" confirms nothing. The exact distance D of the whole distributions answers the question; the share of
rejections over many draws stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import Literal, NamedTuple

import numpy as np

from gpustab.studies.thresholds.distributions import Law

SAME = 0.02
"""Largest distance of two distribution functions that counts as one shape."""

SAMPLE = 1_000
ALPHA = 0.01

Shape = Literal["same", "different", "undecided"]


class Comparison(NamedTuple):
    """The shapes of two groups of spaces, or of the spaces of one.

    Attributes:
        first: a group, or the baseline.
        second: another, or the same: its spaces against each other.
        distance: mean Kolmogorov-Smirnov distance over pairs of spaces, in [0, 1].
        lowest: the least of them.
        highest: the largest.
        pairs: how many.
        rejected: share of draws of 1,000 values each, of the first two spaces, in which the test rejects at 1 %.
        draws: how many draws.
        shape: verdict: ``"same"`` if every pair is within 0.02, ``"different"`` if none is and all are further apart
            than any two spaces of one group.
    """

    first: str
    second: str
    distance: float
    lowest: float
    highest: float
    pairs: int
    rejected: float
    draws: int
    shape: Shape


def distance(a: Law, b: Law) -> float:
    """Return the Kolmogorov-Smirnov distance of two laws, each scaled to mean 0 and SD 1."""
    first, second = a.normal, b.normal
    x = np.concatenate([first.x, second.x])
    return float(np.abs(first.at(x) - second.at(x)).max())


def rejected(a: Law, b: Law, draws: int, seed: int, size: int = SAMPLE) -> float:
    """Return the share of draws in which scipy's two-sample test rejects equal shapes at 1 %.

    Values are scaled by the moments of the whole distributions: scaled by those of the sample the test rejects nothing.
    """
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(seed)
    first, second = a.normal, b.normal
    found = [
        ks_2samp(first.draw(size, rng), second.draw(size, rng), method="asymp").pvalue < ALPHA for _ in range(draws)
    ]
    return float(np.mean(found))


def critical(size: int = SAMPLE) -> float:
    """Return the distance at which two samples of a size are called different at 1 %.

    >>> round(critical(), 3)
    0.073
    """
    from scipy.stats import kstwobign

    return float(kstwobign.isf(ALPHA) * np.sqrt(2 / size))


def compare(groups: dict[str, Sequence[Law]], draws: int, seed: int) -> list[Comparison]:
    """Compare all groups, and the spaces within each that has two."""
    within: dict[str, float] = {}
    found = []
    for first, second in sorted(combinations_with_replacement(groups, 2), key=lambda pair: pair[0] != pair[1]):
        own = [distance(a, b) for a, b in _pairs(groups, first, second)]
        if first == second and own:
            within[first] = max(own)
        if own:
            a, b = next(iter(_pairs(groups, first, second)))
            noise = max(within.get(first, 0.0), within.get(second, 0.0))
            shape = verdict(own, None if first == second else noise)
            share = rejected(a, b, draws, seed)
            found.append(
                Comparison(first, second, float(np.mean(own)), min(own), max(own), len(own), share, draws, shape)
            )
    return found


def verdict(distances: Sequence[float], noise: float | None = None) -> Shape:
    """Return whether spaces have one shape.

    Args:
        distances: of all pairs of spaces.
        noise: largest distance of two spaces of one group, which a difference must exceed.

    >>> verdict([0.01, 0.015]), verdict([0.03, 0.04], 0.005), verdict([0.015, 0.03], 0.005), verdict([0.03], 0.04)
    ('same', 'different', 'undecided', 'undecided')
    """
    if max(distances) <= SAME:
        return "same"
    return "different" if min(distances) > max(SAME, noise or 0.0) else "undecided"


def _pairs(groups: dict[str, Sequence[Law]], first: str, second: str) -> list[tuple[Law, Law]]:
    if first == second:
        return list(combinations(groups[first], 2))
    return [(a, b) for a in groups[first] for b in groups[second]]
