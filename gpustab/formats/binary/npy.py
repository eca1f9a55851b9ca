"""NumPy's ``.npy``: one array of vectors, read slice by slice, whose words lie in a vocabulary file beside it."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, Protocol

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from gpustab.errors import InputError, marked, naming, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import WordList, find_words, words_for
from gpustab.spaces.space import Space


class Matrix(Protocol):
    """Rows of numbers that are read slice by slice."""

    @property
    def shape(self) -> tuple[int, ...]:
        """``(v, d)``."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers."""

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        """Return the rows ``[start:stop]``."""


class NpyRows:
    """The rows of a ``.npy`` file, from disk; nothing else of the file is read, and nothing can be executed.

    Raises:
        InputError: if it is no ``.npy`` file, holds no matrix of real numbers, is cut, or longer than its header says.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            shape, fortran, self.dtype = read_header(path, file)
            self._offset = file.tell()
            size = file.seek(0, 2) - self._offset
        self.order: Literal["C", "F"] = "F" if fortran else "C"
        if self.dtype.hasobject:
            raise InputError(f"{path}: the array holds Python objects, which only pickle could read; save numbers")
        if self.dtype.kind not in "fiu" or len(shape) != 2 or not min(shape):
            raise InputError(f"{path}: the array is {self.dtype} {shape}, wanted real numbers of shape (v, d)")
        self.shape: tuple[int, int] = shape
        wanted = math.prod(shape) * self.dtype.itemsize
        if size < wanted:
            raise InputError(
                f"{path}: the file is cut: {self.dtype} {shape} takes {wanted} bytes from byte {self._offset} on, "
                f"found {size}"
            )
        if size > wanted:
            raise InputError(
                f"{path}: {size - wanted} bytes follow the array, which ends at byte {self._offset + wanted}"
            )

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        """Read the rows ``[start:stop]``."""
        v, d = self.shape
        start, stop, _ = rows.indices(v)
        count = max(0, stop - start)
        # Read, not mapped: the pages of a map would stay in memory beside the matrix that they go to.
        with self.path.open("rb") as file:
            if self.order == "C":
                return self._read(file, start * d, count * d).reshape(count, d)
            return np.stack([self._read(file, column * v + start, count) for column in range(d)], axis=1)

    def map(self) -> NDArray[Any]:
        """Map all rows into memory, for reading them in no order."""
        return np.memmap(self.path, self.dtype, "r", self._offset, self.shape, self.order)

    def _read(self, file: BinaryIO, first: int, count: int) -> NDArray[Any]:
        file.seek(self._offset + first * self.dtype.itemsize)
        values = np.fromfile(file, self.dtype, count)
        if len(values) < count:
            raise InputError(f"{self.path}: the file was cut while it was read")
        return values


def read_header(path: Path, file: IO[bytes]) -> tuple[Any, bool, np.dtype[Any]]:
    """Read the header of a ``.npy`` file, up to the first value.

    Returns:
        Shape, whether the order is Fortran's, and type of the values.

    Raises:
        InputError: if it is damaged, or of a later version.
    """
    try:
        version = npy_format.read_magic(file)
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise InputError(f"{path}: a NumPy array of version {version[0]}.{version[1]}, wanted 1.0, 2.0 or 3.0")
        # Version 3 differs from 2 only in the coding of field names, which no matrix has.
        read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 2's long integers in a shape
            shape, fortran, dtype = read(file)
    except InputError:
        raise
    except Exception as error:  # NumPy evaluates a literal, which may fail in any way
        raise InputError(f"{path}: the header of the NumPy array is damaged: {error}") from error
    if not all(type(length) is int and length >= 0 for length in shape):
        raise InputError(f"{path}: the header of the NumPy array is damaged: shape {shape}")
    return shape, fortran, dtype


_BLOCK = 1 << 18  # values converted at a time


def space_of_rows(source: Source, form: str, matrix: Matrix, found: WordList, options: LoadOptions) -> Space:
    """Return the first rows of a matrix as a space, converted block by block to float32 in C order.

    Raises:
        InputError: for other dimensions than ``dim``, or a row is refused; the message lacks the file's name.
    """
    v, d = len(found.words), matrix.shape[1]
    check_dimension(d, options)
    kept, step = rows_to_read(v, options), max(1, _BLOCK // d)
    table = RowTable(d, kept, options, "row")
    for start in range(0, kept, step):
        part = slice(start, min(start + step, kept))
        source.check_uncut()
        with np.errstate(over="ignore", invalid="ignore"):  # becomes inf or nan, which the table looks for
            block = np.ascontiguousarray(matrix[part], dtype=np.float32)
        table.add(found.words[part], block, range(v)[part], found.counts and found.counts[part])
    kind = getattr(matrix, "kind", "" if matrix.dtype == np.float32 else _name(matrix.dtype))
    notes = [*found.notes, *([f"the vectors were converted from {kind} to float32"] if kind else [])]
    if _is_fortran(matrix):
        notes.append("the vectors were converted from Fortran to C order")
    return table.space(source, form, notes=[*notes, *left_unread(kept, v)])


def rows_to_read(rows: int, options: LoadOptions) -> int:
    """Return how many of a file's rows ``limit`` leaves to read."""
    return min(rows, options.limit or rows)


def left_unread(kept: int, rows: int) -> list[str]:
    """Return a note where ``limit`` left rows unread."""
    return [f"limit={kept}: {rows - kept} of {rows} rows were not read"] if kept < rows else []


def check_dimension(dimension: int, options: LoadOptions) -> None:
    """Refuse another number of dimensions than ``dim`` asks for; the message lacks the file's name."""
    if options.dim not in (None, dimension):
        raise InputError(f"the vectors have {dimension} dimensions, but {option('dim', options.dim)} was asked for")


def read_npy(source: Source, options: LoadOptions) -> Space:
    """Read a ``.npy`` file and its vocabulary file.

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
    with naming(path):
        return space_of_rows(source, "NumPy array", matrix, found, options)


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
