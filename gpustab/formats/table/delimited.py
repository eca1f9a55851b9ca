"""CSV, TSV and their kin: a column of words among columns of numbers, fields quoted or not."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

import numpy as np

from gpustab.errors import InputError, marked, option
from gpustab.formats.format import Format
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import RowTable
from gpustab.formats.source import Source
from gpustab.formats.table.columns import Columns
from gpustab.formats.table.layout import TableLayout, find_layout, for_excel, settle_table
from gpustab.formats.text.decimals import RowError, parse_number
from gpustab.formats.text.lines import Lines
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word, show

_BATCH = 2000
_PLAIN = str.maketrans("", "", "0123456789.eE+- ")

Numbered = tuple[int, list[str]]
"""The line that a row ends on, and its fields."""


def read_table(source: Source, options: LoadOptions) -> Space:
    """Read a table of text, plain or compressed.

    Args:
        source: the opened file.
        options: how to read it; ``word_column`` chooses the words.

    Returns:
        The space, its vectors ``(v, d)`` float32 rounded from the decimals' float64 values.

    Raises:
        InputError: if its columns cannot be told, the file is damaged, or a row has other fields than the first ones.
    """
    try:
        layout = settle_table(source.head, options)
        return _Reading(source, options, layout, layout.columns(options)).run()
    except InputError as error:
        raise InputError(f"{source.path}: {marked(error)}") from error


class _Reading:
    """One pass over one table."""

    def __init__(self, source: Source, options: LoadOptions, layout: TableLayout, columns: Columns) -> None:
        self._source, self._options, self._layout, self._columns = source, options, layout, columns
        self._lines = Lines(source)
        self._notes: list[str] = []
        self._empty = 0
        self._dimension = len(columns.vectors)
        if options.dim not in (None, self._dimension):
            raise InputError(f"there are {self._dimension} columns of values, but {option('dim', options.dim)}")
        guess = source.likely_bytes() // max(2 * self._dimension, 1)
        self._table = RowTable(self._dimension, min(guess, options.limit or guess, _BATCH), options)

    def run(self) -> Space:
        batch: list[Numbered] = []
        limit = self._options.limit
        for number, row in enumerate(self._rows()):
            if number == limit:
                self._notes.append(f"limit={limit}: the rows from line {row[0]} on were not read")
                break
            batch.append(row)
            if len(batch) == _BATCH:
                self._add(batch)
                batch = []
        self._add(batch)
        self._check_end()
        form = f"table ({self._layout.called})"
        return self._table.space(self._source, form, notes=[*self._columns.notes, *self._notes, *self._events()])

    def _rows(self) -> Iterator[Numbered]:
        """Yield the rows without the names of the columns; blank lines are passed over."""
        reader = csv.reader(self._text(), delimiter=self._layout.delimiter, strict=True)
        passed = not self._layout.has_names and len(self._layout.names) == len(self._layout.body[0])
        try:
            for row in reader:
                if row and passed:
                    yield reader.line_num, row
                passed = passed or bool(row)
        except csv.Error as error:
            if not self._source.damage:
                raise InputError(f"line {reader.line_num}: {error}; is a quote not closed?") from None

    def _text(self) -> Iterator[str]:
        for block in self._lines.blocks():
            for line in block[:-1].split(b"\n"):
                text = line.removesuffix(b"\r").decode("utf-8", "surrogateescape")
                yield "\n" if for_excel(text) else text + "\n"  # blank, so that lines keep their numbers

    def _add(self, batch: Sequence[Numbered]) -> None:
        rows = [row for row in batch if self._is_whole(*row)]
        if not rows:
            return
        word, vectors, counts = self._columns.word, self._columns.vectors, self._columns.counts
        values = self._values(rows, vectors)
        numbers = None if counts is None else [self._count(number, row[counts]) for number, row in rows]
        with np.errstate(over="ignore"):  # becomes inf, which the table looks for
            matrix = np.array(values, dtype=np.float64).reshape(len(rows), len(vectors)).astype(np.float32)
        self._table.add([_word(row[word]) for _, row in rows], matrix, [number for number, _ in rows], numbers)

    def _is_whole(self, number: int, row: list[str]) -> bool:
        """Tell whether a row has all fields and a word."""
        if len(row) != len(self._layout.names):
            what = f"line {number}: {len(row)} fields, wanted {len(self._layout.names)}"
            if not (self._lines.unfinished and self._options.allow_truncated):
                raise InputError(f"{what}{'; the file ends here: was it cut?' if self._lines.unfinished else ''}")
            self._notes.append(f"allow_truncated: {what}: the last row was left out")
            return False
        word = row[self._columns.word]
        if "\n" in word:
            raise InputError(f"line {number}: the word ends here and began on an earlier line; is a quote not closed?")
        if not word and not self._options.skip_empty_tokens:
            raise InputError(f"line {number}: the word is empty; {option('skip_empty_tokens')} passes over such rows")
        self._empty += not word
        return bool(word)

    def _values(self, rows: Sequence[Numbered], columns: Sequence[int]) -> list[float]:
        fields = [row[i] for _, row in rows for i in columns]
        if not "".join(fields).translate(_PLAIN):
            try:
                return list(map(float, fields))
            except ValueError:
                pass  # found below
        return [self._value(number, i, row[i]) for number, row in rows for i in columns]

    def _value(self, number: int, column: int, field: str) -> float:
        try:
            return parse_number(as_word(field.strip()))
        except RowError as error:
            name = self._layout.names[column]
            where = f"column {column + 1}" + (f" ({name})" if name else "")
            what = f"'{show(as_word(field[:40]))}' {error}" if field.strip() else "there is no value"
            raise InputError(f"line {number}, {where}: {what}") from None

    def _count(self, number: int, field: str) -> int:
        value = self._value(number, self._columns.counts or 0, field)
        if not value.is_integer() or value < 0:
            raise InputError(f"line {number}: the count is {field}, wanted a whole number")
        return int(value)

    def _check_end(self) -> None:
        source = self._source
        if not source.damage:
            return
        what = f"incomplete or damaged download ({source.damage.rstrip('.')}): {self._table.rows} rows could be read"
        if not self._options.allow_truncated:
            raise InputError(f"{what}; {option('allow_truncated')} keeps them")
        self._notes.append(f"allow_truncated: {what}")

    def _events(self) -> Iterator[str]:
        if self._lines.has_bom:
            yield "a byte-order mark (UTF-8 BOM) at the start was removed"
        if self._empty:
            yield f"skip_empty_tokens: {self._empty} row(s) with an empty word left out"
        if self._lines.unfinished:
            yield "no newline at the end of the last line: it may be cut within a number"


def _word(field: str) -> bytes:
    return as_word(field.strip(" \t") or field)


def _matches(head: bytes) -> bool:
    return find_layout(head) is not None


TABLE = Format("table", matches=_matches, read=read_table)
