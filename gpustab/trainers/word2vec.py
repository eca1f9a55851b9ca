"""Skip-gram (Antoniak & Mimno 2018, §5.2) and continuous bag of words by gensim (Mikolov et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from pydantic import model_validator

from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, InputError
from gpustab.options import Count, Option
from gpustab.trainers.base import Parameters, Technique, Tell, Vectors, WithOutput, one_by_one, tell_nobody

LONGEST = 10_000
"""gensim silently ignores what follows this token of a text (its ``MAX_WORDS_IN_BATCH``): longer ones go in pieces."""


class GensimParameters(Parameters):
    """Parameters of all that gensim trains; defaults are gensim's."""

    dim: Count = 100
    window: Count = 5
    epochs: Count = 5
    negative: Annotated[int, Option("negative samples; 0 with hierarchical softmax", low=0)] = 5
    hierarchical_softmax: bool = False
    subsample: Annotated[float, Option("threshold above which frequent words are thinned out; 0 = off", low=0)] = 1e-3
    alpha: Annotated[float, Option("learning rate at the start", above=0)] = 0.025
    min_alpha: Annotated[float, Option("learning rate at the end", low=0)] = 1e-4

    @model_validator(mode="after")
    def _one_objective(self) -> Self:
        """Refuse negative samples beside hierarchical softmax: gensim would train both."""
        if self.hierarchical_softmax and self.negative:
            raise InputError(f"negative is {self.negative}: hierarchical softmax wants negative = 0")
        return self

    def settings(self, seed: int) -> dict[str, Any]:
        """Return the arguments of gensim's models, for one thread."""
        return {
            "vector_size": self.dim,
            "window": self.window,
            "negative": self.negative,
            "hs": int(self.hierarchical_softmax),
            "sample": self.subsample,
            "alpha": self.alpha,
            "min_alpha": self.min_alpha,
            "min_count": 1,  # the corpus has dropped its rare words once, not per sample
            "workers": 1,
            "seed": seed,
        }


class Word2VecParameters(GensimParameters):
    """Parameters of skip-gram and CBOW.

    The start is not forgotten on small corpora: runs that start within ±0.5/d, as those of word2vec's C code, are
    another distribution than gensim's. So every engine starts within ±1/d unless ``spread`` is set.
    """

    spread: Annotated[float, Option("word vectors start within ±spread/dim; word2vec's C code has 0.5", above=0)] = 1.0


class Texts:
    """The texts of a sample as gensim wants them: lists of strings, again at every epoch."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._words = [word.decode("utf-8", "surrogateescape") for word in sample.corpus.vocabulary]

    def __iter__(self) -> Iterator[list[str]]:
        words = self._words
        for piece in self._sample.pieces(LONGEST):
            yield [words[i] for i in piece.tolist()]


class Epochs:
    """Tells gensim's epochs, in the form of its callbacks."""

    def __init__(self, tell: Callable[[float], None], epochs: int) -> None:
        self._tell, self._epochs, self._done = tell, epochs, 0

    def on_train_begin(self, *_: Any) -> None:
        """Tell that it begins."""
        self._tell(0.0)

    def on_epoch_end(self, *_: Any) -> None:
        """Tell the epoch."""
        self._done += 1
        self._tell(self._done / self._epochs)

    def on_epoch_begin(self, *_: Any) -> None:
        """Tell nothing."""

    on_train_end = on_epoch_begin


def train_word2vec(
    sample: Sample,
    parameters: Word2VecParameters,
    seed: int,
    tell: Callable[[float], None] = tell_nobody,
    **options: Any,
) -> Vectors:
    """Train one run with one thread, so that the seed alone decides the result; see :func:`trained_model`.

    Returns:
        ``(len(sample.words), dim)``.
    """
    model, rows = trained_model(sample, parameters, seed, tell, **options)
    return _rows(model.wv.vectors, rows)


def trained_model(
    sample: Sample,
    parameters: Word2VecParameters,
    seed: int,
    tell: Callable[[float], None] = tell_nobody,
    **options: Any,
) -> tuple[Any, list[int]]:
    """Train gensim's model of one run.

    Args:
        sample: what the run reads.
        parameters: see :class:`Word2VecParameters`.
        seed: of initialisation, negative samples, windows and subsampling.
        tell: called with the finished part after every epoch.
        **options: further arguments of ``gensim.models.Word2Vec``.

    Returns:
        The model, and the row in it of every word of the sample.

    Raises:
        ComputationError: if a token of the sample did not reach the training.
    """
    from gensim.models import Word2Vec
    from gensim.models.word2vec import MAX_WORDS_IN_BATCH

    if LONGEST > MAX_WORDS_IN_BATCH:
        raise ComputationError(f"this gensim reads {MAX_WORDS_IN_BATCH} tokens of a text, pieces have {LONGEST}")
    model = Word2Vec(**parameters.settings(seed), **options)
    texts = Texts(sample)
    model.build_vocab(texts)
    model.wv.vectors *= np.float32(parameters.spread)  # gensim starts within ±1/dim
    epochs = Epochs(tell, parameters.epochs)
    _, read = model.train(texts, total_examples=model.corpus_count, epochs=parameters.epochs, callbacks=[epochs])
    if read != len(sample.tokens) * parameters.epochs:
        raise ComputationError(
            f"gensim read {read} tokens in {parameters.epochs} epochs, the sample has {len(sample.tokens)}"
        )
    words = sample.corpus.vocabulary
    return model, [model.wv.key_to_index[words[i].decode("utf-8", "surrogateescape")] for i in sample.words.tolist()]


def _rows(matrix: Any, rows: Sequence[int]) -> Vectors:
    return np.ascontiguousarray(matrix[rows], dtype=np.float32)


def with_output(
    samples: Sequence[Sample],
    parameters: Word2VecParameters,
    seeds: Sequence[int],
    tell: Tell = tell_nobody,
    **options: Any,
) -> list[WithOutput]:
    """Train some runs to the same vectors as :func:`train_word2vec`, and return their output vectors too.

    Raises:
        InputError: with hierarchical softmax, which has output vectors of a tree's nodes, and none of words.
    """
    if parameters.hierarchical_softmax:
        raise InputError("hierarchical softmax has no output vectors of words")

    def both(*run: Any, **options: Any) -> WithOutput:
        model, rows = trained_model(*run, **options)
        return WithOutput(_rows(model.wv.vectors, rows), _rows(model.syn1neg, rows))

    return one_by_one(both, samples, parameters, seeds, tell, **options)


def _technique(name: str, sg: int) -> Technique:
    train, both = partial(one_by_one, train_word2vec, tell=tell_nobody, sg=sg), partial(with_output, sg=sg)
    return Technique(name, Word2VecParameters, train, tells=True, with_output=both)


SGNS, CBOW = _technique("sgns", 1), _technique("cbow", 0)
