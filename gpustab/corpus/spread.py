"""How words are spread over stretches of a text: how often they stand in each, and how far they gather in some."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus


def documents_of(corpus: Corpus) -> NDArray[np.int64]:
    """Return the offsets of the documents into the tokens; of the units where the corpus was made in memory."""
    bounds = corpus.documents if len(corpus.documents) > 1 else corpus.units
    return corpus.texts[bounds]


def counts_in(corpus: Corpus, bounds: NDArray[np.int64]) -> Any:
    """Return the counts of every word in every stretch of the tokens, sparse ``(stretches, words)``."""
    from scipy import sparse

    if len(bounds) == len(corpus.texts) and len(corpus.texts) < 2:
        bounds = np.array([0, len(corpus.tokens)])
    shape = (len(bounds) - 1, len(corpus.vocabulary))
    counts = sparse.csr_matrix((np.ones(len(corpus.tokens)), corpus.tokens, bounds), shape, copy=True)
    counts.sum_duplicates()
    return counts


def gathering(counts: Any, total: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far every word gathers in some stretches ``(v,)``; 0 is what chance does (Church & Gale 1995).

    The natural logarithm of the stretches that would hold a word if each running word were drawn at random, over those
    that do.

    Args:
        counts: of every word in every stretch.
        total: ``(v,)`` how often every word occurs.
    """
    shares = np.asarray(counts.sum(1)).ravel() / max(int(total.sum()), 1)
    numbers, places = np.unique(total, return_inverse=True)
    expected = np.array([-np.expm1(-number * shares).sum() for number in numbers])[places]
    held = np.asarray((counts > 0).sum(0)).ravel()
    return np.asarray(np.log(np.maximum(expected, 1e-9) / np.maximum(held, 1)))
