"""Writing a space in the format that a file's name asks for."""

from __future__ import annotations

import os
from pathlib import Path

from gpustab.errors import InputError
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.text.write import write_word2vec_text
from gpustab.spaces.space import Space

_WRITERS = {
    ".txt": write_word2vec_text,
    ".vec": write_word2vec_text,
    ".gz": write_word2vec_text,
    ".safetensors": write_safetensors,
}


def check_space_path(path: Path) -> None:
    """See that a space could be written to a path, before the work that makes it.

    Raises:
        InputError: if the name asks for no known format, or the folder does not exist or may not be written to.
    """
    if path.suffix not in _WRITERS:
        raise InputError(f"{path}: the name must end in {', '.join(_WRITERS)}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: cannot be written: {'it is a folder' if path.is_dir() else 'no permission'}")


def write_space(space: Space, path: str | os.PathLike[str]) -> None:
    """Write a space as word2vec text (``.txt``, ``.vec``, gzip with ``.gz``) or ``.safetensors``, whole or not at all.

    Raises:
        InputError: as :func:`check_space_path`, or if the format cannot hold a word.
    """
    path = Path(path)
    check_space_path(path)
    _WRITERS[path.suffix](space, path)
