"""The entries of a run's co-occurrence counts, shuffled once and cut into batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from gpustab.kernels.training.glove import Batch, block_diagonal, weighting

Numbers = NDArray[np.integer]


def make_batches(counts: sparse.csr_matrix, per_word: int, x_max: float, alpha: float, seed: int) -> list[Batch]:
    """Return all entries of a count matrix, each in one batch.

    How many batches there are follows from the matrix alone. The entries (i, j) and (j, i) are drawn apart, as the
    reference implementation does: with both in one batch, runs come out less alike (overlap of ten neighbours on
    the State of the Union addresses 0.84 instead of 0.86).

    Args:
        counts: ``(v, v)`` with sorted indices.
        per_word: mean number of entries that a row has in a batch.
        x_max: count from which an entry has full weight.
        alpha: exponent of the weights of smaller counts.
        seed: of the shuffle.
    """
    number = max(1, round(counts.nnz / (per_word * counts.shape[0])))
    rows = np.repeat(np.arange(counts.shape[0], dtype=np.int32), np.diff(counts.indptr))
    shuffled = np.random.default_rng(seed).permutation(counts.nnz)
    drawn = (shuffled * number // counts.nnz).astype(np.min_scalar_type(number))
    order = np.argsort(drawn, kind="stable")  # linear time for the 16 bits that nearly always do
    stops = np.cumsum(np.bincount(drawn, minlength=number))
    chosen = np.split(order, stops[:-1])
    return [make_batch(rows[e], counts.indices[e], counts.data[e], counts.shape[0], x_max, alpha) for e in chosen]


def make_batch(
    words: Numbers, contexts: Numbers, counts: NDArray[np.float64], size: int, x_max: float, alpha: float
) -> Batch:
    """Return some entries as a batch.

    Args:
        words: ``(m,)`` int32 rows, ascending.
        contexts: ``(m,)`` int32 columns, ascending within a row.
        counts: ``(m,)``.
        size: number of rows and columns.
        x_max: count from which an entry has full weight.
        alpha: exponent of the weights of smaller counts.
    """
    order = np.argsort(contexts, kind="stable").astype(np.int32)
    x = torch.from_numpy(counts)
    return Batch(
        word_ends=torch.from_numpy(_ends(words, size)),
        contexts=torch.from_numpy(contexts),
        context_ends=torch.from_numpy(_ends(contexts, size)),
        words=torch.from_numpy(words[order]),
        order=torch.from_numpy(order),
        log=x.log().float(),
        weight=weighting(x, x_max, alpha).float(),
    )


def _ends(names: Numbers, size: int) -> Numbers:
    return np.concatenate([[0], np.cumsum(np.bincount(names, minlength=size))]).astype(np.int32)


def steps_together(runs: Sequence[list[Batch]]) -> Iterator[Batch]:
    """Yield for every step the batches of all runs as one; a run that has no more waits.

    The lists are emptied on the way: batches take most of the memory, which holds none of them twice.
    """
    waiting = [_none_of(run[0]) for run in runs]
    for run in runs:
        run.reverse()
    while any(runs):
        yield block_diagonal([run.pop() if run else none for run, none in zip(runs, waiting, strict=True)])


def _none_of(batch: Batch) -> Batch:
    """Return a batch of the same rows and columns without entries."""
    ends = torch.zeros_like(batch.word_ends)
    return Batch(*(part[:0] for part in batch))._replace(word_ends=ends, context_ends=ends)
