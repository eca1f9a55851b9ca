"""The vectors of a safetensors file, read from disk only row range by row range."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from gpustab.errors import InputError

_FLOATS = ("F16", "BF16", "F32", "F64")
_SHOWN = 10


class SafetensorsRows:
    """A ``(v, d)`` matrix on disk, and the other tensors that lie beside it.

    Attributes:
        path: the file.
        shape: ``(v, d)``.
        dtype: the type on disk, in safetensors' spelling: ``"F32"``, ``"BF16"`` ...
        names: names of all tensors in the file.
        metadata: the file's string metadata.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = _open(self.path)
        self.names: list[str] = sorted(self._file.keys())
        self.metadata: dict[str, str] = self._file.metadata() or {}
        self.require("vectors")
        self._vectors = self._file.get_slice("vectors")
        self.dtype: str = self._vectors.get_dtype()
        shape = self._vectors.get_shape()
        if len(shape) != 2 or self.dtype not in _FLOATS:
            raise InputError(f"{self.path}: 'vectors' is {self.dtype} {tuple(shape)}, wanted floats of shape (v, d)")
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

    def close(self) -> None:
        """Close the file; rows that were read stay valid."""
        del self._vectors, self._file

    def __enter__(self) -> SafetensorsRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_rows(path: str | os.PathLike[str]) -> SafetensorsRows:
    """Open the vectors of a safetensors file without reading them.

    Raises:
        InputError: if the file is missing, damaged, or has no ``(v, d)`` tensor of floats called ``vectors``.

    >>> with open_rows("run-000.safetensors") as rows:  # doctest: +SKIP
    ...     chunk = rows[1000:2000]  # (1000, d) float32
    """
    return SafetensorsRows(path)


def _open(path: Path) -> Any:  # safetensors types none of the methods
    try:
        return safe_open(path, framework="pt")
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path}: no complete safetensors file, perhaps cut or damaged: {error}") from error
