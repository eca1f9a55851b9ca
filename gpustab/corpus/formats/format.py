"""What a kind of text file has to offer to be readable."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from gpustab.corpus.encoding import decoded
from gpustab.corpus.formats.tei import Editing
from gpustab.corpus.options import FormatName, FoundLayout, ReadOptions
from gpustab.formats.source import open_source


class Document(NamedTuple):
    """One document as it was written.

    Attributes:
        id: what it is called in its source: the file's path below the folder, what its record says, or the number of
            the line, block or record.
        metadata: columns that the source has of it, such as ``year``.
        texts: the lines of a block, or one text that is all of the document.
    """

    id: str
    metadata: Mapping[str, str]
    texts: list[str]


@dataclass
class TextFile:
    """A file whose encoding is known.

    Attributes:
        path: where it lies.
        encoding: a codec of Python.
        options: how it is to be read.
        replaced: number of U+FFFD that stand for undecodable bytes, of the last reading.
        editing: what was left out and joined by the rules for TEI, of the last reading.
        nuls: number of NUL signs, of the last reading.
        first_nul: the line of the first of them.
    """

    path: Path
    encoding: str
    options: ReadOptions
    replaced: int = 0
    editing: Editing = field(default_factory=Editing)
    nuls: int = 0
    first_nul: int = 0

    def pieces(self) -> Generator[str]:
        """Yield the text piece by piece.

        Raises:
            InputError: naming line and byte of what is not of the encoding; or if the file is damaged.
        """
        self.replaced = self.nuls = self.first_nul = 0
        self.editing = Editing()
        line = 1
        with open_source(self.path) as source:
            for piece in decoded(source, self.encoding, self.options.errors):
                if self.options.errors == "replace":
                    self.replaced += piece.count("\ufffd")
                if "\0" in piece:
                    self.first_nul = self.first_nul or line + piece[: piece.index("\0")].count("\n")
                    self.nuls += piece.count("\0")
                yield piece
                line += piece.count("\n")
        if self.replaced:
            self.replaced -= self._written()

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.pieces())

    def lines(self) -> Iterator[str]:
        r"""Yield the lines without their ends. Only ``\n`` ends one, with or without ``\r`` before it."""
        for lines, _ in self._split():
            yield from (line.removesuffix("\r") for line in lines)

    def raw_lines(self) -> Iterator[str]:
        r"""Yield the lines with their ends."""
        for lines, end in self._split():
            yield from (line + end for line in lines)

    def _split(self) -> Iterator[tuple[list[str], str]]:
        """Yield some lines without their ends, and what each of them ends with."""
        rest = list[str]()  # a line may be all of a file: added to piece by piece it would be copied each time
        with closing(self.pieces()) as pieces:
            for piece in pieces:
                first, *lines = piece.split("\n")
                rest.append(first)
                if lines:
                    last = lines.pop()
                    yield ["".join(rest), *lines], "\n"
                    rest = [last]
        if left := "".join(rest):
            yield [left], ""

    def _written(self) -> int:
        with open_source(self.path) as source:
            return sum(piece.count("\ufffd") for piece in decoded(source, self.encoding, "ignore"))


@dataclass(frozen=True)
class TextFormat:
    """One kind of text file.

    Attributes:
        name: as the option is typed.
        title: name for people.
        suffixes: of files that are taken for it, in small letters, without a compression's.
        layout: what a document is, or ``None`` where that has to be found.
        matches: tells from the start of the text (up to 1 MiB) whether it is this, where the suffix says nothing.
        read: yields the documents; raises ``InputError``.
    """

    name: FormatName
    title: str
    suffixes: tuple[str, ...]
    layout: FoundLayout | None
    matches: Callable[[str], bool]
    read: Callable[[TextFile], Iterator[Document]]
