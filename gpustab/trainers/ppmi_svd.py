"""Positive pointwise mutual information, factored by a singular value decomposition (Levy, Goldberg & Dagan 2015)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator, eigsh

from gpustab.corpus import cooccurrence
from gpustab.corpus.cooccurrence import Kept
from gpustab.corpus.sampling import Sample
from gpustab.errors import InputError, option
from gpustab.options import Count, Option
from gpustab.trainers.base import Parameters, Technique, Vectors

log = logging.getLogger("gpustab")

_SUBSAMPLING, _START = 0, 1
"""Streams of the training seed."""


class PpmiSvdParameters(Parameters):
    """Defaults: Antoniak & Mimno 2018, §5.4.

    Attributes:
        dim: coordinates kept; fewer than the sample has words.
        window: furthest distance of a pair of words, all distances counting alike.
        subsample: t of the probability ``min(1, √(t · tokens / count))`` with which a token takes part; 0: all do.
        gaps: whether a token that takes no part keeps its place.
        smoothing: exponent of the context counts.
        shift: k of the shift ``− log k``; 1: none.
        eigenvalue_weight: exponent p of ``U Sᵖ``.
    """

    dim: Count = 100
    window: Count = 5
    subsample: Annotated[float, Option(low=0, high=1)] = 1e-5
    gaps: bool = True
    smoothing: Annotated[float, Option(above=0, high=1)] = 0.75
    shift: Annotated[float, Option(low=1)] = 1.0
    eigenvalue_weight: Annotated[float, Option(low=0, high=1)] = 0.5


def train(samples: Sequence[Sample], parameters: PpmiSvdParameters, seeds: Sequence[int]) -> list[Vectors]:
    """Train a run on each sample.

    A seed decides which tokens are subsampled and where the decomposition starts. Without subsampling the result is
    determined by the counts, and all variation over seeds is numerical: aligned cosines above 0.9999, as long as
    singular value ``dim`` is larger than the next.

    A word none of whose pairs is positively associated has a zero vector; the log says how many there are.
    """
    return [_train(sample, parameters, seed) for sample, seed in zip(samples, seeds, strict=True)]


def _train(sample: Sample, parameters: PpmiSvdParameters, seed: int) -> Vectors:
    if parameters.dim >= len(sample.words):
        can = f"; {option('dim', len(sample.words) - 1)} at most" if len(sample.words) > 1 else ""
        raise InputError(f"dim {parameters.dim} needs more words than that; the sample has {len(sample.words)}{can}")
    kept = subsample(sample, parameters.subsample, seed) if parameters.subsample else None
    counts = cooccurrence.count_sample(sample, parameters.window, "flat", kept=kept, gaps=parameters.gaps)
    matrix = ppmi(counts, parameters.smoothing, parameters.shift)
    if not matrix.nnz:
        raise InputError("no two words of the sample occur together more often than by chance")
    vectors = factor(matrix, parameters.dim, parameters.eigenvalue_weight, seed)
    if empty := len(sample.words) - np.count_nonzero(vectors.any(1)):
        log.warning(
            "PPMI: %d of %d words have no positive association: zero vectors; a larger subsample keeps more tokens",
            empty,
            len(sample.words),
        )
    return vectors.astype(np.float32)


def subsample(sample: Sample, threshold: float, seed: int) -> Kept:
    """Draw which tokens take part: each with probability ``√(t · tokens / count)``, at most 1.

    This is the square root of the threshold over the word's share of all tokens (Levy et al. 2015, §3.1).
    """
    counts = sample.counts[sample.words]
    probability = np.sqrt(threshold * len(sample.tokens) / counts)
    return np.random.default_rng([seed, _SUBSAMPLING]).random(len(sample.tokens)) < probability[sample.local]


def ppmi(counts: sparse.csr_matrix, smoothing: float = 0.75, shift: float = 1.0) -> sparse.csr_matrix:
    """Return ``max(0, log P(w, c) / (P(w) P_α(c)) − log k)`` with ``P_α(c) = #(c)^α / Σ #(c)^α``.

    Args:
        counts: ``(v, v)`` symmetric counts ``#(w, c)``.
        smoothing: α; 1 is plain PMI.
        shift: k.

    Returns:
        ``(v, v)``, without its zeros.
    """
    totals = np.asarray(counts.sum(1)).ravel()
    with np.errstate(divide="ignore"):  # words without pairs have no entries that could use these
        word = np.log(totals)
        context = smoothing * word - np.log(np.power(totals, smoothing).sum())
    matrix = counts.astype(np.float64)
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    pmi = np.log(counts.data) - word[rows] - context[counts.indices] - np.log(shift)
    matrix.data = np.maximum(pmi, 0)
    matrix.eliminate_zeros()
    return matrix


def factor(matrix: sparse.csr_matrix, dim: int, weight: float, seed: int) -> NDArray[np.float64]:
    """Return ``U Sᵖ`` of the truncated singular value decomposition, largest singular value first.

    ARPACK's start vector is drawn from the seed, and so is any other that it asks for where a matrix has few different
    singular values (``svds`` leaves these to chance, and one call gave other vectors than the next). The sign of a
    column is such that its largest coordinate is positive. A row is zero where it would be rounding alone: of a word
    without an entry, or whose entries all lie outside the singular vectors that are kept.

    Args:
        matrix: ``(v, v)``.
        dim: number of singular values, below v.
        weight: p.
        seed: of the start vector.
    """
    rng, operator = np.random.default_rng([seed, _START]), aslinearoperator(matrix)
    start = rng.uniform(-1, 1, matrix.shape[0])
    _, right = eigsh(operator.T @ operator, k=dim, v0=start, rng=rng)
    u, s, _ = np.linalg.svd(matrix @ np.linalg.qr(right)[0], full_matrices=False)
    rounding = len(u) * np.finfo(s.dtype).eps
    s[s <= s[0] * rounding] = 0  # of a matrix of lower rank: noise
    u[np.linalg.norm(u * s, axis=1) <= s[0] * rounding] = 0
    largest = np.take_along_axis(u, np.abs(u).argmax(0)[None], 0)
    weighted: NDArray[np.float64] = u * np.sign(largest) * np.where(s > 0, s**weight, 0)
    return weighted


TECHNIQUE = Technique("ppmi_svd", PpmiSvdParameters, train, most=lambda corpus: len(corpus.vocabulary) - 1)
