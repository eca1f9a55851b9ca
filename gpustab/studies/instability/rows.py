"""Tables row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gpustab.results import Table


def add_row(table: Table, row: Sequence[Any]) -> None:
    """Append a row, its values in the order of the columns.

    >>> table = {"n": [1], "p": [0.5]}
    >>> add_row(table, (2, 0.6))
    >>> table
    {'n': [1, 2], 'p': [0.5, 0.6]}
    """
    for values, value in zip(table.values(), row, strict=True):
        values.append(value)


def records(table: Table | None, **wanted: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that have the wanted values, as dictionaries; none of a table that is not there.

    >>> list(records({"n": [1, 2], "p": [0.5, 0.6]}, n=2))
    [{'n': 2, 'p': 0.6}]
    """
    for row in zip(*(table or {}).values(), strict=True):
        record = dict(zip(table or {}, row, strict=True))
        if all(record[column] == value for column, value in wanted.items()):
            yield record
