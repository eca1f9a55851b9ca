"""A text as sentences of numbered words, and samples of them, from which terms are learned; read from files.

Terms of several words are one token, and no sentence stands in a text twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.options import CorpusOptions, Layout
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.corpus.words import tokeniser
from gpustab.errors import InputError, option
from gpustab.formats.plain_text import read_utf8
from gpustab.results.page import counted
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import some_words

Ids = NDArray[np.int64]
Term = tuple[bytes, ...]
"""The words of a term."""

Sentence = list[bytes]
Cut = Callable[[str], Sentence]

_TARGET, _BETWEEN = "___", "@@"
"""What stands for the term in the sentences of a file of samples, and what stands between these."""


class Text(NamedTuple):
    """A text of s sentences and n tokens.

    Attributes:
        name: where it came from.
        words: by id; terms of several words, joined by ``_``, at the end.
        tokens: ``(n,)`` ids.
        starts: ``(s + 1,)`` offsets of the sentences into the tokens.
        documents: ``(s,)`` number of the document of each sentence, ascending.
        duplicates: sentences that were left out, since the same words had stood in an earlier one.
        source: the path or name that was given.
    """

    name: str
    words: list[bytes]
    tokens: Ids
    starts: Ids
    documents: Ids
    duplicates: int
    source: str = ""

    @property
    def sentence(self) -> Ids:
        """``(n,)`` sentence of every token."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @property
    def counts(self) -> Ids:
        """Occurrences of every word."""
        return np.bincount(self.tokens, minlength=len(self.words))


def read_text(source: str | Path, language: str, drop_short: bool = False, layout: Layout | None = None) -> Text:
    """Read a text, cut into sentences; see :func:`gpustab.corpus.documents.open_documents` for what it may be.

    Tokens of one character are left out where ``drop_short``.

    Raises:
        InputError: if there is no such text, or it has no words.
    """
    corpus = prepare_corpus(source, reading(language, layout), look=False)
    per_document = np.diff(corpus.documents)
    words = list(corpus.vocabulary)
    text = Text(
        corpus.name,
        words,
        corpus.tokens.astype(np.int64),
        corpus.texts,
        np.repeat(np.arange(len(per_document)), per_document),
        0,
        str(source),
    )
    if drop_short:
        text = only(text, long_words(words)[text.tokens])
    return without_duplicates(text)


def reading(language: str, layout: Layout | None) -> CorpusOptions:
    """Return how a text is read: all its words, sentence by sentence."""
    return CorpusOptions(min_count=1, unit="sentence", language=language, layout=layout, as_is=True)


def long_words(words: Sequence[bytes]) -> NDArray[np.bool_]:
    """Return which words have more than one character."""
    return np.array([len(word.decode("utf-8", "replace")) > 1 for word in words], np.bool_)


def only(text: Text, kept: NDArray[np.bool_]) -> Text:
    """Return the text with those of its n tokens that are kept, ``(n,)``; the others close ranks."""
    starts = np.concatenate([[0], np.cumsum(kept)])[text.starts]
    return text._replace(tokens=text.tokens[kept], starts=starts)


def without_duplicates(text: Text) -> Text:
    """Return the text without sentences whose words, in their order, had stood before, and without empty ones."""
    lengths, seen = np.diff(text.starts), set[bytes]()
    kept = np.zeros(len(lengths), dtype=np.bool_)
    for s, (start, stop) in enumerate(pairwise(text.starts.tolist())):
        if start < stop and (key := digest_of_words(text.tokens[start:stop])) not in seen:
            kept[s] = True
            seen.add(key)
    duplicates = text.duplicates + int((lengths > 0).sum()) - len(seen)
    text = only(text, np.repeat(kept, lengths))
    starts = np.concatenate([text.starts[:-1][kept], text.starts[-1:]])
    return text._replace(starts=starts, documents=text.documents[kept], duplicates=duplicates)


def digest_of_words(ids: Ids) -> bytes:
    """Return 16 bytes that stand for the words of a sentence, ``(n,)``, and their order: a long text has many."""
    return blake2b(ids.tobytes(), digest_size=16).digest()


def joined(text: Text, terms: Sequence[Term]) -> Text:
    """Return the text with every occurrence of a term of several words as one token.

    Longer terms first; of overlapping occurrences the first.
    """
    number = {word: k for k, word in enumerate(text.words)}
    for term in sorted({term for term in terms if len(term) > 1}, key=lambda term: (-len(term), term)):
        name = b"_".join(term)
        if name not in number:
            number[name] = len(number)
            text = text._replace(words=[*text.words, name])
        if all(word in number for word in term):
            text = _join(text, [number[word] for word in term], number[name])
    return text


def _join(text: Text, ids: Sequence[int], new: int) -> Text:
    n, k, sentence = len(text.tokens), len(ids), text.sentence
    if n < k:
        return text
    term = sentence[: n - k + 1] == sentence[k - 1 :]  # no term reaches from one sentence into the next
    for place, word in enumerate(ids):
        term &= text.tokens[place : n - k + 1 + place] == word
    tokens, kept, free = text.tokens.copy(), np.ones(n, dtype=np.bool_), 0
    for start in np.flatnonzero(term).tolist():
        if start >= free:
            tokens[start], free = new, start + k
            kept[start + 1 : free] = False
    return only(text._replace(tokens=tokens), kept)


def rows_in(text: Text, vocabulary: Vocabulary) -> Ids:
    """Return the row of every word of the text in a vocabulary, −1 where it is not there."""
    return np.array([vocabulary.index_of(word) if word in vocabulary else -1 for word in text.words], dtype=np.int64)


class Samples(NamedTuple):
    """P samples of T terms; those of one term follow each other and share no sentence.

    Attributes:
        terms: ``(T,)`` word ids of the terms in the text.
        term: ``(P,)`` place of each sample's term in ``terms``.
        members: ``(m,)`` sentences, sample by sample, in an order drawn at random.
        starts: ``(P + 1,)`` offsets of the samples into ``members``.
    """

    terms: Ids
    term: Ids
    members: Ids
    starts: Ids

    @property
    def sizes(self) -> Ids:
        """``(P,)`` sentences of each sample."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Ids:
        """``(m,)`` sample of every member."""
        return np.repeat(np.arange(len(self.term)), self.sizes)

    @property
    def place(self) -> Ids:
        """``(m,)`` number of every member within its sample, from 0."""
        return np.arange(len(self.members)) - np.repeat(self.starts[:-1], self.sizes)

    def first(self, n: int) -> Samples:
        """Return the first n sentences of each sample of the terms whose samples all have that many."""
        enough = np.bincount(self.term, self.sizes < n, len(self.terms)) == 0
        return self.take(enough[self.term[self.owner]] & (self.place < n))

    def take(self, kept: NDArray[np.bool_]) -> Samples:
        """Return samples of some members, ``(m,)``; terms and samples without any are left out."""
        return of_members(self.terms, self.term, self.owner[kept], self.members[kept])


def of_members(terms: Ids, term: Ids, owner: Ids, members: Ids) -> Samples:
    """Return samples of members in the order of their owners; terms and samples without any are left out."""
    there = np.unique(owner)
    used, renumbered = np.unique(term[there], return_inverse=True)
    sizes = np.bincount(owner, minlength=len(term))[there]
    return Samples(terms[used], renumbered, members, np.concatenate([[0], np.cumsum(sizes)]))


def read_terms(path: Path, language: str) -> list[Term]:
    """Return the terms of a file, one a line, cut into words as the text is; each once, in their order.

    Raises:
        InputError: if there is no such file, it is no UTF-8, or a line has no word.
    """
    cut, terms = cutter_of(language), dict[Term, None]()
    for number, line in _lines(path, f"there is no such file; {option('terms')} is a file, 'random' or 'keywords'"):
        terms[_term(line, cut, f"{path}, line {number}")] = None
    if not terms:
        raise InputError(f"{path}: there is no term in it")
    return list(terms)


class SampleFile(NamedTuple):
    """A text of all sentences, each in one sample; samples of the terms that have two or more; notes on the others."""

    text: Text
    samples: Samples
    terms: list[Term]
    notes: list[str]


def read_samples(path: Path, language: str) -> SampleFile:
    """Read ``term TAB sample TAB sample ...``, sentences of a sample joined by ``@@``, the term written ``___``.

    It is the form of the public code of Bloem et al. 2019 (Wiki-rnd).

    Raises:
        InputError: if there is no such file, it is no UTF-8, or a line is not of that form.
    """
    cut, samples = cutter_of(language), dict[Term, list[list[Sentence]]]()
    for number, line in _lines(path):
        term, of_term = _read(line, cut, f"{path}, line {number}")
        if term in samples:
            raise InputError(f"{path}, line {number}: '{b' '.join(term).decode()}' has a line above")
        samples[term] = of_term
    single = [b" ".join(term) for term, of_term in samples.items() if len(of_term) < 2]
    kept = {term: of_term for term, of_term in samples.items() if len(of_term) > 1}
    if len(kept) < 2:
        raise InputError(
            f"{path}: {counted(len(kept), 'term', 'has/have')} two samples or more; wanted two terms at least"
        )
    out = f"{counted(len(single), 'term', 'has/have')} one sample and {'is' if len(single) == 1 else 'are'} left out"
    return _as_text(path.stem, kept, [f"{out}: {some_words(single)}."] if single else [])


def _lines(path: Path, missing: str = "") -> list[tuple[int, str]]:
    """The lines of a file that are not empty, with their numbers; ``missing`` is said where it cannot be read."""
    if missing and not path.exists():
        raise InputError(f"{path}: {missing}")
    lines = read_utf8(path).split("\n")  # U+2028 and the like end no line
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def cutter_of(language: str) -> Cut:
    """Return what cuts a text into words as texts are cut here."""
    cut = tokeniser(CorpusOptions(language=language))
    return lambda text: [word.encode() for word in cut([text]) if word != "\n"]


def _term(text: str, cut: Cut, where: str) -> Term:
    if words := cut(text):
        return tuple(words)
    raise InputError(f"{where}: '{text.strip()}' has no word")


def _read(line: str, cut: Cut, where: str) -> tuple[Term, list[list[Sentence]]]:
    term, *samples = line.split("\t")
    if not samples:
        raise InputError(
            f"{where}: no tab; wanted a term and its samples with tabs between, see {option('sample_file')}"
        )
    words = _term(term, cut, where)
    name = b"_".join(words)
    return words, [
        [_sentence(text, name, cut, where) for text in sample.split(_BETWEEN) if text.strip()]
        for sample in samples
        if sample.strip()
    ]


def _sentence(text: str, name: bytes, cut: Cut, where: str) -> Sentence:
    first, *others = text.split(_TARGET)
    if not others:
        raise InputError(
            f"{where}: the sentence '{' '.join(text.split())[:60]}' has no {_TARGET} where its term stands"
        )
    return [*cut(first), *(word for part in others for word in (name, *cut(part)))]


def _as_text(name: str, kept: dict[Term, list[list[Sentence]]], notes: list[str]) -> SampleFile:
    sentences = [sentence for samples in kept.values() for sample in samples for sentence in sample]
    number = {word: k for k, word in enumerate(dict.fromkeys(word for sentence in sentences for word in sentence))}
    tokens = np.array([number[word] for sentence in sentences for word in sentence], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])])
    text = Text(name, list(number), tokens, starts, np.zeros(len(sentences), dtype=np.int64), 0)
    if again := without_duplicates(text).duplicates:
        notes.append(
            f"{counted(again, 'sentence', 'repeats/repeat', of=len(sentences))} another of {name}: where one stands in "
            "two samples of a term, its consistency is the finding of a copy."
        )
    sizes = [len(sample) for samples in kept.values() for sample in samples]
    first: dict[tuple[bytes, ...], int] = {}
    same = [first.setdefault(tuple(sentence), k) for k, sentence in enumerate(sentences)]  # copies are one sentence
    samples = Samples(
        np.array([number[b"_".join(term)] for term in kept]),
        np.repeat(np.arange(len(kept)), [len(samples) for samples in kept.values()]),
        np.array(same, dtype=np.int64),
        np.concatenate([[0], np.cumsum(sizes)]),
    )
    return SampleFile(text, samples, list(kept), notes)
