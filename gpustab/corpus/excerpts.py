"""Excerpts of a source of any length that is read once: blocks of neighbouring documents, spread evenly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpustab.corpus.formats.format import Document

_BLOCK = 32_000
"""Characters of neighbouring documents that are kept together: enough for the head of a record and its body."""
_BLOCKS = 64
"""Blocks that are kept at most: two million characters, which all doubts together look at in about a second."""


class Piece(NamedTuple):
    """A document, or a part of a long one, as its reader gave it to the trainer."""

    id: str
    texts: tuple[str, ...]


class Excerpts:
    """Keeps blocks of neighbouring documents that lie evenly over a source of any length, read once.

    Where more blocks come than are kept, every second of them is let go, and from then on every second is passed over.
    """

    def __init__(self) -> None:
        self.blocks: list[list[Piece]] = []
        self.characters = 0
        self._every, self._number, self._size = 1, -1, _BLOCK

    def see(self, document: Document) -> None:
        """Look at the next document."""
        size = sum(map(len, document.texts))
        self.characters += size
        if size <= _BLOCK and self._size < _BLOCK and self._number % self._every:  # nearly all of many short ones
            self._size += size
            return
        for piece in _pieces(document):
            size = sum(map(len, piece.texts))
            if self._size >= _BLOCK:
                self._begin()
            self._size += size
            if self._number % self._every == 0:
                self.blocks[-1].append(piece)

    def _begin(self) -> None:
        self._number, self._size = self._number + 1, 0
        if self._number % self._every:
            return
        if len(self.blocks) == _BLOCKS:
            self.blocks, self._every = self.blocks[::2], 2 * self._every
        if self._number % self._every == 0:
            self.blocks.append([])


def _pieces(document: Document) -> Iterator[Piece]:
    """Yield a document, or parts of a long one that end with a line."""
    if sum(map(len, document.texts)) <= _BLOCK:
        yield Piece(document.id, tuple(document.texts))
        return
    for text in document.texts:
        start = 0
        while start < len(text):
            end = text.find("\n", start + _BLOCK, start + 2 * _BLOCK) + 1 or start + _BLOCK
            yield Piece(document.id, (text[start:end],))
            start = end
