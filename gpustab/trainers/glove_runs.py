"""Runs of GloVe before they are trained: their batches and start values, and how many are trained at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.errors import ComputationError, OutOfMemoryError
from gpustab.kernels.training.glove import MOST_PLACES, Batch, block_diagonal, weighting
from gpustab.machine.device import free_memory

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


S = TypeVar("S")
T = TypeVar("T")

_SHARE = 0.9
"""Of the free memory of a card; the rest is for what libraries take on the way."""


class Run(NamedTuple):
    """What one run is trained on.

    Attributes:
        seed: its training seed.
        batches: all of its co-occurrence counts.
        start: ``(2, n, d + 1)`` start values, see :func:`gpustab.kernels.training.glove.make_factors`.
    """

    seed: int
    batches: list[Batch]
    start: Tensor

    def to(self, device: torch.device) -> Run:
        """Return the run on a device."""
        return Run(self.seed, [batch.to(device) for batch in self.batches], self.start.to(device))


class Size(NamedTuple):
    """How large a run is.

    Attributes:
        words: n.
        columns: d + 2, with the biases.
        entries: of its count matrix.
        steps: batches of an epoch.
    """

    words: int
    columns: int
    entries: int
    steps: int


def make_run(counts: sparse.csr_matrix, seed: int, *, dim: int, per_word: int, x_max: float, alpha: float) -> Run:
    """Return a run on a symmetric matrix of counts; a seed decides the shuffle of its entries and the start.

    Start values are drawn on the CPU, within ±1/(2 dim), so that they are the same on any device.

    Raises:
        ComputationError: if an entry is in no batch.
    """
    batches = make_batches(counts, per_word, x_max, alpha, seed)
    used = sum(len(batch.log) for batch in batches)
    if used != counts.nnz:
        raise ComputationError(f"{used} of {counts.nnz} co-occurrence counts are in batches")
    uniform = torch.rand(2, counts.shape[0], dim + 1, generator=torch.Generator().manual_seed(seed))
    return Run(seed, batches, (uniform - 0.5) / dim)


def size_of(run: Run) -> Size:
    """Return how large a run is."""
    _, words, columns = run.start.shape
    return Size(words, columns + 1, sum(len(batch.log) for batch in run.batches), len(run.batches))


def bytes_of(sizes: Sequence[Size]) -> int:
    """Return what training some runs at once takes of a card, counted from what is allocated; unmeasured on a card.

    - 20 bytes an entry, and 8 bytes a word in each of the steps of the run that has most (see :class:`Batch`);
    - two tables with their histories, both gradients, and a square and a root of one of them: 8 floats a coordinate;
    - the entries of one step once more, and what a step makes of them: negative logarithms, products, slopes, slopes in
      the other order, and the bag that each is in.
    """
    steps = max(size.steps for size in sizes)
    coordinates = sum(size.words * size.columns for size in sizes)
    at_once = sum(_most_in_a_step(size) for size in sizes)
    entries, ends = sum(size.entries for size in sizes), sum(2 * (size.words + 1) for size in sizes)
    return 20 * entries + 4 * ends * (steps + 1) + 32 * coordinates + 40 * at_once


def _most_in_a_step(size: Size) -> int:
    return size.entries // size.steps + 1


def groups(runs: Iterable[Run], device: torch.device) -> Iterator[list[Run]]:
    """Yield the runs, on the device, in groups that are trained at once.

    On a card as many as its memory holds, and as are counted in 32 bits; on a CPU, whose caches hold one run, each
    alone. A group is emptied when the next one is asked for.

    Raises:
        OutOfMemoryError: if one run alone does not fit the card.
    """
    if _alone(device):
        yield from ([run] for run in runs)
        return
    free = _free(device)
    group: list[Run] = []
    sizes: list[Size] = []
    for run in runs:
        size = size_of(run)
        if group and not _fit([*sizes, size], free):
            yield group
            group.clear()
            sizes, free = [], _free(device)
        if bytes_of([size]) > free:
            raise OutOfMemoryError(f"a run of GloVe takes {bytes_of([size]):,} bytes, {device} has {free:,} for it")
        group.append(run.to(device))
        sizes.append(size)
    if group:
        yield group


def _alone(device: torch.device) -> bool:
    return device.type == "cpu"


def _free(device: torch.device) -> int:
    """Return the bytes that a group may take."""
    return int(free_memory(device) * _SHARE)


def _fit(sizes: Sequence[Size], free: int) -> bool:
    """Tell whether runs can be trained at once."""
    coordinates = sum(size.words * size.columns for size in sizes)
    return bytes_of(sizes) <= free and max(coordinates, sum(map(_most_in_a_step, sizes))) <= MOST_PLACES


def ahead(work: Callable[[S], T], pieces: Iterable[S], threads: int) -> Iterator[T]:
    """Yield what becomes of every piece, in order; threads make so many more while the caller uses one.

    >>> list(ahead(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if not threads:
        yield from map(work, pieces)
        return
    left = iter(pieces)
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(pool.submit(work, piece) for piece in islice(left, threads))
        try:
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(pool.submit(work, piece) for piece in islice(left, 1))
                yield done
        finally:
            pool.shutdown(cancel_futures=True)
