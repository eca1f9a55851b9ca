"""Plain text, fastText's lines with labels, and gensim's lines of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.options import FoundLayout, Layout
from gpustab.errors import InputError, option

_LABEL = "__label__"
_WRAPPED = 0.2
"""Part of the lines inside blocks that go on in the next line, from which lines are no sentences."""
_CHANCE = 1e-3


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


def find_layout(file: TextFile) -> Layout:
    """Return what a document is in a file: a line, or what stands between blank lines.

    Blank lines at either end do not count. Blank lines between others stand between documents if they come so
    regularly that empty documents, strewn at random, would hardly do so (1 in 1,000); then every line is a sentence,
    unless many go on in small letters after no sentence's end.

    Raises:
        InputError: with the question, if several readings are plausible; or if there is no text.
    """
    if file.path.exists() and not file.path.is_file():
        ways = f"say {option('layout', 'lines')} or {option('layout', 'blocks')}"
        raise InputError(f"{file.path}: this can be read only once; {ways}")
    filled, gaps, wrapped, gap, before = 0, Counter[int](), 0, 0, ""
    for line in file.lines():
        if not line.strip():
            gap += 1
            continue
        if filled and gap:
            gaps[gap] += 1
        elif filled:
            wrapped += line.lstrip()[:1].islower() and before.rstrip()[-1] not in ".!?:;…\"'”’»)"
        filled, gap, before = filled + 1, 0, line
    if not filled:
        raise InputError(f"{file.path}: the file is empty")
    if not gaps:
        return "lines"
    blocks = gaps.total() + 1
    runs_on = filled > blocks and wrapped > _WRAPPED * (filled - blocks)
    if len(gaps) == 1 and _chance(filled, *gaps.most_common(1)[0]) < _CHANCE and not runs_on:
        return "blocks"
    raise InputError(_question(file.path, filled, gaps, runs_on))


def _chance(filled: int, length: int, runs: int) -> float:
    """Probability that all of the runs of blank lines have one length, if every line is blank with one probability."""
    blank = length * runs / (filled + length * runs)
    return float(((1 - blank) * blank ** (length - 1)) ** runs)


def _question(path: Path, filled: int, gaps: Counter[int], runs_on: bool) -> str:
    blank = sum(length * runs for length, runs in gaps.items())
    ways = [
        f"{option('layout', 'lines')} ({filled + blank:,} documents, {blank:,} of them empty)",
        f"{option('layout', 'blocks')} ({gaps.total() + 1:,} documents between blank lines, each line a sentence)",
        f"{option('layout', 'paragraphs')} (those too, their lines joined{': many lines run on' if runs_on else ''})",
        f"{option('layout', 'files')} (one document)",
    ]
    return f"{path}: {filled:,} lines and {blank:,} blank ones between: what is a document? say {', '.join(ways)}"


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
    "plain", "plain text", (".txt", ".text"), None, lambda _: True, lambda file: documents(file, find_layout(file))
)
