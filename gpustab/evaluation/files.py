"""Files of tests, and those of word pairs with a human score: delimiters, headers and columns are found."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, near
from gpustab.evaluation.columns import Columns, are_few, choose, number
from gpustab.formats.plain_text import as_utf8, read_content
from gpustab.results.page import counted
from gpustab.spaces.words import as_word, show, some_words

_PAGE = re.compile(rb"\s*<(?:\?xml|!doctype|!--|html|head|body|error)\b", re.IGNORECASE)


class Line(NamedTuple):
    """A line that is not blank, without its end, and its number from 1 upwards."""

    number: int
    content: bytes

    def text(self, path: Path) -> str:
        """Return the line of a file as text; what is not UTF-8 is refused."""
        return as_utf8(self.content, path, self.number)


def find_test(source: str | os.PathLike[str], names: Mapping[str, str]) -> Path:
    """Return the file of a test set.

    Args:
        source: one of the names, or a path; a path wins when it is given as a ``Path`` or with a slash.
        names: the names, and what their files are called in gensim's package.

    Raises:
        InputError: if gensim is not installed, or there is neither such a name nor such a file.
    """
    if source in names:
        spec = find_spec("gensim")  # not imported: that takes seconds
        if not spec or not spec.submodule_search_locations:
            raise InputError(f"the test '{source}' comes with the package gensim: pip install gensim")
        return Path(spec.submodule_search_locations[0], "test", "test_data", names[str(source)])
    path = Path(source)
    if not path.exists():
        no_name = f"no test of this name{near(path.name, names)}; names are {', '.join(names)}"
        raise InputError(f"{path}: there is no such file, and {no_name}")
    return path


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a text file that are not blank; gzip and bzip2 are unpacked, a BOM is left out.

    Raises:
        InputError: if the file is missing, damaged, empty, a web page, binary, or UTF-16 without a mark.
    """
    data = read_content(path)
    if b"\0" in data:
        as_utf8(data, path)  # which says what it is
    if _PAGE.match(data):
        raise InputError(f"{path}: this is an XML or HTML page and not a test set; the download went wrong")
    lines = [Line(number, line.removesuffix(b"\r")) for number, line in enumerate(data.split(b"\n"), 1)]
    lines = [line for line in lines if line.content.strip()]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    return lines


SIMILARITY_TESTS = {"wordsim353": "wordsim353.tsv", "simlex999": "simlex999.txt"}
"""Tests that come with gensim, by name."""

_DELIMITERS = {"tab": rb"\t", "semicolon": rb";", "comma": rb",", "colon": rb":", "bar": rb"\|", "space": rb"[ \t]+"}
_COMMAS = re.compile(rb"(?:^|[\t; |:])\d+,\d+\s*$")
_QUOTING = {"comma": ",", "semicolon": ";"}


@dataclass(frozen=True)
class SimilarityTest:
    """Word pairs with the similarity that people gave them.

    Attributes:
        name: of the test: its built-in name, or the file's name.
        pairs: the word pairs in the order of the file.
        gold: one score per pair, in the file's own units.
        delimiter: ``"tab"``, ``"semicolon"``, ``"comma"``, ``"colon"``, ``"bar"`` or ``"space"``, as found.
        header: the first line if it has no score, else ``None``.
        column: which column holds the score, from 1 upwards.
        unread: number of columns beside words and score, which are not read.
        comments: number of lines that are comments, see :func:`read_similarity`.
        duplicates: pairs that occur more than once, in either order; all their scores count.
        word_columns: which columns hold the words, from 1 upwards.
        names: what the header calls the columns; empty without one.
        rivals: other columns that may hold words, as text: of another language, say.
    """

    name: str
    pairs: tuple[tuple[bytes, bytes], ...]
    gold: tuple[float, ...]
    delimiter: str
    header: bytes | None
    column: int
    unread: int
    comments: int
    duplicates: tuple[tuple[bytes, bytes], ...]
    word_columns: tuple[int, int] = (1, 2)
    names: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found in the file beyond pairs and scores, in sentences."""
        first, second, score = map(self._called, (*self.word_columns, self.column))
        unread = f"; {self.unread} other columns are not read" if self.unread > 1 else ""
        unread = "; 1 other column is not read" if self.unread == 1 else unread
        notes = [f"{self.name}: words are columns {first} and {second}, scores column {score}{unread}."]
        if self.header is not None:
            notes.append(f"The first line has no score and was taken for a header: {show(self.header[:80])}")
        if self.comments:
            notes.append(f"Lines that begin with # and hold no pair, taken for comments: {self.comments}")
        if numbers := [pair for pair in self.pairs if any(number(word) is not None for word in pair)]:
            what = counted(len(numbers), "pair", "has/have", of=len(self.pairs))
            shown = ", ".join(f"{show(a)} {show(b)}" for a, b in numbers[:3])
            notes.append(
                f"{what} a number for a word ({shown}): are these columns the words? word_columns names others."
            )
        for column, words in zip(self.word_columns, zip(*self.pairs, strict=True), strict=True):
            if are_few(words):
                few = some_words(list(dict.fromkeys(words)))
                notes.append(f"Column {column} has few values again and again ({few}): does it hold words?")
        if self.duplicates:
            shown = ", ".join(f"{show(a)} {show(b)}" for a, b in self.duplicates[:5])
            notes.append(f"Pairs that occur more than once, every time counted: {len(self.duplicates)} ({shown})")
        return tuple(notes)

    def _called(self, column: int) -> str:
        name = self.names[column - 1] if column <= len(self.names) else ""
        return f"{column} '{name[:30]}'" if name else str(column)


class Row(NamedTuple):
    """A line and its fields."""

    line: Line
    fields: list[bytes]


def read_similarity(
    path_or_name: str | os.PathLike[str],
    *,
    word_columns: str | Sequence[int | str] | None = None,
    score_column: int | str | None = None,
) -> SimilarityTest:
    """Read a word similarity test: two words and a score a line.

    Fields are separated by tabs, semicolons, commas, colons, bars or spaces, whichever gives two words and a number in
    the most lines. Which columns are the words and the score is told by what stands in them, see
    :mod:`gpustab.evaluation.columns`, and what was taken stands in the notes. A line that begins with ``#`` is a pair
    (``#metoo women 9``), unless a blank follows the sign, or it stands above all pairs and has no score. A tail such as
    that of MEN's ``sun-n`` belongs to the word here; where the vectors know the bare word alone, it is looked up.

    Args:
        path_or_name: a file, or ``"wordsim353"`` or ``"simlex999"``, which come with gensim.
        word_columns: the two columns of the words, as numbers from 1 upwards or by their names: ``(3, 4)``, ``"3,4"``.
        score_column: the column of the score.

    Raises:
        InputError: if there is no such test, it is a web page or no text, a line is no pair with a score, or several
            columns may be meant; the message names file and line, or the columns.

    Example:
        >>> test = read_similarity("wordsim353")  # needs gensim
        >>> len(test.pairs), test.pairs[0], test.gold[0], test.duplicates
        (353, (b'love', b'sex'), 6.77, ((b'bank', b'money'), (b'money', b'cash')))
    """
    path = find_test(path_or_name, SIMILARITY_TESTS)
    lines = read_lines(path)
    delimiter, rows = _rows([line for line in lines if not line.content.startswith(b"# ")], path)
    header = rows[0] if is_header([row.fields for row in rows]) else None
    names = tuple(show(field) for field in header.fields) if header else ()
    body = rows[1:] if header else rows
    columns = Columns([row.fields for row in body], names)
    (first, second), score, rivals = choose(columns, path, word_columns, score_column)
    gold = [_score(row, score, delimiter, path) for row in body]
    pairs = [_pair(row, (first, second), path) for row in body]
    return SimilarityTest(
        path_or_name if isinstance(path_or_name, str) and path_or_name in SIMILARITY_TESTS else path.name,
        tuple(pairs),
        tuple(gold),
        delimiter,
        header.line.content if header else None,
        score + 1,
        max(len(row.fields) for row in rows) - 3,
        len(lines) - len(rows),
        _duplicates(pairs),
        (first + 1, second + 1),
        names,
        tuple(columns.named(k) for k in rivals if k not in (first, second)),
    )


def _rows(lines: list[Line], path: Path) -> tuple[str, list[Row]]:
    """Return the delimiter, and the rows without the comments above them."""
    delimiter = _sniff(lines, path)
    rows = [Row(line, _fields(line.content, delimiter)) for line in lines]
    while rows[0].line.content.startswith(b"#") and not _has_score(rows[0].fields):
        del rows[0]
    return delimiter, rows


def is_header(rows: Sequence[Sequence[bytes]]) -> bool:
    """Tell whether the first row has no number in a column that has them in all other rows.

    >>> is_header([[b"a", b"b", b"score"], [b"x", b"y", b"1"], [b"x", b"y", b"none"]])
    True
    """
    first, *body = rows
    if not body:
        return False
    full = [k for k in range(min(map(len, body))) if all(number(row[k]) is not None for row in body)]
    if not full:  # a line is wrong, and will be named
        return not _has_score(first)
    return any(len(first) <= k or number(first[k]) is None for k in full)


def _duplicates(pairs: list[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """Return the pairs that occur more than once, in the order of words that came first."""
    times: Counter[tuple[bytes, bytes]] = Counter()
    for first, second in pairs:
        times[(second, first) if (second, first) in times else (first, second)] += 1
    return tuple(pair for pair, number in times.items() if number > 1)


def _fields(line: bytes, delimiter: str) -> list[bytes]:
    if b'"' in line and delimiter in _QUOTING:
        text = line.decode("utf-8", "surrogateescape")
        rows = csv.reader([text], delimiter=_QUOTING[delimiter], skipinitialspace=True)
        return [as_word(field.strip()) for field in next(rows)]
    return [field.strip() for field in re.split(_DELIMITERS[delimiter], line.strip(b" "))]


def _has_score(fields: Sequence[bytes]) -> bool:
    return len(fields) > 2 and any(number(field) is not None for field in fields)


def _sniff(lines: list[Line], path: Path) -> str:
    """Return the delimiter that gives two words and a number in the most lines of one width, the first of equals."""
    best, most = "", 0
    for name in _DELIMITERS:
        rows = [_fields(line.content, name) for line in lines]
        widths = Counter(len(row) for row in rows if _has_score(row))
        if widths and (fit := widths.most_common(1)[0][1]) > most:
            best, most = name, fit
    if not best:
        first = f"; line {lines[0].number} is '{show(lines[0].content[:80])}'" if lines else ""
        wanted = "two words and a number, separated by tabs, semicolons, commas, colons, bars or spaces"
        commas = any(_COMMAS.search(line.content) for line in lines)
        way = "; numbers with decimal commas are not read, write 6.77 for 6,77" if commas else ""
        raise InputError(f"{path}: no line holds {wanted}{first}{way}")
    return best


def _score(row: Row, column: int, delimiter: str, path: Path) -> float:
    value = number(row.fields[column]) if len(row.fields) > column else None
    if value is None:
        found = f"'{show(row.fields[column][:40])}'" if len(row.fields) > column else "nothing"
        raise InputError(
            f"{path}: line {row.line.number}: field {column + 1} ({delimiter}-separated) is {found}, wanted a number"
        )
    return value


def _pair(row: Row, columns: tuple[int, int], path: Path) -> tuple[bytes, bytes]:
    first, second = (row.fields[k] if len(row.fields) > k else b"" for k in columns)
    if not first or not second:
        raise InputError(f"{path}: line {row.line.number}: a word is empty, wanted two words and a number")
    return first, second
