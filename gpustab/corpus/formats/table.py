"""Tables as text: CSV with commas, semicolons or bars, and TSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.records import choose_columns, document, named
from gpustab.errors import InputError, option

_DELIMITERS = "\t,;|"
_ROWS = 50
_NAME = re.compile(r"[^\W\d][\w.:/-]{0,39}")

csv.field_size_limit(2**31 - 1)  # a document is longer than the 128 KiB that a cell may have otherwise


def _matches(start: str, suffix: str) -> bool:
    return suffix in (".csv", ".tsv", ".tab") or _dialect(start, guessed=True) is not None


def _dialect(start: str, guessed: bool = False) -> dict[str, Any] | None:
    """Return how the rows are written, or ``None`` where they are none.

    Args:
        start: of the text.
        guessed: the suffix does not say that it is a table: then all rows have one width, and the first row holds
            names without spaces, unless tabs stand between.
    """
    found: list[tuple[int, str, dict[str, Any]]] = []
    for delimiter in _DELIMITERS:
        dialect = _written_with(delimiter, start)
        rows = _first_rows(start, dialect)
        widths = {len(row) for row in rows}
        if len(rows) < 2 or len(widths) != 1 or max(widths) < 2:
            continue
        if guessed and delimiter != "\t" and not (len(rows) > 2 and _is_header(rows[0])):
            continue
        found.append((max(widths), delimiter, dialect))
    return max(found, key=lambda one: one[0])[2] if found else None


def _written_with(delimiter: str, start: str) -> dict[str, Any]:
    """In tables with tabs a quotation mark is usually just one: it is taken for quoting only where it pairs."""
    quoted = delimiter != "\t" or re.search(r'(?:^|\t)"(?:[^"\n\t]|"")*"(?:\t|\r?$)', start[:100_000], re.M)
    return {"delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, "strict": True}


def _first_rows(start: str, dialect: Mapping[str, Any]) -> list[list[str]]:
    lines = start.splitlines(keepends=True)
    rows = []
    try:
        for row in csv.reader(iter(lines), **dialect):
            if row:
                rows.append(row)
            if len(rows) > _ROWS:
                break
    except csv.Error:
        return []
    # The last may be cut where the sample ends.
    return rows[:-1] if len(rows) > 2 and len(rows) <= _ROWS and not start.endswith("\n") else rows


def _is_header(row: list[str]) -> bool:
    return len(set(row)) == len(row) and all(_NAME.fullmatch(cell) for cell in row)


def _read(file: TextFile) -> Iterator[Document]:
    start = "".join(line for _, line in zip(range(4 * _ROWS), file.raw_lines(), strict=False))
    if not start.strip():
        raise InputError(f"{file.path}: the file is empty")
    dialect = _dialect(start) or _written_with(next((d for d in _DELIMITERS if d in start.split("\n")[0]), ","), start)
    rows = _rows(file, dialect)
    _, first = next(rows)
    # Numbers name columns where no header does.
    bare = bool(file.options.columns) and all(map(str.isdecimal, file.options.columns.values()))
    header = [str(n) for n in range(1, len(first) + 1)] if bare else [cell.strip() for cell in first]
    if len(set(header)) < len(header):
        raise InputError(f"{file.path}: line 1: the header has a name twice: {named(header)}")
    try:
        columns = choose_columns(file, header, header if len(header) == 1 else ())
    except InputError as error:
        ways = f"a column's number (from 1) where there is no header, or {option('format', 'plain')} if it is no table"
        raise InputError(f"{error.marked}, or {ways}") from None
    for number, (line, row) in enumerate(_rows(file, dialect)):
        if len(row) != len(header):
            what = f"wanted {len(header)} cells as in line 1, found {len(row)}"
            raise InputError(f"{file.path}: line {line:,}: {what}; is a quotation mark open?")
        if number or bare:
            record = dict(zip(header, row, strict=True))
            yield document(file, f"line {line:,}", number + bare, record, columns)


def _rows(file: TextFile, dialect: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line."""
    rows = csv.reader(file.raw_lines(), **dialect)
    try:
        for row in rows:
            if row:
                yield rows.line_num, row
    except csv.Error as error:
        raise InputError(f"{file.path}: line {rows.line_num:,}: {error}") from None


TABLE = TextFormat("table", "a table", (".csv", ".tsv", ".tab"), "records", _matches, _read)
