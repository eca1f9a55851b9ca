"""The kinds of text files that can be read, and how a file is recognised."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from gpustab.corpus.encoding import find_encoding
from gpustab.corpus.formats.format import TextFile, TextFormat
from gpustab.corpus.formats.markup import DOCX, FRAGMENT, HTML, MARKDOWN
from gpustab.corpus.formats.plain import FASTTEXT, LINE_SENTENCE, PLAIN
from gpustab.corpus.formats.records import JSON_LINES, TABLE
from gpustab.corpus.formats.vertical import ROWS_SHARE, VERTICAL, rows_of
from gpustab.corpus.formats.xml_text import XML
from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option
from gpustab.formats.plain_text import mark_of, wide_of
from gpustab.formats.sniff import MAGIC, foreign, without_colours
from gpustab.formats.source import Source, open_source

# The first that matches reads the file. PLAIN is last: it takes whatever is not known to be something else.
FORMATS: tuple[TextFormat, ...] = (
    DOCX,
    JSON_LINES,
    VERTICAL,
    HTML,
    XML,
    FASTTEXT,
    MARKDOWN,
    FRAGMENT,
    TABLE,
    LINE_SENTENCE,
    PLAIN,
)

COMPRESSED = (".gz", ".bz2")
_SIGNATURES = (
    (re.compile(rb"%PDF-"), "a PDF file; save its text first"),
    (re.compile(rb"\{\\rtf"), "an RTF file; save it as plain text first"),
    (re.compile(rb"version https://git-lfs\.github\.com/spec/"), "a Git LFS pointer; fetch it with `git lfs pull`"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Office file (.doc, .xls); save it as .docx or text"),
    (re.compile(rb"PK\x03\x04.{26}mimetypeapplication/epub", re.S), "an EPUB book; unpack it and read its .xhtml"),
    (re.compile(rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis", re.S), "an OpenDocument file; save it as .docx"),
    (re.compile(rb"PK\x03\x04.{26,2000}?xl/", re.S), "an Excel workbook; save its sheet as CSV"),
    (re.compile(rb"PK\x03\x04.{26,2000}?ppt/", re.S), "a presentation; save its text first"),
    (re.compile(rb"PK\x03\x04"), "a zip archive; unpack it first"),
    (re.compile(rb"PAR1"), "a Parquet file; save it as CSV or JSON lines"),
    (re.compile(rb"SQLite format 3\0"), "an SQLite database; save its table as CSV"),
)
# 0x1A ends some DOS files.
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")
_BINARY = tuple(magic for magic, _ in MAGIC if not magic.isascii() or _CONTROL.search(magic))
"""First bytes that no text has, also where few control characters follow."""


def suffix_of(path: Path) -> str:
    """Return the suffix in small letters, without a compression's.

    >>> suffix_of(Path("A.TXT.gz")), suffix_of(Path("49960"))
    ('.txt', '')
    """
    return (path.with_suffix("") if path.suffix.lower() in COMPRESSED else path).suffix.lower()


def recognise(path: Path, options: ReadOptions, among: bool = False) -> tuple[TextFormat, TextFile, str]:
    """Return what a file is, the file with its encoding, and what is to be said of a guess.

    Among other files of a folder, plain text that happens to look like a table is just that.

    Raises:
        InputError: if it is no text, or its encoding cannot be told.
    """
    with open_source(path) as source:
        if source.damage and not source.head:
            raise InputError(f"{path}: incomplete or damaged download: {source.damage}")
        if options.format != "docx" and not (options.format is None and DOCX.matches(source.head.decode("latin-1"))):
            _refuse_foreign(source, options)
            start, (encoding, guess) = source.head, find_encoding(source, options)
        else:
            return DOCX, TextFile(path, "utf-8", options), ""
    file = TextFile(path, encoding, options)
    if options.format:
        return next(one for one in FORMATS if one.name == options.format), file, guess
    text: str = codecs.getincrementaldecoder(encoding)("replace").decode(start)  # as far as it goes
    suffix = suffix_of(path)
    known = [
        one for one in FORMATS if one is not DOCX and not (among and one is TABLE and suffix in (*PLAIN.suffixes, ""))
    ]
    cells = rows_of(text.split("\n")[:-1])
    listed = cells.share >= ROWS_SHARE and not options.columns  # words, and no text in any column
    if suffix not in TABLE.suffixes and (listed or _are_turns(text)):
        known = [one for one in known if one is not TABLE]
    if options.layout or not (options.column or "1").isdecimal():  # it has neither
        known = [one for one in known if one is not VERTICAL]
    found = next(one for one in known if suffix in one.suffixes or one.matches(text))
    return found, file, guess


def _are_turns(text: str) -> bool:
    """Whether what stands before tabs are names with a colon, as in transcripts, and no column."""
    firsts = [line.partition("\t")[0] for line in text.split("\n", 100)[:100] if "\t" in line]
    return sum(first.endswith(":") for first in firsts) > len(firsts) / 2


def _refuse_foreign(source: Source, options: ReadOptions) -> None:
    head = source.head
    start = head[:4096].removeprefix(codecs.BOM_UTF8)
    what = next((what for pattern, what in _SIGNATURES if pattern.match(start)), None)
    wide = (options.encoding if options.encoding != "auto" else mark_of(head) or "").lower().replace("_", "-")
    # Every second byte of UTF-16 may be a control character.
    if not what and not wide.startswith(("utf-16", "utf-32", "utf16", "utf32")):
        if start.startswith(_BINARY) or 100 * len(_CONTROL.findall(without_colours(start))) > len(start):
            what = (foreign(start) or "a binary file").split(" (")[0]  # the rest is about vectors
            if 2 * start.count(b"\b") > len(_CONTROL.findall(start)):
                what = "text whose letters are printed upon others; in Python: re.sub('.\\b', '', text)"
            if found := wide_of(start):
                what = f"{found[:6].upper()} text without a byte-order mark; say {option('encoding', found)}"
        elif b"\n" not in head and head.count(b"\r") > 1:
            what = "text whose lines end in carriage returns alone, as on old Macs; convert them to newlines"
    if what:
        raise InputError(f"{source.path}: this is {what}")
