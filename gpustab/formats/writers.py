"""Writing a space in the format that a file's name asks for."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

from gpustab.errors import InputError, marked
from gpustab.formats.atomic import SPACES, check_space_path, clear_abandoned, replacing
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.options import LoadOptions
from gpustab.formats.text.decimals import SEPARATORS
from gpustab.formats.text.layout import SAMPLE_ROWS, settle
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show


def write_word2vec_text(space: Space, path: str | os.PathLike[str]) -> None:
    """Write a space as word2vec text with header; gzip where the name ends in ``.gz``.

    The file appears whole or not at all. Nine significant digits give every float32 back exactly
    (IEEE 754-2008, 5.12.2).

    Raises:
        InputError: if reading back would not restore a word, or the file cannot be written.
    """
    path = Path(path)
    _refuse_words(space.vocabulary, path)
    _refuse_ambiguity(space, path)
    with replacing(path) as file:
        if path.suffix == ".gz":
            # No name and no time, so that equal spaces give equal files.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                packed.writelines(_lines(space))
        else:
            file.writelines(_lines(space))


def _lines(space: Space) -> Iterator[bytes]:
    rows, dimension = space.vectors.shape
    yield b"%d %d\n" % (rows, dimension)
    numbers = b" %.9g" * dimension + b"\n"
    for word, row in zip(space.vocabulary, space.vectors, strict=True):
        yield word + numbers % tuple(row.tolist())


def _refuse_words(vocabulary: Vocabulary, path: Path) -> None:
    """Refuse the words that no reader can tell from their row: spaces inside a word are no such thing."""
    for i, word in enumerate(vocabulary):
        if not word or b"\n" in word or word != word.strip(SEPARATORS):
            raise InputError(
                f"{path}: word {i}, '{show(word)}', is empty, holds a newline, or begins or ends with a space or tab; "
                "word2vec text cannot hold it, safetensors can"
            )


def _refuse_ambiguity(space: Space, path: Path) -> None:
    """Refuse words such as ``12 34`` where so many of them lead that the header would no longer fit the rows."""
    lines = [line.removesuffix(b"\n") for line, _ in zip(_lines(space), range(SAMPLE_ROWS + 1), strict=False)]
    try:
        settle(lines, LoadOptions())
    except InputError as error:
        raise InputError(f"{path}: reading back would not restore the words: {marked(error)}") from error


_WRITERS = dict.fromkeys(SPACES, write_word2vec_text) | {".safetensors": write_safetensors}


def write_space(space: Space, path: str | os.PathLike[str]) -> None:
    """Write a space as word2vec text (``.txt``, ``.vec``, gzip with ``.gz``) or ``.safetensors``, whole or not at all.

    Raises:
        InputError: as :func:`check_space_path`, if it was read from there, or if the format cannot hold a word.
    """
    path = Path(path)
    check_space_path(path, [space.report.source] if space.report else ())
    clear_abandoned(path)
    _WRITERS[path.suffix](space, path)
