"""Text in records: rows of a table (CSV, TSV) or JSON objects, each with text, id, date and other columns."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from gpustab.corpus.dates import UnclearDateError, kept_year, read_years
from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, near, option
from gpustab.formats.parsed import parse_json


class Columns(NamedTuple):
    """Which columns are the text, the id and the date."""

    text: str
    id: str | None
    date: str | None


def choose_columns(file: TextFile, known: Sequence[str], textual: Sequence[str]) -> Columns:
    """Return the columns that the options name, or of which there is only one that can be meant.

    Raises:
        InputError: with what there is to choose from.
    """
    options = file.options
    for name, column in options.columns.items():
        if column not in known:
            there = f"{near(column, known)}; columns are {named(known)}"
            raise InputError(f"{file.path}: there is no column for {option(name, column)}{there}")
    named_text = [column for column in known if column.lower() == "text"]
    text = options.column or next(
        iter(named_text if len(named_text) == 1 else textual if len(textual) == 1 else ()), ""
    )
    if not text:
        raise InputError(f"{file.path}: which column is the text? {named(known)}; say {option('column', ...)}")
    return Columns(text, options.id_column, options.date_column)


def document(file: TextFile, where: str, number: int, record: Mapping[str, str], columns: Columns) -> Document:
    """Return a record as a document; ``where`` is its place for errors.

    Raises:
        InputError: if its date is unclear, unless that is allowed.
    """
    metadata = {name: value for name, value in record.items() if name not in (columns.text, columns.id)}
    date = record.get(columns.date, "").strip() if columns.date else ""
    if date:
        metadata["year"] = _year(file, where, str(columns.date), date)
    return Document((record.get(columns.id, "") if columns.id else "") or str(number), metadata, [record[columns.text]])


def _year(file: TextFile, where: str, column: str, date: str) -> str:
    """Return what is kept as the year of a record; an unclear date as it is, so that it is counted as such."""
    try:
        return kept_year(date) if file.options.unclear_dates != "refuse" else str(read_years(date) or "")
    except UnclearDateError as error:
        wanted = f"wanted a date with a year of four digits: {error}"
        way = f"{option('unclear_dates', 'undated')} leaves such documents without a year"
        raise InputError(f"{file.path}: {where}: {column} is '{date}', {wanted}; {way}") from None


def named(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, the first of many."""
    short = [column if len(column) <= 30 else f"{column[:29]}…" for column in columns[:12]]
    return ", ".join(f"'{column}'" for column in short) + (" …" if len(columns) > 12 else "")


def refuse_columns(options: ReadOptions, path: object, title: str) -> None:
    """Refuse columns where there are none.

    Raises:
        InputError: naming the option.
    """
    for name, value in options.columns.items():
        raise InputError(f"{path}: {option(name, value)} is for tables and JSON lines, and this is {title}")


_OBJECT = re.compile(r'\{\s*"[^"\n]+"\s*:')
_ARRAY = re.compile(r'\[\s*\{\s*"[^"\n]+"\s*:')


_COUNTS, _LOOKED_AT = 100, 100_000
"""Numbers of a record from which it is a table of counts, and values that are looked at."""
_TEXTS, _RUNNING = 5, 5
"""Texts of one object from which its fields are documents, and blanks of a text that is no name."""
_WRITE = '; write {"text": "..."} a line for each document'


def _is_json_lines(start: str) -> bool:
    """Tell whether the first line, or the file, begins with a JSON object or an array of them."""
    begin = start.lstrip()
    if begin.startswith("{"):
        return _is_json(begin.partition("\n")[0]) or bool(_OBJECT.match(begin))
    return bool(_ARRAY.match(begin)) or (begin.startswith("[") and _is_json(begin.partition("\n")[0]))


def _is_json(line: str) -> bool:
    return isinstance(_tried(line), dict | list)


def _tried(text: str) -> Any:
    """Return the value of a JSON text, ``None`` for what is none."""
    try:
        return parse_json(text)
    except ValueError:
        return None


def _read_json(file: TextFile) -> Iterator[Document]:
    columns: Columns | None = None
    for number, (where, record) in enumerate(_records(file), 1):
        if not isinstance(record, dict):
            raise InputError(
                f"{file.path}: {where}: wanted a JSON object with a field of text, found {_kind(record)}{_WRITE}"
            )
        columns = columns or _columns_of(file, where, record)
        if not isinstance(record.get(columns.text), str):
            found = _kind(record[columns.text]) if columns.text in record else "no such field"
            raise InputError(f"{file.path}: {where}: field '{columns.text}', wanted text, found {found}")
        yield document(file, where, number, {name: _plain(value) for name, value in record.items()}, columns)


def _columns_of(file: TextFile, where: str, record: dict[str, Any]) -> Columns:
    if not _has_text(file, record):
        _refuse_counts(file, where, record)
    textual = [name for name, value in record.items() if isinstance(value, str)]
    if not textual and not file.options.column:
        kinds = ", ".join(f"'{name}' is {_kind(value)}" for name, value in list(record.items())[:6])
        raise InputError(f"{file.path}: {where}: no field is text: {kinds or 'there is none'}{_WRITE}")
    return choose_columns(file, list(record), textual)


def _refuse_counts(file: TextFile, where: str, record: dict[str, Any]) -> None:
    """Refuse words with counts: most of a record are numbers that stand under words (Extracted Features)."""
    numbers = texts = 0
    waiting: list[Any] = [record]
    while waiting and numbers + texts < _LOOKED_AT:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        numbers += isinstance(value, int)
        texts += len(value.split()) if isinstance(value, str) else 0
    if numbers > max(_COUNTS, texts):
        raise InputError(
            f"{file.path}: {where}: counts without running text: {numbers:,} numbers and {texts:,} words of text, as "
            "Extracted Features have them; the order of the words is not in it: give the texts that were counted"
        )


def _records(file: TextFile) -> Iterator[tuple[str, Any]]:
    """Yield the records, each with its place; an array, and an object on several lines, are read as a whole.

    A file that is one object, and has its records within, is refused.
    """
    lines = ((number, line) for number, line in enumerate(file.lines(), 1) if line.strip())
    number, line = next(lines, (0, ""))
    if not number:
        raise InputError(f"{file.path}: the file is empty")
    record, begin = _tried(line), line.lstrip()[0]
    if begin == "[" and (record is None or any(isinstance(part, dict) for part in record)):
        yield from ((f"record {n:,}", one) for n, one in enumerate(_array(file), 1))
        return
    second, is_whole = next(lines, None), False
    if record is None and begin == "{":  # on several lines; or several objects, or broken: told at its line
        is_whole = (record := _tried(file.text())) is not None
    record = _parsed(file, number, line) if record is None else record
    if isinstance(record, dict) and (is_whole or second is None):
        if is_whole or (_arrays(record) and not _has_text(file, record)):
            _refuse_one_object(file, record)
        _refuse_texts_by_name(file, record)
    yield f"line {number:,}", record
    if second and not is_whole:
        yield from ((f"line {number:,}", _parsed(file, number, line)) for number, line in chain([second], lines))


def _refuse_one_object(file: TextFile, whole: dict[str, Any]) -> None:
    arrays = _arrays(whole)
    if arrays or not any(isinstance(value, str) for value in whole.values()):
        held = (
            f"its field '{arrays[0]}' holds {len(whole[arrays[0]]):,} records" if arrays else "no field of it is text"
        )
        name = arrays[0] if arrays else "..."
        way = f"json.dump(json.load(open(FILE))['{name}'], open(OTHER, 'w')) saves them alone" if arrays else _WRITE[2:]
        raise InputError(f"{file.path}: this is one JSON object, and {held}; {way}")


def _refuse_texts_by_name(file: TextFile, whole: dict[str, Any]) -> None:
    """Refuse one object whose fields are all running text: they are documents, and their names are no columns."""
    texts = [isinstance(value, str) and value.count(" ") >= _RUNNING for value in whole.values()]
    if len(texts) < _TEXTS or not all(texts) or file.options.column or any(name.lower() == "text" for name in whole):
        return
    way = "json.dump([{'id': name, 'text': text} for name, text in json.load(open(FILE)).items()], open(OTHER, 'w'))"
    raise InputError(
        f"{file.path}: this is one JSON object of {len(texts):,} texts by their names; {way} saves records"
    )


def _has_text(file: TextFile, record: dict[str, Any]) -> bool:
    wanted = (file.options.column or "text").lower()
    return any(name.lower() == wanted and isinstance(value, str) for name, value in record.items())


def _arrays(record: dict[str, Any]) -> list[str]:
    """The fields that hold records."""
    return [name for name, value in record.items() if isinstance(value, list) and value and isinstance(value[0], dict)]


def _array(file: TextFile) -> list[Any]:
    try:
        value = parse_json(file.text())
    except ValueError as error:
        raise InputError(f"{file.path}: this is not JSON: {error}") from None
    return value if isinstance(value, list) else [value]


def _parsed(file: TextFile, number: int, line: str) -> Any:
    try:
        return parse_json(line)
    except ValueError as error:
        what = getattr(error, "msg", error)
        hint = "; wanted one object a line, or an array of objects" if number == 1 else ""
        raise InputError(f"{file.path}: line {number:,}: this is not JSON: {what}{hint}") from None


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


JSON_LINES = TextFormat("jsonl", "JSON", (".jsonl", ".ndjson", ".json"), "records", _is_json_lines, _read_json)


_DELIMITERS = "\t,;|"
_QUOTE = "within quotation marks it is written twice"
_ROWS = 50
_TOLD = re.compile(r"sep=(.)\r?\n")
"""A line above the header in which Excel tells the delimiter."""
_NAME = re.compile(r"[^\W\d][\w.:/-]{0,39}")

csv.field_size_limit(2**31 - 1)  # a document is longer than the 128 KiB that a cell may have otherwise


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


def _read_table(file: TextFile) -> Iterator[Document]:
    start = "".join(line for _, line in zip(range(4 * _ROWS), file.raw_lines(), strict=False))
    if not start.strip():
        raise InputError(f"{file.path}: the file is empty")
    told = _TOLD.match(start)
    start = start[told.end() :] if told else start
    dialect = (
        _written_with(told[1], start)
        if told
        else _dialect(start) or _written_with(next((d for d in _DELIMITERS if d in start.split("\n")[0]), ","), start)
    )
    above = bool(told)
    rows = _rows(file, dialect, above)
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
    for number, (line, row) in enumerate(_rows(file, dialect, above)):
        if len(row) != len(header):
            what = f"wanted {len(header)} cells as in line 1, found {len(row)}"
            raise InputError(f"{file.path}: line {line:,}: {what}; is a quotation mark open? {_QUOTE}")
        if number or bare:
            record = dict(zip(header, row, strict=True))
            yield document(file, f"line {line:,}", number + bare, record, columns)


def _rows(file: TextFile, dialect: Mapping[str, Any], above: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its first line; ``above``: after the first line."""
    rows, begins = csv.reader(islice(file.raw_lines(), int(above), None), **dialect), 1 + above
    try:
        for row in rows:
            if row:
                yield begins, row
            begins = rows.line_num + 1 + above
    except csv.Error as error:
        opened = "a quotation mark opens in the row that begins here and is not closed as it should be"
        raise InputError(f"{file.path}: line {begins:,}: {opened} ({error}); {_QUOTE}") from None


TABLE = TextFormat(
    "table",
    "a table",
    (".csv", ".tsv", ".tab"),
    "records",
    lambda start: bool(_dialect(start, guessed=True)),
    _read_table,
)
