"""The context words of every sample as one sparse matrix of counts (Bloem et al. 2019, §5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.text import Ids, Text

_KEEP = 3
"""Stream of the seed."""

Chances = NDArray[np.float64]


class Instances(NamedTuple):
    """The tokens of all members of all samples, one after the other; a sentence of two samples is there twice.

    Attributes:
        place: ``(n,)`` place of the token in the text.
        member: ``(n,)`` member that it belongs to, see :class:`~gpustab.studies.consistency.samples.Samples`.
        target: ``(n,)`` bool: it is the term itself.
    """

    place: Ids
    member: Ids
    target: NDArray[np.bool_]

    def take(self, kept: NDArray[np.bool_]) -> Instances:
        """Return some of them; the others' neighbours close ranks."""
        return Instances(self.place[kept], self.member[kept], self.target[kept])


def instances(text: Text, samples: Samples) -> Instances:
    """Return the tokens of all members."""
    starts = text.starts[samples.members]
    lengths = text.starts[samples.members + 1] - starts
    ends = np.cumsum(lengths)
    place = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    member = np.repeat(np.arange(len(lengths)), lengths)
    term = samples.terms[samples.term[samples.owner]]
    return Instances(place, member, text.tokens[place] == term[member])


def chances(counts: NDArray[np.int64], total: int | NDArray[np.int64], threshold: float) -> Chances:
    """Return word2vec's probability that a word is kept, ``min(1, (√(c/tN) + 1) · tN/c)``; 1 for c = 0 and t = 0.

    Args:
        counts: c of every word.
        total: N, all tokens; or one for each word.
        threshold: t.
    """
    if not threshold:
        return np.ones(len(counts))
    share = np.maximum(counts, 1) / (threshold * total)
    return np.where(counts > 0, np.minimum(1.0, (np.sqrt(share) + 1) / share), 1.0)


def kept_tokens(text: Text, chance: Chances, seed: int) -> NDArray[np.bool_]:
    """Draw which tokens of the text are kept, ``(n,)``: once for all samples."""
    uniform = np.random.default_rng([seed, _KEEP]).random(len(text.tokens))
    found: NDArray[np.bool_] = uniform < chance[text.tokens]
    return found


def distance_to_target(found: Instances) -> Ids:
    """Return the distance of every token to the nearest target of its member, ``(n,)``; n + 1 where there is none."""
    n = len(found.place)
    order = np.arange(n)
    before = np.maximum.accumulate(np.where(found.target, order, -1))
    after = np.minimum.accumulate(np.where(found.target, order, n)[::-1])[::-1]
    left = np.where((before >= 0) & (found.member[before] == found.member), order - before, n + 1)
    inside = np.minimum(after, n - 1)
    right = np.where((after < n) & (found.member[inside] == found.member), after - order, n + 1)
    nearest: Ids = np.minimum(left, right)
    return nearest


def context_counts(
    text: Text, samples: Samples, rows: Ids, words: int, kept: NDArray[np.bool_], options: ConsistencyOptions
) -> sparse.csr_matrix:
    """Return how often every background word is a context word of every sample, ``(P, v)``.

    Subsampling comes before the window: kept tokens close ranks. A token is a context word once, if one of its
    sentence's occurrences of the term is at most ``window`` away; the term itself never is.

    Args:
        text: of n tokens.
        samples: P of them.
        rows: row in the background of every word of the text, −1 where it has none.
        words: v, size of the background.
        kept: ``(n,)`` tokens that subsampling left; the term always stays.
        options: window, and whether tokens or types count.
    """
    found = instances(text, samples)
    found = found.take(kept[found.place] | found.target)
    row = rows[text.tokens[found.place]]
    context = (distance_to_target(found) <= options.window) & ~found.target & (row >= 0)
    owner = samples.owner[found.member[context]]
    shape = (len(samples.term), words)
    counts = sparse.coo_matrix((np.ones(len(owner)), (owner, row[context])), shape).tocsr()
    if options.count == "types":
        counts.data[:] = 1
    return counts
