"""Words become numbers: first every token as it is spelled, then one for each word that is meant.

What a token means is asked once for each spelling, when all are counted: folding characters and joining broken words so
costs by the size of the vocabulary, not of the text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.broken import BREAK, HYPHENS, Breaks, taken_apart
from gpustab.corpus.corpus import Ids, Offsets, Record
from gpustab.corpus.documents import Documents
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.variants import LETTER_APOSTROPHES, with_plain_apostrophe
from gpustab.corpus.words import Cuts, Own, cutter, spelling
from gpustab.errors import InputError, option
from gpustab.spaces.words import printable

END = 0
"""Id of the newline that ends every text while words are being numbered."""

_SHOWN = 3

Changes = Mapping[int, tuple[str, ...]]
"""The words that a token means, by its number, where they are others than itself."""


@dataclass(frozen=True, eq=False)
class Numbered:
    """Words of a whole source in order, before any is left out.

    Attributes:
        words: by id; the newline first.
        ids: all tokens, every text ended by :data:`END`.
        documents: offsets into the texts.
        records: of the documents.
        duplicates: number of documents that were left out.
        empty: files without a word, which are no documents.
        notes: which spellings became one, which broken words were joined.
    """

    words: list[str]
    ids: Ids
    documents: Offsets
    records: list[Record]
    duplicates: int
    empty: list[str]
    notes: tuple[str, ...] = ()

    def starts(self) -> NDArray[np.int64]:
        """Return ``(m + 1,)`` offsets of the documents into the tokens."""
        ends = np.concatenate([[0], np.flatnonzero(self.ids == END) + 1])
        return ends[self.documents].astype(np.int64)

    def take(self, kept: Sequence[int]) -> Numbered:
        """Return some of the documents, in order."""
        starts, sizes = self.starts(), np.diff(self.documents)[list(kept)]
        parts = [self.ids[starts[k] : starts[k + 1]] for k in kept]
        documents = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        ids = np.concatenate([np.zeros(0, np.int32), *parts])
        return replace(self, ids=ids, documents=documents, records=[self.records[k] for k in kept])


def number(
    documents: Documents,
    texts_of: Callable[[list[str]], list[str]],
    options: CorpusOptions,
    own: Own | None,
    cuts: Cuts | None,
) -> Numbered:
    """Read all documents, and return their words as numbers.

    Args:
        documents: the source.
        texts_of: makes a document's texts of its lines.
        options: the rules.
        own: cuts a text into words in place of ``options.tokenizer``.
        cuts: sees every document.

    Raises:
        InputError: if a tokenizer finds what no word is.
    """
    cut = cutter(options, own, marked=True)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    numbers["\n"] = END
    parts, texts, records, seen, duplicates = [np.zeros(0, np.int32)], [0], list[Record](), set(), 0
    empty = list[str]()
    for place, document in enumerate(documents):
        tokens = cut(texts_of(document.texts))
        if cuts:
            cuts.see(document.texts)
        ids = np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens))
        words = ids[ids != END]
        if documents.layout == "files" and not len(words):
            empty.append(document.id)
            continue
        if options.drop_duplicates and len(words):
            key = blake2b(words.tobytes(), digest_size=16).digest()
            if key in seen:
                duplicates += 1
                continue
            seen.add(key)
        parts.append(ids)
        texts.append(len(ids) - len(words))
        records.append(Record(document.id, document.metadata, place))
    _check_words(documents.name, numbers)
    offsets = np.cumsum(texts, dtype=np.int64)
    spelled = Numbered(list(numbers), np.concatenate(parts), offsets, records, duplicates, empty)
    changes, notes = _meant(spelled.words, np.bincount(spelled.ids, minlength=len(numbers)), options, own)
    if not changes:
        return spelled
    meant = replace(_renumbered(spelled, changes), notes=notes)
    return _without_duplicates(meant) if options.drop_duplicates else meant


def _check_words(name: str, words: Iterable[str]) -> None:
    """Refuse what no file of vectors could hold; the rule "words" never finds it."""
    wrong = next((word for word in words if word != "\n" and (not word or len(word.split()) != 1)), None)
    if wrong is not None:
        raise InputError(
            f"{name}: {option('tokenizer')} finds {wrong!r}; a word has no white space, and something else"
        )


def _meant(
    words: Sequence[str], counts: NDArray[np.int64], options: CorpusOptions, own: Own | None
) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
    """Return what tokens mean that mean other words than themselves, and what is to be said of it."""
    one_spelling, folded = spelling(options, own), Counter[str]()
    changes = dict[int, tuple[str, ...]]()
    apart = own is None and any(BREAK in word for word in words)
    for k, word in enumerate(words):
        if not (apart and any(sign in word for sign in HYPHENS)) and (one := one_spelling(word)) != word:
            changes[k], folded[f"{word} → {one}"] = (one,), int(counts[k])
    notes = list[str]()
    if apart:
        mended, notes = _mended(words, counts, options, one_spelling, changes)
        changes |= mended
    if not options.keep_variants and own is None:
        for k, one in _letters_that_are_signs(words, changes).items():
            changes[k], folded[f"{words[k]} → {one[0]}"] = one, int(counts[k])
    if folded:
        notes.insert(0, _told(folded))
    return changes, tuple(notes)


def _mended(
    words: Sequence[str],
    counts: NDArray[np.int64],
    options: CorpusOptions,
    one_spelling: Callable[[str], str],
    changes: Changes,
) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """Return what tokens with breaks and hyphens mean."""
    breaks, hyphens_part = Breaks(), options.cut == "words"
    tokens = {}
    for k, word in enumerate(words):
        token = taken_apart(word, hyphens_part=hyphens_part)
        tokens[k] = token._replace(parts=tuple(map(one_spelling, token.parts)))
        breaks.see(tokens[k], int(counts[k]))
    found = dict[int, tuple[str, ...]]()
    for k, token in tokens.items():
        if token.signs:
            parts, signs = breaks.mended(token, int(counts[k]))
            if not hyphens_part:
                found[k] = (*map("".join, zip(parts, signs, strict=False)), parts[-1])
            elif options.drop_punctuation:
                found[k] = parts
            else:
                found[k] = (parts[0], *(word for pair in zip(signs, parts[1:], strict=True) for word in pair))
    return found, list(breaks.notes(option("join_broken", "all")))


def _letters_that_are_signs(words: Sequence[str], changes: Changes) -> dict[int, tuple[str, ...]]:
    """Return the words with an apostrophe that is a letter, which stand with a plain one as well."""
    suspects = {k for k, word in enumerate(words) if any(letter in word for letter in LETTER_APOSTROPHES)}
    if not suspects:
        return {}
    known = {word for k, one in enumerate(words) for word in changes.get(k, (one,))}
    plain = {k: tuple(map(with_plain_apostrophe, changes.get(k, (words[k],)))) for k in suspects}
    return {k: one for k, one in plain.items() if one != changes.get(k, (words[k],)) and known.issuperset(one)}


def _told(folded: Counter[str]) -> str:
    shown = ", ".join(f"{printable(one)} ({n:,})" for one, n in folded.most_common(_SHOWN))
    keep = option("keep_variants", True)
    return f"one spelling for {folded.total():,} tokens with characters that are written in several ways: {shown}; {keep} keeps them"


def _renumbered(spelled: Numbered, changes: Changes) -> Numbered:
    """Return the words that are meant, which may be several for one token."""
    numbers = dict[str, int]()
    meant = [
        tuple(numbers.setdefault(word, len(numbers)) for word in changes.get(k, (one,)))
        for k, one in enumerate(spelled.words)
    ]
    lengths = np.array([len(ids) for ids in meant])
    ids = np.repeat(np.array([ids[0] for ids in meant], np.int32)[spelled.ids], lengths[spelled.ids])
    starts = np.cumsum(lengths[spelled.ids]) - lengths[spelled.ids]
    for place in range(1, int(lengths.max())):
        longer = np.flatnonzero(lengths[spelled.ids] > place)
        nth = np.array([ids[place] if len(ids) > place else -1 for ids in meant], np.int32)
        ids[starts[longer] + place] = nth[spelled.ids[longer]]
    return replace(spelled, words=list(numbers), ids=ids)


def _without_duplicates(numbered: Numbered) -> Numbered:
    """Leave out documents that are the same now that their words are."""
    starts, seen, kept = numbered.starts(), set[bytes](), list[int]()
    for k in range(len(starts) - 1):
        ids = numbered.ids[starts[k] : starts[k + 1]]
        key = blake2b(ids[ids != END].tobytes(), digest_size=16).digest()
        if key not in seen or not (ids != END).any():
            kept.append(k)
            seen.add(key)
    again = len(numbered.records) - len(kept)
    return replace(numbered.take(kept), duplicates=numbered.duplicates + again) if again else numbered
