"""The additive model: a term's vector is the sum of the background vectors of its context words (Bloem et al. 2019).

The context words of every sample are one sparse matrix of counts. Frequent words are thinned out as word2vec does, by
their counts in the background where it has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.kernels.context_sums import context_sums
from gpustab.runs.runs import Runs
from gpustab.small_data.text import Ids, Samples, Text, rows_in

_KEEP = 3
"""Stream of the seed."""

Chances = NDArray[np.float64]


class Instances(NamedTuple):
    """The tokens of all members of all samples, one after the other; a sentence of two samples is there twice.

    Attributes:
        place: ``(n,)`` place of the token in the text.
        member: ``(n,)`` member that it belongs to, see :class:`~gpustab.small_data.text.Samples`.
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
    kept: NDArray[np.bool_] = uniform < chance[text.tokens]
    return kept


def distance_to_target(tokens: Instances) -> Ids:
    """Return the distance of every token to the nearest target of its member, ``(n,)``; n + 1 where there is none."""
    n = len(tokens.place)
    order = np.arange(n)
    before = np.maximum.accumulate(np.where(tokens.target, order, -1))
    after = np.minimum.accumulate(np.where(tokens.target, order, n)[::-1])[::-1]
    left = np.where((before >= 0) & (tokens.member[before] == tokens.member), order - before, n + 1)
    inside = np.minimum(after, n - 1)
    right = np.where((after < n) & (tokens.member[inside] == tokens.member), after - order, n + 1)
    nearest: Ids = np.minimum(left, right)
    return nearest


def context_counts(
    text: Text, samples: Samples, rows: Ids, words: int, kept: NDArray[np.bool_], window: int, *, types: bool = False
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
        window: furthest distance of a context word within the sentence.
        types: a word counts once, however often it occurs in a sample.
    """
    tokens = instances(text, samples)
    tokens = tokens.take(kept[tokens.place] | tokens.target)
    row = rows[text.tokens[tokens.place]]
    context = (distance_to_target(tokens) <= window) & ~tokens.target & (row >= 0)
    owner = samples.owner[tokens.member[context]]
    shape = (len(samples.term), words)
    counts = sparse.coo_matrix((np.ones(len(owner)), (owner, row[context])), shape).tocsr()
    if types:
        counts.data[:] = 1
    return counts


class Frequencies(NamedTuple):
    """How frequent the words of the text are, where subsampling asks.

    Attributes:
        counts: of every word of the text in the background; 0 where it is unknown there; ``None`` without counts.
        total: all the background's tokens.
        rows: row of every word of the text, −1 where the background lacks it.
    """

    counts: Ids | None
    total: int
    rows: Ids


def frequencies(text: Text, runs: Runs) -> Frequencies:
    """Return the counts of the text's words in the background, means over its runs."""
    rows = rows_in(text, runs.vocabulary)
    there = rows >= 0
    joint = runs.joint.cpu().numpy()
    rows[there] = np.where(joint[rows[there]], rows[there], -1)  # a zero vector is no background
    if runs.counts is None:
        return Frequencies(None, 0, rows)
    counts = (runs.counts.cpu().numpy() / len(runs)).astype(np.int64)
    return Frequencies(np.where(rows >= 0, counts[rows], 0), int(counts.sum()), rows)


def additive(counts: sparse.csr_matrix, runs: Runs, run: int, device: torch.device) -> Tensor:
    """Return the sums of raw background vectors of context words in one run, ``(P, d)`` float64.

    Of each sample ``counts``, ``(P, v)``, says how often every background word is a context word.
    """
    matrix = counts.tocoo()
    rows, columns, values = (torch.from_numpy(np.asarray(part)) for part in (matrix.row, matrix.col, matrix.data))
    raw = runs.rows[run]
    whole = raw[0 : runs.words]

    def take(words: Tensor) -> Tensor:
        return whole[words.to(whole.device)].to(device)

    shape = (counts.shape[0], raw.shape[1])
    return context_sums(rows.long().to(device), columns.long().to(device), values.to(device), take, shape)


def mean_context(rows: Ids, runs: Runs, run: int, device: torch.device) -> Tensor:
    """Return the mean background vector of the text's tokens that subsampling left, ``(d,)``; unknown ones have row −1.

    Sums of running text point its way whatever the term; the mean over the vocabulary would not take that away.
    """
    rows = rows[rows >= 0]
    one = sparse.csr_matrix((np.ones(len(rows)), (np.zeros(len(rows), np.int64), rows)), (1, runs.words))
    return additive(one, runs, run, device)[0] / max(len(rows), 1)


def centred(vectors: Tensor, words: Tensor, mean: Tensor) -> Tensor:
    """Return sums of context vectors without the mean context, once for each of their words.

    Args:
        vectors: ``(P, d)`` sums.
        words: ``(P,)`` how many vectors each is the sum of.
        mean: ``(d,)``.

    >>> centred(torch.tensor([[4.0, 2.0]]), torch.tensor([2.0]), torch.tensor([1.0, 1.0])).tolist()
    [[2.0, 0.0]]
    """
    return vectors - torch.outer(words.to(vectors.dtype), mean)
