"""One file opened for reading: gzip and bzip2 recognised by content, damage remembered instead of lost."""

from __future__ import annotations

import bz2
import gzip
import mmap
import os
import pickle
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Protocol

from safetensors import SafetensorError

from gpustab.errors import InputError, near

BLOCK = 1 << 20

# First bytes, name, and the most bytes that one byte can stand for: 1,032 in deflate (zlib's technical notes); bzip2
# has no bound of that kind below its blocks of 900 kB, of which the smallest takes some 40 bytes.
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_SHORT = 4
"""Letters of a name up to which one of them that is another makes it nearly so: lee9 for lee8."""
_MANY = 10_000
"""Files of a folder, from which on no nearest name is looked for."""
_FREE, _PACKED = 256 << 20, 100
"""Bytes that anything may unpack to, and beyond them how many for each packed byte: text packs to a tenth or more, and
what packs to less than a hundredth is all alike, or was made to fill the memory of who opens it."""
_RATIO = {"gzip": 1032, "bzip2": 1 << 16}


def check_unpacked(path: Path, unpacked: int, packed: int | None) -> None:
    """Refuse to unpack on; what a header says of sizes is not believed, so whoever unpacks counts.

    Args:
        path: the file, for the message.
        unpacked: bytes that came out of it so far.
        packed: bytes of the file, ``None`` for a pipe, of which nothing is refused.

    Raises:
        InputError: if that is more than 256 MiB, and a hundred times the file.
    """
    if packed is not None and unpacked > max(_FREE, _PACKED * packed):
        raise InputError(
            f"{path}: of {packed / 1e6:,.2f} MB unpack more than {max(_FREE, _PACKED * packed) / 1e6:,.0f} MB; "
            f"at most {_PACKED} times as many are read; if it is meant so, unpack it and give what was in it"
        )


def unpacked_blocks(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield what a member of an archive holds block by block.

    Raises:
        InputError: see :func:`check_unpacked`.
    """
    packed, total = path.stat().st_size, 0
    while block := file.read(BLOCK):
        total += len(block)
        check_unpacked(path, total, packed)
        yield block


class Origin(Protocol):
    """Where rows come from: a :class:`Source`, or whatever stands for one."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def compression(self) -> str | None:
        """How it is compressed."""

    @property
    def bytes_read(self) -> int:
        """Unpacked bytes."""


class Source:
    """The content of one file, unpacked where it is gzip or bzip2, read block by block.

    Attributes:
        path: where the file lies.
        compression: ``"gzip"``, ``"bzip2"`` or ``None``, found by content and not by suffix.
        head: the first block, up to 1 MiB.
        damage: what the unpacking found wrong, as soon as it was met.
        bytes_read: unpacked bytes read so far.
    """

    def __init__(self, path: Path, file: BufferedReader) -> None:
        self.path = path
        self.compression = _compression(file.peek(10)[:10])
        self.damage: str | None = None
        self.bytes_read = 0
        self._watched: Watched | None = None
        self._file = file
        self._stream = _unpacked(file, self.compression)
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
        size = self._file_size()
        return None if size is None else size * _RATIO.get(self.compression or "", 1)

    def likely_bytes(self) -> int:
        """Return a guess of the bytes that the content has, to make room by: text of vectors packs to half or less."""
        size = self._file_size()
        return len(self.head) if size is None else size * 3 if self.compression else size

    @property
    def can_be_mapped(self) -> bool:
        """Whether the content is on the disk as it is, neither packed nor coming through a pipe."""
        return not self.compression and bool(self._file_size())

    def map(self) -> mmap.mmap | None:
        """Map the content into memory, or return ``None`` where it cannot be; see :meth:`check_uncut`."""
        if not self.can_be_mapped:
            return None
        self.watch()
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def watch(self) -> None:
        """Remember the size of the file, because somebody maps it."""
        self._watched = Watched(self.path)

    def check_uncut(self) -> None:
        """Refuse to go on where a file that is watched was cut; called before each piece that is read.

        Raises:
            InputError: if it was cut.
        """
        if self._watched is not None:
            self._watched.check()

    def _file_size(self) -> int | None:
        status = os.fstat(self._file.fileno())
        return status.st_size if stat.S_ISREG(status.st_mode) else None

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
            if error.errno is None and self.compression:  # bz2 says so of damaged data
                self.damage = str(error)
                return b"".join(parts)
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        self.bytes_read += BLOCK - missing
        if self.compression:
            check_unpacked(self.path, self.bytes_read, self._file_size())
        return b"".join(parts)


class Watched:
    """A file that is mapped into memory: to read where somebody has cut it off would end the process by a signal.

    Between a check and the reading after it the file can still be cut, so a pass checks before each of its pieces.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._then = path.stat()

    def check(self) -> None:
        """Refuse to go on where the file was cut since it was opened; one that was replaced or removed stays mapped.

        Raises:
            InputError: if it was cut.
        """
        try:
            now = self._path.stat()
        except OSError:
            return
        if os.path.samestat(now, self._then) and now.st_size < self._then.st_size:
            raise InputError(
                f"{self._path}: was cut from {self._then.st_size:,} to {now.st_size:,} bytes while it was read; let "
                "nobody write there, and begin again"
            )


def _compression(start: bytes) -> str | None:
    if start.startswith(_GZIP):
        return "gzip"
    # A text may begin with "BZh": only a block's or the end's magic number makes it bzip2.
    return "bzip2" if start[:3] == _BZIP2 and start[4:10] in (b"1AY&SY", b"\x17rE8P\x90") else None


def _unpacked(file: BufferedReader, compression: str | None) -> BufferedReader | gzip.GzipFile | bz2.BZ2File:
    match compression:
        case "gzip":
            return gzip.GzipFile(fileobj=file)
        case "bzip2":
            return bz2.BZ2File(file)
        case _:
            return file


def near_file(path: Path, names: Iterable[str] = ()) -> str:
    """Return the end of a message on a file that is missing: what is called nearly so in its folder, or nothing."""
    if path.is_symlink():
        return "; it is a link that leads to nothing"
    try:
        there = [entry.name for entry in os.scandir(path.parent)]
    except OSError:
        there = []
    cutoff = 0.8 if len(path.name) > _SHORT else 0.7
    return near(path.name, [*there, *names], cutoff) if len(there) < _MANY else ""


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what other packages raise while they read a file into a sentence that names it.

    Raises:
        InputError: if the file cannot be read, or is damaged in a way that no reader foresaw.
    """
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (EOFError, RecursionError, SafetensorError, UnicodeError, pickle.UnpicklingError, struct.error) as error:
        said = "its parts lie too deep within each other" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{path}: damaged: {' '.join(said.split())[:500] or type(error).__name__}") from error
    except zlib.error as error:
        raise InputError(f"{path}: damaged: {error}") from error


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
        raise InputError(f"{path}: there is no such file{near_file(path)}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, wanted a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    with file:
        yield Source(path, file)
