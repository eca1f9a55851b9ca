"""What the vectors of samples are worth: consistency beside its null level, and places among the background's words.

Consistency is Bloem et al. 2019, section 3, with what the paper left out: the null level, of samples of different terms
without a common sentence, and its error over terms. Places are tables 1 and 3 (samples beside each other) and table 6
(beside their own word).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.separation import Nulls, Separation, separation
from gpustab.kernels.word_ranks import ROUNDING, word_ranks
from gpustab.small_data.text import Ids, Samples
from gpustab.statistics.intervals import Estimate

Array = NDArray[np.float64]

NUMBERS = ("same", "null", "excess", "auc")
"""Cosine of samples of one term; of different terms; their difference; how often the first is the larger."""

_WHOLE = 1 << 24
"""So many pairs are kept; of more samples (4,096) they are found block by block, whenever they are wanted."""


class NullPairs:
    """Null pairs of P samples: of different terms, without a common sentence, of like numbers of context words.

    Those numbers are within a factor of two of each other. ``pairs[3:8]`` gives the rows of some samples, ``(5, P)``
    bool: all rows together would take 400 MB at P = 20,000.

    Args:
        samples: P of them.
        words: ``(P,)`` context words of each.
    """

    def __init__(self, samples: Samples, words: Tensor) -> None:
        self._term = torch.from_numpy(samples.term).to(words.device)
        self._words = words
        sentences, column = np.unique(samples.members, return_inverse=True)
        ones = np.ones(len(column), dtype=np.int32)
        self._incidence = sparse.csr_matrix((ones, (samples.owner, column)), (len(samples.term), len(sentences)))
        self._sentences = self._incidence.T.tocsr()
        self._kept = self._rows(slice(0, len(words))) if len(words) ** 2 <= _WHOLE else None

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, rows: slice) -> Tensor:
        """Return rows, ``(k, P)``."""
        return self._rows(rows) if self._kept is None else self._kept[rows]

    def any(self) -> bool:
        """Tell whether there is one."""
        size = max(1, _WHOLE // max(len(self), 1))
        return any(bool(self[start : start + size].any()) for start in range(0, len(self), size))

    def _rows(self, rows: slice) -> Tensor:
        words = self._words[rows, None]
        low, high = torch.minimum(words, self._words), torch.maximum(words, self._words)
        shared = torch.from_numpy((self._incidence[rows] @ self._sentences).toarray() > 0)
        return (self._term[rows, None] != self._term) & ~shared.to(words.device) & (high <= 2 * low)


class LeftOut(NamedTuple):
    """A number, and what it is without each of T terms, ``(T,)``."""

    value: float
    without: Array

    @property
    def estimate(self) -> Estimate:
        """The number with its jackknife error over terms; none for fewer than three."""
        n = len(self.without)
        spread = self.without - self.without.mean()
        se = math.sqrt((n - 1) / n * float(spread @ spread)) if n > 2 else math.nan
        return Estimate.of_runs(self.value, se, n)

    def minus(self, other: LeftOut) -> LeftOut:
        """Return the difference to a number of the same terms."""
        return LeftOut(self.value - other.value, self.without - other.without)


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


def over_runs(each: Sequence[Consistency], name: str) -> LeftOut:
    """Return the mean of a number over background runs, and what that is without each term."""
    runs = [one.numbers[name] for one in each]
    return LeftOut(float(np.mean([run.value for run in runs])), np.mean([run.without for run in runs], axis=0))


def over_terms(values: Array) -> Estimate:
    """Return the mean of a number of each term, with its error; none for fewer than three."""
    n = len(values)
    se = float(values.std(ddof=1) / math.sqrt(n)) if n > 2 else math.nan
    return Estimate.of_runs(float(values.mean()) if n else math.nan, se, n)


def unit(vectors: Tensor) -> Tensor:
    """Return rows of length 1; zero rows stay zero."""
    return torch.nn.functional.normalize(vectors.double(), dim=-1, eps=1e-300)


def consistency_of(vectors: Tensor, samples: Samples, allowed: Nulls) -> Consistency:
    """Return the consistency of vectors ``(P, d)`` of samples, with their null pairs, see :class:`NullPairs`.

    ``same`` is the mean over terms of the mean cosine over pairs of a term's samples; ``null`` the mean over null
    pairs; ``auc`` the probability that a pair of one term has a larger cosine than a null pair, ties as halves, over
    all of both. Nothing is sampled. A sample whose vector is zero, as a sum that cancels out or a word without an
    association has it, has no direction: its pairs are left out, never counted as cosines of 0.
    """
    term = torch.from_numpy(samples.term).to(vectors.device)
    sums = Separation(*(part.cpu() for part in separation(unit(vectors), term, allowed)))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (sums.same / sums.pairs).numpy()
        numbers = {"same": _mean(mean), "null": _null(sums), "auc": _auc(sums)}
        numbers["excess"] = numbers["same"].minus(numbers["null"])
        by_term = {
            "same": mean,
            "null": (sums.null / sums.nulls).numpy(),
            "auc": (sums.both / (sums.pairs * sums.nulls)).numpy(),
            "rank": (sums.ranks / (2 * sums.pairs)).numpy(),
        }
    ordered = 2 * float(sums.pairs.sum()) or math.nan
    return Consistency(numbers, by_term, float(sums.ranks.sum()) / ordered, float(sums.among.sum()) / ordered)


def _mean(by_term: Array) -> LeftOut:
    """Mean over the terms that have a pair of samples; to leave another one out changes nothing."""
    known = np.isfinite(by_term)
    n, total = int(known.sum()), by_term[known].sum()
    mean = total / n if n else np.nan
    return LeftOut(float(mean), np.where(known, (total - by_term) / (n - 1), mean) if n > 1 else by_term * np.nan)


def _null(sums: Separation) -> LeftOut:
    cosines, pairs = sums.null.numpy(), sums.nulls.numpy()
    total, n = np.float64(cosines.sum() / 2), np.float64(pairs.sum() / 2)  # each pair touches two terms
    return LeftOut(float(total / n), _left(total - cosines, n - pairs))


def _auc(sums: Separation) -> LeftOut:
    pairs, null = sums.pairs.numpy(), sums.nulls.numpy()
    lost, touching, both = sums.lost.numpy(), sums.touching.numpy(), sums.both.numpy()
    total, n = np.float64(lost.sum()), null.sum() / 2
    without = _left(total - lost - touching + both, (pairs.sum() - pairs) * (n - null))
    return LeftOut(float(total / (pairs.sum() * n)), without)


def _left(total: Array, of: Array) -> Array:
    """What is left without each term by of how many; NaN where no pair is left, whose total is rounding."""
    return np.where(of > 0, total / of, np.nan)


class Ranks(NamedTuple):
    """Places among the background's words by cosine to a sample, 1 the nearest, over all pairs of a term's samples.

    Attributes:
        forward: mean place of the later sample among the neighbours of the earlier.
        back: of the earlier among those of the later.
        both: mean of the two.
        without_own: the same where the term's own background word is left out of the words.
        first: share of all of these places (own word kept) that are 1.
    """

    forward: float
    back: float
    both: float
    without_own: float
    first: float


class Own(NamedTuple):
    """How near each term's samples are to its own background vector, NaN for a term that the background lacks.

    Attributes:
        cosine: ``(T,)`` mean cosine.
        null: ``(T,)`` mean cosine to the own vectors of the other terms.
        place: ``(T,)`` mean place of the term's vector among all words by cosine to the sample, 1 the nearest.
    """

    cosine: Array
    null: Array
    place: Array


def places(vectors: Tensor, samples: Samples, words: Tensor, rows: Tensor) -> tuple[Ranks, Own]:
    """Return the places of samples among words, and how near they are to their terms' own vectors; words are read once.

    Args:
        vectors: ``(P, d)``.
        samples: P of them.
        words: ``(v, d)`` unit vectors.
        rows: ``(P,)`` row of the term, −1 where the background lacks it.
    """
    x = unit(vectors)
    other, valid, later = _others(samples)
    known = x.any(1).cpu().numpy()  # a zero vector has no neighbours
    valid = valid & known[:, None] & known[other]
    later = later & valid
    cosines = (x[:, None] * x[torch.from_numpy(other).to(x.device)]).sum(-1)
    cosine = row_dot(x, words[rows.clamp(min=0)].double())
    ranks = word_ranks(x, words, torch.cat([cosines, cosine[:, None]], 1))
    kept = ranks[:, :-1]
    # The own word is no nearer than itself, whatever rounding says: word_ranks has the same margin.
    left = kept - ((cosine[:, None] > cosines + ROUNDING) & (rows >= 0)[:, None]).long()
    of, without = kept.cpu().numpy(), left.cpu().numpy()
    parts = of[later], of[valid & ~later], of[valid], without[valid], of[valid] == 1
    return Ranks(*(float(part.mean()) for part in parts)), _own(x, samples, words, rows, cosine, ranks[:, -1])


def _others(samples: Samples) -> tuple[Ids, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return all samples of every sample's term, ``(P, most)``, which of them are others, and which are later ones."""
    term, starts = samples.term, np.searchsorted(samples.term, np.arange(len(samples.terms)))
    sizes = np.bincount(term)
    most = int(sizes.max())
    place = np.arange(len(term)) - starts[term]
    other = np.minimum(starts[term][:, None] + np.arange(most), len(term) - 1)
    valid = (np.arange(most) < sizes[term][:, None]) & (np.arange(most) != place[:, None])
    return other, valid, valid & (np.arange(most) > place[:, None])


def _own(x: Tensor, samples: Samples, words: Tensor, rows: Tensor, cosine: Tensor, place: Tensor) -> Own:
    has, term = (rows >= 0).cpu().numpy(), samples.term
    known = has & x.any(1).cpu().numpy()
    first = np.searchsorted(term, np.arange(len(samples.terms)))
    others = words[rows[torch.from_numpy(first[has[first]]).to(rows.device)]].double()
    null = (product(x, others.sum(0)[:, None])[:, 0] - cosine) / max(len(others) - 1, 1)
    null = null if len(others) > 1 else null * torch.nan
    return Own(*(_by_term(values.double(), term, known) for values in (cosine, null, place)))


def _by_term(values: Tensor, term: Ids, has: NDArray[np.bool_]) -> Array:
    """Means over the samples of every term that have a vector, where the background has the term; else NaN."""
    with np.errstate(invalid="ignore"):
        means: Array = np.bincount(term[has], values.cpu().numpy()[has], len(set(term))) / np.bincount(term, has)
    return means


def mean_cosine(unit: Tensor) -> float:
    """Return the mean cosine of two different rows of unit length, ``(n, d)``.

    >>> round(mean_cosine(torch.eye(3, dtype=torch.float64)), 9)
    0.0
    """
    n = len(unit)
    return float((unit.sum(0).square().sum() - n) / (n * (n - 1)))


def size_constant(cosine: float, words: float) -> float:
    """Return c of the size law ``E cos = 1 / (1 + c / m)``, ``m (1 − cos) / cos``.

    Sums of m vectors drawn from one distribution of mean μ and covariance Σ have it with c = tr Σ / |μ|², whatever the
    terms: so consistency grows with the sentences of a sample (table 2), and c is what a cosine says once the number of
    words is taken out.

    Args:
        cosine: mean cosine.
        words: m, harmonic mean of the context words of both samples.

    >>> round(size_constant(0.9, 90.0), 9)
    10.0
    """
    return words * (1 - cosine) / cosine if cosine > 0 else math.nan


def words_of_pairs(samples: Samples, words: Array) -> float:
    """Return the mean over terms of the harmonic mean of the context words of pairs of samples."""
    means = []
    for k in range(len(samples.terms)):
        sizes = np.maximum(words[samples.term == k], 1e-12)
        i, j = np.triu_indices(len(sizes), 1)
        means.append((2 / (1 / sizes[i] + 1 / sizes[j])).mean())
    return float(np.mean(means))
