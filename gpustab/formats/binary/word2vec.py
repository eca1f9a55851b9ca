"""word2vec's binary files: a header, then row by row a word, 0x20 and the values as little-endian float32.

word2vec itself ends each row with 0x0A, other writers do not, and both bytes may occur within values and words. Which
of the two a file is gets settled once, by what follows its first rows; all later rows and the end of the file have to
agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpustab.errors import InputError, naming, option
from gpustab.formats.binary.cursor import Cursor
from gpustab.formats.binary.word2vec_rows import (
    WRITTEN,
    BinaryRows,
    TornRows,
    ends_rows_with_newline,
    kind_of_values,
    said_of_kind,
)
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.rows import Format, Placed, RowTable
from gpustab.formats.sniff import foreign, read_header
from gpustab.formats.source import Source
from gpustab.spaces.space import Event, Space
from gpustab.spaces.words import LONGEST_WORD, show

_LOOKED_AT, _MOST_ROWS = 1 << 20, 16
"""Bytes, or rows of the widest values, whose type is looked at."""
_MOST_VALUES = 1 << 28  # a row of 1 GiB


class Reading:
    """The rows taken in so far, and what happened on the way."""

    def __init__(self, source: Source, options: LoadOptions, placed: bool) -> None:
        self._source = source
        self._options = options
        self._placed = placed
        self._cursor = Cursor(source)
        self._rows = 0
        self._empty = Event()
        self._broken = Event()
        self._torn = Event()
        self._rows_without_newline = TornRows()
        self._last_row_at = 0
        self._notes: list[str] = []
        self._declared, self._dimension = self._read_header()
        start = self._cursor.peek(min(_LOOKED_AT, 8 * _MOST_ROWS * self._dimension))
        self._kind = kind_of_values(start, self._dimension, self._declared)
        self._width = np.dtype(self._kind).itemsize * self._dimension
        if self._kind != WRITTEN:
            self._notes.append(said_of_kind(self._kind))

    @property
    def stays(self) -> bool:
        """Whether the values are what is wanted, and may stay where they lie."""
        return self._kind == WRITTEN

    def run(self) -> RowTable:
        """Read the file; return its rows, of which :attr:`found` holds what is to be said.

        Raises:
            InputError: see :func:`gpustab.formats.binary.word2vec.read_word2vec_binary`; it lacks the file's name.
        """
        header = self._declared, self._dimension
        self._window = self._width + LONGEST_WORD + 2  # holds any row, and one byte more
        start = self._cursor.peek(self._window)
        self._newline = ends_rows_with_newline(start, self._dimension, self._declared, self._kind)
        self._table = RowTable(self._dimension, self._capacity(), self._options, "row", placed=self._placed)
        trailing = self._check_end() if self._read() else 0
        self.found: dict[str, Any] = {"header": header, "notes": [*self._notes, *self._events()], "trailing": trailing}
        return self._table

    def _read_header(self) -> tuple[int, int]:
        line = bytes(self._cursor.peek(64)[:64]).partition(b"\n")[0]
        header = read_header(line)
        if header is None:
            raise InputError("byte 0: wanted the number of rows and of values in one line")
        if self._options.header is False:
            raise InputError(f"{option('header', False)}, but a word2vec binary file cannot be read without its header")
        d = header[1]
        if not 1 <= d <= _MOST_VALUES:
            raise InputError(f"the header declares {d} values a row, wanted 1 to {_MOST_VALUES}")
        if self._options.dim not in (None, d):
            raise InputError(
                f"the header declares {d} values a row, but {option('dim', self._options.dim)} was asked for"
            )
        self._cursor.skip(len(line) + 1)
        return header

    def _capacity(self) -> int:
        """Return the rows to make room for: never more than the file can hold, whatever its header promises."""
        most, shortest = self._source.most_bytes(), self._width + 1  # an empty word, 0x20
        if most is None:
            possible = 1 << 16
        else:
            left = most - self._cursor.offset
            possible = left // shortest
            if self._declared > possible and not self._may_be_short():
                raise InputError(
                    f"the header promises {self._declared} rows of {self._dimension} values, at least "
                    f"{self._declared * shortest} bytes after byte {self._cursor.offset}, but {left} bytes hold at "
                    f"most {possible} rows: incomplete or damaged download"
                )
        return min(self._declared, possible, self._options.limit or self._declared)

    def _may_be_short(self) -> bool:
        return self._options.allow_count_mismatch or self._options.allow_truncated

    def _read(self) -> bool:
        """Take in the rows; return whether the last one that was declared was reached."""
        count = min(self._declared, self._options.limit or self._declared)
        while self._rows < count:
            if self._table.complete:
                self._notes.append(f"words: all were found before byte {self._cursor.offset}, and no more was read")
                return False
            window = self._cursor.peek(self._window)
            rows = self._cut(window, self._newline, count - self._rows)
            readable = rows or self._last_row(window)
            if not readable:
                return False
            self._take(readable)
        if count < self._declared:
            self._notes.append(
                f"limit={count}: nothing was read from byte {self._cursor.offset} on, so neither the number of rows "
                "nor the end of the file was checked"
            )
        return count == self._declared

    def _cut(self, window: memoryview, newline: bool, most: int) -> BinaryRows:
        return BinaryRows(window, self._dimension, newline=newline, most=most, kind=self._kind)

    def _take(self, rows: BinaryRows) -> None:
        words, places = rows.words, range(self._rows, self._rows + len(rows))
        if not all(words):
            self._check_empty(rows)
        kept, vectors = [i for i, word in enumerate(words) if word], rows.vectors()
        starts = self._cursor.offset + rows.starts
        large = self._table.implausible.count + self._table.nonfinite.count
        if len(kept) == len(words):
            self._table.add(words, vectors, places, starts=starts)
        else:
            self._table.add([words[i] for i in kept], vectors[kept], [places[i] for i in kept], starts=starts[kept])
        if not self._newline:
            now = self._table.implausible.count + self._table.nonfinite.count
            self._check_torn(rows, self._rows_without_newline.find(words, vectors, now > large))
        if not self._newline and b"\n" in b"".join(words):
            for word, place in zip(words, places, strict=True):
                if word.startswith(b"\n"):
                    self._broken.add(f"'{show(word)}' in row {place}")
        self._rows += len(rows)
        self._cursor.skip(int(rows.ends[-1]))

    def _check_torn(self, rows: BinaryRows, torn: int | None) -> None:
        """Refuse the file where a row's values were not written as one vector, unless the options let it pass."""
        place, last = self._last_row_at, len(rows) - 1
        self._last_row_at = self._cursor.offset + rows.begin(last)
        if torn is None:
            return
        if torn >= 0:
            place = self._cursor.offset + rows.begin(torn)
        what = (
            f"byte {place}: the values of row {self._rows + torn} are not those of one vector: a space within its "
            "word, or a byte too many or too few before, as nothing parts rows without newlines"
        )
        if not self._options.allow_misread:
            what += f"; write the file with newlines or as text, or {option('allow_misread')} takes it as it is"
            self._stop(what)
        self._torn.add(f"row {self._rows + torn} at byte {place}")

    def _check_empty(self, rows: BinaryRows) -> None:
        for word, start in zip(rows.words, rows.starts.tolist(), strict=True):
            if word:
                continue
            place = f"byte {self._cursor.offset + start - 1}"
            if not self._options.skip_empty_tokens:
                reason = (
                    f"{place}: the word before this space is empty; {option('skip_empty_tokens')} passes over such rows"
                )
                self._stop(reason)
                raise InputError(reason)
            self._empty.add(place)

    def _last_row(self, window: memoryview) -> BinaryRows | None:
        """Return the last row where only its newline is missing; else say why the window begins with no row."""
        offset = self._cursor.offset
        row = self._cut(window, newline=False, most=1)
        end = int(row.ends[0]) if row else 0
        if row and end == len(window):
            self._notes.append(f"no newline at byte {offset + end} ends the last row, as one does all rows before")
            return row
        if row:
            self._stop(
                f"byte {offset + end}: wanted 0x0A, which ends the {self._rows} rows before, found "
                f"0x{window[end]:02X}: the file fits neither layout, with a newline after each row or without"
            )
        elif len(window) < self._window:
            self._check_cut(len(window))
        else:
            self._stop(
                f"byte {offset}: wanted a word after {self._rows} rows, found {LONGEST_WORD} bytes without a space"
            )
        return None

    def _stop(self, reason: str) -> None:
        """Refuse a row that cannot be read, unless the unpacking finds damage and the options let that pass."""
        self._cursor.count_rest()
        if not self._source.damage:
            raise InputError(reason)
        self._check_cut(0)

    def _check_cut(self, left: int) -> None:
        """Refuse a file that ends before its last row, unless the options let it pass."""
        what = f"the header declares {self._declared} rows, found {self._rows}"
        if damage := self._source.damage:
            what = (
                f"incomplete or damaged download ({damage.rstrip('.')}): {self._source.bytes_read} decompressed "
                f"bytes and {self._rows} complete rows could be read"
            )
        elif left:
            what += (
                f" complete ones: the row at byte {self._cursor.offset} takes at least {self._width + 1} "
                f"bytes, {left} are left: incomplete or damaged download"
            )
        if damage or left:
            if not self._options.allow_truncated:
                raise InputError(f"{what}; {option('allow_truncated')} keeps the complete rows")
            self._notes.append(f"allow_truncated: {what}")
        elif not self._may_be_short():
            raise InputError(
                f"{what}: the file ends at byte {self._cursor.offset}; {option('allow_count_mismatch')} accepts this"
            )
        else:
            self._notes.append(f"{what}; all of them were read")

    def _check_end(self) -> int:
        """Return the number of bytes after the last row: more than one newline only where the options let it pass."""
        offset, start = self._cursor.offset, bytes(self._cursor.peek(2)[:2])
        trailing = self._cursor.count_rest()
        if self._source.damage:
            self._check_cut(0)
        if trailing and start != b"\n":
            what = f"byte {offset}: wanted the end of the file after {self._rows} rows, found {trailing} more bytes"
            if not self._options.allow_count_mismatch:
                raise InputError(f"{what}; {option('allow_count_mismatch')} leaves them out")
            self._notes.append(f"allow_count_mismatch: {what}")
        return trailing

    def _events(self) -> Iterator[str]:
        if self._empty.count:
            yield f"skip_empty_tokens: {self._empty.count} row(s) with an empty word left out: {self._empty}"
        if self._torn.count:
            yield f"allow_misread: rows that are not those of one vector, or more often: {self._torn}"
        if self._broken.count:
            yield f"{self._broken.count} word(s) begin with a newline, though none ends the rows: {self._broken}"


def is_word2vec_binary(head: bytes) -> bool:
    r"""Tell word2vec's binary form: its header, and then no text.

    >>> is_word2vec_binary(b"1 2\nw \x00\x00\x80\x3f\x00\x00\x00\x40"), is_word2vec_binary(b"1 2\nw 1.0 2.0\n")
    (True, False)
    """
    return read_header(head.partition(b"\n")[0]) is not None and foreign(head) is not None


def read_word2vec_binary(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read word2vec's binary form, plain or compressed, with or without a newline after each row.

    Returns:
        The space, its vectors ``(v, d)`` float32 bit by bit those of the file, without counts.

    Raises:
        InputError: if the file is cut or damaged, goes on after its last row, fits neither layout, or has rows that
            the options do not let pass.
    """
    with naming(source.path):
        reading = Reading(source, options, placed=False)
        return reading.run().space(source, "word2vec binary", **reading.found)


def place_word2vec_binary(source: Source, options: LoadOptions = DEFAULTS) -> Placed | None:
    """Find where the vectors of a file are, or return ``None`` where they have to be unpacked first.

    All is read and checked as by :func:`read_word2vec_binary`, and nothing of the vectors is kept.

    Raises:
        InputError: likewise.
    """
    if not source.can_be_mapped:
        return None
    with naming(source.path):
        reading = Reading(source, options, placed=True)
        if not reading.stays:
            return None
        return reading.run().placed(source, "word2vec binary", **reading.found)


WORD2VEC_BINARY = Format(
    "word2vec binary", matches=is_word2vec_binary, read=read_word2vec_binary, place=place_word2vec_binary
)
