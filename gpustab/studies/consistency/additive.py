"""The additive model: sums of background vectors (Bloem et al. 2019, section 5), and the law by which they grow alike.

Sums of m vectors of one distribution have a cosine of ``1 / (1 + c / m)``, whatever the terms: so consistency grows
with the sentences of a sample (table 2), and c is what a cosine says once the number of words is taken out.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from gpustab.kernels.context_sums import context_sums
from gpustab.runs.runs import Runs
from gpustab.studies.consistency.contexts import Prepared
from gpustab.studies.consistency.measures import Array, consistency_of, over_runs
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.tables import Size
from gpustab.studies.shared.spaces import COLLAPSED

_SIZES = (1, 2, 3, 4, 8, 10, 20, 50, 100)
"""Sentences of a sample; the paper has 1, 2, 3, 4, 8 and all."""


def sums(counts: sparse.csr_matrix, runs: Runs, run: int, device: torch.device) -> Tensor:
    """Return the sums of raw background vectors, ``(P, d)`` float64, from a matrix of counts ``(P, v)``."""
    matrix = counts.tocoo()
    rows, columns, values = (torch.from_numpy(np.asarray(part)) for part in (matrix.row, matrix.col, matrix.data))
    raw = runs.rows[run]
    whole = raw[0 : runs.words]

    def take(words: Tensor) -> Tensor:
        return whole[words.to(whole.device)].to(device)

    shape = (counts.shape[0], raw.shape[1])
    return context_sums(rows.long().to(device), columns.long().to(device), values.to(device), take, shape)


def additive(prepared: Prepared, runs: Runs, run: int) -> Tensor:
    """Return the sums of the context words' background vectors, ``(P, d)`` (Bloem et al. 2019, §5)."""
    return sums(prepared.counts, runs, run, prepared.words.device)


def mean_context(prepared: Prepared, runs: Runs, run: int) -> Tensor:
    """Return the mean background vector of the text's tokens that subsampling left, ``(d,)``.

    Sums of running text point its way whatever the term; the mean over the vocabulary would not take that away.
    """
    rows = prepared.frequencies.rows[prepared.text.tokens[prepared.kept]]
    rows = rows[rows >= 0]
    one = sparse.csr_matrix((np.ones(len(rows)), (np.zeros(len(rows), np.int64), rows)), (1, runs.words))
    return sums(one, runs, run, prepared.words.device)[0] / max(len(rows), 1)


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


def collapsed(runs: Runs) -> str:
    """Return a sentence if words of a run all point one way, else nothing."""
    means = [mean_cosine(runs.run(r)[runs.joint]) for r in range(len(runs))]
    which = [r for r, mean in enumerate(means) if mean > COLLAPSED]
    if not which:
        return ""
    names = ", ".join(runs.names[r] for r in which[:5])
    of = f" in {len(which)} of {len(runs)} runs ({names})" if len(runs) > 1 else ""
    return (
        f"The background is collapsed{of}: two of its words have a mean cosine of {max(means):.2f}, so all sums are "
        "alike whatever the terms. Do not read the cosines; train the background longer."
    )


def mean_cosine(unit: Tensor) -> float:
    """Return the mean cosine of two different rows of unit length, ``(n, d)``.

    >>> round(mean_cosine(torch.eye(3, dtype=torch.float64)), 9)
    0.0
    """
    n = len(unit)
    return float((unit.sum(0).square().sum() - n) / (n * (n - 1)))


def size_constant(cosine: float, words: float) -> float:
    """Return c of the size law ``E cos = 1 / (1 + c / m)``, ``m (1 − cos) / cos``.

    Sums of m vectors drawn from one distribution of mean μ and covariance Σ have it with c = tr Σ / |μ|²: it is what
    a cosine says once the number of words is taken out.

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


def by_sentences(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> list[Size]:
    """Return the additive model's numbers from n sentences a sample.

    All sizes are of the same terms: those whose samples are as large as the largest size shown, which is the largest
    that two terms and half of those with three sentences reach. The law has its constant from the largest size alone.
    """
    largest = _largest(prepared)
    same_terms = prepared.samples.first(largest)
    parts = ((n, prepared.of(same_terms.first(n), runs, options)) for n in _SIZES if n <= largest)
    rows = [_size(n, part, runs) for n, part in parts if part.allowed.any() and bool((part.words > 0).any())]
    constant = rows[-1].c if rows else math.nan
    return [row._replace(law=row.words / (row.words + constant)) for row in rows]


def _size(n: int, part: Prepared, runs: Runs) -> Size:
    """The numbers of one size; the law comes when all are known."""
    each = [consistency_of(additive(part, runs, r), part.samples, part.allowed) for r in range(len(runs))]
    same, null, auc = (over_runs([one.numbers[name] for one in each]) for name in ("same", "null", "auc"))
    words = words_of_pairs(part.samples, part.words.cpu().numpy())
    return Size(
        part.group,
        n,
        len(part.samples.terms),
        words,
        same.value,
        null.value,
        auc.value,
        *same.estimate.interval,
        c=size_constant(same.value, words),
        law=math.nan,
    )


def _largest(prepared: Prepared) -> int:
    samples = prepared.samples
    least = np.full(len(samples.terms), np.iinfo(np.int64).max)
    np.minimum.at(least, samples.term, samples.sizes)
    return max((n for n in _SIZES if (least >= n).sum() >= max(2, (least >= 3).sum() / 2)), default=1)
