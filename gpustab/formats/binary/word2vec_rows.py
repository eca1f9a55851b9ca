"""The rows of word2vec's binary form, found in a piece of the file: word, 0x20, values, and 0x0A or nothing."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

LONGEST_WORD = 1 << 16


class BinaryRows:
    """The complete rows that a piece of a file begins with.

    Args:
        window: the bytes.
        dimension: number of values ``d``.
        newline: whether 0x0A ends each row.
        most: rows to look for.

    Attributes:
        words: ``b`` words.
        starts: ``(b,)`` where the values of each start.
        ends: ``(b,)`` where each row ends.
    """

    def __init__(self, window: memoryview, dimension: int, *, newline: bool, most: int) -> None:
        self._window = window
        self._width = 4 * dimension
        row = b"([^ ]{0,%d} ).{%d}%s" % (LONGEST_WORD, self._width, b"\n" if newline else b"")
        # Whatever is no row is matched in one piece: the search must not try again at each of its bytes.
        found: list[bytes] = re.findall(row + b"|.+", window, re.DOTALL)
        if found and not found[-1]:
            found.pop()
        del found[most:]
        lengths = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
        self.words = [word[:-1] for word in found]
        self.ends: NDArray[np.int64] = np.cumsum(lengths + (self._width + newline))
        self.starts = self.ends - (self._width + newline)

    def __len__(self) -> int:
        return len(self.words)

    def begin(self, row: int) -> int:
        """Return where a row begins."""
        return int(self.ends[row - 1]) if row else 0

    def vectors(self, rows: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.float32]:
        """Return a copy of the values of some rows, ``(b, d)``."""
        # Each byte begins a row of this view, of which those of the vectors are copied at once.
        shape = (max(len(self._window) - self._width + 1, 0), self._width)
        view = np.ndarray(shape, dtype=np.uint8, buffer=self._window, strides=(1, 1))
        return view[self.starts[rows]].view("<f4")


def ends_rows_with_newline(window: memoryview, dimension: int, most: int) -> bool:
    r"""Tell whether a newline follows most of the rows that a file's first piece holds.

    As long as each row has its newline, both layouts find the values at the same places: to one the newline ends a
    row, to the other it starts the next word.

    >>> ends_rows_with_newline(memoryview(b"a ....\nb ...."), 1, 2), ends_rows_with_newline(memoryview(b"a ...."), 1, 1)
    (True, False)
    """
    ends = BinaryRows(window, dimension, newline=False, most=most).ends.tolist()
    after = bytes([window[end] for end in ends if end < len(window)])
    return 2 * after.count(b"\n") > len(after)
