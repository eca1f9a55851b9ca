r"""A word is its bytes: to them from text, and to text that is safe to print, from which the bytes are had again.

What is printed or written of a word is the word itself, but for what could act in a terminal, end a line, or turn the
direction of reading: that is an escape (``\t``, ``\u202e``, ``\xff`` for a byte that is no text). Joiners stay as they
are, since Persian and Hindi spell words with them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from difflib import get_close_matches

_JOINERS = "\u200c\u200d"
_ESCAPE = re.compile(rb"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[tnr])")
_SIGNS = {b"\\\\": b"\\", b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r"}
FORMULA = ("=", "+", "-", "@")
"""A cell that begins so is computed by some spreadsheet."""
_GUARD = re.compile(rb"\A'(?='*[=+\-@])")
LONGEST_WORD = 1 << 16
"""Bytes of a word at most: what is longer is a text, or was made to fill the memory of who opens it."""


def too_long(size: int, start: bytes = b"") -> str:
    """Return the message on a word of so many bytes, which begins so; who raises it says where it stands.

    >>> too_long(70_000, b"ab")
    "the word 'ab...' has 70,000 bytes; a word has at most 65,536, what is longer is a text"
    """
    called = f" '{show(_beginning(start, _SHOWN))}...'" if start else ""
    return f"the word{called} has {size:,} bytes; a word has at most {LONGEST_WORD:,}, what is longer is a text"


_SHOWN = 30


def _beginning(word: bytes, most: int) -> bytes:
    """Return so many bytes at most, and no part of a character of UTF-8."""
    while 0 < most < len(word) and word[most] & 0xC0 == 0x80:
        most -= 1
    return word[:most]


def as_word(word: str | bytes) -> bytes:
    r"""Return the bytes of a word given as text or as bytes.

    >>> as_word("naïve")
    b'na\xc3\xafve'
    """
    return word if isinstance(word, bytes) else word.encode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    r"""Return a text in one line that is safe to print and to write: control characters as escapes.

    The name of a file may hold bytes that are no text; Python carries them as surrogates, which no file takes.

    >>> print(printable("caf\udce9\n"))
    caf\xe9\n
    """
    return text if text.isprintable() else "".join(c if _is_safe(c) else _escape(c) for c in text)


def _is_safe(character: str) -> bool:
    return character.isprintable() or character in _JOINERS


def _escape(character: str) -> str:
    byte = ord(character) - 0xDC00
    if 0x80 <= byte <= 0xFF:
        return f"\\x{byte:02x}"
    # As a letter, so that it is not taken for a byte.
    short = f"\\u{ord(character):04x}"
    return short if 0x80 <= ord(character) <= 0xFF else character.encode("unicode_escape").decode("ascii")


def show(word: bytes) -> str:
    r"""Return a word as text that is safe to print; undecodable bytes and control characters as escapes.

    :func:`unshown` gives the word back: a backslash that could be taken for an escape is doubled.

    >>> show(b"caf\xc3\xa9"), show(b"ab\xff")
    ('café', 'ab\\xff')
    """
    text = word.decode("utf-8", "surrogateescape")
    if "\\" in text and (_ESCAPE.search(word) or not all(map(_is_safe, text))):
        text = text.replace("\\", "\\\\")
    return printable(text)


def unshown(text: str | bytes) -> bytes:
    r"""Return the word that :func:`show` wrote.

    >>> unshown(r"ab\xff"), unshown(show(b"C:\\new"))
    (b'ab\xff', b'C:\\new')
    """
    return _ESCAPE.sub(_character, as_word(text))


def _character(found: re.Match[bytes]) -> bytes:
    escape = found[0]
    if escape in _SIGNS:
        return _SIGNS[escape]
    code = int(escape[2:], 16)
    if escape[1:2] == b"x":
        return bytes([code])
    return escape if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code).encode()


def guarded(text: str) -> str:
    """Return text that a spreadsheet takes for text: an apostrophe before what would be a formula.

    >>> guarded("=1"), guarded("'=1"), guarded("'tis"), unguarded(guarded("'=1"))
    ("'=1", "''=1", "'tis", "'=1")
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA) else text


def unguarded(text: str) -> str:
    """Return the text that :func:`guarded` was given."""
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text


def readings(word: str | bytes) -> tuple[bytes, ...]:
    r"""Return the words that a line of a list of words may mean, the first that is there: as shown, guarded, as it is.

    Blanks at its end may be no part of it.

    >>> readings("war"), readings(r"a\tb"), readings("'=1"), readings("war  ")
    ((b'war',), (b'a\tb', b'a\\tb'), (b"'=1", b'=1'), (b'war  ', b'war'))
    """
    own = as_word(word)
    return tuple(dict.fromkeys((unshown(own), unshown(_GUARD.sub(b"", own)), own, own.rstrip() or own)))


def meant(word: str | bytes, there: Container[bytes]) -> bytes:
    """Return the word of a vocabulary that somebody typed, or copied from what was shown; else the word as it is."""
    return next((one for one in readings(word) if one in there), as_word(word))


def some_words(words: Sequence[bytes], most: int = 5) -> str:
    """Return the first few words as printable text.

    >>> some_words([b"a", b"b", b"c"], 2), some_words([b"a"])
    ('a, b ...', 'a')
    """
    return ", ".join(show(_beginning(word, 40)) for word in words[:most]) + " ..." * (len(words) > most)


def as_cp1252(word: bytes) -> bytes:
    r"""Return a word that is not UTF-8 as it would be if it were cp1252; others as they are.

    >>> as_cp1252(b"caf\xe9").decode(), as_cp1252(b"war")
    ('café', b'war')
    """
    try:
        word.decode()
    except UnicodeDecodeError:
        return word.decode("cp1252", "replace").encode()
    return word


def near_words(word: bytes, there: Iterable[bytes]) -> str:
    """Return the end of a message on a word that is not there: the nearest that are, or nothing.

    >>> near_words(b"fredom", [b"freedom", b"war"]), near_words(b"fredom", [b"war"])
    ('; near it is freedom', '')
    """
    near = get_close_matches(show(word).strip().lower(), map(show, there), n=3, cutoff=0.75)
    return f"; near it {'are' if len(near) > 1 else 'is'} {', '.join(near)}" if near else ""
