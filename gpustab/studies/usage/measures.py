"""How far the usages of a word lie apart in two periods, and how far two samplings of the documents do.

All three measures are functions of sums over documents, so that the documents can be dealt out to the periods thousands
of times. Documents are dealt, not occurrences: those of one document are alike.
"""

from __future__ import annotations

import math
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.intervals import Estimate

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

MEASURES = ("apd", "prt", "jsd")
MOST_CLUSTERS = 10
"""Of the usages of a word (Giulianelli et al. 2020, section 3.2)."""
_AT_ONCE = 2048
"""Deals that are measured at once."""
_ROUNDING = 1e-9
"""Measures that differ by less are equal."""


class Apart(NamedTuple):
    """Of B ways to put documents into two periods, ``(B,)`` each.

    Attributes:
        apd: mean cosine distance of two usages, one of each period (average pairwise distance).
        within: the same of two usages of one period that stand in different documents; mean of both periods.
        prt: cosine distance of the mean usages (prototypes).
        jsd: Jensen-Shannon divergence of the shares of the clusters, in bits.
    """

    apd: Floats
    within: Floats
    prt: Floats
    jsd: Floats

    @property
    def beyond(self) -> Floats:
        """``(3, B)`` what is tested: the first measure less that within a period, which needs no other correction."""
        return np.stack([self.apd - self.within, self.prt, self.jsd])


class Measured(NamedTuple):
    """One measure of one word in two periods.

    Attributes:
        value: the measure.
        expected: what two samplings of one period give.
        beyond: the difference, with its error by leaving out one document after the other.
        chance: what 95 % of the deals of the documents lie below, likewise less what is expected.
        p: share of the deals that lie as far apart.
    """

    value: float
    expected: float
    beyond: Estimate
    chance: float
    p: float


class Word:
    """The usages of one word in two periods.

    Args:
        vectors: ``(n, d)``, without what all usages have in common.
        documents: ``(n,)`` where each stands, or another number for what belongs together.
        later: ``(n,)`` bool, whether it is of the later period; a document is in one of them.

    Attributes:
        later: ``(m,)`` bool, which documents are of the later period.
        names: ``(m,)`` their numbers.
        clusters: ``(n,)`` in which cluster each usage is.
    """

    def __init__(self, vectors: NDArray[np.floating], documents: Numbers, later: NDArray[np.bool_]) -> None:
        vectors = np.asarray(vectors, np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.units: Floats = vectors / np.where(lengths > 0, lengths, 1)
        keys = documents * 2 + later
        names, self.place = np.unique(keys, return_inverse=True)
        self.names, self.later = names // 2, (names % 2).astype(bool)
        self.clusters = clusters_of(self.units)
        member = np.zeros((len(names), len(vectors)))
        member[self.place, np.arange(len(vectors))] = 1
        self._sizes: Floats = member.sum(1)
        sums, raw = member @ self.units, member @ vectors
        self._likeness, self._raw = sums @ sums.T, raw @ raw.T
        self._shares: Floats = member @ np.eye(self.clusters.max() + 1)[self.clusters]

    def apart(self, first: Floats, second: Floats) -> Apart:
        """Return the measures of several ways to put documents into two periods.

        Args:
            first: ``(B, m)`` 1 for the documents of the first period, 0 for others.
            second: likewise of the second.
        """
        likeness, raw = self._likeness, self._raw
        one, two = first @ likeness, second @ likeness
        sizes = first @ self._sizes, second @ self._sizes
        apd = 1 - (one * second).sum(1) / (sizes[0] * sizes[1])
        own = np.diag(likeness)
        within = [
            1 - ((product * part).sum(1) - part @ own) / (size**2 - part @ self._sizes**2)
            for product, part, size in ((one, first, sizes[0]), (two, second, sizes[1]))
        ]
        one, two = first @ raw, second @ raw
        lengths = np.sqrt(np.maximum((one * first).sum(1) * (two * second).sum(1), 0))
        prt = 1 - (one * second).sum(1) / np.where(lengths > 0, lengths, math.nan)
        shares = [part @ self._shares / size[:, None] for part, size in ((first, sizes[0]), (second, sizes[1]))]
        return Apart(apd, (within[0] + within[1]) / 2, prt, divergence(*shares))

    def measured(self, deals: int, rng: np.random.Generator) -> tuple[list[Measured], Apart, Apart]:
        """Return the three measures with what deals of the documents give.

        Args:
            deals: how many; all there are, each once, if these are no more.
            rng: draws them.

        Returns:
            The measures; those of the periods themselves; and ``(m,)`` those without one document after the other.
        """
        labels = self.later.astype(np.float64)
        true = self.apart(1 - labels[None], labels[None])
        dealt = self._dealt(deals, rng)
        left = self.without_each()
        found = []
        values = (true.apd, true.prt, true.jsd)
        for k, (own, null) in enumerate(zip(true.beyond[:, 0], dealt, strict=True)):
            expected = float(true.within[0]) if k == 0 else float(null.mean())
            beyond = float(own) - (0.0 if k == 0 else expected)
            error = jackknife_of_two(left.beyond[k], self.later)
            as_far = int((~(null < own - _ROUNDING)).sum())  # an undefined one is no finding
            found.append(
                Measured(
                    float(values[k][0]),
                    expected,
                    Estimate(beyond, error, len(self.later) - 2),
                    float(np.quantile(null, 0.95)) - (0.0 if k == 0 else expected),
                    as_far / self.ways if self.ways <= deals else (1 + as_far) / (1 + deals),
                )
            )
        return found, true, left

    @property
    def ways(self) -> int:
        """How many ways there are to deal the documents out to periods of as many documents."""
        return math.comb(len(self.later), int(self.later.sum()))

    def least_p(self, deals: int) -> float:
        """Return what p is where no deal lies as far apart as the periods, but for the same two parts of documents.

        Of two periods of equally many documents each way stands there twice.

        >>> Word(np.eye(7), np.arange(7), np.arange(7) > 2).least_p(999) == 1 / 35
        True
        """
        same = (1 + (2 * int(self.later.sum()) == len(self.later))) / self.ways
        return same if self.ways <= deals else (1 + deals * same) / (1 + deals)

    def without_each(self) -> Apart:
        """Return the measures without one document after the other, ``(m,)`` each."""
        kept = 1 - np.eye(len(self.later))
        return self.apart(kept * ~self.later, kept * self.later)

    def _dealt(self, deals: int, rng: np.random.Generator) -> Floats:
        """What is tested, of deals of all documents to periods of as many, ``(3, B)``: of all ways, or of some."""
        size, parts = len(self.later), list[Floats]()
        every = combinations(range(size), int(self.later.sum()))
        count = min(deals, self.ways)
        for start in range(0, count, _AT_ONCE):
            number = min(_AT_ONCE, count - start)
            if self.ways <= deals:
                labels = np.zeros((number, size))
                np.put_along_axis(labels, np.array([*islice(every, number)]), 1, 1)
            else:
                labels = rng.permuted(np.broadcast_to(self.later, (number, size)), axis=1).astype(np.float64)
            parts.append(self.apart(1 - labels, labels).beyond)
        return np.concatenate(parts, 1)

    def typical(self) -> Floats:
        """Return for every usage how much nearer it lies to the later period's usages than to the earlier one's.

        It is the difference of its mean cosines with both, those of its own document left out, ``(n,)``.
        """
        alike = self.units @ self.units.T
        other = self.place[:, None] != self.place[None]
        later = self.later[self.place]
        means = [(alike * (other & side)).sum(1) / np.maximum((other & side).sum(1), 1) for side in (~later, later)]
        return np.asarray(means[1] - means[0], np.float64)


def evened(documents: Numbers, later: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which usages stay so that documents of both periods hold like numbers of them, ``(n,)``.

    A document keeps at most as many as the one of its rank in the other period. Deals move whole documents: where those
    of one period were fuller, deals would differ from the periods without any change of use.

    Args:
        documents: ``(n,)`` where each usage stands.
        later: ``(n,)`` whether it is of the later period.
        rng: draws which stay, and the order of equally full documents.

    >>> kept = evened(np.array([0, 0, 0, 1, 2, 2]), np.array([0, 0, 0, 0, 1, 1], bool), np.random.default_rng(0))
    >>> int(kept[:3].sum()), kept[3:].tolist()
    (2, [True, True, True])
    """
    _, place, sizes = np.unique(documents * 2 + later, return_inverse=True, return_counts=True)
    of_later = np.zeros(len(sizes), bool)
    of_later[place] = later
    limits = sizes.copy()
    for side in (of_later, ~of_later):
        own, other = np.flatnonzero(side), np.sort(sizes[~side])
        ranked = own[np.lexsort((rng.random(len(own)), sizes[own]))]
        at_rank = ((np.arange(len(own)) + 0.5) / len(own) * len(other)).astype(np.int64)
        limits[ranked] = np.minimum(sizes[ranked], other[at_rank])
    order = rng.permutation(len(place))
    order = order[np.argsort(place[order], kind="stable")]
    number = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.zeros(len(place), bool)
    kept[order] = number < limits[place[order]]
    return kept


def jackknife_of_two(without: Floats, later: NDArray[np.bool_]) -> float:
    """Return the standard error of a number of two samples, by its values without one member after the other.

    >>> round(jackknife_of_two(np.array([1.5, 2.5, 2.0, 4.0, 3.0]), np.array([False, False, False, True, True])), 4)
    0.7638
    """
    total = 0.0
    for side in (~later, later):
        own = without[side]
        total += float((len(own) - 1) / len(own) * ((own - own.mean()) ** 2).sum())
    return math.sqrt(total)


def divergence(first: Floats, second: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of distributions ``(B, k)`` in bits, ``(B,)`` in [0, 1].

    >>> divergence(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])).tolist()
    [1.0, 0.0]
    """
    middle = (first + second) / 2
    found = entropy(middle) - (entropy(first) + entropy(second)) / 2
    return np.maximum(found, 0)


def entropy(shares: Floats) -> Floats:
    """Return the entropy of distributions ``(B, k)`` in bits."""
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1))).sum(1), np.float64)


def clusters_of(units: Floats, most: int = MOST_CLUSTERS) -> Numbers:
    """Return the clusters of usages, by Ward's linkage; of 2 to ``most`` clusters those of the largest mean silhouette.

    Periods have no part in it. Usages that are all alike are one cluster. Ward's tree is exact and needs no seed.

    Args:
        units: ``(n, d)`` rows of length 1.
        most: clusters at most.

    Returns:
        ``(n,)`` numbers from 0.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist, squareform

    distances = pdist(units)
    one = np.zeros(len(units), np.int64)
    if len(units) < 3 or distances.max() < math.sqrt(_ROUNDING):
        return one
    tree, square = linkage(units, "ward"), squareform(distances)
    best, kept = -math.inf, one
    for k in range(2, min(most, len(units) - 1) + 1):
        own = np.asarray(fcluster(tree, k, "maxclust"), np.int64) - 1
        width = silhouette(square, own)
        if width > best + _ROUNDING:
            best, kept = width, own
    return kept


def silhouette(distances: Floats, clusters: Numbers) -> float:
    """Return the mean silhouette (Rousseeuw 1987) of ``n`` points by their distances ``(n, n)``; −1 of one cluster."""
    member = np.eye(clusters.max() + 1)[clusters]
    sizes = member.sum(0)
    if len(sizes) < 2:
        return -1.0
    sums = distances @ member
    rows = np.arange(len(clusters))
    own = sums[rows, clusters] / np.maximum(sizes[clusters] - 1, 1)
    others = sums / np.maximum(sizes, 1)
    others[rows, clusters] = np.inf
    nearest = others.min(1)
    larger = np.maximum(own, nearest)
    widths = np.where((sizes[clusters] > 1) & (larger > 0), (nearest - own) / np.where(larger > 0, larger, 1), 0)
    return float(widths.mean())
