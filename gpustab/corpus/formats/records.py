"""What records have in common, whether they are rows of a table or JSON objects: text, id, date, and other columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpustab.corpus.formats.format import Document, TextFile
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, near, option


class Columns(NamedTuple):
    """Which columns are the text, the id and the date."""

    text: str
    id: str | None
    date: str | None


def choose_columns(file: TextFile, known: Sequence[str], textual: Sequence[str]) -> Columns:
    """Return the columns that the options name, or of which there is only one that can be meant.

    Args:
        file: whose records they are.
        known: all columns.
        textual: those that could be the text.

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
        InputError: if its date has no year.
    """
    metadata = {name: value for name, value in record.items() if name not in (columns.text, columns.id)}
    date = record.get(columns.date, "").strip() if columns.date else ""
    if date:
        years = re.findall(r"(?<!\d)\d{4}(?!\d)", date)
        if len(years) != 1:
            raise InputError(
                f"{file.path}: {where}: {columns.date} is '{date}', wanted a date with a year of four digits"
            )
        metadata["year"] = years[0]
    return Document((record.get(columns.id, "") if columns.id else "") or str(number), metadata, [record[columns.text]])


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
