"""Files of analogy questions: four words a line, in sections or not."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from gpustab.errors import InputError
from gpustab.evaluation.files import Line, find_test, read_lines
from gpustab.spaces.words import show

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
