"""JSON: an object a line, or one array of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.records import Columns, choose_columns, document
from gpustab.errors import InputError

_OBJECT = re.compile(r'\{\s*"[^"\n]+"\s*:')
_ARRAY = re.compile(r'\[\s*\{\s*"[^"\n]+"\s*:')


_WRITE = '; write {"text": "..."} a line for each document'


def _matches(start: str, suffix: str) -> bool:
    """Tell whether the first line, or the file, begins with a JSON object or an array of them."""
    if suffix in (".json", ".jsonl", ".ndjson"):
        return True
    begin = start.lstrip()
    if begin.startswith("{"):
        return _is_json(begin.partition("\n")[0]) or bool(_OBJECT.match(begin))
    return bool(_ARRAY.match(begin)) or (begin.startswith("[") and _is_json(begin.partition("\n")[0]))


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict | list)
    except ValueError:
        return False


def _read(file: TextFile) -> Iterator[Document]:
    columns: Columns | None = None
    for number, (where, record) in enumerate(_records(file), 1):
        if not isinstance(record, dict):
            raise InputError(
                f"{file.path}: {where}: wanted a JSON object with a field of text, found {_kind(record)}{_WRITE}"
            )
        columns = columns or _columns(file, where, record)
        if not isinstance(record.get(columns.text), str):
            found = _kind(record[columns.text]) if columns.text in record else "no such field"
            raise InputError(f"{file.path}: {where}: field '{columns.text}', wanted text, found {found}")
        yield document(file, where, number, {name: _plain(value) for name, value in record.items()}, columns)


def _columns(file: TextFile, where: str, record: dict[str, Any]) -> Columns:
    textual = [name for name, value in record.items() if isinstance(value, str)]
    if not textual and not file.options.column:
        kinds = ", ".join(f"'{name}' is {_kind(value)}" for name, value in list(record.items())[:6])
        raise InputError(f"{file.path}: {where}: no field is text: {kinds or 'there is none'}{_WRITE}")
    return choose_columns(file, list(record), textual)


def _records(file: TextFile) -> Iterator[tuple[str, Any]]:
    """Yield the records, each with its place; an array is read as a whole."""
    lines = enumerate(file.lines(), 1)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        raise InputError(f"{file.path}: the file is empty")
    if first[1].lstrip().startswith("[") and not _is_whole(first[1]):
        yield from ((f"record {n:,}", record) for n, record in enumerate(_array(file), 1))
        return
    for number, line in (first, *()):
        yield f"line {number:,}", _parsed(file, number, line)
    for number, line in lines:
        if line.strip():
            yield f"line {number:,}", _parsed(file, number, line)


def _is_whole(line: str) -> bool:
    """Tell whether a line is one JSON array that holds no objects: an error that is told at its line."""
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return not any(isinstance(part, dict) for part in value)


def _array(file: TextFile) -> list[Any]:
    try:
        value = json.loads(file.text())
    except ValueError as error:
        raise InputError(f"{file.path}: this is no JSON: {error}") from None
    return value if isinstance(value, list) else [value]


def _parsed(file: TextFile, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        what = getattr(error, "msg", error)
        hint = "; wanted one object a line, or an array of objects" if number == 1 else ""
        raise InputError(f"{file.path}: line {number:,}: this is no JSON: {what}{hint}") from None


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


JSON_LINES = TextFormat("jsonl", "JSON", (".jsonl", ".ndjson", ".json"), "records", _matches, _read)
