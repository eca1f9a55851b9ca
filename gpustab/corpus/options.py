"""How text is found and read: which kind of file, in which characters, and what of it is a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from gpustab.errors import InputError, option
from gpustab.options import Option

Layout = Literal["lines", "blocks", "paragraphs", "files", "records"]
Errors = Literal["strict", "replace"]
FormatName = Literal["plain", "jsonl", "table", "html", "xml", "markdown", "docx", "fasttext", "line_sentence"]
TYPED_LAYOUTS: tuple[Layout, ...] = ("lines", "blocks", "paragraphs", "files")
"""``"records"`` is what formats with records have; it cannot be chosen."""


@dataclass(frozen=True)
class ReadOptions:
    """How a source becomes documents.

    Attributes:
        format: what a file is; by default that is told by its content, see :mod:`gpustab.corpus.formats`.
        layout: of plain text: ``"lines"``, one document a line, an empty one too; ``"blocks"``, one sentence a line
            and blank lines between documents; ``"paragraphs"``, blank lines between documents whose lines run on;
            ``"files"``, one document a file. By default a folder is ``"files"``, and a file is ``"lines"`` or
            ``"blocks"`` where only one of them is plausible.
        encoding: ``"auto"`` takes a byte-order mark or what markup declares, else UTF-8, else cp1252, and says so; or
            the name of any codec of Python.
        errors: ``"strict"`` refuses bytes that are not of the encoding; ``"replace"`` puts U+FFFD in their place, and
            ``"auto"`` is UTF-8 then.
        column: of a table or of JSON lines: the name of the column of text, or its number (from 1) in a table without
            a header. By default ``text``, or the only column there is.
        id_column: names the documents; by default their numbers do.
        date_column: holds a date with a year of four digits, which becomes the column ``year`` of the metadata.

    Raises:
        InputError: if a value is none of the choices.
    """

    format: Annotated[FormatName | None, Option("What the files are. Default: told by their content.")] = None
    layout: Annotated[
        Layout | None,
        Option("Of plain text: lines, blocks, paragraphs or files is a document.", metavar="|".join(TYPED_LAYOUTS)),
    ] = None
    encoding: Annotated[str, Option("auto, utf-8, latin-1, cp1252, utf-16 ... Default auto.", metavar="CODEC")] = "auto"
    errors: Annotated[Errors, Option("strict, or replace bytes that cannot be read by U+FFFD.")] = "strict"
    column: Annotated[str | None, Option("Column of the text in CSV, TSV, JSON lines; a number: no header.")] = None
    id_column: Annotated[str | None, Option("Column that names the documents.")] = None
    date_column: Annotated[str | None, Option("Column of dates; their years are kept.")] = None

    def __post_init__(self) -> None:
        check_choice("format", self.format, (None, *get_args(FormatName)))
        check_choice("layout", self.layout, (None, *TYPED_LAYOUTS))
        check_choice("errors", self.errors, get_args(Errors))
        check_encoding(self.encoding)
        if self.layout and self.format not in (None, "plain"):
            raise InputError(f"{option('layout', self.layout)} is for plain text; {self.format} has its own documents")

    @property
    def columns(self) -> dict[str, str]:
        """The columns that were chosen, by the option's name."""
        named = {"column": self.column, "id_column": self.id_column, "date_column": self.date_column}
        return {name: value for name, value in named.items() if value is not None}


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value of an option that is none of its choices.

    >>> check_choice("errors", "ignore", ("strict", "replace"))
    Traceback (most recent call last):
    gpustab.errors.InputError: errors is 'ignore', wanted 'strict' or 'replace'
    """
    if value not in choices:
        raise InputError(f"{option(name)} is {value!r}, wanted {' or '.join(map(repr, choices))}")


def check_encoding(name: str) -> None:
    """Refuse what is no name of a character encoding.

    >>> check_encoding("latin1")
    >>> check_encoding("zip")
    Traceback (most recent call last):
    gpustab.errors.InputError: encoding is 'zip', wanted 'auto' or a codec such as 'utf-8', 'cp1252', 'utf-16'
    """
    try:
        if name != "auto":
            "".encode(name)  # LookupError also of codecs that are not of text
    except (LookupError, TypeError, ValueError):
        wanted = "wanted 'auto' or a codec such as 'utf-8', 'cp1252', 'utf-16'"
        raise InputError(f"{option('encoding')} is {name!r}, {wanted}") from None
