"""fastText (Bojanowski et al. 2017): skip-gram or CBOW whose word vectors are composed of those of character n-grams.

Two techniques are trained alike: of one the words' composed vectors are kept, of the other those of the n-grams.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import field_validator, model_validator

from gpustab.corpus.sampling import Sample
from gpustab.errors import ComputationError, InputError
from gpustab.options import Count, Option
from gpustab.trainers.base import Parameters, Technique, Vectors

_END_OF_LINE = b"</s>"
_LONGEST = 1000
"""fastText breaks lines of more than 1,024 tokens itself, by bytes read; whole shorter lines leave it nothing to do."""


class FastTextParameters(Parameters):
    """Parameters; defaults are fastText's own."""

    model: Literal["skipgram", "cbow"] = "skipgram"
    dim: Count = 100
    window: Count = 5
    epochs: Count = 5
    negative: Count = 5
    subsample: Annotated[float, Option(above=0)] = 1e-4
    alpha: Annotated[float, Option("learning rate at the start", above=0)] = 0.05
    subwords: Annotated[bool, Option("false: no n-grams, so word2vec in fastText's code")] = True
    min_ngram: Count = 3
    max_ngram: Count = 6
    buckets: Annotated[int, Option("hash buckets of n-grams; each costs 4 · dim bytes", low=1)] = 2_000_000

    @model_validator(mode="after")
    def _lengths_fit(self) -> Self:
        """Refuse lengths that contradict before anything is read."""
        if self.min_ngram > self.max_ngram:
            raise InputError(f"min_ngram is {self.min_ngram}, more than max_ngram, which is {self.max_ngram}")
        return self


class NgramParameters(FastTextParameters):
    """Parameters; defaults are fastText's own."""

    @field_validator("subwords")
    @classmethod
    def _has_ngrams(cls, value: bool) -> bool:
        """Refuse before anything is read what would be found out after the training."""
        if not value:
            raise InputError("subwords is false, so that there would be no n-grams; fasttext trains words without them")
        return value


Rows = Callable[[Any, Sample, FastTextParameters], Vectors]
"""What is taken out of a trained model."""


def train(
    samples: Sequence[Sample], parameters: FastTextParameters, seeds: Sequence[int], rows_of: Rows | None = None
) -> list[Vectors]:
    """Train some runs one after the other, each with one thread; vectors are the words' composed ones, or others."""
    rows = rows_of or _composed
    return [_train_one(sample, parameters, seed, rows) for sample, seed in zip(samples, seeds, strict=True)]


def train_ngrams(samples: Sequence[Sample], parameters: NgramParameters, seeds: Sequence[int]) -> list[Vectors]:
    """Train some runs one after the other; vectors are those of n-grams.

    Raises:
        InputError: if a sample has no n-gram of the wanted lengths.
    """
    for sample in samples:
        if not ngrams_of(sample, parameters):
            wanted = f"{parameters.min_ngram} to {parameters.max_ngram} letters"
            raise InputError(f"no word of the sample has an n-gram of {wanted}, its two edges counted")
    return train(samples, parameters, seeds, _ngram_rows)


def ngrams_of(sample: Sample, parameters: FastTextParameters) -> list[bytes]:
    """Return the character n-grams of ``<word>`` for all words of a sample, each once, those of frequent words first.

    The lone ``<`` and ``>`` are none, as in fastText.
    """
    grams: dict[str, None] = {}
    for i in sample.words.tolist():
        text = f"<{sample.corpus.vocabulary[i].decode('utf-8', 'surrogateescape')}>"
        for start in range(len(text)):
            for size in range(parameters.min_ngram, min(parameters.max_ngram, len(text) - start) + 1):
                grams.setdefault(text[start : start + size])
    return [gram.encode("utf-8", "surrogateescape") for gram in grams if gram not in ("<", ">")]


def _train_one(sample: Sample, parameters: FastTextParameters, seed: int, rows_of: Rows) -> Vectors:
    words = list(sample.corpus.vocabulary)
    for word in words:
        if word == _END_OF_LINE or any(byte in word for byte in (b" ", b"\n", b"\t", b"\r", b"\v", b"\f", b"\0")):
            raise InputError(f"fastText cannot tell the word {word!r} from its separators")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.txt"
        with path.open("wb") as file:
            for piece in sample.pieces(_LONGEST):
                file.write(b" ".join([words[i] for i in piece.tolist()]) + b"\n")
        model = _run(path, parameters, seed)
    return rows_of(model, sample, parameters)


def _run(path: Path, parameters: FastTextParameters, seed: int) -> Any:
    """Train on a file. ``train_unsupervised`` takes no seed, so the arguments go to the module's own objects."""
    import fasttext_pybind

    arguments = fasttext_pybind.args()
    arguments.input = str(path)
    model = fasttext_pybind.model_name
    arguments.model = model.skipgram if parameters.model == "skipgram" else model.cbow
    arguments.loss = fasttext_pybind.loss_name.ns
    arguments.dim, arguments.ws, arguments.epoch = parameters.dim, parameters.window, parameters.epochs
    arguments.neg, arguments.t, arguments.lr = parameters.negative, parameters.subsample, parameters.alpha
    arguments.minn = parameters.min_ngram if parameters.subwords else 0
    arguments.maxn = parameters.max_ngram if parameters.subwords else 0
    arguments.bucket = parameters.buckets if parameters.subwords else 0
    arguments.minCount, arguments.thread, arguments.verbose, arguments.seed = 1, 1, 0, seed
    trained = fasttext_pybind.fasttext()
    fasttext_pybind.train(trained, arguments)
    return trained


def _composed(model: Any, sample: Sample, _: FastTextParameters) -> Vectors:
    """Composed vectors of the sample's words.

    A word's vector is the mean of its own input row and those of its n-grams. It is formed here, because
    ``getWordVector`` of some builds returns it scaled to unit length.
    """
    rows = np.asarray(model.getInputMatrix())
    return np.array([rows[ids].mean(axis=0) for _, ids in subwords_of(model, sample)], dtype=np.float32)


def subwords_of(model: Any, sample: Sample) -> Iterator[tuple[list[str], Any]]:
    """Yield names and input rows of every word of the sample and its n-grams; every token must have been counted."""
    words, counts = model.getVocab("surrogateescape")
    counted = dict(zip((word.encode("utf-8", "surrogateescape") for word in words), counts, strict=True))
    counted.pop(_END_OF_LINE, None)
    wanted = {sample.corpus.vocabulary[i]: int(sample.counts[i]) for i in sample.words.tolist()}
    if {word: int(n) for word, n in counted.items()} != wanted:
        raise ComputationError(f"fastText counted {sum(counted.values())} tokens, the sample has {len(sample.tokens)}")
    for word in wanted:
        yield model.getSubwords(word.decode("utf-8", "surrogateescape"), "surrogateescape")


def _ngram_rows(model: Any, sample: Sample, parameters: FastTextParameters) -> Vectors:
    """Return the input rows of the n-grams, ``(g, d)``; those that share a hash bucket have one vector."""
    number: dict[bytes, int] = {}
    for names, ids in subwords_of(model, sample):
        # The first is the word itself, which has a row of its own.
        number |= {name.encode("utf-8", "surrogateescape"): i for name, i in zip(names[1:], ids[1:], strict=True)}
    rows = np.asarray(model.getInputMatrix())
    return np.array([rows[number[gram]] for gram in ngrams_of(sample, parameters)], dtype=np.float32)


FASTTEXT = Technique("fasttext", FastTextParameters, train)
NGRAMS = Technique("fasttext_ngrams", NgramParameters, train_ngrams, items=ngrams_of)
