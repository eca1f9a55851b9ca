"""Positive pointwise mutual information, factored by a singular value decomposition (Levy, Goldberg & Dagan 2015).

Frequent words are sampled down, by drawing tokens or, without any noise, by weights (Hellrich, Kampe & Hahn 2019, *The
influence of down-sampling strategies on SVD word embedding stability*).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
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
        window: furthest distance of a pair of words.
        window_weights: ``"flat"``: all distances count alike; ``"linear"``: a pair counts ``(window + 1 − distance) /
            window``, what word2vec's window of random width makes of it on average.
        subsample: t of the probability ``min(1, √(t · tokens / count))`` with which a token takes part; 0: all do.
        subsample_by: ``"draw"``: tokens are drawn; ``"weight"``: a pair of words counts as often as drawing would keep
            it on average, by the product of both probabilities. Then nothing is random but the decomposition's start.
        gaps: whether a token that takes no part keeps its place. Weights want gaps, since no token is left out.
        smoothing: exponent of the context counts.
        shift: k of the shift ``− log k``; 1: none.
        eigenvalue_weight: exponent p of ``U Sᵖ``.
    """

    dim: Count = 100
    window: Count = 5
    window_weights: Literal["flat", "linear"] = "flat"
    subsample: Annotated[float, Option(low=0, high=1)] = 1e-5
    subsample_by: Literal["draw", "weight"] = "draw"
    gaps: bool = True
    smoothing: Annotated[float, Option(above=0, high=1)] = 0.75
    shift: Annotated[float, Option(low=1)] = 1.0
    eigenvalue_weight: Annotated[float, Option(low=0, high=1)] = 0.5

    @model_validator(mode="after")
    def _weights_leave_gaps(self) -> Self:
        """Refuse gaps to be closed where there are none before anything is read."""
        if self.subsample_by == "weight" and not self.gaps:
            raise InputError("gaps is false, but weights leave no token out; wanted subsample_by 'draw', or gaps true")
        return self


def train(samples: Sequence[Sample], parameters: PpmiSvdParameters, seeds: Sequence[int]) -> list[Vectors]:
    """Train a run on each sample.

    A seed decides which tokens are drawn and where the decomposition starts. Without subsampling, or by weights, the
    result is determined by the counts, and all variation over seeds is numerical: aligned cosines above 0.9999, as long
    as singular value ``dim`` is larger than the next.

    A word none of whose pairs is positively associated has a zero vector; the log says how many there are.
    """
    return [_train(sample, parameters, seed) for sample, seed in zip(samples, seeds, strict=True)]


def _train(sample: Sample, parameters: PpmiSvdParameters, seed: int) -> Vectors:
    if parameters.dim >= len(sample.words):
        can = f"; {option('dim', len(sample.words) - 1)} at most" if len(sample.words) > 1 else ""
        raise InputError(f"dim {parameters.dim} needs more words than that; the sample has {len(sample.words)}{can}")
    kept = None
    if parameters.subsample and parameters.subsample_by == "draw":
        kept = subsample(sample, parameters.subsample, seed)
    weighting = parameters.window_weights
    counts = cooccurrence.count_sample(sample, parameters.window, weighting, kept=kept, gaps=parameters.gaps)
    if parameters.subsample and parameters.subsample_by == "weight":
        counts = expected(counts, probabilities(sample, parameters.subsample))
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


def probabilities(sample: Sample, threshold: float) -> NDArray[np.float64]:
    """Return with which probability tokens of each word of a sample take part, ``√(t · tokens / count)``, at most 1.

    This is the square root of the threshold over the word's share of all tokens (Levy et al. 2015, §3.1).
    """
    counts = sample.counts[sample.words]
    return np.minimum(np.sqrt(threshold * len(sample.tokens) / counts), 1.0)


def subsample(sample: Sample, threshold: float, seed: int) -> Kept:
    """Draw which tokens take part, see :func:`probabilities`."""
    probability = probabilities(sample, threshold)
    return np.random.default_rng([seed, _SUBSAMPLING]).random(len(sample.tokens)) < probability[sample.local]


def expected(counts: sparse.csr_matrix, probability: NDArray[np.float64]) -> sparse.csr_matrix:
    """Return the mean over all draws of tokens of the counts that these leave, gaps kept.

    Two tokens are drawn independently, so that each pair of them is kept with the product of both probabilities.

    Args:
        counts: ``(v, v)`` of all tokens.
        probability: ``(v,)``.

    Example:
        >>> counts = sparse.csr_matrix([[2.0, 4.0], [4.0, 0.0]])
        >>> expected(counts, np.array([0.5, 1.0])).toarray()
        array([[0.5, 2. ],
               [2. , 0. ]])
    """
    weights = sparse.diags(probability)
    return (weights @ counts @ weights).tocsr()


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
