"""PyTorch's ``.pt`` and ``.pth``: state dicts and what else ``torch.load(weights_only=True)`` opens."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, naming
from gpustab.formats.binary.npy import space_of_rows
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format
from gpustab.formats.sniff import first_in_zip
from gpustab.formats.source import Source
from gpustab.formats.vocabulary_file import choose_matrix
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word

_OLD = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
"""The number that files of before PyTorch 1.6 begin with, as a pickle (``torch.serialization.MAGIC_NUMBER``)."""
_DEEPEST = 5
_WEIGHTS = re.compile(r"(?:^|[._])(?:weight|bias|running_mean|running_var|num_batches_tracked|gamma|beta)$")
_CLASS = re.compile(r"GLOBAL\s+([\w.]+)")


def is_torch(head: bytes) -> bool:
    """Tell a file of ``torch.save``: a zip archive that begins with its pickle, or with data (TorchScript)."""
    return re.fullmatch(r"[^/]+/(?:data\.pkl|data/0)", first_in_zip(head)) is not None or head.startswith(_OLD)


class TensorRows:
    """The rows of a ``(v, d)`` tensor, which may be mapped from a file.

    Attributes:
        shape: ``(v, d)``.
        dtype: of the rows that are read.
        kind: name of the type in the file, empty where it is float32.
    """

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor
        self.shape: tuple[int, ...] = tuple(tensor.shape)
        self.dtype = np.dtype(np.float32)
        self.kind = "" if tensor.dtype == torch.float32 else str(tensor.dtype).removeprefix("torch.")

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        """Return the rows ``[start:stop]`` as float32."""
        values: NDArray[Any] = self._tensor[rows].to(torch.float32).numpy()
        return values


def read_torch(source: Source, options: LoadOptions) -> Space:
    """Read the matrix of a state dict, or of whatever tensors, lists and dicts were saved together.

    Words are a list of text or a dict of word and row in the file (``itos``, ``vocab`` ...), else those of ``vocab`` or
    of the file beside. Nothing in the file is executed: ``weights_only``.

    Args:
        source: the opened file.
        options: how to read it; ``tensor`` names the matrix, with dots between the keys that lead to it.

    Returns:
        The space, its vectors ``(v, d)`` float32.

    Raises:
        InputError: if the file is packed, damaged, holds objects of a program, or its matrix or words cannot be told.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a PyTorch file within {source.compression} cannot be mapped; unpack it first")
    tensors, lists = _sorted(_load(path, mapped=not source.head.startswith(_OLD)))
    matrix, found = choose_matrix(path, {name: tuple(one.shape) for name, one in tensors.items()}, lists, options)
    with naming(path):
        return space_of_rows(source, "PyTorch file", TensorRows(tensors[matrix]), found, options)


def _load(path: Path, mapped: bool) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except pickle.UnpicklingError as error:
        kind = _CLASS.search(str(error))
        what = f"objects of {kind[1]}" if kind else "more than tensors, lists and dicts"
        raise InputError(
            f"{path}: this PyTorch file holds {what}, which could run code and is not opened; where you trust it: "
            f"torch.save(model.state_dict(), FILE)"
        ) from None
    except Exception as error:  # whatever a damaged archive makes of PyTorch's reader
        if "TorchScript" in str(error):
            raise InputError(
                f"{path}: this is a TorchScript program; where you trust it: torch.save(torch.jit.load(FILE)."
                "state_dict(), OTHER)"
            ) from None
        reason = next(iter(str(error).splitlines()), type(error).__name__)[:200]
        raise InputError(f"{path}: no complete PyTorch file, perhaps cut or damaged: {reason}") from error


def _sorted(root: Any) -> tuple[dict[str, Tensor], dict[str, list[bytes]]]:
    """Return the matrices of floats and the lists of words that a file holds, by the keys that lead to them."""
    tensors: dict[str, Tensor] = {}
    lists: dict[str, list[bytes]] = {}
    single: dict[str, Mapping[str, Tensor]] = {}
    for name, item in _walk(root, "", _DEEPEST):
        if isinstance(item, Tensor) and item.ndim == 2 and item.is_floating_point() and item.numel():
            tensors[name] = item.detach()
        elif isinstance(item, Mapping | Sequence) and (words := _words(item)):
            lists[name] = words
        elif isinstance(item, Mapping) and _is_word_by_word(item):
            single[name] = item
    if not tensors and len(single) == 1:
        ((name, rows),) = single.items()
        label = name or "one vector a word"
        return {label: torch.stack(list(rows.values()))}, {label: [as_word(word) for word in rows]}
    return tensors, lists


def _walk(item: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    yield name or "the tensor", item
    if depth and isinstance(item, Mapping | list | tuple) and not _words(item):
        pairs = item.items() if isinstance(item, Mapping) else enumerate(item)
        for key, value in pairs:
            yield from _walk(value, f"{name}.{key}" if name else str(key), depth - 1)


def _words(item: Any) -> list[bytes] | None:
    """Return the words of a list of text, or of a dict that leads from word to row or back."""
    if isinstance(item, list | tuple):
        return [as_word(word) for word in item] if item and all(isinstance(word, str) for word in item) else None
    if not isinstance(item, Mapping) or not item:
        return None
    if all(type(key) is int and isinstance(word, str) for key, word in item.items()):
        item = {word: row for row, word in item.items()}
    if not all(isinstance(word, str) and type(row) is int for word, row in item.items()):
        return None
    words = {row: word for word, row in item.items()}
    if sorted(words) != list(range(len(item))):
        return None
    return [as_word(words[row]) for row in range(len(item))]


def _is_word_by_word(item: Mapping[Any, Any]) -> bool:
    """Tell a dict of one vector a word from the parameters of a small layer."""
    values = list(item.values())
    return (
        len(values) > 1
        and all(isinstance(key, str) and not _WEIGHTS.search(key) for key in item)
        and all(isinstance(one, Tensor) and one.ndim == 1 and one.is_floating_point() for one in values)
        and len({len(one) for one in values}) == 1
    )


TORCH = Format("PyTorch file", matches=is_torch, read=read_torch)
