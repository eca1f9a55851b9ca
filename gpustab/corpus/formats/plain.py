"""Plain text, fastText's lines with labels, and gensim's lines of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.options import FoundLayout
from gpustab.errors import InputError, option

_LABEL = "__label__"
_WRAPPED = 0.2
"""Part of the lines inside blocks that go on in the next line, from which lines are no sentences."""
_SEVERAL = 0.5
"""Part of the lines that hold the end of a sentence and more, from which they are paragraphs."""
_INNER_END = re.compile(r"""[^\W\d_]{2}[.!?…]["'”’»)]* +["'“‘«(]*[^\W\d_a-zß-öø-ÿ]""")
_ENDS = ".!?:;…\"'”’»)"
_FEW = 2
_CHANCE = 1e-3
RUN_ON = "many lines run on in the next"


def documents(file: TextFile, layout: FoundLayout) -> Iterator[Document]:
    """Yield the documents of plain text in a layout."""
    if layout == "files":
        texts: Iterable[list[str]] = [[file.text().replace("\r\n", "\n")]]
    elif layout == "lines":
        texts = ([line] for line in file.lines())
    else:
        texts = (list(group) for filled, group in groupby(file.lines(), key=lambda line: bool(line.strip())) if filled)
        if layout == "paragraphs":
            texts = (["\n".join(lines)] for lines in texts)
    return (Document(str(number), {}, lines) for number, lines in enumerate(texts, 1))


class Found(NamedTuple):
    """What a document is in a file.

    Attributes:
        layout: the one that the lines show, or the likeliest.
        why: it was taken; empty where there are no blank lines, or ``layout`` was chosen.
        question: what to ask where several are plausible.
    """

    layout: FoundLayout
    why: str = ""
    question: str = ""


def find_layout(file: TextFile) -> Found:
    """Return what a document is in a file: a line, or what stands between blank lines.

    Blank lines at either end do not count. Where lines go on in small letters after no sentence's end, or hold several
    sentences, or stand between blank lines one by one, those between blank lines are paragraphs. Otherwise blank lines
    stand between documents whose every line is a sentence if they come so regularly that empty documents, strewn at
    random, would hardly do so (1 in 1,000).

    Raises:
        InputError: if there is no text, or it can be read only once.
    """
    if file.path.exists() and not file.path.is_file():
        ways = f"say {option('layout', 'lines')} or {option('layout', 'blocks')}"
        raise InputError(f"{file.path}: this can be read only once; {ways}")
    lines = _counted(file.lines())
    if not lines.filled:
        raise InputError(f"{file.path}: the file is empty")
    if not lines.gaps:
        return Found("lines")
    blocks = lines.gaps.total() + 1
    if lines.filled > blocks and lines.wrapped > _WRAPPED * (lines.filled - blocks):
        return Found("paragraphs", RUN_ON)
    if lines.filled == blocks and blocks > _FEW:
        return Found("paragraphs", "every line stands between blank ones")
    if lines.filled > blocks and lines.several > _SEVERAL * lines.filled:
        return Found("paragraphs", "most lines hold several sentences")
    if len(lines.gaps) == 1 and _chance(lines.filled, *lines.gaps.most_common(1)[0]) < _CHANCE:
        return Found("blocks", "blank lines come regularly")
    if lines.ended < _SEVERAL * lines.filled:
        return Found("paragraphs", "most lines end no sentence")
    return Found("blocks", "", _question(lines.filled, lines.gaps))


@dataclass
class _Lines:
    """What the lines of a file are like.

    Attributes:
        filled: how many are not blank.
        wrapped: of these, those that go on in small letters where the one before ends no sentence.
        several: those that hold several sentences.
        ended: those that end a sentence.
        gaps: runs of blank lines between them, by length.
    """

    filled: int = 0
    wrapped: int = 0
    several: int = 0
    ended: int = 0
    gaps: Counter[int] = field(default_factory=Counter)


def _counted(lines: Iterable[str]) -> _Lines:
    found, gap, before = _Lines(), 0, ""
    for line in lines:
        if not line.strip():
            gap += 1
            continue
        if found.filled and gap:
            found.gaps[gap] += 1
        elif found.filled:
            found.wrapped += line.lstrip()[:1].islower() and before.rstrip()[-1] not in _ENDS
        found.ended += line.rstrip()[-1] in _ENDS
        found.several += bool(_INNER_END.search(line, 0, 1000))
        found.filled, gap, before = found.filled + 1, 0, line
    return found


def _chance(filled: int, length: int, runs: int) -> float:
    """Probability that all of the runs of blank lines have one length, if every line is blank with one probability."""
    blank = length * runs / (filled + length * runs)
    return float(((1 - blank) * blank ** (length - 1)) ** runs)


def _question(filled: int, gaps: Counter[int]) -> str:
    blank = sum(length * runs for length, runs in gaps.items())
    ways = [
        f"{option('layout', 'lines')} ({filled + blank:,} documents, {blank:,} of them empty)",
        f"{option('layout', 'blocks')} ({gaps.total() + 1:,} documents between blank lines, each line a sentence)",
        f"{option('layout', 'paragraphs')} (those too, their lines joined)",
        f"{option('layout', 'files')} (one document)",
    ]
    return f"{filled:,} lines and {blank:,} blank ones between: what is a document? say {', '.join(ways)}"


def _is_labelled(start: str) -> bool:
    lines = [line for line in start.split("\n")[:50] if line.strip()]
    return bool(lines) and all(line.startswith(_LABEL) for line in lines)


def _labelled(file: TextFile) -> Iterator[Document]:
    """Yield the lines, whose labels become metadata; several have spaces between."""
    for number, line in enumerate(file.lines(), 1):
        words = line.split()
        labels = [word.removeprefix(_LABEL) for word in words if word.startswith(_LABEL)]
        text = " ".join(word for word in words if not word.startswith(_LABEL))
        yield Document(str(number), {"label": " ".join(labels)}, [text])


FASTTEXT = TextFormat("fasttext", "lines with fastText's labels", (), "lines", _is_labelled, _labelled)
LINE_SENTENCE = TextFormat(
    "line_sentence", "gensim's lines of words", (), "lines", lambda _: False, lambda file: documents(file, "lines")
)
PLAIN = TextFormat(
    "plain",
    "plain text",
    (".txt", ".text"),
    None,
    lambda _: True,
    lambda file: documents(file, find_layout(file).layout),
)
