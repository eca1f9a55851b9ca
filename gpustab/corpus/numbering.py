"""Words become numbers: a source is read once, and each word of it is an id, before any is left out."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.boilerplate import Boilerplate, Mark, find_boilerplate, find_frames, marks_in
from gpustab.corpus.broken import BREAK
from gpustab.corpus.compact import Ids, Offsets, Record, Records, copies_among, counts_of, stretches
from gpustab.corpus.documents import Documents, open_documents
from gpustab.corpus.excerpts import Excerpts
from gpustab.corpus.filed import Filed, forget, in_parts
from gpustab.corpus.options import CorpusOptions, ReadOptions
from gpustab.corpus.spelling import one_spelling
from gpustab.corpus.words import Cuts, cutter, tokeniser
from gpustab.errors import InputError, option

_SHOWN, _BEGINNING = 3, 40
"""Documents that are shown of many, and tokens of each."""
END = 0
"""Id of the newline that ends every text."""
SIZES = ((5_000_000, 20), (1_000_000, 10), (0, 5))
"""From so many tokens on, the least count of a word."""
FEW_WORDS, LEAST_COUNT = 200, 2


@dataclass(frozen=True, eq=False)
class Numbered:
    """Words of a whole source in order, before any is left out.

    Attributes:
        source: where they come from.
        options: how they are made a corpus.
        words: by id; the newline first.
        ids: all tokens, every text ended by :data:`END`.
        documents: offsets into the texts.
        records: of the documents.
        duplicates: number of documents that were left out.
        empty: files without a word, which are no documents.
        sample: of the documents, for doubts.
        tokenise: what cut them, each in its one spelling.
        copied: the beginnings of three documents that were left out as copies.
        marks: lines between signs, each with the number of its document in the source.
        notes: on words that have one spelling now, were joined, or that the rules cut.
    """

    source: Documents
    options: CorpusOptions
    words: list[str]
    ids: Ids
    documents: Offsets
    records: Records
    duplicates: int
    empty: list[str]
    sample: Excerpts
    tokenise: Callable[[Sequence[str]], list[str]]
    notes: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()

    @cached_property
    def texts(self) -> NDArray[np.int64]:
        """``(s + 1,)`` offsets of the texts into the tokens."""
        ends = (start + np.flatnonzero(part == END) + 1 for start, part in in_parts(self.ids))
        return np.concatenate([np.zeros(1, np.int64), *ends])

    @property
    def starts(self) -> NDArray[np.int64]:
        """``(m + 1,)`` offsets of the documents into the tokens."""
        return self.texts[self.documents]

    @cached_property
    def boilerplate(self) -> Boilerplate | None:
        """What stands in most documents, or around texts; its tokens are numbered without the ends of texts."""
        ids, starts = _filed(part[part != END] for _, part in in_parts(self.ids)), self.starts - self.documents
        if (found := find_boilerplate(ids, starts, len(self.words))) or not self.marks:
            return found
        scopes = starts[[0, -1]] if self.source.layout in ("lines", "blocks", "paragraphs") else starts
        return find_frames(ids, scopes, list(self._placed(ids, starts)), len(self.words))

    def _placed(self, ids: Ids, starts: NDArray[np.int64]) -> Iterator[Mark]:
        """Yield the marks as the tokens that they have become, in order."""
        numbers = {word: k for k, word in enumerate(self.words)}
        documents = {record.place: k for k, record in enumerate(self.records)}
        begin = 0
        for place, line in self.marks:
            own = [numbers[word] for word in self.tokenise([line]) if word != "\n" and word in numbers]
            if not own or place not in documents:
                continue
            first, last = max(begin, starts[documents[place]]), starts[documents[place] + 1]
            there = np.flatnonzero(ids[first : max(last - len(own) + 1, first)] == own[0]) + first
            at = next((int(k) for k in there if ids[k : k + len(own)].tolist() == own), None)
            if at is not None:
                begin = at + len(own)
                yield Mark(at, begin, frozenset(own))

    def without_boilerplate(self) -> Numbered:
        """Leave out what stands in most documents, and say so."""
        if not (found := self.boilerplate):
            return replace(
                self,
                notes=(
                    *self.notes,
                    "no boilerplate was found: no sequence of words stands in most documents, and no two lines between "
                    "signs frame a text",
                ),
            )
        cut = f"{found.covered.sum():,} running words of boilerplate are cut, of {found.documents:,} documents"
        shown = ", ".join(f"'{one}'" for one in self.shown(found))
        return replace(self, ids=_filed(self._outside(found.covered)), notes=(*self.notes, f"{cut}: {shown}"))

    def _outside(self, covered: NDArray[np.bool_]) -> Iterator[Ids]:
        """Yield the tokens that are not covered, and all ends of texts."""
        done = 0
        for _, part in in_parts(self.ids):
            kept, words = np.ones(len(part), bool), part != END
            behind = done + int(words.sum())
            kept[words], done = ~covered[done:behind], behind
            yield part[kept]

    def shown(self, found: Boilerplate) -> list[str]:
        """Return the beginnings of the three sequences that cover most."""
        return [
            " ".join([*(self.words[i] for i in ids[:8]), *(["…"] * (len(ids) > 8))]) for ids, _ in found.sequences[:3]
        ]

    def take(self, kept: Sequence[int] | NDArray[np.int64]) -> Numbered:
        """Return some of the documents, in order."""
        chosen = np.zeros(len(self.records), bool)
        chosen[np.asarray(kept, np.int64)] = True
        return replace(
            self,
            ids=_filed(self._within(chosen)),
            documents=np.concatenate([[0], np.cumsum(np.diff(self.documents)[chosen])]).astype(np.int64),
            records=Records(self.records[k] for k in kept),
        )

    def _within(self, chosen: NDArray[np.bool_]) -> Iterator[Ids]:
        """Yield the tokens of some documents."""
        starts = self.starts
        for first, last in stretches(starts):
            kept = np.repeat(chosen[first:last], np.diff(starts[first : last + 1]))
            yield self.ids[starts[first] : starts[last]][kept]
            forget(self.ids)

    def without_duplicates(self) -> Numbered:
        """Leave out documents with the same words in the same order as an earlier one, if the options say so."""
        copies = copies_among(self.ids, self.starts, END) if self.options.drop_duplicates else np.zeros(0, bool)
        if not copies.any():
            return self
        copied = [self._beginning(k) for k in np.flatnonzero(copies)[: _SHOWN - len(self.copied)]]
        rest = self.take(np.flatnonzero(~copies))
        return replace(rest, duplicates=self.duplicates + int(copies.sum()), copied=(*self.copied, *copied))

    def _beginning(self, document: int) -> str:
        """Return the first words of a document."""
        first, last = self.texts[self.documents[document : document + 2]]
        first = self.ids[first:last][:_BEGINNING]
        return " ".join(self.words[k].replace(BREAK, "") for k in first if k != END)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each word occurs, by id."""
        counts = counts_of(self.ids, len(self.words))
        counts[END] = 0
        return counts

    @property
    def left_out(self) -> dict[str, int]:
        """What was left out while reading, by why."""
        return {
            "duplicate documents": self.duplicates,
            "empty files": len(self.empty),
            "replaced characters": self.source.replaced,
        }


def _filed(some: Iterable[Ids]) -> Ids:
    """Return tokens that come part by part as one array."""
    filed = Filed(np.int32)
    for part in some:
        filed.add(part)
    return filed.all()


def number(
    source: str | Path, options: CorpusOptions, tokenizer: Callable[[str], Iterable[str]] | None = None
) -> Numbered:
    """Read a source and number its words.

    Raises:
        InputError: if the source cannot be read, or a word has white space.
    """
    reading = ReadOptions(**{field.name: getattr(options, field.name) for field in fields(ReadOptions)})
    documents = open_documents(source, replace(reading, as_is=True))  # a question of layout is a doubt among others
    cut, cuts = cutter(options, tokenizer, marked=True), Cuts(options) if tokenizer is None else None
    texts_of, dropped = splitter(documents, options), re.compile(options.drop or "(?!)", re.M)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    numbers["\n"] = END
    tokens, texts, records = Filed(np.int32), array("q", [0]), Records()
    empty, sample, passages = list[str](), Excerpts(), 0
    marks = list[tuple[int, str]]()
    for place, read in enumerate(documents):
        document = read
        if options.drop:
            found = [dropped.subn(" ", text) for text in read.texts]
            document, passages = read._replace(texts=[text for text, _ in found]), passages + sum(n for _, n in found)
        sample.see(document)
        for text in document.texts:
            if signs := marks_in(text):
                marks += [(place, line) for line in signs]
        if cuts:
            cuts.see(document.texts)
        own = array("i", map(numbers.__getitem__, cut(texts_of(document.texts))))
        ends = own.count(END)
        if documents.layout == "files" and len(own) == ends:
            empty.append(document.id)
            continue
        tokens.add(own)
        texts.append(ends)
        records.append(Record(document.id, document.metadata, place))
    _check_words(documents.name, numbers)
    spelled = Numbered(
        documents,
        options,
        list(numbers),
        tokens.all(),
        np.cumsum(texts, dtype=np.int64),
        records,
        0,
        empty,
        sample,
        tokeniser(options, tokenizer),
        (
            *documents.remarks(),
            *((documents.nuls,) if documents.nuls else ()),
            *((f"{passages:,} passages are left out by {option('drop', options.drop)}",) if options.drop else ()),
            *(cuts.notes() if cuts else ()),
        ),
        marks=tuple(marks),
    )
    meant = spelled.without_duplicates()
    if one := one_spelling(meant.words, meant.ids, meant.counts, options, tokenizer):
        words, ids, notes = one
        meant = replace(meant, words=words, ids=ids, notes=(*notes, *meant.notes)).without_duplicates()
    return meant.without_boilerplate().without_duplicates() if options.cut_boilerplate else meant


def _check_words(name: str, words: Iterable[str]) -> None:
    """Refuse what no file of vectors could hold; the rule "words" never finds it."""
    wrong = next((word for word in words if word != "\n" and (not word or len(word.split()) != 1)), None)
    if wrong is not None:
        raise InputError(
            f"{name}: {option('tokenizer')} finds {wrong!r}; a word has no white space, and something else"
        )


def splitter(documents: Documents, options: CorpusOptions) -> Callable[[list[str]], list[str]]:
    """Return the function that makes a document's texts of its lines."""
    if options.unit != "sentence" or documents.layout == "blocks":
        return lambda texts: texts
    marked = documents.layout == "sentences"  # those of a word a line, where it marks them at all
    try:
        from sentencex import segment
    except ImportError:
        raise InputError(f"{option('unit', 'sentence')} needs the package sentencex: pip install sentencex") from None

    def split(texts: list[str]) -> list[str]:
        if marked and len(texts) > 1:
            return texts
        # Only plain spaces: it fails at a next-line character (U+0085) before a full stop.
        plain = (re.sub(r"[^\S\n]", " ", text) for text in texts)
        return [sentence for text in plain for sentence in segment(options.language, text) if not sentence.isspace()]

    return split


def least_count(counts: NDArray[np.int64]) -> int:
    """Return the least count of a word that fits.

    >>> least_count(np.full(1000, 40)), least_count(np.full(1000, 4)), least_count(np.full(1000, 6000))
    (5, 2, 20)
    """
    tokens = int(counts.sum())
    chosen = next(least for size, least in SIZES if tokens >= size)
    return chosen if (counts >= chosen).sum() >= FEW_WORDS or chosen > SIZES[-1][1] else LEAST_COUNT
