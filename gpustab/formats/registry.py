"""The formats that can be read, and the one function that reads any of them."""

from __future__ import annotations

import os
from pathlib import Path

from gpustab.errors import InputError
from gpustab.formats.binary.fasttext import FASTTEXT
from gpustab.formats.binary.npy import NPY
from gpustab.formats.binary.npz import NPZ
from gpustab.formats.binary.safetensors import SAFETENSORS
from gpustab.formats.binary.torch_file import TORCH
from gpustab.formats.binary.word2vec import WORD2VEC_BINARY
from gpustab.formats.checkpoints.folder import is_checkpoint, read_checkpoint
from gpustab.formats.gensim.native import GENSIM, OUTPUT, is_pickle
from gpustab.formats.objects import read_spacy, spacy_folder
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.rows import Format, Placed
from gpustab.formats.sniff import foreign
from gpustab.formats.source import Source, open_source, reading
from gpustab.formats.table.delimited import TABLE
from gpustab.formats.table.parquet import PARQUET
from gpustab.formats.text.layout import Lines, settle
from gpustab.formats.text.reader import TEXT
from gpustab.spaces.space import Space

# The first that matches reads the file. TEXT is last: it takes whatever is not known to be something else.
FORMATS: tuple[Format, ...] = (
    SAFETENSORS,
    FASTTEXT,
    NPY,
    TORCH,  # of before 1.6 a pickle, so before GENSIM
    GENSIM,
    NPZ,
    PARQUET,
    WORD2VEC_BINARY,
    TABLE,
    TEXT,
)


def read_space(path: str | os.PathLike[str], options: LoadOptions = DEFAULTS) -> Space:
    """Read one file of vectors, whose format is told by its content, or a checkpoint's or spaCy's folder.

    Gzip and bzip2 are unpacked on the way.

    Raises:
        InputError: if the file cannot be read as vectors; the message names the file and, in text, the line.
    """
    with reading(path):
        if is_checkpoint(Path(path)):
            return read_checkpoint(Path(path), options)
        if spacy_folder(Path(path)):
            return read_spacy(Path(path), options)
        with open_source(path) as source:
            return _format_of(source).read(source, options)


def read_output_vectors(path: str | os.PathLike[str]) -> Space:
    """Read output vectors: of a full model of gensim's its ``syn1neg``; any other file of vectors holds them as such.

    Raises:
        InputError: if the file cannot be read, or is a file of gensim's without output vectors.
    """
    with open_source(path) as source:
        of_gensim = is_pickle(source.head)
    return read_space(path, LoadOptions(tensor=OUTPUT) if of_gensim else DEFAULTS)


def is_space(folder: Path) -> bool:
    """Tell whether a folder is one space: a checkpoint, or vectors of spaCy's."""
    return is_checkpoint(folder) or spacy_folder(folder) is not None


def place_space(path: str | os.PathLike[str], options: LoadOptions = DEFAULTS) -> Placed | None:
    """Find where the vectors of a file are, read and checked as by :func:`read_space` but not kept.

    Returns:
        ``None`` for a file or folder whose vectors do not lie there as they are read.

    Raises:
        InputError: likewise.
    """
    with reading(path):
        if is_space(Path(path)):
            return None
        with open_source(path) as source:
            return _format_of(source).place(source, options)


def _format_of(source: Source) -> Format:
    if source.damage and not source.head:
        raise InputError(f"{source.path}: incomplete or damaged download: {source.damage}")
    for candidate in FORMATS:
        if candidate.matches(source.head):
            return candidate
    raise InputError(f"{source.path}: this is {foreign(source.head)}")


def looks_like_vectors(path: str | os.PathLike[str]) -> bool:
    """Tell from its start whether a file is of a known format of vectors.

    Raises:
        InputError: if it cannot be opened, or is text whose rows do not tell how long they are.
    """
    with open_source(path) as source:
        found = next((one for one in FORMATS if one.matches(source.head)), None)
        # Anything that is no binary file may be text of vectors: its first lines tell.
        return found is not None and (found is not TEXT or settle(Lines(source).sample(), DEFAULTS).dimension > 1)
