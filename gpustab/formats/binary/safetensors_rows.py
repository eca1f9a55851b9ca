"""The vectors of a safetensors file, read from disk only row range by row range."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from gpustab.errors import InputError, marked, option

_FLOATS = ("F16", "BF16", "F32", "F64")
_SHOWN = 10
_ONE_PER_WORD = 1000


class SafetensorsRows:
    """A ``(v, d)`` matrix on disk, and the other tensors that lie beside it.

    Args:
        path: the file.
        tensor: name of the matrix.
        or_only: where there is no tensor of this name, take the only matrix of floats in the file.

    Attributes:
        path: the file.
        matrix: name of the matrix.
        shape: ``(v, d)``.
        dtype: the type on disk, in safetensors' spelling: ``"F32"``, ``"BF16"`` ...
        names: names of all tensors in the file.
        metadata: the file's string metadata.
    """

    def __init__(self, path: str | os.PathLike[str], tensor: str = "vectors", *, or_only: bool = False) -> None:
        self.path = Path(path)
        self._file = _open(self.path)
        self.names: list[str] = sorted(self._file.keys())
        self.metadata: dict[str, str] = self._file.metadata() or {}
        self.matrix = self._only_matrix(tensor) if or_only and tensor not in self.names else tensor
        self.require(self.matrix)
        self._vectors = self._file.get_slice(self.matrix)
        self.dtype: str = self._vectors.get_dtype()
        shape = self._vectors.get_shape()
        if len(shape) != 2 or self.dtype not in _FLOATS:
            raise InputError(
                f"{self.path}: '{self.matrix}' is {self.dtype} {tuple(shape)}, wanted floats of shape (v, d)"
            )
        self.shape: tuple[int, int] = (shape[0], shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Tensor:
        """Return the rows ``[start:stop]`` as a ``(stop - start, d)`` float32 tensor."""
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            raise InputError(f"{self.path}: rows are read as [start:stop], not as [{rows}]")
        start, stop, _ = rows.indices(len(self))
        chunk: Tensor = self._vectors[start : max(start, stop)]
        return chunk.to(torch.float32)

    def take(self, rows: Tensor, out: Tensor) -> Tensor:
        """Copy rows ``(n,)`` into ``out``, ``(n, d)`` float32, and return it."""
        there: Tensor = self._vectors[0 : len(self)]  # a value is read when somebody looks at it
        if there.dtype == out.dtype:
            return torch.index_select(there, 0, rows, out=out)
        return out.copy_(there[rows])

    def require(self, name: str) -> None:
        """Refuse the file if it has no tensor of this name."""
        if name not in self.names:
            there = ", ".join(self.names[:_SHOWN]) or "no tensors"
            more = f" and {len(self.names) - _SHOWN} more" if len(self.names) > _SHOWN else ""
            raise InputError(f"{self.path}: there is no tensor '{name}'; the file has {there}{more}")

    def tensor(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return a whole one-dimensional tensor.

        Raises:
            InputError: if it is missing, or has another type or number of dimensions.
        """
        self.require(name)
        tensor: Tensor = self._file.get_tensor(name)
        if tensor.ndim != 1 or tensor.dtype != dtype:
            raise InputError(
                f"{self.path}: '{name}' is {tensor.dtype} {tuple(tensor.shape)}, wanted {dtype} of one dimension"
            )
        return tensor

    def _only_matrix(self, otherwise: str) -> str:
        """Return the name of the only matrix of floats, or ``otherwise`` where there is none."""
        slices = {name: self._file.get_slice(name) for name in self.names}
        shapes = {name: tuple(part.get_shape()) for name, part in slices.items()}
        floats = [name for name in self.names if len(shapes[name]) == 2 and slices[name].get_dtype() in _FLOATS]
        if len(floats) > 1:
            there = ", ".join(f"{name} {shapes[name]}" for name in floats[:_SHOWN])
            more = f" and {len(floats) - _SHOWN} more" if len(floats) > _SHOWN else ""
            raise InputError(
                f"{self.path}: there are several matrices: {there}{more}; choose the vectors by {option('tensor', ...)}"
            )
        if not floats and sum(len(shape) == 1 for shape in shapes.values()) > _ONE_PER_WORD:
            raise InputError(
                f"{self.path}: {len(shapes)} tensors of one dimension, as if each word had one; save the vectors as "
                "one tensor (v, d)"
            )
        return floats[0] if floats else otherwise

    def close(self) -> None:
        """Close the file; rows that were read stay valid."""
        del self._vectors, self._file

    def __enter__(self) -> SafetensorsRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_rows(path: str | os.PathLike[str], tensor: str = "vectors", *, or_only: bool = False) -> SafetensorsRows:
    """Open the vectors of a safetensors file without reading them.

    Args:
        path: the file.
        tensor: name of the tensor that holds them.
        or_only: where there is none of this name, take the only matrix of floats in the file.

    Raises:
        InputError: if the file is missing, damaged, or has no such ``(v, d)`` tensor of floats.

    >>> with open_rows("run-000.safetensors") as rows:  # doctest: +SKIP
    ...     chunk = rows[1000:2000]  # (1000, d) float32
    """
    return SafetensorsRows(path, tensor, or_only=or_only)


def _open(path: Path) -> Any:  # safetensors types none of the methods
    try:
        return safe_open(path, framework="pt")
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path}: no complete safetensors file, perhaps cut or damaged: {marked(error)}") from error
