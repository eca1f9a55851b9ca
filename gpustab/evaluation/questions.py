"""Files of analogy questions: four words a line, or pairs each of which with each other is a question."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpustab.errors import InputError, option
from gpustab.evaluation.files import Row, find_test, read_lines
from gpustab.results.page import counted
from gpustab.spaces.words import show

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
    sections: list[tuple[str, list[Row]]] = []
    for line in read_lines(path):
        if line.content.startswith(b"//"):
            continue
        fields = _BLANKS.split(line.content.strip(b" \t"))
        if _begins_section(fields):
            sections.append((show(line.content.lstrip(b" \t:").rstrip()), []))
            continue
        if not sections:
            sections.append((NO_SECTION, []))
        sections[-1][1].append(Row(line, fields))
    every = [row for _, rows in sections for row in rows]
    if not every:
        raise InputError(f"{path}: there are no questions, wanted lines of four words")
    columns, width = _columns(every, path, word_columns)
    several = _have_several(every, columns)
    made = [_questions([_picked(row, columns, width, path) for row in rows], several) for _, rows in sections]
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


def _columns(rows: Sequence[Row], path: Path, asked: str | Sequence[int] | None) -> tuple[tuple[int, ...], int]:
    """Return the columns of the words, from 0: four, or two of pairs; and how many a line has."""
    widths = Counter(len(row.fields) for row in rows)
    width = widths.most_common(1)[0][0]
    if asked is not None:
        parts = asked.split(",") if isinstance(asked, str) else [str(k) for k in asked]
        if len(parts) not in (_PAIR, _WORDS) or not all(k.strip().isdecimal() and int(k) for k in parts):
            raise InputError(f"{option('word_columns', asked)}: wanted four columns, or two of pairs, from 1 upwards")
        return tuple(int(k) - 1 for k in parts), max(width, *map(int, parts))
    tags = [k for k in range(width) if _is_tag(k, [row.fields for row in rows if len(row.fields) == width])]
    if width == _WORDS and tags:
        what = (
            f"column {tags[0] + 1} is a tag ({show(rows[0].fields[tags[0]])}) and no word, so the answers are not here"
        )
        raise InputError(
            f"{path}: {what}; wanted four words a line; {option('word_columns', '1,2,3,4')} takes it for a word"
        )
    found = tuple(k for k in range(width) if k not in tags) if width == _WORDS + 1 else tuple(range(width))
    return (found, width) if len(found) in (_PAIR, _WORDS) else (tuple(range(_WORDS)), _WORDS)


def _is_tag(k: int, rows: Sequence[list[bytes]]) -> bool:
    """Whether a column has few values for many of any other column, and none of them stands in one of these."""
    own = {row[k] for row in rows}
    others = [{row[j] for row in rows} for j in range(len(rows[0])) if j != k]
    return len(rows) > 1 and len(others) > 2 and all(2 * len(own) <= len(o) and not own & o for o in others)


def _have_several(rows: Sequence[Row], columns: Sequence[int]) -> bool:
    """Whether answers have strokes, and no other word does."""
    *before, last = columns
    with_stroke = [[b"/" in row.fields[k][1:-1] for k in range(len(row.fields))] for row in rows]
    return any(own[last] for own in with_stroke if len(own) > last) and not any(
        own[k] for own in with_stroke for k in before if len(own) > k
    )


def _picked(row: Row, columns: Sequence[int], width: int, path: Path) -> list[bytes]:
    if len(row.fields) != width:
        found = show(row.line.content[:80])
        wanted = f"wanted {width} or ': section'"
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
