"""Strict decimal numbers, and one row of a text file split into its word and its values.

Python's ``float`` is too lax for files (it takes ``1_0`` and strips more than blanks), so a row is converted
at full speed only where its bytes leave no doubt, and field by field otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gpustab.spaces.words import show

SEPARATORS = b" \t"

_FIELD = re.compile(rb"[^ \t]+")
_PLAIN_BYTES = b"0123456789.eE+- \t"
_DECIMAL = rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_NUMBER = re.compile(_DECIMAL)
_WHOLE = re.compile(rb"[0-9]++(?:\.0*+)?")
_FEWEST = 3
"""Rows that must agree, and numbers a row, before one of them is doubted."""
_MANY = 1000
"""A whole number that hardly is a value among fractions."""
_SPARSE = re.compile(rb"\d+:" + _DECIMAL)
# C printf writes nan, -nan, inf and nan(...); Microsoft's older runtimes write 1.#QNAN and -1.#IND.
_NAN = re.compile(rb"[+-]?(?:nan(?:\(\w*\))?|1\.#(?:qnan|snan|ind)\d*)", re.IGNORECASE)
_INFINITY = re.compile(rb"([+-]?)(?:inf(?:inity)?|1\.#inf\d*)", re.IGNORECASE)
# What a damaged or foreign number looks like: digits (full-width ones too), points, commas, underscores, colons.
_NUMBER_LIKE = re.compile(rb"(?=.*[0-9\x90-\x99])(?:[0-9.,:_eE+-]|\xef\xbc[\x90-\x99])+", re.DOTALL)


class RowError(Exception):
    """One row cannot be read; the message is the end of a sentence that starts with file and line."""


def is_number_like(field: bytes) -> bool:
    """Tell whether a field was meant as a number, be it written correctly or not.

    >>> [is_number_like(f) for f in (b"1e-5", b"0,5", b"-nan(ind)", b"...", b"e")]
    [True, True, True, False, False]
    """
    return bool(_NUMBER_LIKE.fullmatch(field) or _NAN.fullmatch(field) or _INFINITY.fullmatch(field))


def are_running(numbers: Sequence[Any]) -> bool:
    """Tell whether some numbers, as text or not, just count: 0, 1, 2 ... or 1, 2, 3 ...

    >>> are_running([b"1", b"2"]), are_running([0, 1]), are_running(["2", "3"]), are_running([])
    (True, True, False, False)
    """
    plain = [show(number) if isinstance(number, bytes) else str(number) for number in numbers]
    return plain[:1] in (["0"], ["1"]) and plain == [str(int(plain[0]) + i) for i in range(len(plain))]


def count_among(rows: Sequence[Sequence[bytes]]) -> int | None:
    """Return the one place of some rows that has whole numbers where the others have fractions, ``None`` without one.

    Counts are in order, as a list by frequency has them, or reach a thousand; or they number the rows. Other
    whole numbers, such as ages or syllables, are values.

    Args:
        rows: their numbers, equally many, three or more.

    >>> count_among([[b"71", b"0.5", b"-1e-3"], [b"30", b"1.0", b"0.25"], [b"9", b".5", b".7"]])
    0
    >>> count_among([[b"30", b"0.5", b"-1e-3"], [b"61", b"1.0", b"0.25"], [b"24", b".5", b".7"]])
    """
    columns = list(zip(*rows, strict=True))
    if len(columns) < _FEWEST or len(rows) < _FEWEST:
        return None
    whole = [[_WHOLE.fullmatch(value) is not None for value in column] for column in columns]
    all_whole = [place for place, column in enumerate(whole) if all(column)]
    if len(all_whole) != 1 or any(2 * sum(column) > len(rows) for column in whole if not all(column)):
        return None
    numbers = [float(value) for value in columns[all_whole[0]]]
    steps = [b - a for a, b in pairwise(numbers)]
    ordered = min(steps) >= 0 or max(steps) <= 0
    listed = min(numbers) > 0 and (ordered or max(numbers) >= _MANY)
    counts = len(set(numbers)) > 1 and (listed or are_running(columns[all_whole[0]]))
    return all_whole[0] if counts else None


def is_sparse(field: bytes) -> bool:
    """Tell whether a field is ``index:value``, as in rows that leave out zeros.

    >>> is_sparse(b"17:-0.5"), is_sparse(b"0.5")
    (True, False)
    """
    return _SPARSE.fullmatch(field) is not None


def count_values(row: bytes) -> int:
    """Count the number-like fields at the end of a row; the first field is a word and never counts.

    >>> [count_values(r) for r in (b"at name 1 2", b"2019 1 2", b"12 34 1 2", b" ")]
    [2, 2, 3, 0]
    """
    fields = _FIELD.findall(row)[1:]
    count = 0
    while count < len(fields) and is_number_like(fields[-1 - count]):
        count += 1
    return count


def parse_number(field: bytes) -> float:
    """Return the value of one C decimal, ``nan`` or ``inf``, in any spelling that C libraries print.

    Raises:
        RowError: for every other field, with the reason where it is a known one.

    >>> parse_number(b"-1.E+3"), parse_number(b"-nan(ind)")
    (-1000.0, nan)
    """
    if _NUMBER.fullmatch(field):
        return float(field)
    if _NAN.fullmatch(field):
        return float("nan")
    if infinity := _INFINITY.fullmatch(field):
        return float(infinity[1] + b"inf")
    if is_sparse(field):
        raise RowError("is sparse (index:value); only dense rows can be read")
    reason = " (decimal commas cannot be read)" if b"," in field and is_number_like(field) else ""
    raise RowError(f"is not a number{reason}")


def parse_row(row: bytes, dimension: int) -> tuple[bytes, list[float]]:
    """Split a row: the last ``dimension`` fields are the vector, everything before them is the word.

    Returns:
        The word, empty where the row begins with a separator, and ``d`` values.

    Raises:
        RowError: if there are fewer than ``d`` values, or one is not a number.

    >>> parse_row(b". . .  0.5 -1e3", 2)
    (b'. . .', [0.5, -1000.0])
    """
    # Tabs become spaces one for one, so positions stay those of the row.
    word, *fields = row.rstrip(SEPARATORS).replace(b"\t", b" ").rsplit(b" ", dimension)
    if row[len(word) :].translate(None, _PLAIN_BYTES):
        return _parse_field_by_field(row, dimension)
    try:
        values = list(map(float, fields))
    except ValueError:
        return _parse_field_by_field(row, dimension)
    if len(values) < dimension:
        return _parse_field_by_field(row, dimension)
    return _word(row[: len(word)]), values


def start_of(text: bytes, longest: int = 60) -> str:
    """Return the first bytes of a field or line for a message."""
    return show(text[:longest]) + "…" * (len(text) > longest)


def _word(start: bytes) -> bytes:
    return b"" if start[:1] in (b" ", b"\t") else start.rstrip(SEPARATORS)


def _parse_field_by_field(row: bytes, dimension: int) -> tuple[bytes, list[float]]:
    """Do as :func:`parse_row` does, for repeated separators and unusual numbers, and find out what is wrong."""
    fields = list(_FIELD.finditer(row))
    has_word = row[:1] not in (b" ", b"\t")
    vector = fields[-dimension:] if len(fields) - has_word >= dimension else fields[1:]
    values = []
    for i, field in enumerate(vector, 1):
        try:
            values.append(parse_number(field[0]))
        except RowError as error:
            raise RowError(f"value {i} of {dimension}, '{start_of(field[0])}', {error}") from None
    if len(values) < dimension:
        found = f"found {len(values)} value{'s' * (len(values) != 1)}, wanted {dimension}"
        raise RowError(f"{found}, after the word '{start_of(fields[0][0])}'")
    return _word(row[: vector[0].start()]), values
