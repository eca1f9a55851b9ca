"""What doubts look at: a sample that is spread over all of a source, and the counts of all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.compact import Record
from gpustab.corpus.excerpts import Piece as Piece
from gpustab.corpus.options import CorpusOptions, FoundLayout


class Repeated(NamedTuple):
    """Token sequences that stand in most documents, or around texts, see :mod:`gpustab.corpus.boilerplate`.

    Attributes:
        share: how much of the tokens they are.
        documents: how many have any.
        examples: the beginnings of three.
        frames: whether they stand around texts.
    """

    share: float
    documents: int
    examples: tuple[str, ...]
    frames: bool


@dataclass(frozen=True, eq=False)
class Look:
    """A look at a source.

    Attributes:
        name: of the source.
        layout: what a document of it is.
        options: how it is made a corpus.
        blocks: the sample: neighbouring documents together.
        characters: of all of the source.
        sizes: ``(m,)`` tokens of every document of the source, copies left out.
        lengths: ``(s,)`` tokens of every text of them.
        words: all words of the source, in the order in which they came.
        counts: how often each occurs.
        tokenise: cuts texts into words, with a newline after each text.
        copies: documents that were left out as copies.
        copied: the beginnings of three of them.
        near: documents that are nearly the same as an earlier one.
        nearest: the ids of three of them, each after the other's.
        question: what a document is, where that is open.
        runs_on: whether paragraphs were taken for documents as lines run on.
        repeated: the token sequences that stand in most documents, where there are any.
        records: of the documents.
    """

    name: str
    layout: FoundLayout
    options: CorpusOptions
    blocks: Sequence[Sequence[Piece]]
    characters: int
    sizes: NDArray[np.int64]
    lengths: NDArray[np.int64]
    words: Sequence[str]
    counts: NDArray[np.int64]
    tokenise: Callable[[Sequence[str]], list[str]]
    copies: int = 0
    copied: Sequence[str] = ()
    near: int = 0
    nearest: Sequence[tuple[str, str]] = ()
    question: str = ""
    runs_on: bool = False
    repeated: Repeated | None = None
    records: Sequence[Record] = ()

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The sample, document by document."""
        return tuple(piece for block in self.blocks for piece in block)

    @cached_property
    def stretches(self) -> tuple[tuple[str, ...], ...]:
        """The lines of the sample, blank ones too: those of a stretch follow each other in one text of the source.

        A document is one; where every line is a document, or stands between others, a block of neighbours is one.
        """
        if self.layout not in ("lines", "blocks", "paragraphs"):
            groups = [[piece] for piece in self.pieces]
            return tuple(tuple(line for text in group[0].texts for line in text.split("\n")) for group in groups)
        between = [] if self.layout == "lines" else [""]
        return tuple(
            tuple(line for piece in block for line in (*"\n".join(piece.texts).split("\n"), *between))
            for block in self.blocks
        )

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the sample, blank ones too."""
        return tuple(line for lines in self.stretches for line in lines)

    @cached_property
    def filled(self) -> tuple[str, ...]:
        """The lines that are not blank."""
        return tuple(line for line in self.lines if line.strip())

    @cached_property
    def spaced(self) -> tuple[str, ...]:
        """What stands between blanks in the lines that are not blank."""
        return tuple(word for line in self.filled for word in line.split())

    @cached_property
    def spans(self) -> Counter[str]:
        """How often each of these stands there, in the order in which they came: few are different."""
        return Counter(self.spaced)

    @cached_property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The words of each piece of the sample."""
        cut = (self.tokenise(piece.texts) for piece in self.pieces)
        return tuple(tuple(word for word in words if word != "\n") for words in cut)

    @cached_property
    def size(self) -> int:
        """Words in the sample."""
        return sum(map(len, self.tokens))

    def words_of(self, spans: Mapping[str, int]) -> int:
        """Return how many words some parts of the sample become, each as often as it is there."""
        return sum(n * sum(word != "\n" for word in self.tokenise([span])) for span, n in spans.items())

    def share_of(self, lines: Sequence[str]) -> float:
        """Return the share of the sample's words that stand in some of its lines."""
        return sum(word != "\n" for word in self.tokenise(lines)) / max(self.size, 1)
