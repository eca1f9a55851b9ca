"""The files of a folder: which are text, which kind of them is read, and what is passed over."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gpustab.corpus.formats.format import TextFormat
from gpustab.corpus.formats.plain import PLAIN
from gpustab.corpus.formats.registry import FORMATS, recognise, suffix_of
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option

log = logging.getLogger("gpustab")

_FEW = 0.1
"""A larger share of the texts of a folder is not left out unless a format is named; one file, a README say, may be."""


class Files(NamedTuple):
    """What a folder holds.

    Attributes:
        paths: the files to be read, in order.
        seen: how many of which kinds were seen and passed over, for people.
    """

    paths: Sequence[Path]
    seen: str


def files_in(folder: Path, options: ReadOptions) -> Files:
    """Return the files of one kind in a folder and its subfolders, hidden ones left out, sorted by their path.

    The kind is told by the suffix, in capitals or not, of what a compression left. Plain text goes before every other;
    files without a suffix are plain text where no others are.

    Raises:
        InputError: if there are none, or of several kinds of which none is plain text; or if, of those that could be
            read, more than one and more than a tenth are of other kinds than plain text, and no format is named.
    """
    shown = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    shown = sorted((p for p in shown if not any(part.startswith(".") for part in p.parts)), key=lambda p: p.parts)
    suffixes = _suffixes(folder, shown, options)
    paths = [path for path in shown if suffix_of(path) in suffixes]
    passed = Counter(_kind(path) for path in shown if suffix_of(path) not in suffixes)
    over = f", passed over {_counts(passed)}" if passed else ""
    return Files([folder / path for path in paths], f"{len(shown):,} files seen{over}")


def _suffixes(folder: Path, shown: Sequence[Path], options: ReadOptions) -> Sequence[str]:
    """Return the suffixes of the files that are read."""
    there = Counter(suffix_of(path) for path in shown)
    found = [one for one in FORMATS if any(suffix in there for suffix in one.suffixes)]
    seen = f"there are {_counts(Counter(map(_kind, shown))) or 'no files'}"
    if options.format:
        wanted = next(one for one in FORMATS if one.name == options.format).suffixes or PLAIN.suffixes
        if not any(suffix in there for suffix in wanted):
            raise InputError(f"{folder}: no {' or '.join(wanted)} files in this folder; {seen}")
        return wanted
    if PLAIN in found and len(found) > 1:
        _weigh(folder, there, found)
    if PLAIN in found or not found:
        if not found and "" not in there:
            known = ", ".join(suffix for one in FORMATS for suffix in one.suffixes)
            raise InputError(
                f"{folder}: no files of text in this folder ({known}); {seen}{_why(folder, shown, options)}"
            )
        return PLAIN.suffixes if found else ("",)
    if len(found) > 1:
        raise InputError(f"{folder}: which are the texts? {seen}; say {_ways(found)}")
    return found[0].suffixes


def _weigh(folder: Path, there: Counter[str], found: Sequence[TextFormat]) -> None:
    """Tell that plain text is read and other texts are not, or refuse it where these are many."""
    texts = Counter({suffix: there[suffix] for one in found for suffix in one.suffixes if suffix in there})
    left = Counter({suffix: n for suffix, n in texts.items() if suffix not in PLAIN.suffixes})
    read = texts.total() - left.total()
    if left.total() > max(1, _FEW * texts.total()) or left.total() >= read:
        raise InputError(
            f"{folder}: there are {_counts(texts)}, and one kind is read: say {_ways(found)}, or put them apart; "
            "saved as .txt they are read together"
        )
    log.warning("%s: left out %s: plain text is read", folder, _counts(left))


def _why(folder: Path, shown: Sequence[Path], options: ReadOptions) -> str:
    """What the first file of the most frequent kind is, with the way to convert it; nothing where that is not known."""
    if not shown:
        return ""
    most, _ = Counter(map(suffix_of, shown)).most_common(1)[0]
    try:
        recognise(folder / next(path for path in shown if suffix_of(path) == most), options)
    except InputError as error:
        return f"; {error.marked}"
    return ""


def _ways(found: Sequence[TextFormat]) -> str:
    return " or ".join(option("format", one.name) for one in found)


def _kind(path: Path) -> str:
    return suffix_of(path) or "without a suffix"


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:8]) + (
        " …" if len(kinds) > 8 else ""
    )
