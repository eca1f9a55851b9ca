"""The rows of word2vec's binary form: of which type their values are, and which of them were not cut where they end.

Nothing parts rows without newlines: a space within a word, or a byte too many or too few, shifts what follows: values
are put together of the bytes of two, or of letters, and the next word begins with what was left of the values. The
exponents of such values are anything: two fifths of them are a million times as large as is usual in the file, a
quarter 10¹⁵ times as small. Good files have one or the other (heavy tails; coordinates that are noise, words that were
hardly trained) and words of any bytes, but not both at once.
"""

from __future__ import annotations

import math
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
WRITTEN = "<f4"
"""The type of values that word2vec writes."""
_TYPES = {
    "<f4": "float32",
    ">f4": "big-endian float32",
    "<f8": "float64",
    ">f8": "big-endian float64",
    "<f2": "float16",
    ">f2": "big-endian float16",
}
_FEWEST, _MOST = 10, 200
"""Rows that tell the type of values, at least and at most."""
_OCTAVES, _TIMES = 20.0, 3.0
"""Octaves that nine of ten values span at most, where they are read as they were written: of normal ones it is 5. Read
as float32 they span so many times as many, nearly all that there are."""
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_HUGE, _SMALLEST = 1e3, -126
"""Logarithms of what is no number, and of the smallest that float32 has with all digits."""
_LETTERS = 32
"""Bytes of a word beyond its first space that may have become values."""


class BinaryRows:
    """The complete rows that a piece of a file begins with.

    Attributes:
        words: ``b`` words.
        starts: ``(b,)`` where the values of each start.
        ends: ``(b,)`` where each row ends.
    """

    def __init__(self, window: memoryview, dimension: int, *, newline: bool, most: int, kind: str = WRITTEN) -> None:
        self._window = window
        self._kind = np.dtype(kind)
        self._width = self._kind.itemsize * dimension
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
        """Return a copy of the values of some rows, ``(b, d)``; what float32 does not hold becomes infinite."""
        # Each byte begins a row of this view, of which those of the vectors are copied at once.
        shape = (max(len(self._window) - self._width + 1, 0), self._width)
        view = np.ndarray(shape, dtype=np.uint8, buffer=self._window, strides=(1, 1))
        with np.errstate(over="ignore", invalid="ignore"):
            return view[self.starts[rows]].view(self._kind).astype(WRITTEN, copy=False)


def kind_of_values(window: memoryview, dimension: int, most: int) -> str:
    """Return the type of the values that a file's first piece holds: float32, unless only another one makes rows of it.

    Read so, words are text and values span few octaves; in another order of their bytes, their exponents are anything.
    """
    most = min(most, _MOST)
    written = _octaves(window, dimension, most, WRITTEN)
    if most < _FEWEST or written <= _OCTAVES:
        return WRITTEN
    spans = {kind: _octaves(window, dimension, most, kind) for kind in _TYPES}
    best = min(spans, key=spans.__getitem__)
    return best if spans[best] <= min(_OCTAVES, written / _TIMES) else WRITTEN


def _octaves(window: memoryview, dimension: int, most: int, kind: str) -> float:
    """Return how many octaves nine of ten values span; infinitely many of words that are no text, and of no numbers."""
    rows = BinaryRows(window, dimension, newline=False, most=most, kind=kind)
    if len(rows) < _FEWEST or not all(word and is_text(word.removeprefix(b"\n")) for word in rows.words):
        return math.inf
    with np.errstate(all="ignore"):
        sizes = np.log2(np.abs(rows.vectors().astype(np.float64)))
    sizes = np.nan_to_num(sizes[sizes > -np.inf], nan=_HUGE, posinf=_HUGE)
    if not len(sizes) or np.median(sizes) < _SMALLEST:
        return math.inf
    return float(np.subtract(*np.quantile(sizes, (0.95, 0.05))))


def said_of_kind(kind: str) -> str:
    """Return the note on values of another type than word2vec's."""
    return f"the vectors were converted from {_TYPES[kind]} to float32: as such, words are text and values of one size"


def ends_rows_with_newline(window: memoryview, dimension: int, most: int, kind: str = WRITTEN) -> bool:
    r"""Tell whether a newline follows most of the rows that a file's first piece holds.

    As long as each row has its newline, both layouts find the values at the same places: to one the newline ends a
    row, to the other it starts the next word.

    >>> ends_rows_with_newline(memoryview(b"a ....\nb ...."), 1, 2), ends_rows_with_newline(memoryview(b"a ...."), 1, 1)
    (True, False)
    """
    ends = BinaryRows(window, dimension, newline=False, most=most, kind=kind).ends.tolist()
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
