"""Files of sentence pairs with a score, as tests of semantic textual similarity (STS) come: tables or lines of JSON."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.corpus.variants import UNSPACED
from gpustab.errors import InputError, option
from gpustab.evaluation.columns import Columns, choose, number
from gpustab.evaluation.files import is_header, read_lines
from gpustab.formats.parsed import parse_json
from gpustab.formats.plain_text import as_utf8
from gpustab.results.page import counted
from gpustab.spaces.words import as_word, show

_LONG = 2
"""A column of sentences has more words a cell on average."""
_UNSPACED = re.compile(f"[{UNSPACED}]{{3}}")
"""Where words have no blanks between them so many letters count as one."""


class SentencePairs(NamedTuple):
    """Pairs of sentences with a score.

    Attributes:
        name: of the file.
        pairs: in its order.
        scores: one each, in the file's own units.
        notes: which columns were read, in sentences.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    scores: tuple[float, ...]
    notes: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences."""
        return list(dict.fromkeys(sentence for pair in self.pairs for sentence in pair))


class _Row(NamedTuple):
    number: int
    cells: list[bytes]


def read_sentence_pairs(
    source: str | os.PathLike[str],
    *,
    columns: str | Sequence[int | str] | None = None,
    score_column: int | str | None = None,
) -> SentencePairs:
    """Read scored pairs of sentences.

    A line is an object of JSON, or its cells are separated by tabs (quotes are signs like any, as in the STS
    benchmark), else by commas (quoted as in CSV). A first line without a score is a header. Sentences are the two
    columns of texts, the score is the column of numbers; where that is not clear, it is asked.

    Args:
        source: the file, which may be compressed.
        columns: the two columns of sentences, as numbers from 1 or by name.
        score_column: that of the score.

    Raises:
        InputError: if it cannot be read so; the message names file and line, or the columns.
    """
    path = Path(source)
    names, rows = _table(path)
    _check_widths(names, rows, path, asked=columns is not None and score_column is not None)
    table = Columns([row.cells for row in rows], names)
    asked = _texts(table, path) if columns is None else columns
    (first, second), score, _ = choose(table, path, asked, score_column)
    if len({first, second, score}) < 3:
        raise InputError(f"{path}: two sentences and a score are three columns, and one was named twice")
    cells = [_checked(row, (first, second, score), path) for row in rows]
    called = [table.named(k) for k in (first, second, score)] if names else [str(k + 1) for k in (first, second, score)]
    note = f"{path.name}: sentences are columns {called[0]} and {called[1]}, scores column {called[2]}."
    again = sum(n > 1 for n in Counter(tuple(sorted(pair)) for pair, _ in cells).values())
    notes = [
        note,
        *([f"{counted(again, 'pair', 'occurs/occur')} more than once; each counts every time."] if again else []),
    ]
    return SentencePairs(path.name, tuple(pair for pair, _ in cells), tuple(value for _, value in cells), tuple(notes))


def _table(path: Path) -> tuple[tuple[str, ...], list[_Row]]:
    lines = read_lines(path)
    if lines[0].content.lstrip().startswith(b"{"):
        return _objects([(line.number, line.content) for line in lines], path)
    if sum(b"\t" in line.content for line in lines) * 2 > len(lines):
        rows = [_Row(line.number, [_plain(cell.strip()) for cell in line.content.split(b"\t")]) for line in lines]
    else:
        rows = list(_by_commas(b"\n".join(line.content for line in lines), path))
    if is_header([row.cells for row in rows]):
        return tuple(map(show, rows[0].cells)), rows[1:]
    return (), rows


def _check_widths(names: Sequence[str], rows: Sequence[_Row], path: Path, *, asked: bool) -> None:
    """Refuse a row of more cells than the header, or than most rows, since nobody knows what was split.

    Without a header, rows that differ are read where all columns were asked for: the STS benchmark has sources behind.
    """
    width, times = Counter(len(row.cells) for row in rows).most_common(1)[0]
    if not names and (asked or times * 2 <= len(rows)):
        return
    wanted, where = (len(names), "the header has") if names else (width, "most lines have")
    if wide := next((row for row in rows if len(row.cells) > wanted), None):
        way = "" if names else f", or say {option('word_columns', '1,2')} and {option('score_column', '3')}"
        raise InputError(
            f"{path}: line {wide.number} has {len(wide.cells)} cells where {where} {wanted}: a tab or comma stands in "
            f"a sentence; put sentences with commas in quotes, take out tabs{way}"
        )


def _plain(cell: bytes) -> bytes:
    """Return a cell between tabs without the quotes that CSV has put around others; quotes alone are signs.

    >>> _plain(b'"He said ""no"" to me"'), _plain(b'"No" and "yes"')
    (b'He said "no" to me', b'"No" and "yes"')
    """
    within = cell[1:-1]
    quoted = len(cell) > 1 and cell[:1] == cell[-1:] == b'"' and b'""' in within
    return within.replace(b'""', b'"') if quoted and b'"' not in within.replace(b'""', b"") else cell


def _by_commas(content: bytes, path: Path) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(content.decode("utf-8", "surrogateescape"), newline=""), skipinitialspace=True)
    try:
        for cells in reader:
            yield _Row(reader.line_num, [as_word(" ".join(cell.split())) for cell in cells])
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num}: {error}") from error


def _objects(lines: Sequence[tuple[int, bytes]], path: Path) -> tuple[tuple[str, ...], list[_Row]]:
    names, rows = dict[str, None](), list[tuple[int, dict[str, object]]]()
    for place, content in lines:
        try:
            one = parse_json(content)
        except ValueError as error:
            raise InputError(f"{path}: line {place} is no JSON: {error}") from error
        if not isinstance(one, dict):
            raise InputError(f"{path}: line {place} is no object of JSON")
        names |= dict.fromkeys(one)
        rows.append((place, one))
    return tuple(names), [_Row(place, [_cell(one.get(name)) for name in names]) for place, one in rows]


def _cell(value: object) -> bytes:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return b""
    return as_word(" ".join(str(value).split()))


def _texts(table: Columns, path: Path) -> tuple[int, int]:
    """Return the columns of sentences, from 1; those called so, else the two of texts."""
    may = [k for k in table.texts if k < len(table.names) and "sent" in table.names[k].casefold()]
    if len(may) != 2:
        may = [k for k in table.texts if sum(map(_words, table.cells[k])) > _LONG * len(table.cells[k])]
    if len(may) != 2:
        there = ", ".join(map(table.named, table.cells))
        first, second = table.texts[:2] if len(table.texts) > 1 else (0, 1)
        raise InputError(
            f"{path}: which two columns are the sentences? columns are {there}; say "
            f"{option('word_columns', f'{first + 1},{second + 1}')} for columns {first + 1} and {second + 1}"
        )
    return may[0] + 1, may[1] + 1


def _words(cell: bytes) -> int:
    """Return how many words a cell may have."""
    return len(cell.split()) + len(_UNSPACED.findall(cell.decode("utf-8", "replace")))


def _checked(row: _Row, columns: tuple[int, int, int], path: Path) -> tuple[tuple[str, str], float]:
    first, second, score = (row.cells[k] if len(row.cells) > k else b"" for k in columns)
    value = number(score)
    if value is None:
        raise InputError(f"{path}: line {row.number}: '{show(score[:40])}' stands where a score should")
    if not first or not second:
        raise InputError(f"{path}: line {row.number}: a sentence is empty or no text")
    return (as_utf8(first, path, row.number), as_utf8(second, path, row.number)), value
