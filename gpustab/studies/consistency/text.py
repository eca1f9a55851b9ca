"""A text as sentences of numbered words: terms of several words are one token, no sentence stands in it twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.options import CorpusOptions, Layout
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.spaces.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Term = tuple[bytes, ...]
"""The words of a term."""


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

    Args:
        source: a file, a folder or a name.
        language: whose rules end a sentence.
        drop_short: leave out tokens of one character.
        layout: of a plain text: what is a document; default: found.

    Raises:
        InputError: if there is no such text, or it has no words.
    """
    corpus = prepare_corpus(source, CorpusOptions(min_count=1, unit="sentence", language=language, layout=layout))
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
        long = np.array([len(word.decode("utf-8", "replace")) > 1 for word in words])
        text = only(text, long[text.tokens])
    return without_duplicates(text)


def only(text: Text, kept: NDArray[np.bool_]) -> Text:
    """Return the text with some of its tokens; the others close ranks.

    Args:
        text: of n tokens.
        kept: ``(n,)``.
    """
    starts = np.concatenate([[0], np.cumsum(kept)])[text.starts]
    return text._replace(tokens=text.tokens[kept], starts=starts)


def without_duplicates(text: Text) -> Text:
    """Return the text without sentences whose words, in their order, had stood before, and without empty ones."""
    known, first = set[bytes](), np.zeros(len(text.starts) - 1, dtype=np.bool_)
    empty = 0
    for s, (start, stop) in enumerate(zip(text.starts[:-1].tolist(), text.starts[1:].tolist(), strict=True)):
        key = text.tokens[start:stop].tobytes()
        empty += start == stop
        if start < stop and key not in known:
            known.add(key)
            first[s] = True
    lengths = np.diff(text.starts)
    return text._replace(
        tokens=text.tokens[np.repeat(first, lengths)],
        starts=np.concatenate([[0], np.cumsum(lengths[first])]),
        documents=text.documents[first],
        duplicates=text.duplicates + len(first) - int(first.sum()) - empty,
    )


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
