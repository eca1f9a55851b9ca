"""How often words occur near each other: what PPMI and GloVe train on."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.corpus import Ids, Offsets
from gpustab.errors import ComputationError, InputError
from gpustab.sampling import Sample

Weighting = Literal["flat", "harmonic"]
Kept = NDArray[np.bool_]

PAIRS_AT_ONCE = 1 << 23
"""Pairs that are expanded at a time: half a GiB."""


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
        weighting: ``"flat"``: every pair counts 1; ``"harmonic"``: 1 / distance.
        kept: ``(n,)``, which tokens take part; default: all of them.
        gaps: whether a token that is not kept keeps its place. Without gaps its neighbours close ranks, so that a
            window reaches further.

    Returns:
        ``(words, words)`` float64 with sorted indices.

    Raises:
        ComputationError: if what was counted is not the sum over all pairs, worked out without the words.

    Example:
        >>> count(np.array([0, 1, 0], np.int32), np.array([0, 3]), 2, 2, "harmonic").toarray()
        array([[1., 2.],
               [2., 0.]])
    """
    if kept is not None and not gaps:
        texts = np.concatenate([[0], np.cumsum(kept)])[texts]
        tokens, kept = tokens[kept], None
    kept = np.ones(len(tokens), dtype=np.bool_) if kept is None else kept
    weights = 1 / np.arange(1, window + 1) if weighting == "harmonic" else np.ones(window)
    stops = np.repeat(texts[1:], np.diff(texts))
    forward = sparse.csr_matrix((words, words))
    step = max(1, PAIRS_AT_ONCE // window)
    for start in range(0, len(tokens), step):
        places = np.arange(start, min(start + step, len(tokens)))
        forward += _by_word(tokens[places], words) @ _followers(places, tokens, stops, kept, weights, words)
    _check_total(forward, stops, kept, weights)
    both = (forward + forward.T).tocsr()
    both.sort_indices()
    return both


def _by_word(tokens: Ids, words: int) -> sparse.csr_matrix:
    """Return the ``(words, n)`` matrix with a 1 where a word is the token."""
    ends = np.concatenate([[0], np.cumsum(np.bincount(tokens, minlength=words))])
    return sparse.csr_matrix((np.ones(len(tokens)), np.argsort(tokens, kind="stable"), ends), (words, len(tokens)))


def _followers(
    places: NDArray[np.int64], tokens: Ids, stops: Offsets, kept: Kept, weights: NDArray[np.float64], words: int
) -> sparse.csr_matrix:
    """Return the ``(n, words)`` matrix of the weights of the words that follow each place in its window."""
    after = places[:, None] + np.arange(1, len(weights) + 1)  # (n, window)
    inside = (after < stops[places, None]) & kept[places, None]
    np.minimum(after, len(tokens) - 1, out=after)
    inside &= kept[after]
    ends = np.concatenate([[0], np.cumsum(inside.sum(1))])
    data = np.broadcast_to(weights, inside.shape)[inside]
    return sparse.csr_matrix((data, tokens[after[inside]], ends), (len(places), words))


def _check_total(forward: sparse.csr_matrix, stops: Offsets, kept: Kept, weights: NDArray[np.float64]) -> None:
    """Check that every pair of kept tokens was counted once."""
    want = 0.0
    for k, weight in enumerate(weights[: len(kept) - 1].tolist(), start=1):
        want += weight * np.count_nonzero(kept[:-k] & kept[k:] & (stops[:-k] == stops[k:]))
    found = float(forward.sum())
    if abs(found - want) > 1e-9 * want:
        raise ComputationError(f"co-occurrence counts add up to {found:.12g} where the texts hold {want:.12g}")


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
