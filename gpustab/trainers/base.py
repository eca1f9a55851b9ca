"""What a training technique has to offer; adding one is one module in this folder and one line in the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.sampling import Sample

T = TypeVar("T")
Vectors = NDArray[np.float32]
Draws = Sequence[NDArray[np.int64]]
"""Of each run the units that it reads, see :func:`gpustab.corpus.sampling.draw_units`."""


Tell = Callable[[int, float], None]
"""Told how far the training of a sample is, by its number."""


def tell_nobody(*_: float) -> None:
    """Take a report that nobody reads."""


def one_by_one(
    train: Callable[..., T],
    samples: Sequence[Sample],
    parameters: Any,
    seeds: Sequence[int],
    tell: Tell,
    **options: Any,
) -> list[T]:
    """Train some runs one after the other by ``train(sample, parameters, seed, tell, **options)``."""
    runs = enumerate(zip(samples, seeds, strict=True))
    return [train(sample, parameters, seed, partial(tell, number), **options) for number, (sample, seed) in runs]


class WithOutput(NamedTuple):
    """A run with what its training has beside the vectors that are wanted.

    Attributes:
        vectors: ``(n, d)`` the run's vectors.
        output: ``(n, d)`` float32, the output vector of each of the same words, which predicts it as a context word.
    """

    vectors: Vectors
    output: Vectors


class Parameters(BaseModel):
    """Parameters of a technique; every one has the default of the technique's reference, and a checked range."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Technique:
    """One way to train.

    Attributes:
        name: as in ``--technique``.
        parameters: its parameters' model.
        train: trains some runs: ``train(samples, parameters, seeds)``, of :class:`~gpustab.corpus.sampling.Sample` and
            ints, returns for every sample a ``(len(sample.words), d)`` float32 array, rows in the order of
            ``sample.words``, or of ``items``. Equal sample, parameters and seed give bit-equal vectors on the same
            machine; runs trained together do not influence each other.
        together: how many runs are trained in one call; 1 where nothing is gained by more.
        tells: whether ``train`` also takes a :data:`Tell`, which it calls when a sample is begun (part 0) and after
            each of its epochs.
        with_output: the same as ``train``, but returns a :class:`WithOutput` for every sample; ``None`` for a technique
            that has no output vectors of words.
        items: where vectors are not of words: ``items(sample, parameters)`` returns the names of what they are of.
        most: where dim has a bound: ``most(corpus)`` returns the largest that a sample of the corpus may allow.
        fitting: where memory may allow fewer: ``fitting(corpus, draws, parameters)`` returns how many of such runs.
    """

    name: str
    parameters: type[Parameters]
    train: Callable[..., list[Vectors]]
    together: int = 1
    tells: bool = False
    with_output: Callable[..., list[WithOutput]] | None = None
    items: Callable[[Sample, Any], list[bytes]] | None = None
    fitting: Callable[[Corpus, Draws, Any], int] | None = None
    most: Callable[[Corpus], int] | None = None
