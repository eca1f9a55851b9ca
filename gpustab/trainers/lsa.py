"""Latent semantic analysis: TF-IDF of words in units, factored by a randomised SVD (Antoniak & Mimno 2018, §5.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.corpus.compact import stretches
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, InputError, option
from gpustab.options import Count
from gpustab.trainers.base import Parameters, Technique, Vectors


class LsaParameters(Parameters):
    """Defaults: Antoniak & Mimno 2018, §5.1.

    Attributes:
        dim: coordinates kept; at most the number of words and of units.
    """

    dim: Count = 100


def train(samples: Sequence[Sample], parameters: LsaParameters, seeds: Sequence[int]) -> list[Vectors]:
    """Train a run on each sample.

    For ``X ≈ U S Vᵀ``, units by words, a word's vector is its row of ``V S``: the word's row of the reduced matrix
    ``V S Uᵀ`` up to a rotation, so with the same cosines. A unit that was drawn twice is two rows of X. The seed
    decides where the randomised decomposition starts, nothing else: over the same units all variation is the solver's.
    """
    return [_train(sample, parameters.dim, seed) for sample, seed in zip(samples, seeds, strict=True)]


def _train(sample: Sample, dim: int, seed: int) -> Vectors:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    units, words = len(sample.draw), len(sample.words)
    if words < 2 or dim > min(units, words):
        can = f"; {option('dim', min(units, words))} at most" if words > 1 and units else ""
        raise InputError(
            f"dim {dim} needs as many words and units, and two words; the sample has {words} and {units}{can}"
        )
    counts, weighing = unit_counts(sample), TfidfTransformer(norm="l2", sublinear_tf=True)
    weights = weighing.fit(counts).transform(counts, copy=False)
    svd = TruncatedSVD(dim, algorithm="randomized", random_state=seed).fit(weights)
    vectors: NDArray[np.float64] = svd.components_.T * svd.singular_values_
    return vectors.astype(np.float32)


def unit_counts(sample: Sample) -> sparse.csr_matrix:
    """Return how often each word occurs in each drawn unit, ``(len(draw), len(words))`` float64."""
    bounds = sample.corpus.texts[sample.corpus.units]  # units as offsets into tokens
    lengths = np.diff(bounds)[sample.draw]
    if lengths.sum() != len(sample.local):
        raise ComputationError(f"the drawn units hold {lengths.sum()} tokens, the sample {len(sample.local)}")
    ends = np.concatenate([[0], np.cumsum(lengths)])
    shape = (len(sample.draw), len(sample.words))
    # Some units at a time, into room of which no more is touched than is filled.
    data, words = np.empty(len(sample.local)), np.empty(len(sample.local), np.int32)
    bounds = np.zeros(len(ends), np.int32 if ends[-1] < 2**31 else np.int64)
    for first, last in stretches(ends):
        local = sample.local[ends[first] : ends[last]].copy()
        part = sparse.csr_matrix(
            (np.ones(len(local)), local, ends[first : last + 1] - ends[first]), (last - first, shape[1])
        )
        part.sum_duplicates()
        start = int(bounds[first])
        data[start : start + part.nnz], words[start : start + part.nnz] = part.data, part.indices
        bounds[first + 1 : last + 1] = start + part.indptr[1:]
    filled = int(bounds[-1])
    return sparse.csr_matrix((data[:filled], words[:filled], bounds), shape)


TECHNIQUE = Technique("lsa", LsaParameters, train, most=lambda corpus: min(len(corpus), len(corpus.vocabulary)))
