"""The rows of word2vec's binary form, and which of those without newlines were not cut where they begin and end.

Nothing parts rows without newlines: a space within a word, or a byte too many or too few, shifts what follows: values
are put together of the bytes of two, or of letters, and the next word begins with what was left of the values. The
exponents of such values are anything: two fifths of them are a million times as large as is usual in the file, a
quarter 10¹⁵ times as small. Good files have one or the other (heavy tails; coordinates that are noise, words that were
hardly trained) and words of any bytes, but not both at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpustab.spaces.words import LONGEST_WORD

_FIRST = 1000
_LARGE, _SMALL = 1e6, 1e-15
"""What is implausible, as multiples of the usual size."""
_MANY, _SOME = 0.25, 0.1
"""Shares of implausible values, large ones among them, that betray a row: by itself if there are small ones too, or
before a word that is no text."""
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_LETTERS = 32
"""Bytes of a word beyond its first space that may have become values."""


class BinaryRows:
    """The complete rows that a piece of a file begins with.

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


class TornRows:
    """Finds such rows, block by block."""

    def __init__(self) -> None:
        self._usual = 0.0
        self._before: NDArray[np.float32] | None = None

    def find(self, words: Sequence[bytes], vectors: NDArray[np.float32], suspicious: bool) -> int | None:
        """Return the first row whose values are torn, as a row of this block (−1: the last one of the block before)."""
        if not self._usual:
            self._usual = _usual_size(vectors[:_FIRST])
        before, self._before = self._before, vectors[-1].copy()
        if not suspicious and is_text(b" ".join(words)):
            return None
        for row, word in enumerate([*words, b""]):
            values = vectors[row - 1] if row else before
            if values is not None and self._torn(values, is_text(word)):
                return row - 1
        return None

    def _torn(self, values: NDArray[np.float32], before_text: bool) -> bool:
        large, small = self._implausible(values)
        share = float((large | small).mean())
        if large.any() and ((small.any() and share >= _MANY) or (not before_text and share >= _SOME)):
            return True
        return not before_text and _begins_with_letters(values.tobytes())

    def _implausible(self, values: NDArray[np.float32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        with np.errstate(invalid="ignore"):  # bytes may make a signalling NaN
            sizes = np.abs(values.astype(np.float64))
        usual = self._usual or 1.0
        # Not >, or NaN would pass.
        return np.asarray(~(sizes < _LARGE * usual)), np.asarray((sizes > 0) & (sizes < _SMALL * usual))


def _usual_size(vectors: NDArray[np.float32]) -> float:
    with np.errstate(invalid="ignore"):
        sizes = np.abs(vectors)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(np.median(sizes.astype(np.float64))) if len(sizes) else 0.0  # float32 would overflow between two


def _begins_with_letters(row: bytes) -> bool:
    """Tell whether a row's values begin with the rest of a word, and the space after it, in place of whole values."""
    ends = (end for end in range(3, min(len(row), _LETTERS), 4) if row[end] == 0x20)
    return any(is_text(row[:end]) for end in ends)


def is_text(word: bytes) -> bool:
    r"""Tell whether a word is text: UTF-8 without control characters.

    >>> is_text("naïve".encode()), is_text(b"\x07"), is_text(b"\xbd")
    (True, False, False)
    """
    try:
        word.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(word)
