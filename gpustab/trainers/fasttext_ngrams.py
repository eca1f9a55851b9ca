"""fastText's vectors of character n-grams, which its word vectors are composed of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import field_validator

from gpustab.corpus.sampling import Sample
from gpustab.errors import InputError
from gpustab.trainers import fasttext
from gpustab.trainers.base import Technique, Vectors
from gpustab.trainers.fasttext import FastTextParameters, subwords_of


class NgramParameters(FastTextParameters):
    """Parameters; defaults are fastText's own."""

    @field_validator("subwords")
    @classmethod
    def _has_ngrams(cls, value: bool) -> bool:
        """Refuse before anything is read what would be found out after the training."""
        if not value:
            raise InputError("subwords is false, so that there would be no n-grams; fasttext trains words without them")
        return value


def train(samples: Sequence[Sample], parameters: NgramParameters, seeds: Sequence[int]) -> list[Vectors]:
    """Train some runs one after the other; vectors are those of n-grams.

    Raises:
        InputError: if a sample has no n-gram of the wanted lengths.
    """
    for sample in samples:
        if not ngrams_of(sample, parameters):
            wanted = f"{parameters.min_ngram} to {parameters.max_ngram} letters"
            raise InputError(f"no word of the sample has an n-gram of {wanted}, its two edges counted")
    return fasttext.train(samples, parameters, seeds, rows_of=_rows)


def ngrams_of(sample: Sample, parameters: FastTextParameters) -> list[bytes]:
    """Return the character n-grams of ``<word>`` for all words of a sample, each once, those of frequent words first.

    The lone ``<`` and ``>`` are none, as in fastText.
    """
    found: dict[str, None] = {}
    for i in sample.words.tolist():
        text = f"<{sample.corpus.vocabulary[i].decode('utf-8', 'surrogateescape')}>"
        for start in range(len(text)):
            for size in range(parameters.min_ngram, min(parameters.max_ngram, len(text) - start) + 1):
                found.setdefault(text[start : start + size])
    return [gram.encode("utf-8", "surrogateescape") for gram in found if gram not in ("<", ">")]


def _rows(model: Any, sample: Sample, parameters: FastTextParameters) -> Vectors:
    """Return the input rows of the n-grams, ``(g, d)``; those that share a hash bucket have one vector."""
    number: dict[bytes, int] = {}
    for names, ids in subwords_of(model, sample):
        # The first is the word itself, which has a row of its own.
        number |= {name.encode("utf-8", "surrogateescape"): i for name, i in zip(names[1:], ids[1:], strict=True)}
    rows = np.asarray(model.getInputMatrix())
    return np.array([rows[number[gram]] for gram in ngrams_of(sample, parameters)], dtype=np.float32)


TECHNIQUE = Technique("fasttext_ngrams", NgramParameters, train, items=ngrams_of)
