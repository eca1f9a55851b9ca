"""Skip-gram and CBOW, many runs at once on one GPU: the same techniques as ``sgns`` and ``cbow`` by gensim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, InputError, OutOfMemoryError
from gpustab.kernels.dispatch import use_triton
from gpustab.kernels.training import word2vec
from gpustab.kernels.training.noise import Noise, noise_tables
from gpustab.kernels.training.reading import Reading, keep_thresholds, read_units, side_by_side, thin
from gpustab.machine.device import choose_device, free_memory
from gpustab.machine.proof import Proof, prove
from gpustab.trainers.base import Draws, Technique, Tell, Vectors, WithOutput, tell_nobody
from gpustab.trainers.word2vec import Word2VecParameters

MAX_DIM, MAX_NEGATIVE, MAX_WINDOW = 512, 31, 64
"""A step's rows have to fit the registers of one multiprocessor's program, a window's noise words one tile."""

_SHARE = 0.9
"""Of the free memory; the rest is for what is made on the way."""


class Trained(NamedTuple):
    """One trained run.

    Attributes:
        words: ``(n,)`` ids in the corpus vocabulary of the words that the run read, ascending.
        vectors: ``(n, d)`` float32.
        counts: ``(n,)`` int64, how often the run read each.
        output: ``(n, d)`` float32 output vectors, if they were asked for.
    """

    words: NDArray[np.int64]
    vectors: Vectors
    counts: NDArray[np.int64]
    output: Vectors | None = None


class _Text(NamedTuple):
    """A corpus on a device: what :func:`gpustab.kernels.training.reading.read_units` takes."""

    tokens: Tensor
    texts: Tensor
    units: Tensor


def train(
    samples: Sequence[Sample], parameters: Word2VecParameters, seeds: Sequence[int], **options: Any
) -> list[Vectors]:
    """Train a run on each sample, all of one corpus; see :func:`train_many`."""
    return [
        run.vectors for run in train_many(samples[0].corpus, [s.draw for s in samples], seeds, parameters, **options)
    ]


def with_output(
    samples: Sequence[Sample], parameters: Word2VecParameters, seeds: Sequence[int], **options: Any
) -> list[WithOutput]:
    """Train the same runs as :func:`train`, and return their output vectors too."""
    draws = [one.draw for one in samples]
    runs = train_many(samples[0].corpus, draws, seeds, parameters, keep_output=True, **options)
    return [WithOutput(run.vectors, run.output) for run in runs if run.output is not None]


def train_many(
    corpus: Corpus,
    draws: Draws,
    seeds: Sequence[int],
    parameters: Word2VecParameters,
    *,
    cbow: bool = False,
    device: str = "auto",
    tell: Tell = tell_nobody,
    keep_output: bool = False,
) -> Iterator[Trained]:
    """Train R runs, as many at once as the memory holds, and yield them in order.

    The corpus lies on the device once; what a run reads is put together there, epoch by epoch. On a CPU the plain loop
    trains, which takes minutes for ten thousand tokens. The bits are the same at every call on the same kind of card,
    whichever runs are trained together.

    Args:
        corpus: the whole.
        draws: R arrays of the units that a run reads, in order, see :func:`gpustab.corpus.sampling.draw_units`.
        seeds: R training seeds, see :func:`gpustab.corpus.sampling.training_seed`.
        parameters: of technique ``sgns`` or ``cbow``.
        cbow: train CBOW; else skip-gram.
        device: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:N"``.
        tell: see :class:`gpustab.trainers.base.Technique`.
        keep_output: give the output vectors too.

    Raises:
        InputError: for parameters that this engine does not have.
        OutOfMemoryError: if not even one run fits.
        ComputationError: if a run diverged.
    """
    where = choose_device(device)
    _check(parameters, where, cbow)
    recipe = word2vec.Recipe(
        parameters.window, parameters.negative, parameters.epochs, parameters.alpha, parameters.min_alpha, cbow
    )
    text = _Text(*(torch.from_numpy(part).to(where) for part in (corpus.tokens, corpus.texts, corpus.units)))
    words = len(corpus.vocabulary)
    together = _runs_that_fit(corpus, draws, parameters.dim, where)
    for first in range(0, len(draws), together):
        some = [torch.from_numpy(draw).to(where) for draw in draws[first : first + together]]
        seeded = seeds[first : first + together]

        def tell_all(part: float, numbers: Sequence[int] = range(first, first + len(some))) -> None:
            for number in numbers:
                tell(number, part)

        yield from _train_batch(text, words, some, seeded, parameters, recipe, tell_all, keep_output)


def fitting(corpus: Corpus, draws: Draws, parameters: Word2VecParameters) -> int:
    """Return how many runs the memory of the device holds at once.

    Raises:
        OutOfMemoryError: if not even one.
    """
    return _runs_that_fit(corpus, draws, parameters.dim, choose_device())


def unfit(parameters: Word2VecParameters) -> str:
    """Return which parameter this engine cannot train with, as a clause; empty if there is none.

    >>> unfit(Word2VecParameters(dim=600))
    'dim is 600, wanted 1 to 512 on a GPU'
    """
    if parameters.hierarchical_softmax:
        return "hierarchical_softmax is not trained on a GPU"
    for name, largest in (("dim", MAX_DIM), ("negative", MAX_NEGATIVE), ("window", MAX_WINDOW)):
        value = getattr(parameters, name)
        if not 1 <= value <= largest:
            return f"{name} is {value}, wanted 1 to {largest} on a GPU"
    return ""


def proved_kernel(parameters: Word2VecParameters, device: torch.device, *, cbow: bool) -> Proof:
    """Return how the fused kernel, as it is compiled for these parameters, does beside the plain loop; tried once."""
    return _proved(parameters.dim, parameters.window, parameters.negative, parameters.epochs, cbow, device)


@cache
def _proved(dim: int, window: int, negative: int, epochs: int, cbow: bool, device: torch.device) -> Proof:
    recipe = word2vec.Recipe(window, negative, epochs, 0.3, 0.01, cbow)

    def trained(train_epoch: Callable[..., None], where: torch.device) -> Tensor:
        tokens = torch.tensor([0, 1, 2, 1, 3, 0], dtype=torch.int32, device=where)
        reading = side_by_side([(tokens, torch.tensor([0, len(tokens)], device=where))])
        noise = Noise(*(column[None].to(where) for column in noise_tables(torch.arange(1, 5, device="cpu"))))
        model = word2vec.start_model(4, dim, [1], where, spread=3)
        train_epoch(reading, noise, model, [1], 0, recipe)
        return torch.stack(model).cpu()

    def error() -> float:
        from gpustab.kernels.training.triton_word2vec import train_epoch

        want = trained(word2vec.train_epoch, torch.device("cpu"))
        return float((trained(train_epoch, device) - want).abs().max() / want.abs().max())

    return prove(f"training of {'cbow' if cbow else 'sgns'}", device, error, 1e-3)


def _check(parameters: Word2VecParameters, device: torch.device, cbow: bool) -> None:
    if problem := unfit(parameters):
        raise InputError(f"{problem}; engine gensim trains it")
    fused, reason = use_triton(torch.empty(1, parameters.dim, device=device))
    if not fused and device.type != "cpu":
        raise InputError(f"the fused kernel of word2vec cannot be used: {reason}")
    if fused and not (proof := proved_kernel(parameters, device, cbow=cbow)).works:
        raise InputError(f"the fused kernel of word2vec did not prove itself here: {proof}; engine gensim trains it")


def _runs_that_fit(corpus: Corpus, draws: Draws, dim: int, device: torch.device) -> int:
    """Return how many runs fit the free memory: two tables of vectors, two of noise, and the tokens of an epoch."""
    tokens = np.diff(corpus.texts[corpus.units])
    longest = max(int(tokens[draw].sum()) for draw in draws)
    # Tokens twice: the runs' own and side by side. Making one run's takes eight numbers of eight bytes a token.
    one = len(corpus.vocabulary) * (8 * dim + 24) + 8 * longest + 16 * (len(corpus.texts) + 1)
    free = int(free_memory(device) * _SHARE) - 64 * longest
    if free < one:
        raise OutOfMemoryError(f"a run takes {one + 64 * longest:,} bytes, {device} has {free_memory(device):,} free")
    return min(free // one, len(draws))


def _train_batch(
    text: _Text,
    words: int,
    draws: Sequence[Tensor],
    seeds: Sequence[int],
    parameters: Word2VecParameters,
    recipe: word2vec.Recipe,
    tell: Callable[[float], None],
    keep_output: bool,
) -> Iterator[Trained]:
    device = text.tokens.device
    counts = [torch.bincount(read_units(*text, draw)[0], minlength=words).cpu() for draw in draws]
    keep = [keep_thresholds(n, parameters.subsample).to(device) for n in counts]
    # On the CPU: cumulative sums of floats on a GPU are not the same at every call.
    tables = [noise_tables(n.double() ** 0.75) for n in counts]
    noise = Noise(*(torch.stack(column).to(device) for column in zip(*tables, strict=True)))
    model = word2vec.start_model(words, parameters.dim, seeds, device, spread=parameters.spread)
    for epoch in range(parameters.epochs):
        tell(epoch / parameters.epochs)
        drawn = zip(draws, keep, seeds, strict=True)
        parts = [thin(*read_units(*text, draw), kept, seed, epoch) for draw, kept, seed in drawn]
        _train_epoch(side_by_side(parts), noise, model, seeds, epoch, recipe)
    for inputs, outputs, count, seed in zip(*model, counts, seeds, strict=True):
        read = count.nonzero().flatten()
        rows = read.to(device)
        vectors = inputs[rows].cpu()
        if not vectors.isfinite().all():
            technique = "CBOW" if recipe.cbow else "skip-gram"
            raise ComputationError(f"{technique} diverged in the run of seed {seed}; try a smaller alpha")
        output = outputs[rows].cpu().numpy() if keep_output else None
        yield Trained(read.numpy(), vectors.numpy(), count[read].numpy(), output)


def _train_epoch(
    reading: Reading, noise: Noise, model: word2vec.Model, seeds: Sequence[int], epoch: int, recipe: word2vec.Recipe
) -> None:
    if use_triton(model.inputs)[0]:
        from gpustab.kernels.training.triton_word2vec import train_epoch

        train_epoch(reading, noise, model, seeds, epoch, recipe)
    else:
        word2vec.train_epoch(reading, noise, model, seeds, epoch, recipe)


def _technique(name: str, *, cbow: bool) -> Technique:
    return Technique(
        name,
        Word2VecParameters,
        partial(train, cbow=cbow),
        together=128,
        tells=True,
        with_output=partial(with_output, cbow=cbow),
        fitting=fitting,
    )


SGNS, CBOW = _technique("sgns", cbow=False), _technique("cbow", cbow=True)
