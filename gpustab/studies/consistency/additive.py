"""The additive model: sums of background vectors, raw and without what every context of the text has."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from gpustab.runs.runs import Runs
from gpustab.studies.consistency.background import sums
from gpustab.studies.consistency.prepare import Prepared


def additive(prepared: Prepared, runs: Runs, run: int) -> Tensor:
    """Return the sums of the context words' background vectors, ``(P, d)`` (Bloem et al. 2019, §5)."""
    return sums(prepared.counts, runs, run, prepared.words.device)


def mean_context(prepared: Prepared, runs: Runs, run: int) -> Tensor:
    """Return the mean background vector of the text's tokens that subsampling left, ``(d,)``.

    Sums of running text point its way whatever the term; the mean over the vocabulary would not take that away.
    """
    rows = prepared.found.rows[prepared.text.tokens[prepared.kept]]
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
