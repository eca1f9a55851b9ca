"""A word a line: columns of words, lemmas and tags, with lines of tags or comments between.

ParlaMint, Sketch Engine, CWB, COHA, CoNLL and most taggers write it. It is told by its rows, not by how it begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import unescape
from typing import NamedTuple

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.records import Columns, document
from gpustab.errors import InputError, option

ROWS_SHARE = 0.8
"""Of the rows, how many have the same number of cells: a tagger now and then loses a cell."""
_FEW_ROWS = 5
"""Rows from which two cells in each are no accident; with three cells in each, two rows are enough."""
_NEARLY_ALL, _FEW_CELLS = 0.95, 3
_OF_CODES = 10
"""Words for each code, at least."""
_CODE = re.compile(r"[A-Z_-][A-Z0-9_-]*")
_TAG = re.compile(r"\s*<[!?/]?[A-Za-z][^\t]*>\s*")
_OPEN = re.compile(r"\s*<([A-Za-z][\w:.-]*)(?=[\s>])(?![^\t]*/>)")
_CLOSE = re.compile(r"\s*</([A-Za-z][\w:.-]*)")
_NEW = re.compile(r"##|# newdoc\b|-DOCSTART-")
_RANGE = re.compile(r"(\d+)-(\d+)")
_WORDLIKE = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ATTRIBUTE = re.compile(r'(?<![\w:.-])([\w:.-]++)[ \t]*+=[ \t]*+"([^"\n]*)"')
_NO_VALUE = ("_", "-", "")
_DOCUMENTS = ("text", "doc")
"""Elements that are documents wherever they occur; else those that come again and hold others are."""


class Rows(NamedTuple):
    """What lines look like as rows of cells.

    Attributes:
        cells: how many the rows have.
        share: of the lines without tags, comments and blanks, those that have so many, none with a space.
        rows: these lines, cut.
        word: number of the column, from 1, that seems to hold the words.
    """

    cells: int
    share: float
    rows: Sequence[Sequence[str]]
    word: int

    def __bool__(self) -> bool:
        """Whether they are a word a line."""
        enough = len(self.rows) >= (2 if self.cells > 2 else _FEW_ROWS)
        return self.share >= ROWS_SHARE and enough


def rows_of(lines: Iterable[str]) -> Rows:
    r"""Return what lines look like as rows of cells with tabs between, or with blanks.

    Blanks stand between words as well: there, nearly all rows have three cells or more and the last holds one of a few
    signs, which stand in no other column; or a column behind the first holds few codes in capitals.

    >>> rows_of(["<s>", "The\tDT\tthe", "cat\tNN\tcat", "</s>"])[:2]
    (3, 1.0)
    >>> bool(rows_of(["the old cat", "sat on it"] * 9))
    False
    """
    there = [line.strip("\r\n") for line in lines if not is_between(line)]
    tabs = _cut([line.split("\t") for line in there])
    if tabs or not there:
        return tabs
    blanks = _cut([line.split() for line in there])
    if blanks.share < _NEARLY_ALL or len(blanks.rows) < _FEW_ROWS:
        return tabs
    different = set(map(tuple, blanks.rows))  # a line that comes again and again is none of many rows
    if len(different) < _FEW_ROWS:
        return tabs
    columns = [set(column) for column in zip(*different, strict=True)]
    if any(_are_codes(columns[k], len(columns[0])) and _is_apart(columns, k) for k in range(1, len(columns))):
        return blanks
    last = columns[-1]
    few = all(map(_CODE.fullmatch, last)) or (len(last) > 1 and 3 * len(last) <= len(different))
    return blanks if len(columns) >= _FEW_CELLS and few and _is_apart(columns, -1) else tabs


def _are_codes(column: Collection[str], words: int) -> bool:
    """Tell tags from words in capitals: there are few, of so many words."""
    codes = sum(bool(_CODE.fullmatch(cell)) for cell in column if cell[0].isalnum())
    return codes > 1 and codes == sum(cell[0].isalnum() for cell in column) and _OF_CODES * len(column) <= words


def _is_apart(columns: Sequence[set[str]], k: int) -> bool:
    """Whether no other column has any cell of one, but for signs, which taggers repeat."""
    cells = {cell for cell in columns[k] if any(map(str.isalnum, cell))}
    return bool(cells) and all(cells.isdisjoint(other) for other in columns if other is not columns[k])


def _cut(rows: Sequence[list[str]]) -> Rows:
    cut = [cells[:-1] if len(cells) > 2 and not cells[-1] else cells for cells in rows]
    whole = [cells for cells in cut if len(cells) > 1 and all(cell and " " not in cell.strip() for cell in cells)]
    widths = Counter(map(len, whole))
    if not widths:
        return Rows(0, 0.0, (), 0)
    width, n = widths.most_common(1)[0]
    same = [cells for cells in whole if len(cells) == width]
    return Rows(width, n / len(cut), same, _word_column(same))


def is_between(line: str) -> bool:
    """Whether a line stands between rows: a tag, a comment or a blank line."""
    return (
        not line.strip()
        or bool(_TAG.fullmatch(line))
        or line.startswith("-DOCSTART-")
        or ("\t" not in line and line[0] == "#")
    )


def _word_column(rows: Sequence[Sequence[str]]) -> int:
    """Return the first column of words that has about as many different ones as any."""
    columns = list(zip(*rows, strict=True))
    different = [
        len(set(column)) if 2 * sum(bool(_WORDLIKE.fullmatch(cell)) for cell in column) >= len(column) else 0
        for column in columns
    ]
    return next((n for n, many in enumerate(different, 1) if many and 2 * many >= max(different)), 1)


def _matches(start: str) -> bool:
    lines = start.split("\n")
    return bool(rows_of(lines[:-1] if len(lines) > _FEW_ROWS else lines))  # the last may be cut


def _read(file: TextFile) -> Iterator[Document]:
    column = file.options.column
    if column is None:
        yield Document("1", {}, [file.text().replace("\r\n", "\n")])
        return
    if not column.isdecimal() or column == "0":
        raise InputError(f"{file.path}: {option('column', column)}: columns of a word a line have numbers, from 1")
    yield from _joined(file, int(column) - 1)


def _joined(file: TextFile, column: int) -> Iterator[Document]:
    """Yield documents whose texts are the sentences that tags or blank lines end; attributes are their metadata."""
    parts = _document_elements(file)
    number, sentences, words, covered, said = 1, list[str](), list[str](), 0, dict[str, str]()
    for place, line in enumerate(file.lines(), 1):
        if is_between(line):
            if words and _ends_sentence(line):
                sentences.append(" ".join(words))
                words = []
            if _begins_document(line, parts):
                if sentences:
                    yield _document(file, place, number, said, sentences)
                    number, sentences = number + 1, []
                said = dict(_ATTRIBUTE.findall(line))
            covered = covered if line.strip() else 0
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) == 1 and column:
            raise InputError(f"{file.path}: line {place:,}: there is one cell, and {option('column', str(column + 1))}")
        found, covered = _word_of(cells, column, covered)
        words += found
    if sentences := [*sentences, *([" ".join(words)] if words else [])]:
        yield _document(file, place, number, said, sentences)


def _word_of(cells: Sequence[str], column: int, covered: int) -> tuple[list[str], int]:
    """Return the word of a row, if there is one, and the id up to which rows are parts of a word that was read.

    A word that is cut in two has a row for the whole before, ``1-2``; where that has no lemma its parts are read.
    """
    if (span := _RANGE.fullmatch(cells[0])) and len(cells) > column > 0:
        if cells[column].strip() in _NO_VALUE:
            return [], covered
        covered = int(span[2])
    elif re.fullmatch(r"\d+\.\d+", cells[0]) or (cells[0].isdecimal() and int(cells[0]) <= covered):
        return [], covered
    return [unescape(cell.strip()) for cell in cells[column : column + 1]], covered  # a tagger may lose a cell


def _document(file: TextFile, place: int, number: int, said: dict[str, str], sentences: list[str]) -> Document:
    columns = Columns("", file.options.id_column or "id", file.options.date_column)
    return document(file, f"line {place:,}", number, said | {"": ""}, columns)._replace(texts=sentences)


def _ends_sentence(line: str) -> bool:
    return not line.strip() or any(sign.match(line) for sign in (_OPEN, _CLOSE, _NEW))


def _begins_document(line: str, parts: Collection[str]) -> bool:
    opened = _OPEN.match(line)
    return bool(_NEW.match(line)) or (opened is not None and opened[1] in parts and "\t" not in line)


def _document_elements(file: TextFile) -> set[str]:
    """Return the names of the elements that are documents."""
    opened, holds, stack = Counter[str](), set[str](), list[str]()
    order = list[str]()
    for line in file.lines():
        if "\t" in line or not line.lstrip().startswith("<"):
            continue
        if found := _OPEN.match(line):
            if stack:
                holds.add(stack[-1])
            opened[found[1]] += 1
            order += [found[1]] if opened[found[1]] == 1 else []
            stack.append(found[1])
        elif (found := _CLOSE.match(line)) and found[1] in stack:
            while stack.pop() != found[1]:
                pass
    named = [name for name in order if name in _DOCUMENTS]
    return set(named[:1]) or set([name for name in order if opened[name] > 1 and name in holds][:1])


VERTICAL = TextFormat(
    "vertical",
    "a word a line",
    (".vert", ".vrt", ".vertical", ".conllu", ".conll", ".conllup"),
    "sentences",
    _matches,
    _read,
)
