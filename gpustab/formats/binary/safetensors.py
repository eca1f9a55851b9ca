"""One space as one safetensors file, the form that run sets are made of; its vectors can be read range by range.

Tensors: ``vectors (v, d)``, ``words (n_bytes,)`` uint8 with ``offsets (v + 1,)`` int64, and where known ``counts (v,)``
and ``draw (n,)`` int64. String metadata: key ``gpustab``, a JSON object. Nothing in such a file can run code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError, marked, naming, option, some_of
from gpustab.formats.binary.npy import check_dimension, left_unread, rows_to_read
from gpustab.formats.binary.tensors import SUMS, Part, open_tensors, sums_of, write_tensors
from gpustab.formats.options import DEFAULTS, LoadOptions
from gpustab.formats.parsed import parse_json
from gpustab.formats.plain_text import DamagedError
from gpustab.formats.quantised import CODES, Table, dequantised, may_be_parts, parts_of, vectors_among
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.source import Source, Watched
from gpustab.formats.vocabulary_file import WordList, by_end, several_end, words_for
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import cut_out

_FLOATS = ("F16", "BF16", "F32", "F64")
_ONE_PER_WORD = 1000


class SafetensorsRows:
    """A ``(v, d)`` matrix on disk, and the other tensors that lie beside it.

    Args:
        path: the file.
        tensor: name of the matrix, or the end of one name.
        or_only: where there is no tensor of this name, take the only matrix of floats in the file.

    Attributes:
        path: the file.
        matrix: name of the matrix.
        shape: ``(v, d)``.
        dtype: the type on disk, in safetensors' spelling: ``"F32"``, ``"BF16"`` ...
        names: names of all tensors in the file.
        scaled: what was done with numbers of few bits, whose scales lie beside; else ``None``.
        parts: names of these scales.
        tied: other matrices with the same numbers, as an output embedding that is tied.
        metadata: the file's string metadata.

    Raises:
        InputError: if the file is missing, damaged, or has no such ``(v, d)`` tensor of floats.

    >>> with open_rows("run-000.safetensors") as rows:  # doctest: +SKIP
    ...     chunk = rows[1000:2000]  # (1000, d) float32
    """

    def __init__(self, path: str | os.PathLike[str], tensor: str = "vectors", *, or_only: bool = False) -> None:
        self.path = Path(path)
        self._file = open_tensors(self.path)
        self._watched = Watched(self.path)
        self.names: list[str] = sorted(self._file.keys())
        self._parts = may_be_parts(self.names)
        self.metadata: dict[str, str] = self._file.metadata() or {}
        named = by_end(tensor, self.names)
        if len(named) > 1 and not or_only:
            raise InputError(f"{self.path}: {several_end(tensor, named)}")
        self.tied: list[str] = []
        self.matrix = named[0] if len(named) == 1 else self._only_matrix(tensor) if or_only else tensor
        self.require(self.matrix)
        self._vectors = self._file.get_slice(self.matrix)
        self.dtype: str = self._vectors.get_dtype()
        shape = self._vectors.get_shape()
        self.scaled: str | None = None
        self.parts: tuple[str, ...] = ()
        table = self._table(self.matrix)
        if len(shape) == 2 and table.is_few:
            with naming(self.path):
                self._vectors, self.scaled = dequantised(table, self._file.get_tensor)
            self.parts = tuple(table.parts.values())
        elif len(shape) != 2 or self.dtype not in _FLOATS:
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
        self._watched.check()
        start, stop, _ = rows.indices(len(self))
        with torch.device("cpu"):  # a part, unlike a whole tensor, would be put on the default device
            chunk: Tensor = self._vectors[start : max(start, stop)]
        return chunk.to(torch.float32)

    def take(self, rows: Tensor, out: Tensor) -> Tensor:
        """Copy rows ``(n,)`` into ``out``, ``(n, d)`` float32, and return it."""
        self._watched.check()
        with torch.device("cpu"):
            there: Tensor = self._vectors[0 : len(self)]  # a value is read when somebody looks at it
        if there.dtype == out.dtype:
            return torch.index_select(there, 0, rows, out=out)
        return out.copy_(there[rows])

    def check(self) -> bool:
        """Read all of the file, and compare it with its checksums; ``False`` where it has none.

        Raises:
            DamagedError: if it is not what was written.
        """
        if (sums := self.metadata.get(SUMS)) is None:
            return False
        self._watched.check()
        if sums_of({name: self._file.get_tensor(name) for name in self.names}, self.metadata) != sums:
            raise DamagedError(
                f"{self.path}: is not what was written, by its checksum: the disk or a copy has damaged it; remove it, "
                "and the call that made it makes it again"
            )
        return True

    def require(self, name: str) -> None:
        """Refuse the file if it has no tensor of this name."""
        if name not in self.names:
            there = some_of(self.names) or "no tensors"
            raise InputError(f"{self.path}: there is no tensor '{name}'; the file has {there}")

    def tensor(self, name: str, dtype: torch.dtype) -> Tensor:
        """Return a whole one-dimensional tensor.

        Raises:
            InputError: if it is missing, or has another type or number of dimensions.
        """
        self.require(name)
        self._watched.check()
        tensor: Tensor = self._file.get_tensor(name)
        if tensor.ndim != 1 or tensor.dtype != dtype:
            raise InputError(
                f"{self.path}: '{name}' is {tensor.dtype} {tuple(tensor.shape)}, wanted {dtype} of one dimension"
            )
        return tensor

    def _only_matrix(self, otherwise: str) -> str:
        """Return the name of the only matrix of floats, or ``otherwise`` where there is none."""
        tables = {name: self._table(name) for name in self.names}
        shapes = {name: table.shape for name, table in tables.items()}
        floats = list(vectors_among(tables))
        self.tied = [name for name in floats[1:] if shapes[name] == shapes[floats[0]] and self._equal(floats[0], name)]
        if len(floats) > 1 + len(self.tied):
            there = some_of([f"{name} {shapes[name]}" for name in floats])
            raise InputError(
                f"{self.path}: there are several matrices: {there}; choose the vectors by {option('tensor', ...)}"
            )
        if not floats and sum(len(shape) == 1 for shape in shapes.values()) > _ONE_PER_WORD:
            raise InputError(
                f"{self.path}: {len(shapes)} tensors of one dimension, as if each word had one; save the vectors as "
                "one tensor (v, d)"
            )
        few = [name for name, one in tables.items() if len(one.shape) == 2 and one.is_few]
        return next(iter(floats or few), otherwise)

    def _equal(self, one: str, other: str) -> bool:
        with torch.device("cpu"):  # most differ in their first row, and a large file is not read for that
            first, second = (self._file.get_slice(name)[:1] for name in (one, other))
        return torch.equal(first, second) and torch.equal(self._file.get_tensor(one), self._file.get_tensor(other))

    def _table(self, name: str) -> Table:
        part = self._file.get_slice(name)
        return Table(name, CODES.get(part.get_dtype()), tuple(part.get_shape()), parts_of(name, self._parts))

    def close(self) -> None:
        """Close the file; rows that were read stay valid."""
        del self._vectors, self._file

    def __enter__(self) -> SafetensorsRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


open_rows = SafetensorsRows
METADATA_KEY = "gpustab"

WORDS = frozenset({"words", "offsets"})
"""Tensors of a file that has its own words."""
_STEP = 1 << 16


def is_safetensors(head: bytes) -> bool:
    """Tell a safetensors file by its start: eight bytes of header length, then JSON.

    >>> is_safetensors((2).to_bytes(8, "little") + b"{}"), is_safetensors(b"the 0.1 {")
    (True, False)
    """
    # The format limits the header to 100 MB (safetensors' README, "Format").
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= 100_000_000


def read_safetensors(source: Source, options: LoadOptions = DEFAULTS) -> Space:
    """Read a space; a file without ``words`` and ``offsets`` takes its words from the vocabulary file beside it.

    Where ``tensor`` is left open and no tensor is called ``vectors``, the only matrix of floats is taken.

    Raises:
        InputError: if the file is cut, a tensor is missing or misshapen, the words are more or fewer than the rows, or
            a row is refused.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a safetensors file within {source.compression} cannot be mapped; unpack it first")
    with open_rows(path, options.tensor, or_only=options.tensor == DEFAULTS.tensor) as rows:
        rows.check()
        ours = not WORDS.isdisjoint(rows.names)
        found = _own_words(rows) if ours else words_for(path, len(rows), options)
        # A copy: what is of the file keeps all of it mapped, and Windows lets nobody replace it.
        draw = rows.tensor("draw", torch.int64).clone() if ours and "draw" in rows.names else None
        metadata = read_metadata(rows)
        with naming(path):
            check_dimension(rows.shape[1], options)
            kept = rows_to_read(len(found.words), options)
            table = RowTable(rows.shape[1], kept, options, "row", keep_empty=ours)
            for start in range(0, kept, _STEP):
                part = slice(start, min(start + _STEP, kept))
                table.add(found.words[part], rows[part].numpy(), range(kept)[part], found.counts and found.counts[part])
            notes = [*found.notes, *notes_on(rows, kept, len(found.words), options)]
            return table.space(source, "safetensors", notes=notes, metadata=metadata, draw=draw)


def write_safetensors(space: Space, path: str | os.PathLike[str]) -> None:
    """Write a space with all that it has, except its name and report; the file appears whole or not at all.

    Raises:
        InputError: if the metadata is not JSON, or the file cannot be written.
    """
    words, offsets = space.vocabulary.to_tensors()
    tensors = {"vectors": space.vectors.to(torch.float32), "words": words, "offsets": offsets}
    for name, tensor in (("counts", space.counts), ("draw", space.draw)):
        if tensor is not None:
            tensors[name] = tensor.to(torch.int64)
    try:
        metadata = json.dumps(space.metadata, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: the metadata cannot be written as JSON: {marked(error)}") from error
    whole = {name: tensor.detach().contiguous().cpu() for name, tensor in tensors.items()}
    content = {METADATA_KEY: metadata}
    parts = {name: Part.of(tensor) for name, tensor in whole.items()}
    write_tensors(parts, Path(path), content | {SUMS: sums_of(whole, content)})


def _own_words(rows: SafetensorsRows) -> WordList:
    buffer, offsets = rows.tensor("words", torch.uint8), rows.tensor("offsets", torch.int64)
    with naming(rows.path):
        words = cut_out(buffer, offsets)
    check_words(rows, len(words))
    counts = read_counts(rows)
    return WordList(rows.path, words, None if counts is None else counts.tolist(), [])


def check_words(rows: SafetensorsRows, words: int) -> None:
    """Refuse a file that has not as many words as vectors."""
    if words != len(rows):
        raise InputError(f"{rows.path}: there are {words} words, but {len(rows)} vectors")


def read_counts(rows: SafetensorsRows) -> Tensor | None:
    """Return the ``(v,)`` corpus counts of a file, where it has them.

    Raises:
        InputError: if they are more or fewer than the rows.
    """
    if "counts" not in rows.names:
        return None
    counts = rows.tensor("counts", torch.int64)
    if len(counts) != len(rows):
        raise InputError(f"{rows.path}: there are {len(counts)} counts, but {len(rows)} vectors")
    return counts


def read_metadata(rows: SafetensorsRows) -> dict[str, Any]:
    """Return what the maker of a space recorded, without reading its vectors.

    Raises:
        InputError: if it is not a JSON object.
    """
    try:
        metadata = parse_json(rows.metadata.get(METADATA_KEY, "{}"))
    except ValueError as error:
        raise InputError(f"{rows.path}: the metadata '{METADATA_KEY}' is not JSON: {marked(error)}") from error
    if not isinstance(metadata, dict):
        raise InputError(f"{rows.path}: the metadata '{METADATA_KEY}' is not a JSON object")
    return metadata


def notes_on(rows: SafetensorsRows, kept: int, of: int, options: LoadOptions) -> Iterator[str]:
    """Yield what a reader says of a file of which it keeps some of its rows, but for what words and values say."""
    ours = not WORDS.isdisjoint(rows.names)
    if ours and options.vocab is not None:
        yield f"vocab={options.vocab} was not read: the file holds its words"
    if METADATA_KEY in rows.metadata and SUMS not in rows.metadata and "lengths" not in rows.names:
        yield "the file has no checksum, as it was written by an older gpustab, so that damage would not be seen"
    if rows.matrix != "vectors":
        yield f"the vectors are the tensor '{rows.matrix}'"
    if rows.scaled:
        yield rows.scaled
    elif rows.dtype != "F32":
        yield f"the vectors were converted from {rows.dtype} to float32"
    if rows.tied:
        yield f"{some_of(rows.tied, 3)} has the same numbers"
    known = {rows.matrix, *rows.parts, *rows.tied, *(WORDS | {"counts", "draw", "lengths", "present"} if ours else ())}
    if unknown := sorted(set(rows.names) - known):
        yield f"{len(unknown)} tensor(s) of unknown meaning were not read: {', '.join(unknown[:3])}"
    yield from left_unread(kept, of)


SAFETENSORS = Format("safetensors", matches=is_safetensors, read=read_safetensors)
