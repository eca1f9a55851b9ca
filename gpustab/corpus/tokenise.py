"""From documents to a corpus: words cut out, duplicates and rare words left out (Antoniak & Mimno 2018, §3 and §4)."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.compact import Ids, Offsets
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.corpus import CorpusOptions as CorpusOptions
from gpustab.corpus.documents import Documents
from gpustab.corpus.evidence import evidence_of, refuse
from gpustab.corpus.filed import Filed, in_parts
from gpustab.corpus.numbering import END, Numbered, number
from gpustab.corpus.sampling import drawn_together
from gpustab.corpus.words import tokeniser as tokeniser
from gpustab.errors import InputError, naming, option
from gpustab.runs.key import Unit
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import some_words

log = logging.getLogger("gpustab")

_DEFAULTS = CorpusOptions()


def prepare_corpus(
    source: str | Path,
    options: CorpusOptions = _DEFAULTS,
    tokenizer: Callable[[str], Iterable[str]] | None = None,
    *,
    look: bool = True,
) -> Corpus:
    """Read a source and return it as a corpus.

    A word has one spelling: letters of any script are composed (NFC), characters that mean one are one
    (:mod:`gpustab.corpus.variants`), soft hyphens are left out, and words broken at line ends joined
    (:mod:`gpustab.corpus.broken`). A context ends where a sentence ends that is a line of the input or a unit.

    Args:
        source: a file, a folder or a name, see :func:`gpustab.corpus.documents.open_documents`.
        options: what is left out, and what sampling draws.
        tokenizer: cuts a text into words, in place of ``options.tokenizer``.
        look: whether the evidence is wanted where no doubt stops; else only doubts that stop are looked for, and of
            ``options.as_is`` none.

    Raises:
        InputError: if the source cannot be read, leaves no words, or raises a strong doubt, see
            :func:`gpustab.corpus.evidence.evidence`, and ``options.as_is`` is not set.

    >>> corpus = prepare_corpus("lee", CorpusOptions(min_count=5))  # needs gensim
    >>> corpus
    Corpus('lee': 293 documents, 49,172 running words, 1,738 words)
    >>> corpus.vocabulary[0]
    b'the'
    """
    return corpus_of(number(source, options, tokenizer), options, look=look)


def corpus_of(numbered: Numbered, options: CorpusOptions, *, look: bool = True) -> Corpus:
    """Return the words of a source as a corpus; see :func:`prepare_corpus`.

    Raises:
        InputError: if no words are left, or for a strong doubt.
    """
    numbered = replace(numbered, options=options)
    found = evidence_of(numbered) if look else None
    if not options.as_is:
        found.refuse() if found else refuse(numbered)
    documents = numbered.source
    if documents.replaced:
        log.warning("%s: %d characters stand for bytes that cannot be read", documents.name, documents.replaced)
    if numbered.empty:
        names = ", ".join(numbered.empty[:3]) + (", ..." if len(numbered.empty) > 3 else "")
        log.warning("%s: %d without a word, no documents: %s", documents.name, len(numbered.empty), names)
    notes = (*documents.notes, *numbered.notes)
    for note in notes:
        log.info(str(InputError(note)))
    return replace(_select(documents, numbered, options), notes=notes, evidence=found)


def _select(documents: Documents, numbered: Numbered, options: CorpusOptions) -> Corpus:
    """Leave out rare words, then the documents beyond the fraction."""
    counts = numbered.counts
    with naming(documents.name):
        vocabulary, rank = _rank(numbered.words, counts, options)
    if not len(vocabulary):
        raise InputError(f"{documents.name}: {_why_no_words(numbered.words, counts, options)}")
    frequent, texts = _renumbered(numbered.ids, rank)

    # The decimal that was written, not the binary number next to it: 0.07 of 100 documents are 7.
    most = math.ceil(Fraction(str(options.fraction)) * (len(numbered.documents) - 1))
    kept = numbered.documents[: most + 1]
    texts = texts[: kept[-1] + 1]
    tokens = frequent[: texts[-1]]
    if not len(tokens):
        raise InputError(
            f"{documents.name}: {option('fraction', options.fraction)} keeps {most} documents without any words"
        )
    units = np.arange(len(texts), dtype=np.int64) if options.unit == "sentence" else kept
    dropped = {
        "duplicate_documents": numbered.duplicates,
        "empty_files": len(numbered.empty),
        "rare_words": len(numbered.words) - 1 - len(vocabulary),
        "rare_running_words": int(counts[rank < 0].sum()),
        "replaced_characters": documents.replaced,
    }
    records = numbered.records[:most]
    corpus = Corpus(documents.name, vocabulary, tokens, texts, units, options.unit, dropped, kept, records, documents)
    return corpus if options.unit in get_args(Unit) else drawn_together(corpus, options.unit)


def _renumbered(ids: Ids, rank: Ids) -> tuple[Ids, Offsets]:
    """Return the tokens that are left, and where each text ends among them."""
    filed, ends, done = Filed(np.int32), [np.zeros(1, np.int64)], 0
    for _, part in in_parts(ids):
        new = rank[part]
        kept = np.cumsum(new >= 0)
        ends.append(done + kept[part == END])
        filed.add(new[new >= 0])
        done += int(kept[-1])
    return filed.all(), np.concatenate(ends).astype(np.int64)


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
    top = some_words([words[int(counts.argmax())].encode()])
    least = option("min_count", options.min_count)
    return f"no word occurs {options.min_count} times ({least}); the most frequent is '{top}', {counts.max()} times"
