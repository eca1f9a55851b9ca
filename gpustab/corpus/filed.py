"""Numbers of a long text: in a file without a name, of which memory holds only what is looked at."""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.atomic import told

IN_MEMORY = 1 << 22
"""Bytes up to which numbers are held in memory: word ids of some 6 MB of text."""
_AT_ONCE = 1 << 18
"""Numbers that are looked at at a time: all at once, what is made of them would take several times their room."""
_BUFFER = 1 << 20


class Filed:
    """Numbers that are added at the end and become one array: in memory while they are few, then in a file.

    The file lies in the folder for temporary files (``TMPDIR``) and goes with the array.

    Args:
        kind: of the numbers.

    >>> filed = Filed(np.int32)
    >>> filed.add(np.array([3, 1], np.int32))
    >>> filed.add(np.array([2], np.int32))
    >>> filed.all().tolist()
    [3, 1, 2]
    """

    def __init__(self, kind: type[np.generic]) -> None:
        self._kind, self._held = kind, bytearray()
        self._file: IO[bytes] | None = None

    def add(self, numbers: NDArray[Any] | array[int]) -> None:
        """Add numbers of this kind.

        Raises:
            InputError: if files cannot be made in the folder for temporary files.
            WritingError: if the disk is full or fails.
        """
        own = memoryview(numbers if isinstance(numbers, array) else numbers.data).cast("B")
        if self._file is None and len(self._held) + len(own) <= IN_MEMORY:
            self._held += own
            return
        with told(Path(gettempdir())):
            if self._file is None:
                self._file = TemporaryFile(buffering=_BUFFER)  # noqa: SIM115 - it goes with the array
                self._file.write(self._held)
                self._held.clear()
            self._file.write(own)

    def all(self) -> NDArray[Any]:
        """Return all numbers ``(n,)``; nothing can be added afterwards.

        Raises:
            WritingError: if the disk is full or fails.
        """
        if self._file is None:
            return np.frombuffer(self._held, self._kind)
        with told(Path(gettempdir())), self._file as file:
            file.flush()
            return np.frombuffer(mmap.mmap(file.fileno(), 0), self._kind)


def in_parts(numbers: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield some of the numbers ``(n,)`` at a time, after the place of the first.

    >>> [(start, part.tolist()) for start, part in in_parts(np.array([7, 8]))]
    [(0, [7, 8])]
    """
    for start in range(0, len(numbers), _AT_ONCE):
        yield start, numbers[start : start + _AT_ONCE]
        forget(numbers)


def forget(numbers: NDArray[Any]) -> None:
    """Let memory go that holds numbers of a file; they are read from it again where they are looked at."""
    base: object = numbers
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.obj.madvise(mmap.MADV_DONTNEED)
