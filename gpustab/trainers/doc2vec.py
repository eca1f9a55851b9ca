"""Vectors of documents or sentences, whichever are drawn, by gensim's Doc2Vec (Le & Mikolov 2014)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.sampling import Sample, unit_names
from gpustab.errors import ComputationError
from gpustab.options import Count
from gpustab.trainers.base import Parameters, Technique, Vectors, one_by_one, tell_nobody
from gpustab.trainers.word2vec import LONGEST, Epochs, GensimParameters


class Doc2VecParameters(GensimParameters):
    """Parameters of both models; defaults are gensim's."""

    epochs: Count = 10


class Texts:
    """The texts of a sample, each with the place of its unit in :func:`units_of`, in pieces that gensim reads whole."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._words = [word.decode("utf-8", "surrogateescape") for word in sample.corpus.vocabulary]
        self._place = {unit: place for place, unit in enumerate(units_of(sample).tolist())}

    def __iter__(self) -> Iterator[Any]:
        from gensim.models.doc2vec import TaggedDocument

        corpus, words = self._sample.corpus, self._words
        for unit in self._sample.draw.tolist():
            for text in range(corpus.units[unit], corpus.units[unit + 1]):
                start, stop = corpus.texts[text], corpus.texts[text + 1]
                for begin in range(start, stop, LONGEST):
                    piece = corpus.tokens[begin : min(begin + LONGEST, stop)].tolist()
                    yield TaggedDocument([words[k] for k in piece], [self._place[unit]])


def units_of(sample: Sample) -> NDArray[np.int64]:
    """Return the units that a sample holds words of, each once, in the order of the corpus."""
    corpus, units = sample.corpus, np.unique(sample.draw)
    return units[corpus.texts[corpus.units[units + 1]] > corpus.texts[corpus.units[units]]]


def names_of(sample: Sample, _: Parameters) -> list[bytes]:
    """Return what the units are called that a sample holds words of, see :func:`gpustab.corpus.sampling.unit_names`."""
    return unit_names(sample.corpus, units_of(sample))


def train_doc2vec(
    sample: Sample, parameters: Doc2VecParameters, seed: int, tell: Callable[[float], None] = tell_nobody, *, dm: int
) -> Vectors:
    """Train one run with one thread, so that the seed alone decides the result.

    Args:
        sample: what the run reads; a unit that was drawn twice is read twice under one name.
        parameters: see :class:`Doc2VecParameters`.
        seed: of initialisation, negative samples, windows and subsampling.
        tell: called with the finished part after every epoch.
        dm: 1: distributed memory, the mean of document and context predicts a word (as CBOW); 0: distributed bag of
            words, the document predicts its words (as skip-gram).

    Returns:
        ``(u, dim)``, a row for every unit of :func:`units_of`.

    Raises:
        ComputationError: if a token of the sample did not reach the training.
    """
    from gensim.models.doc2vec import Doc2Vec

    model = Doc2Vec(dm=dm, **parameters.settings(seed))
    texts = Texts(sample)
    model.build_vocab(texts)
    if model.corpus_total_words != len(sample.tokens):
        raise ComputationError(f"gensim read {model.corpus_total_words} tokens, the sample has {len(sample.tokens)}")
    epochs = Epochs(tell, parameters.epochs)
    model.train(texts, total_examples=model.corpus_count, epochs=parameters.epochs, callbacks=[epochs])
    return np.ascontiguousarray(model.dv.vectors, dtype=np.float32)


def _technique(name: str, dm: int) -> Technique:
    train = partial(one_by_one, train_doc2vec, tell=tell_nobody, dm=dm)
    return Technique(name, Doc2VecParameters, train, tells=True, items=names_of)


DM, DBOW = _technique("doc2vec_dm", 1), _technique("doc2vec_dbow", 0)
