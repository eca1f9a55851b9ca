"""Usages of words: occurrences that are drawn from the documents of each period, and read by an encoder.

A usage is the mean of its pieces' states. Sentences are read once, whatever words stand in them; of a word in a period
no more usages are kept than were asked for. What grows with the text are two numbers for each word in each document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.encoders.passages import Passage, Passages
from gpustab.encoders.sums import Sums, kept_sums, read_sums, word_sums
from gpustab.errors import InputError
from gpustab.formats.checkpoints.encoder import SentenceEncoder

Numbers = NDArray[np.int64]
_AROUND = 110
"""Letters of a sentence that are shown on each side of a word."""
_CHARACTERS = 1 << 16
"""Of the sentences that are read together."""
_TOKENS = 1 << 20
"""Of the documents that are counted together."""


class Counts(NamedTuple):
    """How often a word occurs in the documents of a period.

    Attributes:
        documents: ``(m,)`` numbers of those that have it.
        counts: ``(m,)`` how often each has it.
    """

    documents: Numbers
    counts: NDArray[np.int32]


class Chosen(NamedTuple):
    """One usage.

    Attributes:
        word: its number.
        document: where it stands.
        before: of its sentence, what stands before it.
        written: the word as it was written.
        after: what stands after it.
    """

    word: int
    document: int
    before: str
    written: str
    after: str


class Usages(NamedTuple):
    """The usages that were read.

    Attributes:
        chosen: every one, ``n`` in all.
        vectors: ``(n, d)`` float32, without the mean of all words of their sentences.
        read: how much was read, and what has no vector.
    """

    chosen: list[Chosen]
    vectors: NDArray[np.float32]
    read: Counter[str]

    @property
    def words(self) -> Numbers:
        """``(n,)`` the number of each one's word."""
        return np.array([one.word for one in self.chosen], np.int64)

    @property
    def documents(self) -> Numbers:
        """``(n,)`` the document of each."""
        return np.array([one.document for one in self.chosen], np.int64)


def counts_of(corpus: Corpus, words: Sequence[int], period: Numbers, periods: int) -> list[list[Counts]]:
    """Return by word and period how often the documents have it.

    Args:
        corpus: of documents.
        words: numbers of words of its vocabulary.
        period: ``(m,)`` of every document.
        periods: how many there are.
    """
    place = np.full(len(corpus.vocabulary), -1, np.int64)
    place[list(words)] = np.arange(len(words))
    starts = corpus.texts[corpus.documents]
    size, keys, numbers = len(starts) - 1, list[Numbers](), list[NDArray[np.int32]]()
    blocks = np.searchsorted(starts, np.arange(0, starts[-1], _TOKENS)).tolist()
    for first, stop in pairwise(sorted({0, *blocks, size})):
        own = place[corpus.tokens[starts[first] : starts[stop]]]
        there = np.repeat(np.arange(first, stop), np.diff(starts[first : stop + 1]))
        found, times = np.unique(((own * periods + period[there]) * size + there)[own >= 0], return_counts=True)
        keys.append(found)
        numbers.append(times.astype(np.int32))
    key, number = np.concatenate(keys), np.concatenate(numbers)
    del keys, numbers
    order = np.argsort(key)
    key, number = key[order], number[order]
    ends = np.searchsorted(key, size * np.arange(1, len(words) * periods))
    key %= size
    each = [Counts(of, own) for of, own in zip(np.split(key, ends), np.split(number, ends), strict=True)]
    return [each[k : k + periods] for k in range(0, len(each), periods)]


def spread(counts: Numbers, most: int, rng: np.random.Generator) -> Numbers:
    """Return how many usages each document gives, so that as many documents as can be do, and alike.

    >>> spread(np.array([9, 1, 5]), 7, np.random.default_rng(0)).tolist()
    [3, 1, 3]
    >>> int(spread(np.array([9, 9, 5]), 2, np.random.default_rng(0)).sum())
    2
    """
    if counts.sum() <= most:
        return counts
    each = next(k for k in range(most, -1, -1) if np.minimum(counts, k).sum() <= most)
    given = np.minimum(counts, each)
    more = rng.permutation(np.flatnonzero(counts > each))[: most - int(given.sum())]
    given[more] += 1
    return given


def drawn(
    counts: Sequence[Sequence[Counts]], names: Sequence[bytes], most: int, seed: int
) -> dict[int, dict[int, set[int]]]:
    """Return which occurrences are read: by document and word their numbers in the document.

    A word's draw depends on the seed and on it alone, not on the other words.

    Args:
        counts: by word and period.
        names: of the words.
        most: of a word in a period.
        seed: of the draw.
    """
    found: dict[int, dict[int, set[int]]] = {}
    for word, each in enumerate(counts):
        for period, own in enumerate(each):
            rng = np.random.default_rng([seed, crc32(names[word]), period])
            each_gives = spread(own.counts.astype(np.int64), most, rng)
            for document, there, given in zip(own.documents, own.counts, each_gives, strict=True):
                if given:
                    places = rng.choice(there, given, replace=False).tolist()
                    found.setdefault(int(document), {})[word] = set(places)
    return found


class Sentences(Passages):
    """The sentences that hold usages which were drawn, each once; a sentence that is repeated counts once a period.

    Args:
        corpus: of documents.
        options: those that it was made with.
        words: numbers of words of its vocabulary.
        wanted: see :func:`drawn`.
        period: ``(m,)`` of every document.

    Attributes:
        chosen: the usages, after an iteration.
        repeated: how many were left out, since the same sentence has them in the same period.
    """

    def __init__(
        self,
        corpus: Corpus,
        options: CorpusOptions,
        words: Sequence[int],
        wanted: Mapping[int, Mapping[int, set[int]]],
        period: Numbers,
    ) -> None:
        super().__init__(corpus, replace(options, unit="sentence"))
        self._place = {number: k for k, number in enumerate(words)}
        self._wanted, self._period = wanted, period
        self._total = sum(len(places) for own in wanted.values() for places in own.values())
        self._begin()

    def _begin(self) -> None:
        self.chosen, self.repeated, self._heard = list[Chosen](), 0, set[int]()

    def __len__(self) -> int:
        """Number of usages that were drawn, which is never 0."""
        return max(self._total, 1)

    def together(self) -> Iterator[list[Passage]]:
        """Yield sentences in lots; the words of a passage are numbers of usages from 1, and 0 stands for any other."""
        self._begin()
        lot, size, unit = list[Passage](), 0, 0
        for document, texts in enumerate(self.documents()):
            if document not in self._wanted:
                continue
            seen = Counter[int]()
            for text in texts:
                passage = self._sentence(self.passage(unit, text.strip()), document, seen)
                if passage.words.any():
                    lot.append(passage)
                    size, unit = size + len(passage.text), unit + 1
                if size >= _CHARACTERS:
                    yield lot
                    lot, size = [], 0
        if lot:
            yield lot

    def _sentence(self, passage: Passage, document: int, seen: Counter[int]) -> Passage:
        numbers = np.zeros(len(passage.words), np.int64)
        for k, own in enumerate(passage.words.tolist()):
            word = self._place.get(own, -1)
            if word < 0:
                continue
            at, seen[word] = seen[word], seen[word] + 1
            if at not in self._wanted[document].get(word, ()):
                continue
            begin, end = passage.places[k].tolist()
            if self._is_again(word, document, passage.text, begin):
                self.repeated += 1
                continue
            self.chosen.append(Chosen(word, document, *_excerpt(passage.text, begin, end)))
            numbers[k] = len(self.chosen)
        return passage._replace(words=numbers)

    def _is_again(self, word: int, document: int, text: str, begin: int) -> bool:
        key = hash((word, int(self._period[document]), begin, text))
        again = key in self._heard
        self._heard.add(key)
        return again


def _excerpt(text: str, begin: int, end: int) -> tuple[str, str, str]:
    """Return what stands around a word, cut at blanks."""
    before, after = " ".join(text[:begin].split()), " ".join(text[end:].split())
    if len(before) > _AROUND:
        before = f"… {before[-_AROUND:].partition(' ')[2]}"
    if len(after) > _AROUND:
        after = f"{after[:_AROUND].rpartition(' ')[0]} …"
    glued = text[begin - 1 : begin].isspace(), text[end : end + 1].isspace()
    return before + " " * glued[0], text[begin:end], " " * glued[1] + after


def read_usages(
    encoder: SentenceEncoder,
    sentences: Sentences,
    layer: int,
    folder: Path | None,
    tell: Callable[[float], None],
    *,
    by_sentence: bool = False,
) -> Usages:
    """Read sentences by an encoder, and return their usages that have a vector.

    What all words of all these sentences have in common, their mean, is taken out: states of a transformer lie in a
    narrow cone (Ethayarajh 2019), in which any two usages look alike.

    Args:
        encoder: the model.
        sentences: with the usages.
        layer: from 0, the input embedding.
        folder: where finished lots are kept, so that a stopped call goes on; ``None``: nowhere.
        tell: called with the part that is done.
        by_sentence: whether the mean of the other words of a usage's own sentence is taken out in place of that of all
            words; of a sentence without other words nothing is.

    Raises:
        InputError: if no usage has a vector.
    """
    sentences.lower = encoder.lower

    def make(lot: Sequence[Passage]) -> Sums:
        return word_sums(encoder, layer, lot)

    parts = map(make, sentences.together()) if folder is None else read_sums(kept_sums(folder, sentences, make, tell))
    read, every, rows, total = Counter[str](), list[Numbers](), list[NDArray[np.float32]](), np.zeros(0)
    number = 0
    for part in parts:
        read.update(part.read)
        if not len(part.items):
            continue
        own = part.items > 0
        every.append(part.items[own] - 1)
        rows.append(part.sums[own] - _of_others(part)[own] if by_sentence else part.sums[own])
        added = part.sums.sum(0, dtype=np.float64)
        total, number = added + total if number else added, number + int(part.counts.sum())
    if not rows:
        raise InputError("no occurrence of the words has a vector")
    order = np.argsort(np.concatenate(every))
    kept = np.concatenate(every)[order]
    vectors = np.concatenate(rows)[order]
    if not by_sentence:
        vectors -= (total / number).astype(np.float32)
    read["repeated"], read["drawn"] = sentences.repeated, len(sentences)
    read["not found"] = read["drawn"] - len(sentences.chosen) - sentences.repeated
    read["kept"], read["no vector"] = len(kept), len(sentences.chosen) - len(kept)
    return Usages([sentences.chosen[k] for k in kept.tolist()], vectors, read)


def _of_others(part: Sums) -> NDArray[np.float32]:
    """Return for every usage of a lot the mean of the words of its sentence that are no usages, ``(n, d)``."""
    _, place = np.unique(part.units, return_inverse=True)
    means = np.zeros((int(place.max()) + 1, part.sums.shape[1]), np.float32)
    others = part.items == 0
    means[place[others]] = part.sums[others] / part.counts[others, None]
    return means[place]
