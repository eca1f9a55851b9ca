"""GloVe (Pennington, Socher & Manning 2014), several runs at once.

On a card as many runs are trained at once as it holds, see :mod:`gpustab.trainers.glove_runs`, and threads count the
co-occurrences of the next ones meanwhile. Of that three runs have been trained on an H200, with the same bits at every
call and in any company, and within 1e-3 of the CPU's; 128, their time and their memory are unmeasured.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Literal

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from gpustab.corpus import cooccurrence
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError
from gpustab.kernels.training.glove import Factors, descend, make_factors
from gpustab.machine.device import choose_device
from gpustab.options import Count, Option
from gpustab.trainers.base import Draws, Parameters, Technique, Tell, Vectors, tell_nobody
from gpustab.trainers.glove_runs import Run, ahead, groups, make_run, steps_together

_THREADS = min(os.cpu_count() or 1, 16)
"""That count for a card; each holds a run's counts in memory (sotu: 0.1 GB, after 2.6 s of a core)."""


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
        return _run(counts, parameters, seeds[number])

    threads = 0 if device.type == "cpu" else _THREADS
    for group in groups(ahead(prepared, range(len(samples)), threads), device):
        numbers = range(len(vectors), len(vectors) + len(group))

        def tell_all(part: float, numbers: Sequence[int] = numbers) -> None:
            for number in numbers:
                tell(number, part)

        sizes = [run.start.shape[1] for run in group]
        split = _sums(*_fit(group, parameters, tell_all)).split(sizes)
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
    runs = [_run(matrix, parameters, seed).to(device) for matrix, seed in zip(counts, seeds, strict=True)]
    return _fit(runs, parameters, tell)


def fitting(_corpus: Corpus, draws: Draws, parameters: GloveParameters) -> int:
    """Return how many runs are trained in one call: on a CPU one, on a card all; the call looks what fits at once."""
    return 1 if choose_device(parameters.device).type == "cpu" else len(draws)


def _run(counts: sparse.csr_matrix, parameters: GloveParameters, seed: int) -> Run:
    per_word, x_max, alpha = parameters.batch, parameters.x_max, parameters.alpha
    return make_run(counts, seed, dim=parameters.dim, per_word=per_word, x_max=x_max, alpha=alpha)


def _fit(runs: Sequence[Run], parameters: GloveParameters, tell: Callable[[float], None]) -> tuple[Factors, Factors]:
    """Train runs on their device; their batches are emptied into the steps."""
    steps = list(steps_together([run.batches for run in runs]))
    word, context = make_factors(torch.cat([run.start for run in runs], 1))
    for epoch in range(parameters.epochs):
        for step in steps:
            descend(step, word, context, parameters.rate)
        tell((epoch + 1) / parameters.epochs)
    return word, context


def _sums(word: Factors, context: Factors) -> Tensor:
    """Return the vectors of words, on the CPU; the tables need not be there when the next group is made."""
    return (word.vectors + context.vectors).cpu()


def _finite(vectors: Tensor, seed: int) -> Vectors:
    if not vectors.isfinite().all():
        raise ComputationError(f"GloVe diverged in the run of seed {seed}; try a smaller rate or smaller batches")
    finite: Vectors = vectors.numpy().astype(np.float32)
    return finite


TECHNIQUE = Technique("glove", GloveParameters, train, together=128, tells=True, fitting=fitting)
