"""Whole blocks of text rows at once: the rows that are beyond doubt become words and vectors, the others are named.

What is beyond doubt reads as :func:`gpustab.formats.text.decimals.parse_row` reads it, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.text.bulk_numbers import DecimalText
from gpustab.formats.text.decimals import RowError, parse_number

# Bytes of text and numbers at a time: all arrays over one portion stay in a core's cache.
_PIECE = 1 << 18
_FIELDS = 1 << 14

_NEWLINE, _SPACE = b"\n "
_PLAIN_BYTES = b"0123456789.eE+-"


class BulkRows(NamedTuple):
    """What a block holds: its good rows in order, and the lines that need the careful path.

    Attributes:
        words: the words of the ``n`` good rows.
        vectors: ``(n, d)``, each value the float64 nearest to its decimal, rounded to float32.
        lines: ``(n,)``, which line of the block each good row is, from 0.
        odd: the lines, from 0, that are not beyond doubt.
        total: number of lines.
    """

    words: list[bytes]
    vectors: NDArray[np.float32]
    lines: NDArray[np.int64]
    odd: NDArray[np.int64]
    total: int


def parse_block(block: bytes, dimension: int, wanted: Set[bytes] | None = None) -> BulkRows:
    r"""Read the rows of a block that are plain: a word and ``dimension`` decimals, parted by single spaces.

    A word may hold spaces inside, and one space may follow the last value. A line with a tab, a carriage return,
    another control byte, two spaces at or behind the vector, too few values, or a value that is no finite decimal
    is odd; it does not touch its neighbours.

    Args:
        block: whole lines, each ended by 0x0A.
        dimension: number of values ``d``.
        wanted: the words to read, by default all; the rows of other words are left out, and their values unread.

    Returns:
        The good rows and the odd lines.

    >>> parse_block(b"a 1 -0.5\nnew york 2e-05 .25 \nb 1,5 2\n", 2)
    BulkRows(words=[b'a', b'new york'], vectors=array([[ 1.0e+00, -5.0e-01],
           [ 2.0e-05,  2.5e-01]], dtype=float32), lines=array([0, 1]), odd=array([2]), total=3)
    """
    words: list[bytes] = []
    vectors, lines, odd = [np.empty((0, dimension), np.float32)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    first = 0
    for piece in _pieces(block):
        rows = _parse_piece(piece, dimension, wanted)
        words.extend(rows.words)
        vectors.append(rows.vectors)
        lines.append(rows.lines + first)
        odd.append(rows.odd + first)
        first += rows.total
    return BulkRows(words, np.concatenate(vectors), np.concatenate(lines), np.concatenate(odd), first)


def _pieces(block: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(block):
        # The last line that ends within the piece, or the first one where none does.
        stop = block.rfind(b"\n", start, start + _PIECE) + 1 or block.index(b"\n", start) + 1
        yield block[start:stop]
        start = stop


def _parse_piece(piece: bytes, dimension: int, wanted: Set[bytes] | None) -> BulkRows:
    text = DecimalText(piece)
    begins, bounds, plain = _rows(text.bytes, dimension)
    lines = np.flatnonzero(plain)
    words = text.cut(begins, bounds[:, 0])
    if wanted is not None:
        chosen = [i for i, word in enumerate(words) if word in wanted]
        words, bounds, lines = [words[i] for i in chosen], bounds[chosen], lines[chosen]
    vectors, finite = _vectors(text, bounds)
    if not finite.all():
        plain[lines[~finite]] = False
        words, vectors, lines = list(compress(words, finite)), vectors[finite], lines[finite]
    return BulkRows(words, vectors, lines, np.flatnonzero(~plain), len(plain))


def _rows(text: NDArray[np.uint8], dimension: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Find the plain lines: a word and ``d`` fields between single spaces.

    Returns:
        The first byte of every plain line ``(n,)``; the separators around its last ``d`` fields ``(n, d + 1)``; and
        which lines are plain ``(lines,)``.
    """
    # From the newline before the first line to that of the last.
    marks = np.flatnonzero(text <= _SPACE)
    kinds = text[marks]
    newlines = np.flatnonzero(kinds == _NEWLINE)
    # Of two separators side by side, only a space behind the last value and its newline are plain.
    second = np.flatnonzero(np.diff(marks) == 1) + 1
    trailing = (kinds[second - 1] == _SPACE) & (kinds[second] == _NEWLINE)
    strange = np.flatnonzero((kinds != _NEWLINE) & (kinds != _SPACE))
    plain = np.ones(len(newlines) - 1, np.bool_)
    plain[np.searchsorted(newlines, np.concatenate([second[~trailing], strange])) - 1] = False
    last = newlines[1:].copy()
    last[np.searchsorted(newlines, second[trailing]) - 1] -= 1
    first = last - dimension
    plain &= first > newlines[:-1]
    begins = marks[newlines[:-1][plain]] + 1
    runs = np.ndarray((max(len(marks) - dimension, 0), dimension + 1), np.int64, marks, strides=marks.strides * 2)
    return begins, runs[first[plain]], plain


def _vectors(text: DecimalText, bounds: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the values between the bounds ``(n, d + 1)`` as float32 ``(n, d)``, and which rows are finite decimals."""
    starts, ends = bounds[:, :-1].ravel() + 1, bounds[:, 1:].ravel()
    vectors = np.empty((len(bounds), bounds.shape[1] - 1), np.float32)
    values = vectors.reshape(-1)
    for i in range(0, len(values), _FIELDS):
        start, end = starts[i : i + _FIELDS], ends[i : i + _FIELDS]
        numbers, known = text.decimals(start, end)
        if not known.all():
            unknown = ~known
            numbers[unknown] = _careful(text.cut(start[unknown], end[unknown]))
        with np.errstate(over="ignore"):
            values[i : i + _FIELDS] = numbers
    return vectors, np.logical_and.reduce(np.isfinite(vectors), axis=1)


def _careful(fields: list[bytes]) -> list[float]:
    """Return the values of any fields, nan for what is no number: all by ``float`` where no byte speaks against it."""
    if not b"".join(fields).translate(None, _PLAIN_BYTES):
        try:
            return list(map(float, fields))
        except ValueError:
            pass  # one of them is no number; which one, is found below
    return [_number(field) for field in fields]


def _number(field: bytes) -> float:
    try:
        return parse_number(field)
    except RowError:
        return float("nan")
