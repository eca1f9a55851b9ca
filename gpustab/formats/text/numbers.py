"""Text of numbers alone, whose words stand in a file of their own: TensorBoard's ``vectors.tsv``, ``numpy.savetxt``."""

from __future__ import annotations

import numpy as np

from gpustab.errors import InputError
from gpustab.formats.binary.npy import check_dimension, left_unread, rows_to_read
from gpustab.formats.options import LoadOptions
from gpustab.formats.rows import RowTable
from gpustab.formats.source import Source
from gpustab.formats.text.decimals import RowError, is_number_like, parse_number
from gpustab.formats.text.layout import SAMPLE_ROWS, Lines
from gpustab.formats.vocabulary_file import match_words, read_words
from gpustab.spaces.space import Space
from gpustab.spaces.words import show


def are_numbers_alone(lines: list[bytes]) -> bool:
    """Tell whether the first rows hold numbers alone, as many in each."""
    rows = [line.split() for line in lines[:SAMPLE_ROWS] if line.strip()]
    return (
        bool(rows) and len({len(row) for row in rows}) == 1 and all(is_number_like(one) for row in rows for one in row)
    )


def read_numbers(source: Source, options: LoadOptions) -> Space:
    """Read rows of numbers with the words of ``options.vocab``.

    Raises:
        InputError: if a row has other numbers than the first, or there are more or fewer words than rows.
    """
    assert options.vocab is not None  # noqa: S101  # who calls this knows
    found, lines = read_words(options.vocab), Lines(source)
    dimension = len(next(line for line in lines.sample() if line.strip()).split())
    check_dimension(dimension, options)
    table, rows, number = RowTable(dimension, len(found.words), options), list[list[float]](), 0
    places: list[int] = []
    for block in lines.blocks():
        for line in block[:-1].split(b"\n"):
            number += 1
            if line.strip():
                rows.append(_values(line, dimension, number))
                places.append(number)
    if source.damage:
        raise InputError(f"incomplete or damaged download ({source.damage}); {len(rows)} rows could be read")
    found = match_words(found, source.path, len(rows), options)
    kept = rows_to_read(len(found.words), options)
    with np.errstate(over="ignore"):  # becomes inf, which the table looks for
        matrix = np.array(rows[:kept], dtype=np.float64).astype(np.float32)
    table.add(found.words[:kept], matrix, places[:kept], found.counts and found.counts[:kept])
    return table.space(source, "text of numbers", notes=[*found.notes, *left_unread(kept, len(found.words))])


def _values(line: bytes, dimension: int, number: int) -> list[float]:
    fields = line.split()
    if len(fields) != dimension:
        raise InputError(f"line {number}: {len(fields)} numbers, wanted {dimension}")
    try:
        return [parse_number(field) for field in fields]
    except RowError as error:
        wrong = next(field for field in fields if not is_number_like(field))
        raise InputError(f"line {number}: '{show(wrong[:40])}' {error}") from None
