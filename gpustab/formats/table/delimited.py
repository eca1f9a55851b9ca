"""CSV, TSV and their kin: a column of words among columns of numbers, fields quoted or not."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpustab.errors import InputError, naming, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.sniff import UTF8_BOM, foreign, read_header
from gpustab.formats.source import Source
from gpustab.formats.table.columns import Columns, Kind, choose_columns
from gpustab.formats.text.decimals import RowError, is_number_like, parse_number
from gpustab.formats.text.layout import Lines, are_names
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word, show

_SAMPLE = 30
_EXCEL = re.compile(r'"?sep=."?\r?\n?')
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces"}


@dataclass(frozen=True)
class TableLayout:
    """How the rows of a table are to be read; its names are empty texts where no line names the columns."""

    delimiter: str
    names: tuple[str, ...]
    has_names: bool
    kinds: tuple[Kind, ...]
    body: tuple[tuple[str, ...], ...]

    def columns(self, options: LoadOptions) -> Columns:
        """Choose the columns."""
        return choose_columns(self.names, self.kinds, list(zip(*self.body, strict=True)).__getitem__, options)


def find_layout(head: bytes, header: bool | None = None, word_column: str | None = None) -> TableLayout | None:
    """Return the layout of a table of vectors, ``None`` where the text is no table or one that needs no columns.

    Text of a word and its values with blanks or tabs between is not meant, unless all its words are quoted, or tabs
    part columns that have names or begin with something else than the words.

    Args:
        head: the first bytes.
        header: whether the first line names the columns; default: found out.
        word_column: name or number of the words, which may look like numbers themselves: then they say nothing of
            whether the first line names columns.
    """
    if foreign(head) is not None and not _is_table_text(head):
        return None
    lines = head.removeprefix(UTF8_BOM)[: 1 << 18].decode("utf-8", "surrogateescape").split("\n")
    lines = [line for line in (lines[:-1] or lines)[: _SAMPLE + 1] if line.strip() and not for_excel(line)]
    quoted = len(lines) > 1 and all(line.startswith('"') for line in lines[1:])
    layouts = (_with(lines, delimiter, header, word_column) for delimiter in _DELIMITERS)
    return next((one for one in layouts if one is not None and _is_meant(one, quoted)), None)


def for_excel(line: str) -> bool:
    """Tell the line that tells Excel the delimiter, and nobody else anything.

    >>> for_excel("sep=;"), for_excel("september;1;2")
    (True, False)
    """
    return _EXCEL.fullmatch(line) is not None


def _is_table_text(head: bytes) -> bool:
    # Rows of text whose words come last do not end in numbers.
    return b"\0" not in head and foreign(head + b"\na 1 2\n" * 60) is None


def _with(lines: Sequence[str], delimiter: str, header: bool | None, word_column: str | None) -> TableLayout | None:
    try:
        ended = (line.removesuffix("\r") + "\n" for line in lines)
        rows = list(csv.reader(ended, delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    widths = Counter(len(row) for row in rows[1:] or rows)
    ((width, times),) = widths.most_common(1) or [(0, 0)]
    if width < 3 or times < 0.9 * widths.total():
        return None
    body = [tuple(row) for row in (rows[1:] or rows) if len(row) == width]
    kinds = tuple(_kind([row[i] for row in body]) for i in range(width))
    short = len(rows[0]) == width - 1 and not read_header(" ".join(rows[0]).encode())  # R names all but the words
    first = [""] * short + rows[0]
    asked, by_name = _asked(first, kinds, word_column) if len(first) == width else (None, False)
    numbers = [i for i, kind in enumerate(kinds) if kind == "numbers" and i != asked]
    if len(numbers) < 2 - (word_column is not None):
        return None
    named = len(rows) > 1 and len(first) == width and (by_name or _are_names(first, body, numbers))
    named = named if header is None else header and len(first) == width
    whole = body if named or len(rows[0]) != width else [tuple(rows[0]), *body][:_SAMPLE]
    names = tuple(field.strip() for field in first) if named else ("",) * width
    return TableLayout(delimiter, names, named, kinds, tuple(whole))


def _asked(first: Sequence[str], kinds: Sequence[Kind], asked: str | None) -> tuple[int | None, bool]:
    """Return the column of words that was asked for, and whether by what stands in the first row, not by its place."""
    if asked is None:
        return None, False
    names = [field.strip() for field in first]
    place = int(asked) - 1 if asked.isdecimal() and 1 <= int(asked) <= len(first) else None
    if asked in names and (place is None or (kinds[names.index(asked)] == "text" and kinds[place] != "text")):
        return names.index(asked), True
    return place, False


def _kind(values: Sequence[str]) -> Kind:
    numbers = sum(is_number_like(value.strip().encode("utf-8", "surrogateescape")) for value in values)
    return "numbers" if 2 * numbers >= len(values) else "text"


def _are_names(first: Sequence[str], body: Sequence[Sequence[str]], numbers: Sequence[int]) -> bool:
    values = [[row[i].encode("utf-8", "surrogateescape").strip() for i in numbers] for row in body]
    others = [field for i, field in enumerate(first) if i not in numbers]
    fields = [first[i].encode("utf-8", "surrogateescape").strip() for i in numbers]
    return are_names(others[0].encode("utf-8", "surrogateescape") if others else b"", fields, values)


def _is_meant(layout: TableLayout, quoted: bool) -> bool:
    texts = [i for i, kind in enumerate(layout.kinds) if kind == "text"]
    if layout.delimiter in ",;":
        # "a 1,5 2,5" is a word and two values with decimal commas, not a word "a 1" and others.
        ends = [field.split()[-1] for row in layout.body for i in texts if len((field := row[i]).split()) > 1]
        return 2 * sum(is_number_like(end.encode("utf-8", "surrogateescape")) for end in ends) <= len(layout.body)
    # R's write.table quotes all words.
    return quoted or (layout.delimiter == "\t" and (layout.has_names or (bool(texts) and texts != [0])))


_BATCH = 2000
_PLAIN = str.maketrans("", "", "0123456789.eE+- ")

Numbered = tuple[int, list[str]]
"""The line that a row ends on, and its fields."""


def read_table(source: Source, options: LoadOptions) -> Space:
    """Read a table of text, plain or compressed.

    Raises:
        InputError: if its columns cannot be told, the file is damaged, or a row has other fields than the first ones.
    """
    with naming(source.path):
        if (layout := find_layout(source.head, options.header, options.word_column)) is None:
            raise InputError("the first lines are not a table of vectors")
        return _Reading(source, options, layout, layout.columns(options)).run()


class _Reading:
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
        form = f"table ({_DELIMITERS[self._layout.delimiter]})"
        return self._table.space(self._source, form, notes=[*self._columns.notes, *self._notes, *self._events()])

    def _rows(self) -> Iterator[Numbered]:
        """Yield the rows without the names of the columns; blank lines are passed over."""
        reader = csv.reader(self._text(), delimiter=self._layout.delimiter, strict=True)
        passed = not self._layout.has_names and len(self._layout.names) == len(self._layout.body[0])
        begins = 1
        try:
            for row in reader:
                if row and passed:
                    yield reader.line_num, row
                passed, begins = passed or bool(row), reader.line_num + 1
        except csv.Error as error:
            if not self._source.damage:
                raise InputError(f"line {begins}: the row begins here: {error}; is a quote not closed?") from None

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
        words = [as_word(row[word].strip(" \t") or row[word]) for _, row in rows]
        self._table.add(words, matrix, [number for number, _ in rows], numbers)

    def _is_whole(self, number: int, row: list[str]) -> bool:
        if len(row) != len(self._layout.names):
            what = f"line {number}: {len(row)} fields, wanted {len(self._layout.names)}"
            if self._table.rows == 0 and (header := read_header(" ".join(row).encode())):
                rows, values = header
                raise InputError(f"{what}: is it word2vec's header, {rows} rows of {values} values? take the line out")
            if not (self._lines.unfinished and self._options.allow_truncated):
                cut = f"; the file ends here: was it cut? {option('allow_truncated')} leaves this row out"
                raise InputError(f"{what}{cut if self._lines.unfinished else ''}")
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


TABLE = Format("table", matches=lambda head: find_layout(head) is not None, read=read_table)
