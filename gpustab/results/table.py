"""Tables: columns of equal length by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Column = list[Any] | np.ndarray[Any, Any]


class Table(dict[str, Any]):
    """Columns of equal length by name, each a list or a NumPy array.

    Attributes:
        long: whether it has too many rows for people (one per word, say): then it is written to files only, and neither
            stands on the page nor in the JSON.

    Example:
        >>> from typing import NamedTuple
        >>> class Row(NamedTuple):
        ...     n: int
        ...     p: float
        >>> table = Table.of([Row(1, 0.5), Row(2, 0.6)])
        >>> table, list(table.rows(n=2))
        ({'n': [1, 2], 'p': [0.5, 0.6]}, [{'n': 2, 'p': 0.6}])
    """

    def __init__(self, columns: Mapping[str, Column] | None = None, *, long: bool = False) -> None:
        super().__init__(columns or {})
        self.long = long

    @classmethod
    def of(cls, rows: Iterable[Any], columns: Iterable[str] = (), *, long: bool = False) -> Table:
        """Return a table of named rows.

        Args:
            rows: named tuples or mappings, all with the same names.
            columns: names of the columns of a table without rows.
            long: see :class:`Table`.
        """
        records = [row if isinstance(row, Mapping) else row._asdict() for row in rows]
        names = list(records[0]) if records else list(columns)
        return cls({name: [record[name] for record in records] for name in names}, long=long)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()), ()))

    def rows(self, **wanted: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows that have the wanted values, as dictionaries."""
        for k in self._having(wanted):
            yield {name: column[k] for name, column in self.items()}

    def where(self, **wanted: Any) -> Table:
        """Return the rows that have the wanted values."""
        return self.take(self._having(wanted))

    def take(self, places: Iterable[int]) -> Table:
        """Return some rows, in the given order."""
        order = list(places)
        picked = {
            name: column[order] if isinstance(column, np.ndarray) else [column[k] for k in order]
            for name, column in self.items()
        }
        return Table(picked, long=self.long)

    def split(self, column: str) -> list[tuple[Any, Table]]:
        """Return the rows of every value of a column, in the order in which the values first stand there."""
        return [(value, self.where(**{column: value})) for value in dict.fromkeys(self[column])] if self else []

    def extend(self, more: Mapping[str, Column]) -> None:
        """Append rows; a column that one side lacks (a list length too long for a small group) is undefined there."""
        before, added = self.height, len(next(iter(more.values()), ()))
        for name in dict.fromkeys((*self, *more)):
            self[name] = _joined(self.get(name), before, more.get(name), added)

    def _having(self, wanted: Mapping[str, Any]) -> Iterator[int]:
        return (k for k in range(self.height) if all(self[name][k] == value for name, value in wanted.items()))


def _joined(first: Column | None, n: int, second: Column | None, m: int) -> Column:
    parts = [(first, n), (second, m)]
    if all(part is None or (isinstance(part, np.ndarray) and part.dtype.kind == "f") for part, _ in parts):
        return np.concatenate([np.full(size, math.nan) if part is None else part for part, size in parts])
    if all(isinstance(part, np.ndarray) for part, _ in parts):
        return np.concatenate([part for part, _ in parts])
    return [value for part, size in parts for value in ([None] * size if part is None else part)]
