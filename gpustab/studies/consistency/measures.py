"""Consistency with its null, and how sure it is over terms (Bloem et al. 2019, §3, and what the paper left out)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.separation import Nulls, Separation, separation
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.samples import Samples

Array = NDArray[np.float64]

NUMBERS = ("same", "null", "excess", "auc")
"""Cosine of samples of one term; of different terms; their difference; how often the first is the larger."""


class LeftOut(NamedTuple):
    """A number, and what it is without each of T terms.

    Attributes:
        value: with all.
        without: ``(T,)``.
    """

    value: float
    without: Array

    @property
    def estimate(self) -> Estimate:
        """The number with its jackknife error over terms; none for fewer than three."""
        n = len(self.without)
        spread = self.without - self.without.mean()
        se = math.sqrt((n - 1) / n * float(spread @ spread)) if n > 2 else math.nan
        return Estimate.of_runs(self.value, se, n)


def over_runs(found: Sequence[LeftOut]) -> LeftOut:
    """Return the mean over background runs, and what that is without each term."""
    values = [one.value for one in found]
    return LeftOut(float(np.mean(values)), np.mean([one.without for one in found], axis=0))


class Consistency(NamedTuple):
    """The consistency of the vectors of P samples.

    Attributes:
        numbers: of :data:`NUMBERS`, by name.
        by_term: ``same``, ``null``, ``auc`` and ``rank`` of every term, ``(T,)`` each.
        rank: mean place of the second sample among the samples of other terms, by cosine to the first.
        among: mean number of places.
    """

    numbers: dict[str, LeftOut]
    by_term: dict[str, Array]
    rank: float
    among: float


def unit(vectors: Tensor) -> Tensor:
    """Return rows of length 1; zero rows stay zero."""
    return torch.nn.functional.normalize(vectors.double(), dim=-1, eps=1e-300)


def consistency_of(vectors: Tensor, samples: Samples, allowed: Nulls) -> Consistency:
    """Return the consistency of vectors ``(P, d)``.

    ``same`` is the mean over terms of the mean cosine over pairs of a term's samples; ``null`` the mean over null
    pairs; ``auc`` the probability that a pair of one term has a larger cosine than a null pair, ties as halves, over
    all of both. Nothing is sampled.

    Args:
        vectors: of P samples.
        samples: whose they are.
        allowed: their null pairs, see :class:`gpustab.studies.consistency.nulls.NullPairs`.
    """
    term = torch.from_numpy(samples.term).to(vectors.device)
    sums = Separation(*(part.cpu() for part in separation(unit(vectors), term, allowed)))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (sums.same / sums.pairs).numpy()
        numbers = {"same": _mean(mean), "null": _null(sums), "auc": _auc(sums)}
        same, null = numbers["same"], numbers["null"]
        numbers["excess"] = LeftOut(same.value - null.value, same.without - null.without)
        by_term = {
            "same": mean,
            "null": (sums.null / sums.nulls).numpy(),
            "auc": (sums.both / (sums.pairs * sums.nulls)).numpy(),
            "rank": (sums.ranks / (2 * sums.pairs)).numpy(),
        }
    ordered = 2 * float(sums.pairs.sum())
    return Consistency(numbers, by_term, float(sums.ranks.sum()) / ordered, float(sums.among.sum()) / ordered)


def _mean(by_term: Array) -> LeftOut:
    n = len(by_term)
    return LeftOut(float(by_term.mean()), (by_term.sum() - by_term) / (n - 1))


def _null(sums: Separation) -> LeftOut:
    cosines, pairs = sums.null.numpy(), sums.nulls.numpy()
    total, n = np.float64(cosines.sum() / 2), np.float64(pairs.sum() / 2)  # each pair touches two terms
    return LeftOut(float(total / n), (total - cosines) / (n - pairs))


def _auc(sums: Separation) -> LeftOut:
    own, null = sums.pairs.numpy(), sums.nulls.numpy()
    lost, touching, both = sums.lost.numpy(), sums.touching.numpy(), sums.both.numpy()
    total, n = np.float64(lost.sum()), null.sum() / 2
    without = (total - lost - touching + both) / ((own.sum() - own) * (n - null))
    return LeftOut(float(total / (own.sum() * n)), without)


def size_constant(cosine: float, words: float) -> float:
    """Return c of the size law ``E cos = 1 / (1 + c / m)``, ``m (1 − cos) / cos``.

    Sums of m vectors drawn from one distribution of mean μ and covariance Σ have it with c = tr Σ / |μ|²: it is what
    a cosine says once the number of words is taken out.

    Args:
        cosine: mean cosine.
        words: m, harmonic mean of the context words of both samples.

    >>> round(size_constant(0.9, 90.0), 9)
    10.0
    """
    return words * (1 - cosine) / cosine if cosine > 0 else math.nan


def words_of_pairs(samples: Samples, words: Array) -> float:
    """Return the mean over terms of the harmonic mean of the context words of pairs of samples."""
    found = []
    for k in range(len(samples.terms)):
        own = np.maximum(words[samples.term == k], 1e-12)
        i, j = np.triu_indices(len(own), 1)
        found.append((2 / (1 / own[i] + 1 / own[j])).mean())
    return float(np.mean(found))
