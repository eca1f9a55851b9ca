"""A corpus as an encoder reads it: its units as text, with the place of every occurrence of its words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.broken import BREAK, HYPHENS, run_on
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.numbering import splitter
from gpustab.corpus.options import CorpusOptions, JoinBroken
from gpustab.corpus.words import cutter, lowering, spelling
from gpustab.errors import InputError, option

_CHARACTERS = 1 << 16
"""Of the passages that are read together: some twelve thousand words, ten seconds of a small model on a CPU."""
_BROKEN = re.compile(rf"(?<!\w)(\w+)[{HYPHENS}]{BREAK}(\w+)")


class Passage(NamedTuple):
    """One unit of a corpus.

    Attributes:
        unit: its number.
        text: letters as they were written (or small, if the encoder reads them so), composed (NFC), without line ends.
        words: ``(n,)`` numbers of the words of the vocabulary that stand there.
        places: ``(n, 2)`` where each begins and ends in the text.
    """

    unit: int
    text: str
    words: NDArray[np.int64]
    places: NDArray[np.int64]


class Passages:
    """The units of a corpus, read anew by every iteration: no more than one document is held.

    Words are cut by the rules that made the corpus, from the text that the encoder gets, so that each has its place
    there. Words broken at line ends are joined where the vocabulary has the joined word.

    Args:
        corpus: read from a source.
        options: those that it was made with.

    Attributes:
        lower: whether the encoder reads small letters.

    Raises:
        InputError: if these options cut words out of a text that the encoder would read all the same.
    """

    def __init__(self, corpus: Corpus, options: CorpusOptions) -> None:
        if options.cut_boilerplate:
            raise InputError(
                f"{option('cut_boilerplate')} leaves words out, and an encoder reads text; take boilerplate out of it "
                f"by {option('drop', 'PATTERN')}"
            )
        self._corpus, self._options, self.lower = corpus, options, False
        self._numbers = {word.decode(): k for k, word in enumerate(corpus.vocabulary)}
        self._cut, self._small = cutter(replace(options, lowercase=False)), lowering(options)
        self._spell, self._known = spelling(options), dict[str, int]()
        plain = options.cut in ("words", "whitespace")
        self._breaks: JoinBroken = "none" if options.join_broken == "auto" and not plain else options.join_broken

    def __len__(self) -> int:
        return len(self._corpus)

    def __iter__(self) -> Iterator[Passage]:
        unit = 0
        for text in self.texts():
            words, places = self._occurrences(text)
            yield Passage(unit, text, words, places)
            unit += 1
        if unit != len(self):
            raise InputError(
                f"{self._corpus.name}: was changed while it was read: {unit:,} units, {len(self):,} before"
            )

    def together(self) -> Iterator[list[Passage]]:
        """Yield passages in lots, which depend on the text alone."""
        lot, size = list[Passage](), 0
        for passage in self:
            lot.append(passage)
            size += len(passage.text)
            if size >= _CHARACTERS:
                yield lot
                lot, size = [], 0
        if lot:
            yield lot

    def texts(self) -> Iterator[str]:
        """Yield the texts alone, in the order of the units."""
        for texts in self.documents():
            for text in texts if self._corpus.unit == "sentence" else ["\n".join(texts)]:
                yield self._prepared(text)

    def documents(self) -> Iterator[Iterable[str]]:
        """Yield the texts of every document, its sentences where the options ask for them, as they were written."""
        split = splitter(self._corpus.source, self._options) if self._corpus.source else list
        drop = re.compile(self._options.drop, re.M) if self._options.drop else None
        for document in self._corpus.raw():
            yield split([drop.sub(" ", text) if drop else text for text in document.texts])

    def passage(self, unit: int, written: str) -> Passage:
        """Return a text as the encoder reads it, with the places of its words."""
        text = self._prepared(written)
        return Passage(unit, text, *self._occurrences(text))

    def _prepared(self, text: str) -> str:
        text = _BROKEN.sub(self._joined, run_on(text, self._breaks)).replace(BREAK, "")
        text = unicodedata.normalize("NFC", text.replace("\u00ad", ""))
        return text.lower() if self.lower else text

    def _joined(self, found: re.Match[str]) -> str:
        joined = f"{found[1]}{found[2]}"
        return joined if self._number(joined) >= 0 else found[0]

    def _number(self, written: str) -> int:
        """Return the number of a word as it is written, −1 for one that the vocabulary has not."""
        if (number := self._known.get(written)) is None:
            word = self._spell(unicodedata.normalize("NFC", self._small(written)))
            number = self._known[written] = self._numbers.get(word, -1)
        return number

    def _occurrences(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        words, places, end = list[int](), list[tuple[int, int]](), 0
        for written in self._cut([text]):
            begin = text.find(written, end)
            if written == "\n" or begin < 0:  # the end of a text; or a sign that the rules compose, which has no place
                continue
            end = begin + len(written)
            if (number := self._number(written)) >= 0:
                words.append(number)
                places.append((begin, end))
        return np.array(words, np.int64), np.array(places, np.int64).reshape(-1, 2)
