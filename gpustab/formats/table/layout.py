"""How a table in text is laid out: its delimiter, its line of names, what its columns hold; from its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.formats.sniff import UTF8_BOM, foreign
from gpustab.formats.table.columns import Columns, Kind, choose_columns
from gpustab.formats.text.decimals import is_number_like
from gpustab.formats.text.layout import are_names

_SAMPLE = 30
_EXCEL = re.compile(r'"?sep=."?\r?\n?')
_DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces"}


@dataclass(frozen=True)
class TableLayout:
    """How the rows of a table are to be read.

    Attributes:
        delimiter: between fields.
        names: of the columns; empty texts without a line of names.
        has_names: whether the first line names the columns.
        kinds: what the columns hold.
        body: the first rows.
    """

    delimiter: str
    names: tuple[str, ...]
    has_names: bool
    kinds: tuple[Kind, ...]
    body: tuple[tuple[str, ...], ...]

    @property
    def called(self) -> str:
        """What stands between the fields, for people."""
        return _DELIMITERS[self.delimiter]

    def columns(self, options: LoadOptions) -> Columns:
        """Choose the columns."""
        return choose_columns(self.names, self.kinds, self._is_running, options.word_column)

    def _is_running(self, column: int) -> bool:
        values = [row[column] for row in self.body]
        start = values[0] if values and values[0] in ("0", "1") else None
        return start is not None and values == [str(i) for i in range(int(start), int(start) + len(values))]


def find_layout(head: bytes, header: bool | None = None) -> TableLayout | None:
    """Return the layout of a table of vectors, ``None`` where the text is no table or one that needs no columns.

    Text of a word and its values with blanks or tabs between is not meant, unless all its words are quoted, or tabs
    part columns that have names or begin with something else than the words.

    Args:
        head: the first bytes.
        header: whether the first line names the columns; default: found out.
    """
    if foreign(head) is not None and not _is_table_text(head):
        return None
    lines = head.removeprefix(UTF8_BOM)[: 1 << 18].decode("utf-8", "surrogateescape").split("\n")
    lines = [line for line in (lines[:-1] or lines)[: _SAMPLE + 1] if line.strip() and not for_excel(line)]
    quoted = len(lines) > 1 and all(line.startswith('"') for line in lines[1:])
    layouts = (_with(lines, delimiter, header) for delimiter in _DELIMITERS)
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


def _with(lines: Sequence[str], delimiter: str, header: bool | None) -> TableLayout | None:
    try:
        rows = list(csv.reader(_ended(lines), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    widths = Counter(len(row) for row in rows[1:] or rows)
    ((width, times),) = widths.most_common(1) or [(0, 0)]
    if width < 3 or times < 0.9 * widths.total():
        return None
    body = [tuple(row) for row in (rows[1:] or rows) if len(row) == width]
    kinds = tuple(_kind([row[i] for row in body]) for i in range(width))
    first = rows[0] if len(rows[0]) == width else [""] * (width - len(rows[0])) + rows[0]
    numbers = [i for i, kind in enumerate(kinds) if kind == "numbers"]
    if len(numbers) < 2:
        return None
    named = len(rows) > 1 and len(first) == width and _are_names(first, body, numbers)
    named = named if header is None else header and len(first) == width
    whole = body if named or len(rows[0]) != width else [tuple(rows[0]), *body][:_SAMPLE]
    names = tuple(field.strip() for field in first) if named else ("",) * width
    return TableLayout(delimiter, names, named, kinds, tuple(whole))


def _ended(lines: Sequence[str]) -> Iterator[str]:
    return (line.removesuffix("\r") + "\n" for line in lines)


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


def settle_table(head: bytes, options: LoadOptions) -> TableLayout:
    """Return the layout of what was recognised as a table."""
    found = find_layout(head, options.header)
    if found is None:
        raise InputError("the first lines are no table of vectors")
    return found
