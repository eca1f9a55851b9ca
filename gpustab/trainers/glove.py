"""GloVe (Pennington, Socher & Manning 2014), several runs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
import torch
from pydantic import Field
from scipy import sparse
from torch import Tensor

from gpustab.corpus import cooccurrence
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError
from gpustab.kernels.training.glove import Batch, Factors, descend, make_factors
from gpustab.machine.device import choose_device
from gpustab.trainers.base import Parameters, Technique, Tell, Vectors, tell_nobody
from gpustab.trainers.glove_batches import make_batches, steps_together


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

    dim: int = Field(100, ge=1)
    window: int = Field(15, ge=1)
    epochs: int = Field(25, ge=1)
    rate: float = Field(0.05, gt=0, le=1)
    x_max: float = Field(100.0, gt=0)
    alpha: float = Field(0.75, ge=0)
    batch: int = Field(8, ge=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"


def train(
    samples: Sequence[Sample], parameters: GloveParameters, seeds: Sequence[int], tell: Tell = tell_nobody
) -> list[Vectors]:
    """Train a run on each sample; on a GPU all at once, on a CPU, whose caches hold one run, one after the other.

    Both give the same bits on the same device. As in the reference implementation the entries are shuffled once and
    then used in the same order in every epoch, vectors and biases start within ±1/(2 dim), and a word's vector is the
    sum of its two, as word and as context. A seed decides the shuffle and the start.

    Raises:
        ComputationError: if a run diverged.
    """
    together = len(samples) if choose_device(parameters.device).type == "cuda" else 1
    vectors: list[Vectors] = []
    for first in range(0, len(samples), together):
        some, own = samples[first : first + together], seeds[first : first + together]
        numbers = range(first, first + len(some))
        for number in numbers:
            tell(number, 0.0)
        counts = (cooccurrence.count_sample(sample, parameters.window, "harmonic") for sample in some)  # one at a time

        def told(part: float, numbers: Sequence[int] = numbers) -> None:
            for number in numbers:
                tell(number, part)

        word, context = fit(counts, parameters, own, told)
        split = (word.vectors + context.vectors).cpu().split([len(sample.words) for sample in some])
        vectors += [_finite(one, seed) for one, seed in zip(split, own, strict=True)]
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
    runs, starts = [], []
    for matrix, seed in zip(counts, seeds, strict=True):
        runs.append(_batches(matrix, parameters, seed))
        starts.append(_start(matrix.shape[0], parameters.dim, seed))
    steps = [batch.to(device) for batch in steps_together(runs)]
    del runs  # as much memory as the steps
    word, context = make_factors(torch.cat(starts, 1).to(device))
    for epoch in range(parameters.epochs):
        for step in steps:
            descend(step, word, context, parameters.rate)
        tell((epoch + 1) / parameters.epochs)
    return word, context


def _batches(counts: sparse.csr_matrix, parameters: GloveParameters, seed: int) -> list[Batch]:
    batches = make_batches(counts, parameters.batch, parameters.x_max, parameters.alpha, seed)
    used = sum(len(batch.log) for batch in batches)
    if used != counts.nnz:
        raise ComputationError(f"{used} of {counts.nnz} co-occurrence counts are in batches")
    return batches


def _start(words: int, dim: int, seed: int) -> Tensor:
    """Return the start values ``(2, words, dim + 1)``; drawn on the CPU, so that they are the same on any device."""
    uniform = torch.rand(2, words, dim + 1, generator=torch.Generator().manual_seed(seed))
    return (uniform - 0.5) / dim


def _finite(vectors: Tensor, seed: int) -> Vectors:
    if not vectors.isfinite().all():
        raise ComputationError(f"GloVe diverged in the run of seed {seed}; try a smaller rate or smaller batches")
    found: Vectors = vectors.numpy().astype(np.float32)
    return found


TECHNIQUE = Technique("glove", GloveParameters, train, together=8, tells=True)
