"""A place in a file's bytes that only moves forward: how binary formats are read, compressed or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, OutOfMemoryError
from gpustab.formats.source import Source
from gpustab.machine.memory import available_memory


class CutError(InputError):
    """The content ends before something that it should hold, without the file's name."""


class Cursor:
    """The unread bytes of a source.

    Args:
        source: the file.
        mapped: map the file into memory where that is possible; everything is then at hand, and nothing is copied.

    Attributes:
        offset: bytes passed so far; in compressed files they are counted unpacked.
    """

    def __init__(self, source: Source, *, mapped: bool = False) -> None:
        self.offset = 0
        self._source = source
        mapping = source.map() if mapped else None
        self._blocks: Iterator[bytes] = source.blocks() if mapping is None else iter(())
        self._rest = memoryview(b"" if mapping is None else mapping)

    def peek(self, size: int) -> memoryview:
        """Return the unread bytes at hand: at least ``size``, or all that are left where those are fewer."""
        if len(self._rest) < size:
            parts: list[bytes | memoryview] = [self._rest]
            missing = size - len(self._rest)
            while missing > 0 and (block := next(self._blocks, b"")):
                parts.append(block)
                missing -= len(block)
            if len(parts) > 1:
                self._rest = memoryview(b"".join(parts))
        return self._rest

    def skip(self, size: int) -> None:
        """Pass over bytes that are at hand."""
        self._rest = self._rest[size:]
        self.offset += size

    def take(self, size: int, what: str) -> memoryview:
        """Return the next bytes and pass over them.

        Raises:
            CutError: if the content ends before.
        """
        found = self.peek(size)[:size]
        if len(found) < size:
            raise self._cut(what, self.offset, size, len(found))
        self.skip(size)
        return found

    def pieces(self, size: int, what: str) -> Iterator[memoryview]:
        """Yield the next bytes in pieces as they are at hand, and pass over them; for the arguments see :meth:`take`.

        Raises:
            CutError: if the content ends before.
        """
        start = self.offset
        while (done := self.offset - start) < size:
            piece = self.peek(1)[: size - done]
            if not piece:
                raise self._cut(what, start, size, done)
            self.skip(len(piece))
            yield piece

    def matrix(self, rows: int, columns: int, what: str) -> NDArray[np.float32]:
        """Return the next ``(rows, columns)`` float32 values, row by row: a map where there is one, else a copy.

        Raises:
            CutError: if the content ends before.
            OutOfMemoryError: if a copy does not fit the memory that is free.
        """
        size, most, free = 4 * rows * columns, self._source.most_bytes(), available_memory()
        if len(self._rest) >= size:
            return np.frombuffer(self.take(size, what), dtype="<f4").reshape(rows, columns)
        if most is not None and size > most - self.offset:
            offset = self.offset
            raise self._cut(what, offset, size, self.count_rest())
        if free is not None and size > free:
            raise OutOfMemoryError(
                f"{what} takes {size / 2**30:.1f} GiB, {free / 2**30:.1f} are free; unpacked, it needs no copy"
            )
        values = np.empty(size, dtype=np.uint8)
        start = self.offset
        for piece in self.pieces(size, what):
            done = self.offset - start
            values[done - len(piece) : done] = np.frombuffer(piece, dtype=np.uint8)
        return values.view("<f4").reshape(rows, columns)

    def count_rest(self) -> int:
        """Pass over all that is left, and return how many bytes there were."""
        start = self.offset
        while left := len(self.peek(1)):
            self.skip(left)
        return self.offset - start

    def check_damage(self, what: str) -> None:
        """Raise ``CutError`` if the unpacking found damage, though all the bytes that were asked for are there."""
        if self._source.damage:
            raise self._cut(what, self.offset, 0, 0)

    def _cut(self, what: str, start: int, wanted: int, found: int) -> CutError:
        damage = f" ({self._source.damage.rstrip('.')})" if self._source.damage else ""
        return CutError(
            f"incomplete or damaged download{damage}: {what}, from byte {start} on, has {found} bytes, wanted {wanted}"
        )
