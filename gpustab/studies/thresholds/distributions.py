"""How the similarities of a space are distributed (§3), and whether the laws of spaces have one shape (§3.1).

A law can be scaled, compared and drawn from. The paper draws 1,000 values of each and asks a two-sample
Kolmogorov-Smirnov test. Critical there is D = 0.073: shapes that differ by 0.023 (skip-gram and CBOW, skewness 0.29 and
0.02) are rejected in one draw of twenty, so that "not rejected" confirms nothing. The exact distance D of the whole
distributions answers the question; the share of rejections over many draws stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.similarity_groups import STEPS
from gpustab.kernels.similarity_histogram import BINS, Histogram, similarity_histogram
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import telling_memory
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.claims_of_paper import shape_of
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.tables import Comparison

Array = NDArray[np.float64]


class Moments(NamedTuple):
    """What a distribution looks like.

    Attributes:
        mean: of the values.
        sd: their standard deviation.
        skewness: third standardised moment, 0 for a symmetric law.
        kurtosis: fourth standardised moment less 3, 0 for a normal.
    """

    mean: float
    sd: float
    skewness: float
    kurtosis: float

    @classmethod
    def of_powers(cls, n: float, powers: Array) -> Moments:
        """Return the moments of n values from the sums of their first four powers."""
        a, b, c, d = powers / n
        variance = max(b - a**2, 0.0)
        if variance <= 1e-15 * max(b, 1e-300):
            return cls(float(a), 0.0, math.nan, math.nan)
        third = c - 3 * a * b + 2 * a**3
        fourth = d - 4 * a * c + 6 * a**2 * b - 3 * a**4
        return cls(float(a), math.sqrt(variance), float(third / variance**1.5), float(fourth / variance**2 - 3))


@dataclass(frozen=True)
class Law:
    """A distribution function, linear between its points; a step is two points of one place.

    Attributes:
        name: of the space or the measure.
        x: ``(n,)`` ascending.
        below: ``(n,)`` probability of at most x, from 0 to 1.
        moments: of the values.
    """

    name: str
    x: Array
    below: Array
    moments: Moments

    @property
    def normal(self) -> Law:
        """The same with mean 0 and SD 1; a law without spread stays as it is."""
        mean, sd = self.moments.mean, self.moments.sd or 1.0
        return Law(self.name, (self.x - mean) / sd, self.below, self.moments)

    def at(self, x: Array) -> Array:
        """Return the probability of at most x."""
        found: Array = np.interp(x, self.x, self.below)
        return found

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """Return independent values: of random pairs that share no word, say."""
        drawn: Array = np.interp(rng.random(size), self.below, self.x)
        return drawn


class Distribution(NamedTuple):
    """The similarities of one run.

    Attributes:
        law: over similarity.
        counts: ``(201,)`` values in each interval of 0.01, the first of which holds −1 alone.
        by_place: ``(n,)`` mean similarity to the j-th most similar word.
        words: words drawn, each against all others.
        highest: upper edge of the highest bin that is not empty.
        lowest: lower edge of the lowest.
    """

    law: Law
    counts: NDArray[np.int64]
    by_place: Array
    words: int
    lowest: float
    highest: float


def drawn_words(runs: Runs, options: ThresholdsOptions) -> Tensor:
    """Return the places among the joint words that are drawn, the same in every run; all where there are no more."""
    joint = int(runs.joint.sum())
    if options.words >= joint:
        return torch.arange(joint, device="cpu")
    generator = torch.Generator().manual_seed(options.seed)
    return torch.randperm(joint, generator=generator, device="cpu")[: options.words].sort().values


@telling_memory
def distribution(
    runs: Runs, r: int, options: ThresholdsOptions, compute: Compute, told: Callable[[float], None] | None = None
) -> Distribution:
    """Return how the similarities of some random words to every other word are distributed in one run."""
    joint = runs.joint.nonzero().flatten()
    unit = runs.select(r, joint, dtype=compute.dtype)
    queries = drawn_words(runs, options).to(unit.device)
    return of_histogram(similarity_histogram(unit, queries, options.places, told), runs.names[r])


def of_histogram(found: Histogram, name: str) -> Distribution:
    """Return the distribution of counted similarities."""
    counts = found.counts.cpu().numpy()
    total = counts.sum()
    edges = np.arange(-BINS, BINS + 1) / BINS
    edges = np.concatenate([[-1 - 1 / BINS], edges])
    below = np.concatenate([[0.0], counts.cumsum() / total])
    moments = Moments.of_powers(float(total), found.powers.cpu().numpy())
    full = np.flatnonzero(counts)
    coarse = np.concatenate([counts[:1], counts[1:].reshape(2 * STEPS, -1).sum(1)])
    return Distribution(
        Law(name, edges, below, moments),
        coarse,
        (found.by_place / found.words).cpu().numpy(),
        found.words,
        float(max(-1.0, edges[full[0]])),
        float(edges[full[-1] + 1]),
    )


def of_steps(name: str, values: Array, numbers: Array) -> Law:
    """Return the law of values ``(n,)`` that occur so often, a step at each (figure 19)."""
    order = np.argsort(values, kind="stable")
    values, numbers = values[order][numbers[order] > 0], numbers[order][numbers[order] > 0]
    upto = numbers.cumsum() / numbers.sum()
    before = np.concatenate([[0.0], upto[:-1]])
    tiny = 1e-9 * max(np.ptp(values), 1.0)
    x = np.stack([values - tiny, values], 1).flatten()
    powers = np.array([(numbers * values**k).sum() for k in (1, 2, 3, 4)])
    below = np.stack([before, upto], 1).flatten()
    return Law(name, x, below, Moments.of_powers(float(numbers.sum()), powers))


SAMPLE = 1_000
ALPHA = 0.01


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
    rejections = [
        ks_2samp(first.draw(size, rng), second.draw(size, rng), method="asymp").pvalue < ALPHA for _ in range(draws)
    ]
    return float(np.mean(rejections))


def compare(groups: dict[str, Sequence[Law]], draws: int, seed: int) -> list[Comparison]:
    """Compare all groups, and the spaces within each that has two."""
    within: dict[str, float] = {}
    rows = []
    for first, second in sorted(combinations_with_replacement(groups, 2), key=lambda pair: pair[0] != pair[1]):
        pairs = _pairs(groups, first, second)
        own = [distance(a, b) for a, b in pairs]
        if first == second and own:
            within[first] = max(own)
        if own:
            noise = max(within.get(first, 0.0), within.get(second, 0.0))
            shape = shape_of(own, None if first == second else noise)
            share = rejected(*pairs[0], draws, seed)
            rows.append(
                Comparison(first, second, float(np.mean(own)), min(own), max(own), len(own), share, draws, shape)
            )
    return rows


def _pairs(groups: dict[str, Sequence[Law]], first: str, second: str) -> list[tuple[Law, Law]]:
    if first == second:
        return list(combinations(groups[first], 2))
    return [(a, b) for a in groups[first] for b in groups[second]]
