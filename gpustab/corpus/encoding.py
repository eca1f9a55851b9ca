"""Bytes become text: the encoding is told or recognised, and what was guessed is said with words that show it."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpustab.corpus.options import ReadOptions
from gpustab.errors import InputError, option
from gpustab.formats.plain_text import mark_of, wide_of
from gpustab.formats.source import Source, open_source

_XML = re.compile(rb"\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)")
_HTML = re.compile(rb"<meta\b[^<>]*?\bcharset\s*+=\s*+[\"']?\s*+([\w.:-]+)", re.I)
_BEYOND = re.compile("[^\\x00-\\x7f\udc80-\udcff]")
_STRAY = re.compile("[\udc80-\udcff]")
_WORD = re.compile("(?<!\\w)\\w*+[\udc80-\udcff][\\w\udc80-\udcff]*")
_UNDEFINED = frozenset("\udc81\udc8d\udc8f\udc90\udc9d")  # bytes that cp1252 gives no character


class Found(NamedTuple):
    """The encoding of a file, and what is to be said of a guess."""

    encoding: str
    guess: str = ""


def find_encoding(source: Source, options: ReadOptions) -> Found:
    """Return the encoding of an opened file; what is not told by its first bytes is read to its end, a pipe is not.

    Raises:
        InputError: if it is neither UTF-8 nor plausibly cp1252.
    """
    if options.encoding != "auto":
        codec = codecs.lookup(options.encoding).name
        if codec in ("utf-16", "utf-32") and mark_of(source.head) is None and source.head:
            raise InputError(_without_mark(source, codec))
        # A mark is no text, whichever the codec's name.
        return Found("utf-8-sig" if codecs.lookup(options.encoding).name == "utf-8" else options.encoding)
    known = mark_of(source.head) or declared(source.head)
    if known or options.errors == "replace" or not source.path.is_file():
        return Found(known or "utf-8-sig")
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in source.blocks():
            decoder.decode(block)
        if not source.damage:
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _beyond_utf8(source.path)
    return Found("utf-8-sig")


def declared(head: bytes) -> str | None:
    """Return the encoding that the markup at the start of a file declares, if it is one."""
    start = head[:4096]
    found = _XML.match(start) or (_HTML.search(start) if start.lstrip().startswith(b"<") else None)
    if not found:
        return None
    name = found[1].decode("ascii")
    try:
        "".encode(name)
    except LookupError:
        return None
    return "utf-8-sig" if codecs.lookup(name).name == "utf-8" else name


def _beyond_utf8(path: Path) -> Found:
    """Decide on a file that is not all UTF-8: cp1252, unless most of what is beyond ASCII is UTF-8 after all."""
    good, stray, words, sample = 0, Counter[str](), dict[str, None](), b""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with open_source(path) as source:
        for block in source.blocks():
            text = decoder.decode(block)
            stray.update(_STRAY.findall(text))
            good += len(_BEYOND.findall(text))
            words |= dict.fromkeys(found[0] for found in _WORD.finditer(text) if len(words) < 3)
            sample = sample or block[:20_000]
    hint = _suggestion(sample)
    # In cp1252 a capital before a sign (É») can look like UTF-8, but seldom.
    if 10 * good > stray.total():
        counts = f"{good:,} characters beyond ASCII are UTF-8 and {stray.total():,} bytes are not"
        place, other = _place_of_first(path), option("encoding", ...)
        ways = f"{option('errors', 'replace')} or {other}" if good > stray.total() else other
        raise InputError(f"{place}; {counts}: say {ways}{hint}")
    if _UNDEFINED & set(stray):
        raise InputError(f"{path}: this is neither UTF-8 nor cp1252; say {option('encoding', ...)}{hint}")
    shown = [word.encode("utf-8", "surrogateescape").decode("cp1252") for word in list(words)[:3]]
    return Found("cp1252", f"not UTF-8, so read as cp1252 ({', '.join(shown)}){hint}")


def _place_of_first(path: Path) -> str:
    try:
        with open_source(path) as source:
            for _ in decoded(source, "utf-8-sig", "strict"):
                pass
    except InputError as error:
        return error.marked.partition(";")[0]
    raise AssertionError  # it was found just now


def _suggestion(sample: bytes) -> str:
    """Return what charset-normalizer thinks, where it is installed: on short texts it is often wrong."""
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return ""
    best = from_bytes(sample).best()
    if best is None or best.encoding in ("cp1252", "utf_8", "ascii"):
        return ""
    return f"; charset-normalizer would say {best.encoding}"


def decoded(source: Source, encoding: str, errors: str) -> Iterator[str]:
    """Yield the text of a file piece by piece, without a byte-order mark.

    Raises:
        InputError: naming line and byte of what is not of the encoding; or if the file is damaged.
    """
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    line, offset = 1, 0
    for block in _and_end(source):
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeError as error:
            if not isinstance(error, UnicodeDecodeError):  # UTF-16 and UTF-32 say so of a missing mark
                raise InputError(_without_mark(source, encoding)) from None
            data, start = error.object, error.start
            line += data[:start].decode(encoding, "replace").count("\n")
            where = f"{source.path}: line {line:,}, byte offset {offset + len(block) - len(data) + start:,}"
            name = "UTF-8" if encoding == "utf-8-sig" else encoding
            ways = f"say another {option('encoding')}, or {option('errors', 'replace')}"
            raise InputError(f"{where}: 0x{data[start]:02X} is not {name} here; {ways}") from None
        yield text
        line, offset = line + text.count("\n"), offset + len(block)


def _without_mark(source: Source, encoding: str) -> str:
    found = wide_of(source.head) or f"{encoding}-le"
    said = "is" if wide_of(source.head) else "may be"
    what = f"{encoding} begins with a byte-order mark, and there is none"
    return f"{source.path}: {what}; the text {said} {found}: say {option('encoding', found)}"


def _and_end(source: Source) -> Iterator[bytes]:
    """Yield the blocks, and an empty one if the source ends undamaged."""
    yield from source.blocks()
    if source.damage:
        where = f"after {source.bytes_read:,} unpacked bytes"
        raise InputError(f"{source.path}: incomplete or damaged download {where}: {source.damage}")
    yield b""
