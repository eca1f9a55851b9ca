"""One file opened for reading: gzip recognised by content, damage remembered instead of lost."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from gpustab.errors import InputError

BLOCK = 1 << 20

# The most bytes that one byte of deflate can stand for (zlib's technical notes).
_DEFLATE_RATIO = 1032


class Source:
    """The content of one file, unpacked where it is gzip, read block by block.

    Attributes:
        path: where the file lies.
        compression: ``"gzip"`` or ``None``, found by content and not by suffix.
        head: the first block, up to 1 MiB.
        damage: what the unpacking found wrong, as soon as it was met.
        bytes_read: unpacked bytes read so far.
    """

    def __init__(self, path: Path, file: BufferedReader) -> None:
        self.path = path
        self.compression = "gzip" if file.peek(2)[:2] == b"\x1f\x8b" else None
        self.damage: str | None = None
        self.bytes_read = 0
        self._file = file
        self._stream: BufferedReader | gzip.GzipFile = gzip.GzipFile(fileobj=file) if self.compression else file
        self.head = self._read_block()

    @property
    def is_short(self) -> bool:
        """Whether the head is the whole content."""
        return len(self.head) < BLOCK

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in blocks of 1 MiB, the head first; stop at the end or at the first damage."""
        block = self.head
        while block:
            yield block
            block = self._read_block()

    def is_damaged(self) -> bool:
        """Read whatever is left, and tell whether the compressed content proves to be damaged."""
        while self._read_block():
            pass
        return self.damage is not None

    def most_bytes(self) -> int | None:
        """Return the most bytes that the content can have, or ``None`` for a pipe."""
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return None
        return status.st_size * (_DEFLATE_RATIO if self.compression else 1)

    def _read_block(self) -> bytes:
        parts, missing = [], BLOCK
        try:
            # read1, not read: what was unpacked before the damage must not be lost with it.
            while missing and not self.damage and (part := self._stream.read1(missing)):
                parts.append(part)
                missing -= len(part)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.damage = str(error)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        self.bytes_read += BLOCK - missing
        return b"".join(parts)


@contextmanager
def open_source(path: str | os.PathLike[str]) -> Iterator[Source]:
    """Open a file for reading.

    Raises:
        InputError: if it is missing, a folder, or may not be read.
    """
    path = Path(path)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, wanted a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    with file:
        yield Source(path, file)
