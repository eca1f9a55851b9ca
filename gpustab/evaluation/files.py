"""Files of tests: word pairs with a human score, and analogy questions; delimiters, headers and columns are found."""

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

from gpustab.errors import InputError, near, option
from gpustab.evaluation.columns import Columns, choose, number
from gpustab.formats.sniff import UTF8_BOM
from gpustab.formats.source import open_source
from gpustab.results.page import counted
from gpustab.spaces.words import as_word, show

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

_DELIMITERS = {"tab": rb"\t", "semicolon": rb";", "comma": rb",", "colon": rb":", "bar": rb"\|", "space": rb"[ \t]+"}
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
        if self.duplicates:
            shown = ", ".join(f"{show(a)} {show(b)}" for a, b in self.duplicates[:5])
            notes.append(f"Pairs that occur more than once, every time counted: {len(self.duplicates)} ({shown})")
        return tuple(notes)

    def _called(self, column: int) -> str:
        name = self.names[column - 1] if column <= len(self.names) else ""
        return f"{column} '{name[:30]}'" if name else str(column)


class _Row(NamedTuple):
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
    header = rows[0] if len(rows) > 1 and _is_header(rows) else None
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


def _rows(lines: list[Line], path: Path) -> tuple[str, list[_Row]]:
    """Return the delimiter, and the rows without the comments above them."""
    delimiter = _sniff(lines, path)
    rows = [_Row(line, _fields(line.content, delimiter)) for line in lines]
    while rows[0].line.content.startswith(b"#") and not _has_score(rows[0].fields):
        del rows[0]
    return delimiter, rows


def _is_header(rows: list[_Row]) -> bool:
    """Whether the first row has no number in a column that has them in all other rows."""
    body = [row.fields for row in rows[1:]]
    full = [k for k in range(max(map(len, body))) if all(len(row) > k and number(row[k]) is not None for row in body)]
    if not full:  # a line is wrong, and will be named
        return not _has_score(rows[0].fields)
    return any(len(rows[0].fields) <= k or number(rows[0].fields[k]) is None for k in full)


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


def _has_score(fields: list[bytes]) -> bool:
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
        raise InputError(f"{path}: no line holds {wanted}{first}")
    return best


def _score(row: _Row, column: int, delimiter: str, path: Path) -> float:
    value = number(row.fields[column]) if len(row.fields) > column else None
    if value is None:
        found = f"'{show(row.fields[column][:40])}'" if len(row.fields) > column else "nothing"
        raise InputError(
            f"{path}: line {row.line.number}: field {column + 1} ({delimiter}-separated) is {found}, wanted a number"
        )
    return value


def _pair(row: _Row, columns: tuple[int, int], path: Path) -> tuple[bytes, bytes]:
    first, second = (row.fields[k] if len(row.fields) > k else b"" for k in columns)
    if not first or not second:
        raise InputError(f"{path}: line {row.line.number}: a word is empty, wanted two words and a number")
    return first, second


ANALOGY_TESTS = {"questions-words": "questions-words.txt"}
"""Tests that come with gensim, by name."""

Question = tuple[bytes, ...]
"""The words of "a is to b as c is to d"; d is the answer, and so is every further word."""

NO_SECTION = "(no section)"
"""Name of the questions that stand before any section line."""

_PAIR, _WORDS = 2, 4
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
        notes: which columns are the words, and what else was found, in sentences.
    """

    name: str
    sections: tuple[AnalogySection, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return sum(len(section.questions) for section in self.sections)


def read_analogies(
    path_or_name: str | os.PathLike[str], *, word_columns: str | Sequence[int] | None = None
) -> AnalogyTest:
    """Read an analogy test: four words a line, separated by tabs or spaces; ``: name`` begins a section.

    Lines that begin with ``//`` are comments, as in the file of word2vec. Several right answers stand with ``/``
    between them. A file of two words a line (BATS) holds pairs: each of them with each other is a question. A column of
    a few values that no other column has (``JJ_JJR``) is a tag and no answer.

    Args:
        path_or_name: a file, or ``"questions-words"`` (Mikolov et al. 2013), which comes with gensim.
        word_columns: the four columns of the words, as numbers from 1 upwards; two for pairs.

    Raises:
        InputError: if there is no such test, it is a web page or no text, it has no questions, or a line has not four
            words; the message names file and line.

    Example:
        >>> test = read_analogies("questions-words")  # needs gensim
        >>> len(test), len(test.sections), test.sections[0].name
        (19544, 14, 'capital-common-countries')
    """
    path = find_test(path_or_name, ANALOGY_TESTS)
    name = path_or_name if isinstance(path_or_name, str) and path_or_name in ANALOGY_TESTS else path.name
    sections: list[tuple[str, list[_Row]]] = []
    for line in read_lines(path):
        if line.content.startswith(b"//"):
            continue
        fields = _BLANKS.split(line.content.strip(b" \t"))
        if _begins_section(fields):
            sections.append((show(line.content.lstrip(b" \t:").rstrip()), []))
            continue
        if not sections:
            sections.append((NO_SECTION, []))
        sections[-1][1].append(_Row(line, fields))
    every = [row for _, rows in sections for row in rows]
    if not every:
        raise InputError(f"{path}: there are no questions, wanted lines of four words")
    columns = _analogy_columns(every, path, word_columns)
    several = _have_several(every, columns)
    made = [_questions([_picked(row, columns, path) for row in rows], several) for _, rows in sections]
    notes = [f"{name}: words are columns {', '.join(str(k + 1) for k in columns)}."]
    if len(columns) == _PAIR:
        notes.append(f"{name}: {counted(len(every), 'pair')}, each with each other: {sum(map(len, made)):,} questions.")
    if several:
        notes.append(f"{name}: answers with / between them are several right ones.")
    return AnalogyTest(
        str(name),
        tuple(AnalogySection(title, questions) for (title, _), questions in zip(sections, made, strict=True)),
        tuple(notes),
    )


def _analogy_columns(rows: Sequence[_Row], path: Path, asked: str | Sequence[int] | None) -> tuple[int, ...]:
    """Return the columns of the words, from 0: four, or two of pairs."""
    if asked is not None:
        parts = asked.split(",") if isinstance(asked, str) else [str(k) for k in asked]
        if len(parts) not in (_PAIR, _WORDS) or not all(k.strip().isdecimal() and int(k) for k in parts):
            raise InputError(f"{option('word_columns', asked)}: wanted four columns, or two of pairs, from 1 upwards")
        return tuple(int(k) - 1 for k in parts)
    widths = Counter(len(row.fields) for row in rows)
    width = widths.most_common(1)[0][0]
    tags = [k for k in range(width) if _is_tag(k, [row.fields for row in rows if len(row.fields) == width])]
    if width == _WORDS and tags:
        what = (
            f"column {tags[0] + 1} is a tag ({show(rows[0].fields[tags[0]])}) and no word, so the answers are not here"
        )
        raise InputError(
            f"{path}: {what}; wanted four words a line; {option('word_columns', '1,2,3,4')} takes it for a word"
        )
    found = tuple(k for k in range(width) if k not in tags) if width == _WORDS + 1 else tuple(range(width))
    return found if len(found) in (_PAIR, _WORDS) else tuple(range(_WORDS))


def _is_tag(k: int, rows: Sequence[list[bytes]]) -> bool:
    """Whether a column has few values for many of any other column, and none of them stands in one of these."""
    own = {row[k] for row in rows}
    others = [{row[j] for row in rows} for j in range(len(rows[0])) if j != k]
    return len(rows) > 1 and len(others) > 2 and all(2 * len(own) <= len(o) and not own & o for o in others)


def _have_several(rows: Sequence[_Row], columns: Sequence[int]) -> bool:
    """Whether answers have strokes, and no other word does."""
    *before, last = columns
    with_stroke = [[b"/" in row.fields[k][1:-1] for k in range(len(row.fields))] for row in rows]
    return any(own[last] for own in with_stroke if len(own) > last) and not any(
        own[k] for own in with_stroke for k in before if len(own) > k
    )


def _picked(row: _Row, columns: Sequence[int], path: Path) -> list[bytes]:
    wide = max(columns) + 1
    if len(row.fields) < wide or (len(row.fields) != wide and wide in (_PAIR, _WORDS)):
        found = show(row.line.content[:80])
        wanted = f"wanted {wide} or ': section'"
        raise InputError(f"{path}: line {row.line.number}: {len(row.fields)} words, {wanted}: '{found}'")
    return [row.fields[k] for k in columns]


def _questions(rows: Sequence[list[bytes]], several: bool) -> tuple[Question, ...]:
    answers = [tuple(filter(None, row[-1].split(b"/"))) if several else (row[-1],) for row in rows]
    if rows and len(rows[0]) == _PAIR:
        pairs = [(row[0], own) for row, own in zip(rows, answers, strict=True)]
        return tuple((a, b[0], c, *d) for k, (a, b) in enumerate(pairs) for j, (c, d) in enumerate(pairs) if j != k)
    return tuple((*row[:3], *own) for row, own in zip(rows, answers, strict=True))


def _begins_section(fields: list[bytes]) -> bool:
    # A question may begin with a word such as ":-)".
    return fields[0] == b":" or (fields[0].startswith(b":") and len(fields) != 4)
