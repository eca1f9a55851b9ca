"""Files of paraphrases: the Microsoft corpus's own form, or two sentences a line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.errors import InputError

_KNOWN = {4076: 2753, 1725: 1147}
"""Lines of the Microsoft corpus's two files, and how many of them are paraphrases."""

_HEAD = "Quality"


class Pair(NamedTuple):
    """Two sentences of one meaning."""

    first: str
    second: str


class Paraphrases(NamedTuple):
    """What was read.

    Attributes:
        pairs: of one meaning, in the order of the files.
        notes: what a reader must know of them.
    """

    pairs: list[Pair]
    notes: list[str]


def read_pairs(paths: Sequence[str | os.PathLike[str]]) -> Paraphrases:
    """Read paraphrases.

    Args:
        paths: files of tab-separated lines: two sentences; or, with a head line that begins with ``Quality``, five
            fields as in the Microsoft Research Paraphrase Corpus, of which the pairs of quality 1 count. Quotes are
            ordinary signs.

    Raises:
        InputError: naming file and line, for a line of other fields, an empty sentence, bytes that are no UTF-8, or a
            file without pairs.
    """
    pairs: list[Pair] = []
    notes: list[str] = []
    for path in map(Path, paths):
        lines = _lines(path)
        corpus = bool(lines) and lines[0][1].startswith(_HEAD)
        found = list(_pairs(path, lines, corpus))
        if not found:
            raise InputError(f"{path}: there is no pair of sentences of one meaning")
        if corpus and _KNOWN.get(len(lines) - 1) != len(found):
            notes.append(
                f"{path.name} has {len(lines) - 1:,} pairs, {len(found):,} of them paraphrases; the Microsoft corpus "
                "has 4,076 and 2,753 for training, 1,725 and 1,147 for testing. This copy is another."
            )
        pairs += found
    return Paraphrases(pairs, notes)


def _lines(path: Path) -> list[tuple[int, str]]:
    """The lines that are not empty, each with its number."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8") from None
    return [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _pairs(path: Path, lines: Sequence[tuple[int, str]], corpus: bool) -> Iterator[Pair]:
    wanted = 5 if corpus else 2
    for place, (number, line) in enumerate(lines):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != wanted or not all(fields[-2:]):
            raise InputError(
                f"{path}: line {number} has {len(fields)} fields, wanted {wanted}, the last two of them sentences"
            )
        if corpus and place and fields[0] not in ("0", "1"):
            raise InputError(f"{path}: line {number} has the quality '{fields[0]}', wanted 0 or 1")
        if not corpus or (place and fields[0] == "1"):
            yield Pair(fields[-2], fields[-1])


def components(pairs: Sequence[Pair]) -> list[int]:
    """Return for every pair the number of its component: pairs that share a sentence are in one.

    >>> components([Pair("a", "b"), Pair("c", "d"), Pair("b", "e")])
    [0, 1, 0]
    """
    leader: dict[str, str] = {}

    def root(sentence: str) -> str:
        leader.setdefault(sentence, sentence)
        while leader[sentence] != sentence:
            leader[sentence] = sentence = leader[leader[sentence]]
        return sentence

    for first, second in pairs:
        leader[root(first)] = root(second)
    number: dict[str, int] = {}
    return [number.setdefault(root(pair.first), len(number)) for pair in pairs]
