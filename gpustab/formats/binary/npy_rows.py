"""The rows of a ``.npy`` file, read slice by slice."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, Protocol

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from gpustab.errors import InputError


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

    Args:
        path: the file, of version 1 to 3.

    Attributes:
        path: the file.
        shape: ``(v, d)``.
        dtype: a type of real numbers.
        order: ``"C"``, or ``"F"`` where each column lies together.

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
