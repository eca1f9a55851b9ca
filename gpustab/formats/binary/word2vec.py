"""word2vec's binary files: a header, then row by row a word, 0x20 and the values as little-endian float32.

word2vec itself ends each row with 0x0A, other writers do not, and both bytes may occur within values and words. Which
of the two a file is gets settled once, by what follows its first rows; all later rows and the end of the file have to
agree.
"""

from __future__ import annotations

from gpustab.errors import InputError, marked
from gpustab.formats.binary.word2vec_reading import Reading
from gpustab.formats.format import Format
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.placed import Placed
from gpustab.formats.sniff import foreign, read_header
from gpustab.formats.source import Source
from gpustab.spaces.space import Space


def is_word2vec_binary(head: bytes) -> bool:
    r"""Tell word2vec's binary form: its header, and then no text.

    >>> is_word2vec_binary(b"1 2\nw \x00\x00\x80\x3f\x00\x00\x00\x40"), is_word2vec_binary(b"1 2\nw 1.0 2.0\n")
    (True, False)
    """
    return read_header(head.partition(b"\n")[0]) is not None and foreign(head) is not None


def read_word2vec_binary(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read word2vec's binary form, plain or compressed, with or without a newline after each row.

    Args:
        source: the opened file.
        options: how to read it. With ``limit`` the end of the file is not checked.

    Returns:
        The space, its vectors ``(v, d)`` float32 bit by bit those of the file, without counts.

    Raises:
        InputError: if the file is cut or damaged, goes on after its last row, fits neither layout, or has rows that
            the options do not let pass.
    """
    found = _read(source, options, placed=False)
    assert isinstance(found, Space)  # noqa: S101  # as was asked for
    return found


def place_word2vec_binary(source: Source, options: LoadOptions = DEFAULTS) -> Placed | None:
    """Find where the vectors of a file are, or return ``None`` where they have to be unpacked first.

    All is read and checked as by :func:`read_word2vec_binary`, and nothing of the vectors is kept.

    Raises:
        InputError: likewise.
    """
    if not source.can_be_mapped:
        return None
    found = _read(source, options, placed=True)
    assert isinstance(found, Placed)  # noqa: S101  # as was asked for
    return found


def _read(source: Source, options: LoadOptions, *, placed: bool) -> Space | Placed:
    try:
        return Reading(source, options, placed).run()
    except InputError as error:
        raise InputError(f"{source.path}: {marked(error)}") from error


WORD2VEC_BINARY = Format(
    "word2vec binary", matches=is_word2vec_binary, read=read_word2vec_binary, place=place_word2vec_binary
)
