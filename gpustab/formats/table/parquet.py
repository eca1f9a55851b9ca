"""Parquet and Feather: a column of words beside columns of numbers, or beside one column of lists of numbers."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, naming, option
from gpustab.formats.binary.npy import check_dimension
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.source import Source, check_unpacked
from gpustab.formats.table.columns import Columns, Kind, choose_columns, refuse_turned
from gpustab.installing import install
from gpustab.spaces.space import Space
from gpustab.spaces.words import LONGEST_WORD, as_word, too_long

_BATCH = 1 << 13
_SAMPLE = 50
_PARQUET, _ARROW = b"PAR1", b"ARROW1\0\0"


def read_parquet(source: Source, options: LoadOptions) -> Space:
    """Read a Parquet or Feather (Arrow IPC) file, some rows at a time.

    Raises:
        InputError: if pyarrow is missing, the file is damaged, its columns cannot be told, or a value is missing.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a Parquet or Feather file within {source.compression}; unpack it first")
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(f"{path}: Parquet and Feather need pyarrow: {install('report')}") from None
    try:
        with naming(path):
            return _read(source, options)
    except (pa.ArrowException, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path}: not a complete Parquet or Feather file, perhaps cut or damaged: {reason}") from error


def _read(source: Source, options: LoadOptions) -> Space:
    schema, batches = _opened(source, options)
    first = next(batches, None)
    if first is None or not first.num_rows:
        raise InputError("there are no rows")
    names = [field.name for field in schema]
    columns = choose_columns(
        names, [_kind(field.type) for field in schema], lambda i: first.column(i).slice(0, _SAMPLE).to_pylist(), options
    )
    d, limit = _width(first, columns), options.limit
    check_dimension(d, options)
    table = RowTable(d, first.num_rows, options, "row")
    notes = list(columns.notes)
    unpacked, packed = 0, source.path.stat().st_size
    for batch in chain([first], batches):
        source.check_uncut()
        batch.validate(full=True)
        wanted = batch.num_rows if limit is None else limit - table.rows
        sizes = _sizes_of_texts(batch.column(columns.word))[:wanted]
        unpacked += int(sizes.sum())
        check_unpacked(source.path, unpacked, packed)
        if (size := int(sizes.max(initial=0))) > LONGEST_WORD:
            raise InputError(f"row {table.rows + int(sizes.argmax())}: {too_long(size)}")
        if batch is first:
            refuse_turned(names, columns, batch.column(columns.word).slice(0, _SAMPLE).to_pylist(), options)
        if limit is not None and table.rows + batch.num_rows >= limit:
            _add(table, batch.slice(0, limit - table.rows), columns, names)
            notes.append(f"limit={limit}: further rows were not read")
            break
        _add(table, batch, columns, names)
    return table.space(source, "Parquet" if source.head.startswith(_PARQUET) else "Feather", notes=notes)


def _opened(source: Source, options: LoadOptions) -> tuple[Any, Iterator[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source.watch()
    path, packed = source.path, source.path.stat().st_size
    if source.head.startswith(_PARQUET):
        file = pq.ParquetFile(path, memory_map=True)
        check_unpacked(path, _size(file), packed)
        texts = [column.path for column in _leaves(file) if _is_text(column)]
        if len(texts) == 1 and options.word_column is None and options.limit is None:
            _check_mean(file)
        file = pq.ParquetFile(path, memory_map=True, read_dictionary=texts)  # what is there once is unpacked once
        return file.schema_arrow, file.iter_batches(_BATCH)
    file = pa.memory_map(str(path))
    reader = pa.ipc.open_file(file)
    _check_arrow(path, memoryview(file.read_buffer()))
    return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))


def _leaves(file: Any) -> list[Any]:
    return [file.schema.column(i) for i in range(len(file.schema))]


def _is_text(column: Any) -> bool:
    return bool(column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL")


def _check_mean(file: Any) -> None:
    """Refuse the one column of text where its words are too long on the average, before any of them is unpacked."""
    (place,) = (i for i, column in enumerate(_leaves(file)) if _is_text(column))
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        column = group.column(place)
        mean = column.total_uncompressed_size // max(column.num_values, 1)
        if column.num_values and mean > 2 * LONGEST_WORD:  # its pages have some bytes more
            raise InputError(
                f"column '{column.path_in_schema}': its texts have {mean:,} bytes on the average, a word has at most "
                f"{LONGEST_WORD:,}; choose the column of words by {option('word_column', ...)}"
            )


def _size(file: Any) -> int:
    """Return the bytes that a Parquet file unpacks to: of its pages, or of their values, which may be run lengths."""
    widths = [max(column.length or 0, 4) for column in _leaves(file)]
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    values = [sum(group.column(i).num_values * width for i, width in enumerate(widths)) for group in groups]
    return sum(max(group.total_byte_size, size) for group, size in zip(groups, values, strict=True))


class _Place(NamedTuple):
    """A table of a flatbuffer, by which Arrow says what its messages hold."""

    content: memoryview
    start: int

    def field(self, number: int) -> int:
        """Where a field lies, 0 if it is left out."""
        table = self.start - self.integer("<i", self.start)
        place = 4 + 2 * number
        inside = self.integer("<H", table + place) if place < self.integer("<H", table) else 0
        return inside and self.start + inside

    def integer(self, kind: str, place: int) -> int:
        """Read a number; struct.error where none is."""
        number: int = struct.unpack_from(kind, self.content, place)[0]
        return number

    def table(self, number: int) -> _Place:
        """The table that a field holds."""
        place = self.field(number)
        return _Place(self.content, place + self.integer("<I", place))

    def items(self, number: int, width: int) -> Iterator[int]:
        """Where the items of a field lie that holds many."""
        if place := self.field(number):
            first = place + self.integer("<I", place)
            yield from range(first + 4, first + 4 + width * self.integer("<I", first), width)


_DICTIONARIES, _BATCHES, _BODY, _BUFFERS, _COMPRESSION = 2, 3, 2, 2, 3
"""Numbers of fields in Arrow's File.fbs and Message.fbs; a batch with a dictionary is field 1 of its message's body."""


def _check_arrow(path: Path, content: memoryview) -> None:
    """Add up what the batches of an Arrow file unpack to, as each packed buffer begins with it, up to what is allowed.

    A buffer takes 16 bytes of the file, so more of them than fit there are named again and again.
    """
    size = struct.unpack_from("<i", content, len(content) - 10)[0]
    start = len(content) - 10 - size
    footer = _Place(content, start + struct.unpack_from("<I", content, start)[0])
    total, left = 0, len(content) // 16
    for number in (_DICTIONARIES, _BATCHES):
        for block in footer.items(number, 24):
            offset, length = footer.integer("<q", block), footer.integer("<i", block + 8)
            start = offset + (8 if footer.integer("<i", offset) == -1 else 4)
            batch = _Place(content, start + footer.integer("<I", start)).table(_BODY)
            batch = batch.table(1) if number == _DICTIONARIES else batch
            for buffer in batch.items(_BUFFERS, 16):
                place, packed = (footer.integer("<q", buffer + at) for at in (0, 8))
                says = footer.integer("<q", offset + length + place) if packed and batch.field(_COMPRESSION) else packed
                total, left = total + (says if says >= 0 else packed), left - 1
                check_unpacked(path, total, len(content))
                if left < 0:
                    raise InputError("a damaged Feather file: its batches name more buffers than it can hold")


def _sizes_of_texts(column: Any) -> NDArray[np.int64]:
    """Return the bytes of each text of a column, 0 where there is none; nothing of a column of other things."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    if _kind(column.type) != "text":
        return np.zeros(0, np.int64)
    if types.is_string_view(column.type):  # a view of a text begins with its length
        views = np.frombuffer(column.buffers()[1], "<i4")[4 * column.offset :][: 4 * len(column) : 4]
        return views.astype(np.int64)
    if types.is_dictionary(column.type):
        sizes = pc.binary_length(column.dictionary).take(column.indices)
    else:
        sizes = pc.binary_length(column)
    return np.asarray(sizes.fill_null(0).to_numpy(zero_copy_only=False), np.int64)


def _kind(kind: Any) -> Kind:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_floating(kind) or types.is_integer(kind):
        return "numbers"
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return "lists" if _kind(kind.value_type) == "numbers" else None
    texts = (types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary)
    return "text" if any(is_text(kind) for is_text in texts) else None


def _width(batch: Any, columns: Columns) -> int:
    if not _of_lists(batch, columns):
        return len(columns.vectors)
    lists = batch.column(columns.vectors[0])
    return len(lists[0]) if lists[0].is_valid else 0


def _of_lists(batch: Any, columns: Columns) -> bool:
    return _kind(batch.schema.field(columns.vectors[0]).type) == "lists"


def _add(table: RowTable, batch: Any, columns: Columns, names: list[str]) -> None:
    if not batch.num_rows:
        return
    start = table.rows
    words = batch.column(columns.word).to_pylist()
    if None in words:
        raise InputError(f"row {start + words.index(None)}: there is no word in column '{names[columns.word]}'")
    vectors = _lists(batch, columns, start) if _of_lists(batch, columns) else _numbers(batch, columns, names, start)
    counts = None if columns.counts is None else batch.column(columns.counts).to_pylist()
    if counts is not None and not all(isinstance(count, int) and count >= 0 for count in counts):
        raise InputError(f"the counts in column '{names[columns.counts or 0]}' are not all whole numbers")
    named = [as_word(word if isinstance(word, str | bytes) else str(word)) for word in words]
    table.add(named, vectors, range(start, start + len(words)), counts)


def _numbers(batch: Any, columns: Columns, names: list[str], start: int) -> NDArray[Any]:
    vectors = np.empty((batch.num_rows, len(columns.vectors)))
    for place, i in enumerate(columns.vectors):
        column = batch.column(i)
        if column.null_count:
            row = column.is_null().to_pylist().index(True)
            raise InputError(f"row {start + row}: there is no value in column '{names[i]}'")
        vectors[:, place] = column.to_numpy(zero_copy_only=False)
    return vectors


def _lists(batch: Any, columns: Columns, start: int) -> NDArray[Any]:
    column = batch.column(columns.vectors[0])
    lengths = [len(item) if item.is_valid else 0 for item in column]
    if len(set(lengths)) > 1 or not lengths[0]:
        row = next((i for i, n in enumerate(lengths) if not n or n != lengths[0]), 0)
        raise InputError(f"row {start + row}: the list has {lengths[row]} values, that of the first row {lengths[0]}")
    values = column.flatten()
    if values.null_count:
        raise InputError(f"a value is missing in the lists of rows {start} to {start + len(lengths) - 1}")
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64).reshape(len(lengths), lengths[0])


PARQUET = Format("Parquet", matches=lambda head: head.startswith((_PARQUET, _ARROW)), read=read_parquet)
