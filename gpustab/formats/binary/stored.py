"""Safetensors files whose vectors are never in memory at once: opened with them on disk, and written piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, overload

import torch
from torch import Tensor

from gpustab.errors import naming
from gpustab.formats.binary.npy import check_dimension, rows_to_read
from gpustab.formats.binary.safetensors import (
    WORDS,
    SafetensorsRows,
    check_words,
    is_safetensors,
    notes_on,
    open_rows,
    read_counts,
    read_metadata,
)
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.rows import PlacedRows
from gpustab.formats.unusual import name_of

_PIECE = 1 << 21


class StoredWords(Sequence[bytes]):
    """The words of a file, each of them cut out of its bytes when somebody asks for it.

    Args:
        buffer: ``(n_bytes,)`` uint8.
        offsets: ``(v + 1,)`` int64 into it.
    """

    def __init__(self, buffer: Tensor, offsets: Tensor) -> None:
        self.buffer = buffer
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int) -> bytes: ...
    @overload
    def __getitem__(self, i: slice) -> StoredWords: ...
    def __getitem__(self, i: int | slice) -> bytes | StoredWords:
        """Return one word, or those from one row to another."""
        if isinstance(i, slice):
            start, stop, _ = i.indices(len(self))
            return StoredWords(self.buffer, self.offsets[start : max(start, stop) + 1])
        if not -len(self) <= i < len(self):
            raise IndexError(i)  # by which whoever goes through a sequence knows its end
        i %= len(self)
        start, stop = self.offsets[i : i + 2].tolist()
        return self.buffer[start:stop].numpy().tobytes()


class StoredSpace(NamedTuple):
    """A space whose vectors are on disk.

    Attributes:
        name: of the file.
        rows: ``(v, d)`` vectors, float32; there may be more than there are words, by ``limit``.
        words: the ``v`` words; whether they are distinct, nobody has looked.
        counts: ``(v,)`` int64 or ``None``.
        draw: see :class:`gpustab.spaces.space.Space`.
        metadata: likewise.
        notes: what a reader says of such a file, but for what it finds in words and values.
    """

    name: str
    rows: SafetensorsRows | PlacedRows
    words: StoredWords
    counts: Tensor | None
    draw: Tensor | None
    metadata: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def dimension(self) -> int:
        """Number of dimensions ``d``."""
        return self.rows.shape[1]

    @property
    def step(self) -> int:
        """How many rows a piece of 2 MiB has in float32: what is done to it next finds it in the processor's cache."""
        return max(1, _PIECE // (4 * self.dimension))

    def parts(self, size: int) -> Iterator[slice]:
        """Yield slices of at most ``size`` rows, which cover those that have words."""
        yield from (slice(start, min(start + size, len(self.words))) for start in range(0, len(self.words), size))


def open_stored(path: Path, options: LoadOptions) -> StoredSpace | None:
    """Open a space, or return ``None`` where it is of another format, or its rows have to be chosen one by one.

    Raises:
        InputError: if the file is damaged, or of other dimensions than ``dim`` asks for.
    """
    if options.wanted is not None or options.drop_nonfinite or options.skip_empty_tokens or not path.is_file():
        return None
    with path.open("rb") as file:
        if not is_safetensors(file.read(9)):
            return None
    rows = open_rows(path, options.tensor, or_only=options.tensor == DEFAULTS.tensor)
    if WORDS.isdisjoint(rows.names) or not min(rows.shape):
        return None
    buffer, offsets = rows.tensor("words", torch.uint8), rows.tensor("offsets", torch.int64)
    check_words(rows, len(offsets) - 1)
    with naming(path):
        check_dimension(rows.shape[1], options)
    kept = rows_to_read(len(rows), options)
    counts = read_counts(rows)
    return StoredSpace(
        name_of(path),
        rows,
        StoredWords(buffer, offsets)[:kept],
        None if counts is None else counts[:kept],
        rows.tensor("draw", torch.int64) if "draw" in rows.names else None,
        read_metadata(rows),
        tuple(notes_on(rows, kept, len(rows), options)),
    )


_KINDS = {
    torch.int64: "I64",
    torch.float64: "F64",
    torch.float32: "F32",
    torch.bfloat16: "BF16",
    torch.float16: "F16",
    torch.uint8: "U8",
}
"""Names of the types, in the order in which the library puts them: none needs padding then."""


class Part(NamedTuple):
    """One tensor of a file.

    Attributes:
        shape: of it.
        dtype: of it.
        pieces: its values in order, each a contiguous tensor, looked at once and before the next is asked for.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    pieces: Iterable[Tensor]

    @classmethod
    def of(cls, tensor: Tensor) -> Part:
        """Return a tensor that is there as one piece."""
        return cls(tuple(tensor.shape), tensor.dtype, [tensor.contiguous()])


def write_tensors(parts: Mapping[str, Part], path: Path, metadata: Mapping[str, str]) -> tuple[int, str]:
    """Write tensors to a file.

    Args:
        parts: by name.
        path: the file.
        metadata: of the file.

    Returns:
        Its size in bytes and its SHA-256 in hexadecimal.
    """
    names = sorted(parts, key=lambda name: (list(_KINDS).index(parts[name].dtype), name))
    digest, size = sha256(), 0
    with path.open("wb") as file:
        for piece in _pieces(names, parts, metadata):
            digest.update(piece)
            size += file.write(piece)
    return size, digest.hexdigest()


def _pieces(
    names: Sequence[str], parts: Mapping[str, Part], metadata: Mapping[str, str]
) -> Iterable[bytes | memoryview]:
    yield _header(names, parts, metadata)
    for name in names:
        for piece in parts[name].pieces:
            # Bytes: NumPy has no bfloat16.
            yield piece.flatten().view(torch.uint8).numpy().data if piece.numel() else b""


def _header(names: Sequence[str], parts: Mapping[str, Part], metadata: Mapping[str, str]) -> bytes:
    content: dict[str, object] = {"__metadata__": dict(metadata)}
    end = 0
    for name in names:
        shape, dtype, _ = parts[name]
        start, end = end, end + prod(shape) * dtype.itemsize
        content[name] = {"dtype": _KINDS[dtype], "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
