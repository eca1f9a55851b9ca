"""A matrix without the rows that no word belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.binary.npy_rows import Matrix


class SomeRows:
    """Those rows of a matrix that a word belongs to."""

    def __init__(self, matrix: Matrix, kept: Sequence[int]) -> None:
        self._matrix, self._kept = matrix, np.array(kept, dtype=np.int64)
        self.shape: tuple[int, ...] = (len(kept), matrix.shape[1])
        self.dtype = matrix.dtype
        self.order = getattr(matrix, "order", "C")

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        wanted = self._kept[rows]
        if not len(wanted):
            return self._matrix[0:0]
        values: NDArray[Any] = self._matrix[int(wanted[0]) : int(wanted[-1]) + 1][wanted - wanted[0]]
        return values
