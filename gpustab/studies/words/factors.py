"""What is known of a word: how often it occurs, where in the text, what WordNet says, its letters, its nearest word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.spread import counts_in, documents_of, gathering
from gpustab.results.page import counted, percent
from gpustab.spaces.words import show
from gpustab.statistics.curves import bends
from gpustab.studies.words.claims import KNOWN
from gpustab.wordnet.lexicon import Lexicon

Floats = NDArray[np.float64]


class Factor(NamedTuple):
    """A number of every word.

    Attributes:
        title: what it is, for people.
        step: a change of it that people can picture, in its own unit.
        said: that change in words.
    """

    title: str
    step: float
    said: str


FREQUENCY = "frequency"
FACTORS: Mapping[str, Factor] = {
    FREQUENCY: Factor("frequency", 1.0, "if a word stands ten times as often"),
    "spread": Factor("spread over documents", 1.0, "if a word stands in twice as many documents"),
    "place": Factor("place in the text", 1.0, "if a word stands at the end and not at the beginning"),
    "letters": Factor("length", 1.0, "if a word is one letter longer"),
    "senses": Factor("senses", 1.0, "if a word has twice as many senses"),
    "verb": Factor("verb", 1.0, "if a word is a verb and no noun"),
    "adjective": Factor("adjective", 1.0, "if a word is an adjective and no noun"),
    "adverb": Factor("adverb", 1.0, "if a word is an adverb and no noun"),
    "other": Factor("unknown to WordNet", 1.0, "if a word is unknown to WordNet and no noun"),
    "nearest": Factor("cosine with its nearest word", 0.1, "if a word has its nearest word 0.1 nearer"),
}
"""Numbers of a word by name. Frequency is a logarithm to base 10; spread and senses are logarithms to base 2."""

PART_OF_SPEECH = "part of speech"
CLASSES = ("verb", "adjective", "adverb", "other")
"""Parts of speech beside nouns; every word is one."""
_POS = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}
_SYMBOL = 2
"""Words of so many letters are no nouns, as WordNet's nouns *in*, *as* and *us* are symbols of units and elements."""


class Words(NamedTuple):
    """What is known of some words.

    Attributes:
        columns: by name ``(v,)``; NaN where a word's number is not known.
        notes: sentences on what is not known, and why.
    """

    columns: dict[str, Floats]
    notes: list[str]


def of_counts(counts: Sequence[int | None]) -> Words:
    """Return how often words occur in a run, as a logarithm; nothing where runs have no counts."""
    if None in counts:
        return Words({}, ["These runs have no counts: frequency is not among the factors."])
    return Words({"frequency": np.log10(np.maximum(np.array(counts, np.float64), 1))}, [])


def of_letters(words: Sequence[bytes]) -> Words:
    """Return how many letters words have."""
    return Words({"letters": np.array([len(show(word)) for word in words], np.float64)}, [])


def of_wordnet(words: Sequence[bytes], lexicon: Lexicon) -> Words:
    """Return the senses of words in WordNet, as a logarithm, and their parts of speech.

    A word is of that part of speech under which it has most senses, its own and those of its base form; of several the
    first of noun, verb, adjective and adverb.
    """
    senses, kinds = np.zeros(len(words)), []
    for k, word in enumerate(words):
        text = show(word)
        numbers = {kind: len(lexicon.senses(text, pos)) for pos, kind in _POS.items()}
        if len(text) <= _SYMBOL:
            numbers["noun"] = 0
        senses[k] = sum(numbers.values())
        kinds.append(max(numbers, key=lambda kind: numbers[kind]) if senses[k] else "other")
    share = float((senses > 0).mean())
    if share < KNOWN:
        return Words(
            {},
            [
                f"WordNet, which is of English, has {percent(share)} of these words: part of speech and senses are not "
                "among the factors."
            ],
        )
    columns = {kind: np.array([own == kind for own in kinds], np.float64) for kind in CLASSES}
    return Words({"senses": np.log2(np.maximum(senses, 1)), **columns}, [])


def of_corpus(words: Sequence[bytes], corpus: Corpus) -> Words:
    """Return how words are spread over a corpus' documents, as a logarithm, and their mean place in it, 0 to 1."""
    known = np.array([word in corpus.vocabulary for word in words])
    if known.mean() < KNOWN:
        said = f"{corpus.name} has {percent(float(known.mean()))} of these words: it is another text, and left out."
        return Words({}, [said])
    rows = [corpus.vocabulary.index_of(word) for word, there in zip(words, known, strict=True) if there]
    total = np.bincount(corpus.tokens, minlength=len(corpus.vocabulary))
    places = np.bincount(corpus.tokens, np.arange(len(corpus.tokens)), minlength=len(corpus.vocabulary))
    numbers = {"place": places / np.maximum(total, 1) / max(len(corpus.tokens) - 1, 1)}
    notes = []
    documents = documents_of(corpus)
    if len(documents) > 3:
        numbers["spread"] = -gathering(counts_in(corpus, documents), total) / np.log(2)
    else:
        notes.append(
            f"{corpus.name} has {counted(len(documents) - 1, 'document')}: spread over documents is not among the "
            "factors."
        )
    columns = {name: np.full(len(words), np.nan) for name in numbers}
    for name, values in numbers.items():
        columns[name][known] = values[rows]
    return Words(columns, notes)


class Design(NamedTuple):
    """The columns of a regression.

    Attributes:
        names: of the first p columns, in the order of :data:`FACTORS`.
        x: ``(v, p + q)``; the last q bend the line of frequency to a curve.
        kept: ``(v,)`` bool: words of which all is known.
        left_out: names of columns in which all words are alike.
    """

    names: list[str]
    x: Floats
    kept: NDArray[np.bool_]
    left_out: list[str]

    @property
    def classes(self) -> list[int]:
        """The columns of yes and no."""
        return [k for k, name in enumerate(self.names) if name in CLASSES]

    @property
    def factors(self) -> dict[str, list[int]]:
        """The columns of each factor: those of the part of speech are one, and so are those of frequency."""
        found: dict[str, list[int]] = {}
        for k, name in enumerate(self.names):
            found.setdefault(PART_OF_SPEECH if name in CLASSES else name, []).append(k)
        found.get(FREQUENCY, []).extend(range(len(self.names), self.x.shape[1]))
        return found


def design_of(columns: Mapping[str, Floats]) -> Design:
    """Return the columns of a regression, over the words of which all is known; without those in which all are alike.

    A line over frequency would leave a hump, which goes with whatever frequent or rare words have.

    >>> made = design_of({"letters": np.array([3.0, 4, 5]), "place": np.array([0.1, np.nan, 0.3]), "verb": np.zeros(3)})
    >>> made.names, made.kept.tolist(), made.left_out
    (['place', 'letters'], [True, False, True], ['verb'])
    """
    there = [name for name in FACTORS if name in columns]
    every = np.column_stack([columns[name] for name in there])
    kept = np.asarray(np.isfinite(every).all(1))
    differ = [bool(np.ptp(every[kept, k]) > 0) if kept.any() else False for k in range(len(there))]
    names = [name for name, own in zip(there, differ, strict=True) if own]
    left_out = [name for name, own in zip(there, differ, strict=True) if not own]
    x = every[kept][:, differ]
    if FREQUENCY in names:
        x = np.column_stack([x, bends(x[:, names.index(FREQUENCY)])])
    return Design(names, x, kept, left_out)


def titles(names: Sequence[str]) -> Iterator[str]:
    """Yield what factors are called."""
    yield from (FACTORS[name].title if name in FACTORS else name for name in names)
