"""Text files that people write, of words, tests or settings: unpacked, and in UTF-8, or refused in one sentence."""

from __future__ import annotations

import codecs
import os
import unicodedata

from gpustab.errors import InputError
from gpustab.formats.source import open_source
from gpustab.spaces.words import printable


class DamagedError(InputError):
    """A file can be read, but is not what it should be."""


_MARKS = (  # the longer first: UTF-16's mark begins UTF-32's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT, _FEWEST, _LONG_WORD = 4096, 6, 40
_SHOWN = 60
_CHINESE = 0x4E
"""The first of the high bytes that Chinese and Korean characters have."""


def read_content(path: str | os.PathLike[str]) -> bytes:
    """Return what a file holds, unpacked, and without a mark: by that of UTF-16 or UTF-32 it becomes UTF-8.

    Raises:
        InputError: if it cannot be read.
        DamagedError: if it is damaged.
    """
    with open_source(path) as source:
        content = b"".join(source.blocks())
    if source.damage:
        raise DamagedError(f"{path}: incomplete or damaged download: {source.damage}")
    encoding = mark_of(content) or "utf-8-sig"
    try:
        return content.removeprefix(codecs.BOM_UTF8) if encoding == "utf-8-sig" else content.decode(encoding).encode()
    except UnicodeDecodeError:
        raise DamagedError(f"{path}: begins as {encoding} does, and is damaged; save it as UTF-8") from None


def read_utf8(path: str | os.PathLike[str]) -> str:
    """Return the text of a file.

    Raises:
        InputError: if it cannot be read.
        DamagedError: if it is not UTF-8; how it is saved so is said.
    """
    return as_utf8(read_content(path), path)


def as_utf8(content: bytes, path: str | os.PathLike[str], first: int = 1) -> str:
    """Return the text that a file holds, or from its line ``first`` on.

    Raises:
        DamagedError: as :func:`read_utf8`.
    """
    if b"\0" in content:
        wide = wide_of(content)
        said = (
            _save(f"this is {wide} without its mark", wide) if wide else "this is a binary file, wanted text in UTF-8"
        )
        raise DamagedError(f"{path}: {said}")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before, number = content[: error.start], content.count(b"\n", 0, error.start) + first
        start = before.rfind(b"\n") + 1
        line = content[max(start, error.start - _SHOWN) :].partition(b"\n")[0][: 2 * _SHOWN].rstrip(b"\r")
        what = f"byte 0x{content[error.start]:02X} is not UTF-8"
        try:
            said = _save(f"{what}; if it is cp1252, the line is “{printable(line.decode('cp1252').strip())}”", "cp1252")
        except UnicodeDecodeError:
            said = f"{what}; save the file as UTF-8"
        raise DamagedError(f"{path}: line {number:,}: {said}") from None


def _save(what: str, encoding: str) -> str:
    return f"{what}: save it as UTF-8, in Python: Path(NEW).write_text(Path(FILE).read_text('{encoding}'), 'utf-8')"


def mark_of(head: bytes) -> str | None:
    """Return the encoding that a byte-order mark stands for.

    >>> mark_of("a".encode("utf-16")), mark_of(b"a")
    ('utf-16', None)
    """
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def wide_of(head: bytes) -> str | None:
    """Return which UTF-16 or UTF-32 a text without a mark seems to be, ``None`` where it is something else.

    Of a character's two or four bytes the higher ones are nearly always those of few values: zero, or a script's own.

    >>> wide_of("Это был длинный день, и ночь.".encode("utf-16-le")), wide_of("Ja, so war es.".encode("utf-32-be"))
    ('utf-16-le', 'utf-32-be')
    >>> wide_of("Это был длинный день.".encode())
    """
    start = head[:_LOOKED_AT]
    if b"\0" not in start:  # every blank and every line's end has one; two letters of ASCII are no character of Chinese
        return None
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        width = 4 if "32" in encoding else 2
        whole = start[: len(start) // width * width]
        try:
            text = whole.decode(encoding) if len(whole) >= _FEWEST else ""
        except UnicodeDecodeError as error:
            text = whole[: error.start].decode(encoding) if len(whole) - error.start <= width else ""
        high = {_CHINESE if 0x4E <= ord(one) >> 8 <= 0xD7 else ord(one) >> 8 for one in text}
        # Read with the wrong order, letters come from all over Unicode, and blanks and line ends are no such.
        spaces = sum(character in " \n\r\t" for character in text)
        usual = spaces + sum(unicodedata.category(character)[0] in "LMNPZ" for character in text if character != " ")
        if text and usual > 0.9 * len(text) and len(high) <= 6 and (spaces or len(text) < _LONG_WORD):
            return encoding
    return None
