r"""A word is its bytes: to them from text, and to text that is safe to print."""

from __future__ import annotations

from collections.abc import Sequence


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
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    byte = ord(character) - 0xDC00
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else character.encode("unicode_escape").decode("ascii")


def show(word: bytes) -> str:
    r"""Return a word as text that is safe to print; undecodable bytes and control characters as escapes.

    >>> show(b"caf\xc3\xa9"), show(b"ab\xff")
    ('café', 'ab\\xff')
    """
    return printable(word.decode("utf-8", "surrogateescape"))


def some_words(words: Sequence[bytes], most: int = 5) -> str:
    """Return the first few words as printable text.

    >>> some_words([b"a", b"b", b"c"], 2), some_words([b"a"])
    ('a, b ...', 'a')
    """
    return ", ".join(show(word[:40]) for word in words[:most]) + " ..." * (len(words) > most)
