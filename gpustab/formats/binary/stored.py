"""Spaces whose vectors are never in memory at once: they stay on disk, in a file that has them as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
