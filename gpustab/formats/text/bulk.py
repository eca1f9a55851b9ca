"""Whole blocks of text rows at once: the rows that are beyond doubt become words and vectors, the others are named.

What is beyond doubt reads as :func:`gpustab.formats.text.decimals.parse_row` reads it, bit for bit: eight digits a
machine word, each value rounded as Python's ``float`` rounds it. A field is ``[sign] whole [. fraction] [e±dd]``. Its
digits become one integer ``m`` of at most 15 digits, which float64 holds exactly, as it does every power of ten up to
10²²: so the one division ``m / 10^s`` rounds once, correctly (Clinger 1990, "How to read floating point numbers
accurately"). All other fields are converted one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.text.decimals import RowError, parse_number

OFFSET = 1  # of a text's first byte in the buffer, behind a newline

_POINT, _PLUS, _MINUS, _ZERO, _E = b".+-0e"
_LOWER_CASE = 0x20
_WORD = np.dtype("<u8")
_LONGEST = 16  # bytes after the sign: at most 15 digits and a point
_FRACTIONS = 15
_TENS = 10 ** np.arange(_FRACTIONS + 1, dtype=np.uint64)
_POWERS = np.array([float(10**i) for i in range(23)])
# Of a word that ends where the digits end, keep the last i bytes; or, of the word before it, the last i - 8.
_LAST = np.array([(1 << 64) - (1 << 8 * (8 - min(i, 8))) for i in range(_FRACTIONS + 1)], dtype=np.uint64)
_BEFORE_LAST = np.array([0] * 8 + [(1 << 64) - (1 << 8 * (16 - i)) for i in range(8, 16)], dtype=np.uint64)
_ALL_ZERO = np.uint64(0x3030303030303030)


class Decimals(NamedTuple):
    """Values of many fields: float64 ``(n,)``, and whether each field was plain enough to have one ``(n,)``."""

    values: NDArray[np.float64]
    known: NDArray[np.bool_]


class DecimalText:
    r"""A text in which decimals can be read anywhere.

    Attributes:
        bytes: a newline, the text from ``OFFSET`` on, and some bytes that are neither digits nor separators.

    >>> text = DecimalText(b"-0.25 1e-05 nan")
    >>> values, known = text.decimals(OFFSET + np.array([0, 6, 12]), OFFSET + np.array([5, 11, 15]))
    >>> values[known], known
    (array([-2.5e-01,  1.0e-05]), array([ True,  True, False]))
    """

    def __init__(self, text: bytes) -> None:
        # Room for the windows before the first byte and behind the last one, in whole words.
        padded = np.frombuffer(b"".join([b"x" * 16, b"\n", text, b"x" * (8 + (-1 - len(text)) % 8)]), np.uint8)
        self._text = text
        self.bytes = padded[16:]
        words = padded.view(_WORD)
        self._words = words[2:], words[1:], words  # at i: the aligned word i of the bytes, and the two before it

    def cut(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> list[bytes]:
        """Return the parts ``text[start:end]``, for arrays ``(n,)`` of positions in :attr:`bytes`."""
        spans = zip((start - OFFSET).tolist(), (end - OFFSET).tolist(), strict=True)
        return [self._text[begin:stop] for begin, stop in spans]

    def _window(self, end: NDArray[np.int64], back: int = 0) -> NDArray[np.uint64]:
        """Return the eight bytes before every position, or the eight before these.

        They are put together from two aligned words, as these load much faster.
        """
        index, shift = end >> 3, (end << 3 & 63).view(np.uint64)
        words = self._words[back + 1].take(index)
        words >>= shift
        following = self._words[back].take(index)
        following <<= np.uint64(64) - shift  # by 64: nothing is left
        words |= following
        return words

    def decimals(self, start: NDArray[np.int64], end: NDArray[np.int64]) -> Decimals:
        """Return the values of the fields ``text[start:end]``, arrays ``(n,)``; no field may be empty."""
        first = self.bytes.take(start)
        negative = first == _MINUS
        start = start + (negative | (first == _PLUS)).view(np.uint8)
        end, exponent = self._strip_exponent(start, end)
        whole, point, known = self._whole(start, end)
        size = end - point
        size -= 1
        fraction, fraction_known = self._fraction(end, size)
        known &= fraction_known
        known &= end - start <= _LONGEST
        whole *= _TENS.take(size, mode="clip")
        whole += fraction
        if exponent is not None:
            size -= exponent
            known &= (size >= 0) & (size < len(_POWERS))
        values = whole.astype(np.float64)
        values /= _POWERS.take(size, mode="clip")
        bits = values.view(np.uint64)
        bits |= negative.astype(np.uint64) << np.uint64(63)
        return Decimals(values, known)

    def _strip_exponent(
        self, start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Return where the fields end without ``e±dd``, the form that C and Python print, and the exponents."""
        found = np.flatnonzero(self.bytes.take(end - 4) | _LOWER_CASE == _E)
        if not found.size:
            return end, None
        sign, tens, ones = (self.bytes.take(end[found] - i) for i in (3, 2, 1))
        tens, ones = tens - np.uint8(_ZERO), ones - np.uint8(_ZERO)
        real = ((sign == _MINUS) | (sign == _PLUS)) & (tens <= 9) & (ones <= 9) & (start[found] <= end[found] - 4)
        if not real.any():
            return end, None
        found, sign = found[real], sign[real]
        end, exponent = end.copy(), np.zeros_like(end)
        end[found] -= 4
        exponent[found] = (10 * tens[real].astype(np.int64) + ones[real]) * np.where(sign == _MINUS, -1, 1)
        return end, exponent

    def _whole(
        self, start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the part before the point, where the point is or would be, and whether both are beyond doubt."""
        digit = self.bytes.take(start) - np.uint8(_ZERO)
        point = start + 1
        known = (digit <= 9) & (self.bytes.take(point) == _POINT) & (point < end)
        whole = digit.astype(np.uint64)
        others = np.flatnonzero(~known)  # any number of digits but one, or no point
        if others.size:
            words = self._window(start[others] + 8) ^ _ALL_ZERO
            # The bits below the first byte that is no digit.
            size = np.bitwise_count(~(flags := _not_digits(words)) & (flags - np.uint64(1))).astype(np.int64) >> 3
            whole[others] = _number(words << (64 - 8 * size).astype(np.uint64))
            at, stop = start[others] + size, end[others]
            pointed = (at < stop) & (self.bytes.take(at) == _POINT)
            known[others] = (pointed & (stop - start[others] > 1)) | ((at == stop) & (size > 0))
            point[others] = np.minimum(at, stop - 1)  # without a point, the fraction is empty all the same
        return whole, point, known

    def _fraction(
        self, end: NDArray[np.int64], size: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return the integers that the last ``size`` bytes before ``end`` spell, and whether all are digits."""
        words = self._window(end)
        words ^= _ALL_ZERO
        words &= _LAST.take(size, mode="clip")
        wrong = _not_digits(words)
        fraction = _number(words)
        if size.max(initial=0) > 8:
            words = self._window(end, back=1)
            words ^= _ALL_ZERO
            words &= _BEFORE_LAST.take(size, mode="clip")
            wrong |= _not_digits(words)
            words = _number(words)
            words *= np.uint64(10**8)
            fraction += words
        return fraction, wrong == 0


def _not_digits(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Set the highest bit of every byte above 9; right up to and including the first such byte of each word."""
    flags = words + np.uint64(0x7676767676767676)
    flags |= words
    flags &= np.uint64(0x8080808080808080)
    return flags


def _number(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the integers of eight digits a word, one a byte, the first in the lowest: 1, then 2, 4 and 8 at a time."""
    words = words * np.uint64(10 << 8 | 1)
    words >>= np.uint64(8)
    words &= np.uint64(0x00FF00FF00FF00FF)
    words *= np.uint64(100 << 16 | 1)
    words >>= np.uint64(16)
    words &= np.uint64(0x0000FFFF0000FFFF)
    words *= np.uint64(10000 << 32 | 1)
    words >>= np.uint64(32)
    return words


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
    return [_parsed(field) for field in fields]


def _parsed(field: bytes) -> float:
    try:
        return parse_number(field)
    except RowError:
        return float("nan")
