"""From documents to a corpus: words cut out, duplicates and rare words left out (Antoniak & Mimno 2018, §3 and §4)."""

from __future__ import annotations

import logging
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.corpus import Corpus, Ids, Offsets, Record
from gpustab.corpus.corpus import CorpusOptions as CorpusOptions
from gpustab.corpus.documents import Documents, open_documents
from gpustab.corpus.options import ReadOptions
from gpustab.corpus.sampling import drawn_together
from gpustab.corpus.words import Cuts
from gpustab.corpus.words import tokeniser as tokeniser
from gpustab.errors import InputError, option
from gpustab.runs.key import Unit
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show

log = logging.getLogger("gpustab")

_END = 0
"""Id of the newline that ends every text while words are being numbered."""


_DEFAULTS = CorpusOptions()


@dataclass(frozen=True, eq=False)
class _Numbered:
    """Words of a whole source in order, before any is left out.

    Attributes:
        words: by id; the newline first.
        ids: all tokens, every text ended by :data:`_END`.
        documents: offsets into the texts.
        records: of the documents.
        duplicates: number of documents that were left out.
        empty: files without a word, which are no documents.
    """

    words: list[str]
    ids: Ids
    documents: Offsets
    records: list[Record]
    duplicates: int
    empty: list[str]


def prepare_corpus(
    source: str | Path, options: CorpusOptions = _DEFAULTS, tokenizer: Callable[[str], Iterable[str]] | None = None
) -> Corpus:
    """Read a source and return it as a corpus.

    Letters of any script are composed (NFC), so that a word has one spelling; soft hyphens are left out. A context
    ends where a sentence ends that is a line of the input or a unit.

    Args:
        source: a file, a folder or a name, see :func:`gpustab.corpus.documents.open_documents`.
        options: what is left out, and what sampling draws.
        tokenizer: cuts a text into words, in place of ``options.tokenizer``.

    Raises:
        InputError: if the source cannot be read, or leaves no words.

    >>> corpus = prepare_corpus("lee", CorpusOptions(min_count=5))  # needs gensim
    >>> corpus
    Corpus('lee': 293 documents, 49,172 tokens, 1,738 words)
    >>> corpus.vocabulary[0]
    b'the'
    """
    reading = ReadOptions(**{field.name: getattr(options, field.name) for field in fields(ReadOptions)})
    documents = open_documents(source, reading)
    cuts = Cuts(options) if tokenizer is None else None
    numbered = _number(documents, options, tokeniser(options, tokenizer), cuts)
    if documents.replaced:
        log.warning("%s: %d characters stand for bytes that cannot be read", source, documents.replaced)
    if numbered.empty:
        names = ", ".join(numbered.empty[:3]) + (", ..." if len(numbered.empty) > 3 else "")
        log.warning("%s: %d without a word, no documents: %s", source, len(numbered.empty), names)
    notes = (*documents.notes, *(cuts.notes() if cuts else ()))
    for note in notes:
        log.info(note)
    return replace(_select(documents, numbered, options), notes=notes)


def _number(
    documents: Documents, options: CorpusOptions, tokenise: Callable[[Sequence[str]], list[str]], cuts: Cuts | None
) -> _Numbered:
    texts_of = _splitter(documents, options)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    numbers["\n"] = _END
    parts, texts, records, seen, duplicates = [np.zeros(0, np.int32)], [0], list[Record](), set(), 0
    empty = list[str]()
    for place, document in enumerate(documents):
        tokens = tokenise(texts_of(document.texts))
        if cuts:
            cuts.see(document.texts)
        ids = np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens))
        words = ids[ids != _END]
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
    return _Numbered(list(numbers), np.concatenate(parts), np.cumsum(texts, dtype=np.int64), records, duplicates, empty)


def _check_words(name: str, words: Iterable[str]) -> None:
    """Refuse what no file of vectors could hold; the rule "words" never finds it."""
    wrong = next((word for word in words if word != "\n" and (not word or len(word.split()) != 1)), None)
    if wrong is not None:
        raise InputError(
            f"{name}: {option('tokenizer')} finds {wrong!r}; a word has no white space, and something else"
        )


def _select(documents: Documents, numbered: _Numbered, options: CorpusOptions) -> Corpus:
    """Leave out rare words, then the documents beyond the fraction."""
    counts = np.bincount(numbered.ids, minlength=len(numbered.words))
    counts[_END] = 0
    vocabulary, rank = _rank(numbered.words, counts, options)
    if not len(vocabulary):
        raise InputError(f"{documents.name}: {_why_no_words(numbered.words, counts, options)}")
    new = rank[numbered.ids]
    texts = np.concatenate([[0], np.cumsum(new >= 0)[numbered.ids == _END]]).astype(np.int64)

    # The decimal that was written, not the binary number next to it: 0.07 of 100 documents are 7.
    most = math.ceil(Fraction(str(options.fraction)) * (len(numbered.documents) - 1))
    kept = numbered.documents[: most + 1]
    texts = texts[: kept[-1] + 1]
    tokens = new[new >= 0][: texts[-1]]
    if not len(tokens):
        raise InputError(
            f"{documents.name}: {option('fraction', options.fraction)} keeps {most} documents without any words"
        )
    units = np.arange(len(texts), dtype=np.int64) if options.unit == "sentence" else kept
    dropped = {
        "duplicate_documents": numbered.duplicates,
        "empty_files": len(numbered.empty),
        "rare_words": len(numbered.words) - 1 - len(vocabulary),
        "rare_tokens": int(counts[rank < 0].sum()),
        "replaced_characters": documents.replaced,
    }
    records = tuple(numbered.records[:most])
    corpus = Corpus(documents.name, vocabulary, tokens, texts, units, options.unit, dropped, kept, records, documents)
    return corpus if options.unit in get_args(Unit) else drawn_together(corpus, options.unit)


def _rank(words: list[str], counts: NDArray[np.int64], options: CorpusOptions) -> tuple[Vocabulary, Ids]:
    """Return the frequent words, most frequent first, ties by bytes; and every word's place there or −1."""
    frequent = [(-int(counts[i]), words[i].encode(), int(i)) for i in np.flatnonzero(counts >= options.min_count)]
    frequent = sorted(frequent)[: options.max_words]
    rank = np.full(len(words), -1, dtype=np.int32)
    rank[[i for _, _, i in frequent]] = np.arange(len(frequent))
    return Vocabulary(word for _, word, _ in frequent), rank


def _why_no_words(words: list[str], counts: NDArray[np.int64], options: CorpusOptions) -> str:
    if not counts.any():
        return "there are no words in this text"
    top = show(words[int(counts.argmax())].encode())
    least = option("min_count", options.min_count)
    return f"no word occurs {options.min_count} times ({least}); the most frequent is '{top}', {counts.max()} times"


def _splitter(documents: Documents, options: CorpusOptions) -> Callable[[list[str]], list[str]]:
    """Return the function that makes a document's texts of its lines."""
    if options.unit != "sentence" or documents.layout == "blocks":
        return lambda texts: texts
    try:
        from sentencex import segment
    except ImportError:
        raise InputError(f"{option('unit', 'sentence')} needs the package sentencex: pip install sentencex") from None

    def split(texts: list[str]) -> list[str]:
        # Only plain spaces: it fails at a next-line character (U+0085) before a full stop.
        plain = (re.sub(r"[^\S\n]", " ", text) for text in texts)
        return [sentence for text in plain for sentence in segment(options.language, text) if not sentence.isspace()]

    return split
