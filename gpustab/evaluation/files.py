"""Files of tests: word pairs with a human score, and analogy questions; delimiters, headers and columns are found."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError, near
from gpustab.formats.sniff import UTF8_BOM
from gpustab.formats.source import open_source
from gpustab.spaces.words import show

_PAGE = re.compile(rb"\s*<(?:\?xml|!doctype|!--|html|head|body|error)\b", re.IGNORECASE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Line(NamedTuple):
    """A line that is not blank, without its end, and its number from 1 upwards."""

    number: int
    content: bytes


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
        InputError: if the file is missing, damaged, empty, a web page, UTF-16 or binary.
    """
    with open_source(path) as source:
        data = b"".join(source.blocks())
        if source.damage:
            raise InputError(f"{path}: incomplete or damaged after {source.bytes_read:,} bytes: {source.damage}")
    if data.startswith(_UTF16) or b"\0" in data:
        raise InputError(f"{path}: this is UTF-16 or a binary file, wanted text in UTF-8")
    data = data.removeprefix(UTF8_BOM)
    if _PAGE.match(data):
        raise InputError(f"{path}: this is an XML or HTML page and no test set; the download went wrong")
    lines = [Line(number, line.removesuffix(b"\r")) for number, line in enumerate(data.split(b"\n"), 1)]
    lines = [line for line in lines if line.content.strip()]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    return lines


SIMILARITY_TESTS = {"wordsim353": "wordsim353.tsv", "simlex999": "simlex999.txt"}
"""Tests that come with gensim, by name."""

_DELIMITERS = {"tab": rb"\t", "semicolon": rb";", "comma": rb",", "space": rb"[ \t]+"}
_TAG = re.compile(rb"-[a-z]\Z")


@dataclass(frozen=True)
class SimilarityTest:
    """Word pairs with the similarity that people gave them.

    Attributes:
        name: of the test: its built-in name, or the file's name.
        pairs: the word pairs in the order of the file.
        gold: one score per pair, in the file's own units.
        delimiter: ``"tab"``, ``"semicolon"``, ``"comma"`` or ``"space"``, as found.
        header: the first line if it has no score, else ``None``.
        column: which field holds the score, from 1 upwards; words are fields 1 and 2.
        unread: number of fields beside words and score, which are not read.
        comments: number of lines that are comments, see :func:`read_similarity`.
        duplicates: pairs that occur more than once, in either order; all their scores count.
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

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found in the file beyond pairs and scores, in sentences."""
        notes = []
        if self.header is not None:
            notes.append(f"The first line has no score and was taken for a header: {show(self.header[:80])}")
        if self.comments:
            notes.append(f"Lines that begin with # and hold no pair, taken for comments: {self.comments}")
        if self.unread:
            notes.append(f"Scores are read from field {self.column}; {self.unread} other fields are not read.")
        if self.duplicates:
            shown = ", ".join(f"{show(a)} {show(b)}" for a, b in self.duplicates[:5])
            notes.append(f"Pairs that occur more than once, every time counted: {len(self.duplicates)} ({shown})")
        return tuple(notes)


class _Row(NamedTuple):
    line: Line
    fields: list[bytes]


def read_similarity(path_or_name: str | os.PathLike[str], *, strip_tags: bool = False) -> SimilarityTest:
    """Read a word similarity test: two words and a score a line.

    Fields are separated by tabs, semicolons, commas or spaces, whichever gives two words and a number in the most
    lines. The score is the first field after the words that is a number in all lines but perhaps the first, a header.
    A line that begins with ``#`` is a pair (``#metoo women 9``), unless a blank follows the sign, or it stands above
    all pairs and has no score.

    Args:
        path_or_name: a file, or ``"wordsim353"`` or ``"simlex999"``, which come with gensim.
        strip_tags: remove a part-of-speech tail of one letter from the words, as in MEN's ``sun-n``.

    Raises:
        InputError: if there is no such test, it is a web page or no text, or a line is no pair with a score; the
            message names file and line.

    Example:
        >>> test = read_similarity("wordsim353")  # needs gensim
        >>> len(test.pairs), test.pairs[0], test.gold[0], test.duplicates
        (353, (b'love', b'sex'), 6.77, ((b'bank', b'money'), (b'money', b'cash')))
    """
    path = find_test(path_or_name, SIMILARITY_TESTS)
    lines = read_lines(path)
    delimiter, column, rows = _rows([line for line in lines if not line.content.startswith(b"# ")], path)
    comments = len(lines) - len(rows)
    header = rows.pop(0).line.content if _number(rows[0].fields, column) is None and len(rows) > 1 else None
    gold = [_score(row, column, delimiter, path) for row in rows]
    pairs = [_pair(row, strip_tags, path) for row in rows]
    return SimilarityTest(
        path_or_name if isinstance(path_or_name, str) and path_or_name in SIMILARITY_TESTS else path.name,
        tuple(pairs),
        tuple(gold),
        delimiter,
        header,
        column + 1,
        max(len(row.fields) for row in rows) - 3,
        comments,
        _duplicates(pairs),
    )


def _rows(lines: list[Line], path: Path) -> tuple[str, int, list[_Row]]:
    """Return the delimiter, the column of the score, and the rows without the comments above them."""
    delimiter = _sniff(lines, path)
    rows = [_Row(line, _fields(line.content, delimiter)) for line in lines]
    column = _score_column([row for row in rows if not row.line.content.startswith(b"#")] or rows)
    while rows[0].line.content.startswith(b"#") and _number(rows[0].fields, column) is None:
        del rows[0]
    return delimiter, column, rows


def _duplicates(pairs: list[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """Return the pairs that occur more than once, in the order of words that came first."""
    times: Counter[tuple[bytes, bytes]] = Counter()
    for first, second in pairs:
        times[(second, first) if (second, first) in times else (first, second)] += 1
    return tuple(pair for pair, number in times.items() if number > 1)


def _fields(line: bytes, delimiter: str) -> list[bytes]:
    fields = [field.strip() for field in re.split(_DELIMITERS[delimiter], line.strip(b" "))]
    if delimiter in ("comma", "semicolon"):
        fields = [field[1:-1] if field[:1] == field[-1:] == b'"' and len(field) > 1 else field for field in fields]
    return fields


def _number(fields: list[bytes], column: int) -> float | None:
    try:
        value = float(fields[column])
    except (ValueError, IndexError):
        return None
    return value if math.isfinite(value) else None


def _has_score(fields: list[bytes]) -> bool:
    return any(_number(fields, column) is not None for column in range(2, len(fields)))


def _sniff(lines: list[Line], path: Path) -> str:
    """Return the delimiter that gives two words and a number in the most lines, the first of equals."""
    fit = {name: sum(_has_score(_fields(line.content, name)) for line in lines) for name in _DELIMITERS}
    best = max(fit, key=lambda name: fit[name])
    if not fit[best]:
        first = f"; line {lines[0].number} is '{show(lines[0].content[:80])}'" if lines else ""
        wanted = "two words and a number, separated by tabs, semicolons, commas or spaces"
        raise InputError(f"{path}: no line holds {wanted}{first}")
    return best


def _score_column(rows: list[_Row]) -> int:
    """Return the field after the words that is a number in the most rows, the first of equals; 0 is the first word."""
    body = rows[1:] or rows
    widest = max(len(row.fields) for row in rows)
    return max(range(2, widest), key=lambda column: sum(_number(row.fields, column) is not None for row in body))


def _score(row: _Row, column: int, delimiter: str, path: Path) -> float:
    value = _number(row.fields, column)
    if value is None:
        found = f"'{show(row.fields[column][:40])}'" if len(row.fields) > column else "nothing"
        raise InputError(
            f"{path}: line {row.line.number}: field {column + 1} ({delimiter}-separated) is {found}, wanted a number"
        )
    return value


def _pair(row: _Row, strip_tags: bool, path: Path) -> tuple[bytes, bytes]:
    first, second = (_TAG.sub(b"", word) if strip_tags else word for word in row.fields[:2])
    if not first or not second:
        raise InputError(f"{path}: line {row.line.number}: a word is empty, wanted two words and a number")
    return first, second


ANALOGY_TESTS = {"questions-words": "questions-words.txt"}
"""Tests that come with gensim, by name."""

Question = tuple[bytes, bytes, bytes, bytes]
"""The words of "a is to b as c is to d"; d is the answer."""

NO_SECTION = "(no section)"
"""Name of the questions that stand before any section line."""

_BLANKS = re.compile(rb"[ \t]+")


@dataclass(frozen=True)
class AnalogySection:
    """The questions of one kind.

    Attributes:
        name: of the section.
        questions: in the order of the file; a section may be empty.
    """

    name: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class AnalogyTest:
    """A set of analogy questions.

    Attributes:
        name: of the test: its built-in name, or the file's name.
        sections: in the order of the file.
    """

    name: str
    sections: tuple[AnalogySection, ...]

    def __len__(self) -> int:
        return sum(len(section.questions) for section in self.sections)


def read_analogies(path_or_name: str | os.PathLike[str]) -> AnalogyTest:
    """Read an analogy test: four words a line, separated by tabs or spaces; ``: name`` begins a section.

    Lines that begin with ``//`` are comments, as in the file of word2vec.

    Args:
        path_or_name: a file, or ``"questions-words"`` (Mikolov et al. 2013), which comes with gensim.

    Raises:
        InputError: if there is no such test, it is a web page or no text, it has no questions, or a line has not four
            words; the message names file and line.

    Example:
        >>> test = read_analogies("questions-words")  # needs gensim
        >>> len(test), len(test.sections), test.sections[0].name
        (19544, 14, 'capital-common-countries')
    """
    path = find_test(path_or_name, ANALOGY_TESTS)
    sections: list[tuple[str, list[Question]]] = []
    for line in read_lines(path):
        if line.content.startswith(b"//"):
            continue
        fields = _BLANKS.split(line.content.strip(b" \t"))
        if _begins_section(fields):
            sections.append((show(line.content.lstrip(b" \t:").rstrip()), []))
            continue
        if not sections:
            sections.append((NO_SECTION, []))
        sections[-1][1].append(_question(line, fields, path))
    test = AnalogyTest(
        path_or_name if isinstance(path_or_name, str) and path_or_name in ANALOGY_TESTS else path.name,
        tuple(AnalogySection(name, tuple(questions)) for name, questions in sections),
    )
    if not len(test):
        raise InputError(f"{path}: there are no questions, wanted lines of four words")
    return test


def _begins_section(fields: list[bytes]) -> bool:
    # A question may begin with a word such as ":-)".
    return fields[0] == b":" or (fields[0].startswith(b":") and len(fields) != 4)


def _question(line: Line, fields: list[bytes], path: Path) -> Question:
    if len(fields) != 4:
        found = show(line.content[:80])
        raise InputError(f"{path}: line {line.number}: {len(fields)} words, wanted 4 or ': section': '{found}'")
    a, b, c, d = fields
    return a, b, c, d
