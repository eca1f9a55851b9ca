"""A file of words that somebody chose: one a line."""

from __future__ import annotations

import os
from pathlib import Path

from gpustab.errors import InputError


def read_word_list(path: str | os.PathLike[str]) -> list[bytes]:
    """Read words, one a line, as bytes; a BOM and CR at line ends are dropped.

    Raises:
        InputError: if the file cannot be read or holds no word.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    lines = [line.removesuffix(b"\r") for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    words = list(dict.fromkeys(line for line in lines if line))
    if not words:
        raise InputError(f"{path}: no words in this file")
    return words
