"""NumPy's ``.npy``: one array of vectors, whose words lie in a vocabulary file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from gpustab.errors import InputError, marked, option
from gpustab.formats.binary.npy_rows import Matrix, NpyRows
from gpustab.formats.format import Format
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import RowTable
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import find_words, words_for
from gpustab.spaces.space import Space

_BLOCK = 1 << 18  # values converted at a time


def fill_rows(
    table: RowTable, matrix: Matrix, words: Sequence[bytes], counts: Sequence[int] | None, options: LoadOptions
) -> list[str]:
    """Put the first rows of a matrix into a table, converted block by block to float32 in C order.

    Args:
        table: where the rows go.
        matrix: ``(v, d)`` real numbers of any width, byte order and layout.
        words: those of the first rows.
        counts: their corpus counts, where they are known.
        options: ``limit``.

    Returns:
        Notes on what was done.
    """
    v, d = len(words), matrix.shape[1]
    kept, step = rows_to_read(v, options), max(1, _BLOCK // d)
    for start in range(0, kept, step):
        part = slice(start, min(start + step, kept))
        with np.errstate(over="ignore", invalid="ignore"):  # becomes inf or nan, which the table looks for
            block = np.ascontiguousarray(matrix[part], dtype=np.float32)
        table.add(words[part], block, range(v)[part], counts and counts[part])
    kind = getattr(matrix, "kind", "" if matrix.dtype == np.float32 else _name(matrix.dtype))
    notes = [f"the vectors were converted from {kind} to float32"] if kind else []
    if _is_fortran(matrix):
        notes.append("the vectors were converted from Fortran to C order")
    return notes + ([f"limit={kept}: {v - kept} of {v} rows were not read"] if kept < v else [])


def rows_to_read(rows: int, options: LoadOptions) -> int:
    """Return how many of a file's rows ``limit`` leaves to read."""
    return min(rows, options.limit or rows)


def check_dimension(dimension: int, options: LoadOptions) -> None:
    """Refuse another number of dimensions than ``dim`` asks for; the message lacks the file's name."""
    if options.dim not in (None, dimension):
        raise InputError(f"the vectors have {dimension} dimensions, but {option('dim', options.dim)} was asked for")


def read_npy(source: Source, options: LoadOptions) -> Space:
    """Read a ``.npy`` file and its vocabulary file.

    Args:
        source: the opened file.
        options: how to read it; ``vocab`` names the vocabulary file.

    Returns:
        The space, its vectors ``(v, d)`` float32.

    Raises:
        InputError: if the array is no matrix of real numbers, the file is packed, cut or too long, there is no single
            vocabulary file, or its words are more or fewer than the rows.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a NumPy array within {source.compression} cannot be mapped; unpack it first")
    matrix = NpyRows(path)
    if options.vocab is None:
        _check_whether_companion(path)
    found = words_for(path, matrix.shape[0], options)
    try:
        d = matrix.shape[1]
        check_dimension(d, options)
        table = RowTable(d, rows_to_read(len(found.words), options), options, "row")
        notes = fill_rows(table, matrix, found.words, found.counts, options)
        return table.space(source, "NumPy array", notes=[*found.notes, *notes])
    except InputError as error:
        raise InputError(f"{path}: {marked(error)}") from error


def _check_whether_companion(path: Path) -> None:
    """Where the words are missing, and the array belongs to a gensim file, say which file to give."""
    try:
        find_words(path)
    except InputError as error:
        stem, _, attribute = path.stem.rpartition(".")
        for main in (path.with_name(stem), path.with_name(stem.removesuffix(".wv"))) if stem else ():
            if main.is_file():
                raise InputError(f"{path}: this looks like a part of the gensim file {main}; give that file") from error
        if attribute in ("vectors", "syn0"):
            raise InputError(
                f"{marked(error)}; or, if it is a part of the gensim file {stem}, give that file"
            ) from error
        raise


def _is_fortran(matrix: Matrix) -> bool:
    if isinstance(matrix, np.ndarray):
        return matrix.flags.f_contiguous and not matrix.flags.c_contiguous
    return getattr(matrix, "order", "C") == "F"


def _name(dtype: np.dtype[Any]) -> str:
    return f"{'big-endian ' if dtype.str[0] == '>' else ''}{dtype.name}"


NPY = Format("NumPy array", matches=lambda head: head.startswith(npy_format.MAGIC_PREFIX), read=read_npy)
