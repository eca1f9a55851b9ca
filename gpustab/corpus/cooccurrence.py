"""How often words occur near each other: what PPMI and GloVe train on."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.corpus.compact import Ids, Offsets
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, InputError

Weighting = Literal["flat", "harmonic", "linear"]
Kept = NDArray[np.bool_]


def count(
    tokens: Ids,
    texts: Offsets,
    words: int,
    window: int,
    weighting: Weighting,
    *,
    kept: Kept | None = None,
    gaps: bool = True,
) -> sparse.csr_matrix:
    """Return the symmetric matrix of co-occurrence counts.

    ``X_ij = Σ weight(|p − q|)`` over the ordered pairs of places p, q of one text with ``tokens[p] = i``,
    ``tokens[q] = j``, ``1 ≤ |p − q| ≤ window``. No pair reaches from one text into another.

    Args:
        tokens: ``(n,)`` word ids, below ``words``.
        texts: ``(s + 1,)`` offsets into ``tokens``, from 0 to n.
        words: size of the vocabulary.
        window: furthest distance.
        weighting: ``"flat"``: every pair counts 1; ``"harmonic"``: 1 / distance; ``"linear"``: ``(window + 1 −
            distance) / window``, which is how probably word2vec's window of random width reaches so far.
        kept: ``(n,)``, which tokens take part; default: all of them.
        gaps: whether a token that is not kept keeps its place. Without gaps its neighbours close ranks, so that a
            window reaches further.

    Returns:
        ``(words, words)`` float64 with sorted indices.

    Raises:
        ComputationError: if a pair was not counted.

    Example:
        >>> count(np.array([0, 1, 0], np.int32), np.array([0, 3]), 2, 2, "harmonic").toarray()
        array([[1., 2.],
               [2., 0.]])
    """
    if kept is not None and not gaps:
        texts = np.concatenate([[0], np.cumsum(kept)])[texts]
        tokens, kept = tokens[kept], None
    kept = np.ones(len(tokens), dtype=np.bool_) if kept is None else kept
    stops = np.repeat(texts[1:], np.diff(texts))
    forward = sparse.csr_matrix((words, words))  # pairs p < q
    pairs, total = 0, 0.0
    for k in range(1, min(window, len(tokens) - 1) + 1):
        places = np.flatnonzero(kept[:-k] & kept[k:] & (stops[:-k] == stops[k:]))
        weight = {"flat": 1.0, "harmonic": 1 / k, "linear": (window + 1 - k) / window}[weighting]
        forward += weight * _tally(tokens[places], tokens[places + k], words)
        pairs, total = pairs + len(places), total + weight * len(places)
    _check(forward, total, pairs, _pairs_in_windows(stops, kept, window))
    both = (forward + forward.T).tocsr()
    both.sort_indices()
    return both


def _tally(left: Ids, right: Ids, words: int) -> sparse.csr_matrix:
    return sparse.coo_matrix((np.ones(len(left)), (left, right)), (words, words)).tocsr()


def _pairs_in_windows(stops: Offsets, kept: Kept, window: int) -> int:
    """Return how many pairs there are: the kept tokens in the window after each kept token."""
    before = np.concatenate([[0], np.cumsum(kept)])
    after = np.arange(1, len(kept) + 1)
    within = before[np.minimum(after + window, stops)] - before[after]
    return int(within[kept].sum())


def _check(forward: sparse.csr_matrix, total: float, pairs: int, want: int) -> None:
    found = float(forward.sum())
    if pairs != want or abs(found - total) > 1e-9 * total:
        raise ComputationError(
            f"{pairs} pairs were counted where the texts hold {want}; they add up to {found:.12g}, not {total:.12g}"
        )


def count_sample(
    sample: Sample, window: int, weighting: Weighting, *, kept: Kept | None = None, gaps: bool = True
) -> sparse.csr_matrix:
    """Return the co-occurrence counts of a sample, rows and columns in the order of ``sample.words``.

    Raises:
        InputError: if the sample has fewer than two words, or no text has two tokens.
    """
    words = len(sample.words)
    if words < 2:
        raise InputError(f"the sample has {words} different words; co-occurrence needs at least 2")
    counts = count(sample.local, sample.texts, words, window, weighting, kept=kept, gaps=gaps)
    if not counts.nnz:
        raise InputError("no text of the sample has two tokens that could be counted together")
    return counts
