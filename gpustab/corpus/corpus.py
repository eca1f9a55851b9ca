"""A corpus as numbers: one array of word ids, cut into texts, cut into units that are sampled; how it is to be made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gpustab.corpus.compact import Ids, Offsets, Record, Records
from gpustab.corpus.documents import Documents
from gpustab.corpus.filed import Filed, in_parts
from gpustab.corpus.formats.format import Document
from gpustab.corpus.options import CorpusOptions as CorpusOptions
from gpustab.errors import InputError
from gpustab.runs.key import noun_of
from gpustab.spaces.vocabulary import Vocabulary

if TYPE_CHECKING:
    from gpustab.corpus.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Corpus:
    """Prepared text.

    Attributes:
        name: where it came from.
        vocabulary: the words that occur at least ``min_count`` times in the whole corpus, most frequent first.
        tokens: ``(n,)`` int32 word ids, in corpus order; rarer words are left out. Many lie in a file
            (:mod:`gpustab.corpus.filed`).
        texts: ``(s + 1,)`` int64 offsets into ``tokens``. No context window reaches from one text into another.
        units: ``(u + 1,)`` int64 offsets into ``texts``. Units (documents or sentences) are what sampling draws; they
            may be empty.
        unit: ``"document"``, ``"sentence"``, or what documents are drawn together by.
        together: ``(u,)`` int64, a number for every unit: those with one number are drawn together. None: each alone.
        dropped: what preparing left out, by kind: duplicate documents, rare words and their tokens.
        documents: ``(m + 1,)`` int64 offsets into ``texts``; equal to ``units`` where documents are drawn. None of a
            corpus that was made in memory.
        records: id and metadata of the ``m`` documents.
        source: where their raw text can be read again.
        notes: what the files were taken for, and what was passed over.
        evidence: what was found about the source before training; None where nobody looked for all of it.
    """

    name: str
    vocabulary: Vocabulary
    tokens: Ids
    texts: Offsets
    units: Offsets
    unit: str
    dropped: dict[str, int]
    documents: Offsets = field(default_factory=lambda: np.zeros(1, np.int64))
    records: Sequence[Record] = ()
    source: Documents | None = None
    together: Offsets | None = None
    notes: tuple[str, ...] = ()
    evidence: Evidence | None = None

    def __len__(self) -> int:
        """Number of units."""
        return len(self.units) - 1

    @property
    def draws(self) -> int:
        """Number of what can be drawn: of units, or of groups of them that are drawn together."""
        return len(self) if self.together is None else len(np.unique(self.together))

    @property
    def sizes(self) -> list[tuple[int, str]]:
        """How many there are, with their nouns: units, what is drawn where they are drawn together, tokens, words."""
        drawn = [] if self.together is None else [(self.draws, self.drawn)]
        unit = self.unit if self.together is None else "document"
        return [(len(self), unit), *drawn, (len(self.tokens), "running word"), (len(self.vocabulary), "word")]

    @property
    def drawn(self) -> str:
        """What is drawn, as a noun."""
        return noun_of(self.unit)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of words, tokens and boundaries: equal for equal training input on any machine."""
        arrays: list[tuple[Ids | Offsets, str]] = [(self.tokens, "<i4"), (self.texts, "<i8"), (self.units, "<i8")]
        # The sizes first, so that no part can be taken for another.
        sizes = [len(self.vocabulary), *(len(array) for array, _ in arrays)]
        digest = hashlib.sha256(np.array(sizes, dtype="<i8").tobytes())
        for word in self.vocabulary:
            digest.update(len(word).to_bytes(4, "little") + word)
        if self.together is not None:
            arrays.append((self.together, "<i8"))
        for array, dtype in arrays:
            for _, part in in_parts(array):
                digest.update(np.ascontiguousarray(part, dtype=dtype).data)
        return digest.hexdigest()

    def raw(self) -> Iterator[Document]:
        """Yield the documents as they were written, in order; the source is read again."""
        wanted = (record.place for record in self.records)  # ascending
        following = next(wanted, None)
        for place, document in enumerate(self.source or ()):
            if place == following:
                yield document
                following = next(wanted, None)

    def take(self, which: Sequence[int]) -> Corpus:
        """Return some of the documents, in the order of the corpus, as one with the same vocabulary.

        Raises:
            InputError: if none of them has a word.
        """
        chosen, tokens = np.zeros(len(self.documents) - 1, np.bool_), Filed(np.int32)
        chosen[list(which)] = True
        kept = np.flatnonzero(chosen).tolist()
        sizes = np.diff(self.documents)
        lengths = np.diff(self.texts)[np.repeat(chosen, sizes)]
        if not lengths.sum():
            raise InputError(f"{self.name}: {len(kept)} documents without any words")
        for k in kept:
            tokens.add(self.tokens[self.texts[self.documents[k]] : self.texts[self.documents[k + 1]]])
        documents = _offsets(sizes[chosen])
        units = np.arange(len(lengths) + 1, dtype=np.int64) if self.unit == "sentence" else documents
        return replace(
            self,
            tokens=tokens.all(),
            texts=_offsets(lengths),
            units=units,
            documents=documents,
            records=Records(self.records[k] for k in kept),
            together=None if self.together is None else self.together[kept],
        )

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}: {', '.join(f'{n:,} {noun}s' for n, noun in self.sizes)})"


def _offsets(lengths: Sequence[int] | Offsets) -> Offsets:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
