"""Parquet and Feather: a column of words beside columns of numbers, or beside one column of lists of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError, naming
from gpustab.formats.binary.npy import check_dimension
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import Format, RowTable
from gpustab.formats.source import Source, check_unpacked
from gpustab.formats.table.columns import Columns, Kind, choose_columns
from gpustab.formats.text.decimals import are_running
from gpustab.spaces.space import Space
from gpustab.spaces.words import as_word

_BATCH = 1 << 13
_SAMPLE = 50
_PARQUET, _ARROW = b"PAR1", b"ARROW1\0\0"


def read_parquet(source: Source, options: LoadOptions) -> Space:
    """Read a Parquet or Feather (Arrow IPC) file, some rows at a time.

    Args:
        source: the opened file.
        options: how to read it; ``word_column`` chooses the words.

    Returns:
        The space, its vectors ``(v, d)`` float32.

    Raises:
        InputError: if pyarrow is missing, the file is damaged, its columns cannot be told, or a value is missing.
    """
    path = source.path
    if source.compression:
        raise InputError(f"{path}: a Parquet or Feather file within {source.compression}; unpack it first")
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(f"{path}: Parquet and Feather need pyarrow: pip install 'gpustab[report]'") from None
    try:
        with naming(path):
            return _read(source, options)
    except (pa.ArrowException, OSError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path}: no complete Parquet or Feather file, perhaps cut or damaged: {reason}") from error


def _read(source: Source, options: LoadOptions) -> Space:
    schema, batches = _opened(source)
    first = next(batches, None)
    if first is None or not first.num_rows:
        raise InputError("there are no rows")
    names = [field.name for field in schema]
    columns = choose_columns(
        names,
        [_kind(field.type) for field in schema],
        lambda i: are_running(first.column(i).slice(0, _SAMPLE).to_pylist()),
        options.word_column,
    )
    d, limit = _width(first, columns), options.limit
    check_dimension(d, options)
    table = RowTable(d, first.num_rows, options, "row")
    notes = list(columns.notes)
    unpacked, packed = 0, source.path.stat().st_size
    for batch in chain([first], batches):
        source.check_uncut()
        unpacked += batch.nbytes
        check_unpacked(source.path, unpacked, packed)
        if limit is not None and table.rows + batch.num_rows >= limit:
            _add(table, batch.slice(0, limit - table.rows), columns, names)
            notes.append(f"limit={limit}: further rows were not read")
            break
        _add(table, batch, columns, names)
    return table.space(source, "Parquet" if source.head.startswith(_PARQUET) else "Feather", notes=notes)


def _opened(source: Source) -> tuple[Any, Iterator[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    source.watch()
    if source.head.startswith(_PARQUET):
        file = pq.ParquetFile(source.path, memory_map=True)
        check_unpacked(source.path, _size(file.metadata), source.path.stat().st_size)
        return file.schema_arrow, file.iter_batches(_BATCH)
    reader = pa.ipc.open_file(pa.memory_map(str(source.path)))
    return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))


def _size(metadata: Any) -> int:
    """Return the bytes that a Parquet file unpacks to: of its pages, or of their values, which may be run lengths."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    values = [sum(group.column(i).num_values for i in range(group.num_columns)) for group in groups]
    return sum(max(group.total_byte_size, 4 * count) for group, count in zip(groups, values, strict=True))


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
    table.add([as_word(_text(word)) for word in words], vectors, range(start, start + len(words)), counts)


def _text(word: Any) -> str | bytes:
    return word if isinstance(word, str | bytes) else str(word)


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
