"""Tables: columns of equal length by name, each declared once, whose rows keep their type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Generic, cast, get_type_hints

import numpy as np
from typing_extensions import TypeVar

_TITLES = {"sd": "SD", "se": "SE", "pip": "PIP loss", "rmse": "RMSE", "auc": "AUC", "r2": "R²", "rho": "ρ"}
"""How people write parts of a field's name, where its column has no title of its own."""

R = TypeVar("R", default=Any)
Values = list[Any] | np.ndarray[Any, Any]


@dataclass(frozen=True)
class Column:
    """What is said of a column wherever it stands: ``loss: Annotated[float, Column("PIP loss", 3, "reduced")]``.

    Attributes:
        title: stands above it; default: the field's name, with spaces.
        digits: significant ones of its numbers; default: three.
        about: what it means, with unit or range; for the documentation.
        text: writes a value in another way, such as a share in percent.
    """

    title: str = ""
    digits: int | None = None
    about: str = ""
    text: Callable[[Any], str] | None = None


@cache
def columns_of(row: type) -> dict[str, Column]:
    """Return the columns that a type of rows declares, by name.

    >>> from typing import Annotated, NamedTuple
    >>> Pair = NamedTuple("Pair", [("first_run", str), ("loss", Annotated[float, Column("PIP loss", 2)])])
    >>> [column.title for column in columns_of(Pair).values()]
    ['first run', 'PIP loss']
    """
    columns = {}
    hints = get_type_hints(row, include_extras=True)
    for name in names_of(row):
        declared = [extra for extra in getattr(hints[name], "__metadata__", ()) if isinstance(extra, Column)]
        column = declared[0] if declared else Column()
        title = column.title or " ".join(_TITLES.get(part, part) for part in name.split("_"))
        columns[name] = Column(title, column.digits, column.about, column.text)
    return columns


def names_of(row: Any) -> tuple[str, ...]:
    """Return the names of the fields of a named tuple or a dataclass."""
    names: tuple[str, ...] = row._fields if issubclass(row, tuple) else tuple(field.name for field in fields(row))
    return names


def titles(row: type, *names: str) -> dict[str, str]:
    """Return the titles of some columns of a type of rows, by name; of all where none is named."""
    columns = columns_of(row)
    return {name: columns[name].title for name in names or columns}


class Table(dict[str, Any], Generic[R]):
    """Columns of equal length by name, each a list or a NumPy array.

    Attributes:
        long: whether it has too many rows for people (one per word, say): then it is written to files only, and neither
            stands on the page nor in the JSON.
        row: the type of its rows, a named tuple or a dataclass; ``None`` where none was declared.

    Example:
        >>> from typing import NamedTuple
        >>> class Row(NamedTuple):
        ...     n: int
        ...     p: float
        >>> table = Table.of([Row(1, 0.5), Row(2, 0.6)])
        >>> table, [row.p for row in table.rows(n=2)], list(table.records(n=2))
        ({'n': [1, 2], 'p': [0.5, 0.6]}, [0.6], [{'n': 2, 'p': 0.6}])
    """

    def __init__(
        self, columns: Mapping[str, Values] | None = None, *, long: bool = False, row: type[R] | None = None
    ) -> None:
        super().__init__(columns or {})
        self.long = long
        self.row = row

    @classmethod
    def of(cls, rows: Iterable[R], columns: type[R] | Iterable[str] = (), *, long: bool = False) -> Table[R]:
        """Return a table of rows.

        Args:
            rows: named tuples or dataclasses of one type, or mappings with the same names.
            columns: the type of the rows, or names of the columns of a table without rows.
            long: see :class:`Table`.
        """
        kept = list(rows)
        kind: Any = columns if isinstance(columns, type) else type(kept[0]) if kept else dict
        if issubclass(kind, Mapping):
            records: list[Any] = kept
            names = list(records[0] if records else cast(Iterable[str], columns))
            return cls({name: [record[name] for record in records] for name in names}, long=long)
        return cls({name: [getattr(row, name) for row in kept] for name in names_of(kind)}, long=long, row=kind)

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values()), ()))

    def rows(self, **wanted: Any) -> Iterator[R]:
        """Yield the rows that have the wanted values, in their type.

        Raises:
            TypeError: if the table has none.
            KeyError: if the table lacks one of their columns.
        """
        if self.row is None:
            if self.height:
                raise TypeError(f"the rows of this table have no type; its columns are {', '.join(self)}")
            return
        names = names_of(self.row)
        for k in self._having(wanted):
            yield self.row(*(self[name][k] for name in names))

    def records(self, **wanted: Any) -> Iterator[dict[str, Any]]:
        """Yield the rows that have the wanted values as dictionaries, with every column that is there."""
        for k in self._having(wanted):
            yield {name: column[k] for name, column in self.items()}

    def where(self, **wanted: Any) -> Table[R]:
        """Return the rows that have the wanted values."""
        return self.take(self._having(wanted))

    def take(self, places: Iterable[int]) -> Table[R]:
        """Return some rows, in the given order."""
        order = list(places)
        picked = {
            name: column[order] if isinstance(column, np.ndarray) else [column[k] for k in order]
            for name, column in self.items()
        }
        return Table(picked, long=self.long, row=self.row)

    def split(self, column: str) -> list[tuple[Any, Table[R]]]:
        """Return the rows of every value of a column, in the order in which the values first stand there."""
        values = dict.fromkeys(self[column]) if self else {}
        return [(value, self.where(**{column: value}) if len(values) > 1 else self) for value in values]

    def extend(self, more: Mapping[str, Values]) -> None:
        """Append rows; a column that one side lacks (a list length too long for a small group) is undefined there."""
        before, added = self.height, len(next(iter(more.values()), ()))
        if self.row is None and isinstance(more, Table):
            self.row = more.row
        for name in dict.fromkeys((*self, *more)):
            self[name] = _joined(self.get(name), before, more.get(name), added)

    def _having(self, wanted: Mapping[str, Any]) -> Iterator[int]:
        places: Iterable[int] = range(self.height)
        for name, value in wanted.items() if self.height else ():  # a table without rows may have no columns
            column = self[name]
            places = [k for k in places if column[k] == value]
        return iter(places)


@dataclass(frozen=True)
class Sheet(Generic[R]):
    """A table of a study, declared once: under which name it stands in a result, and what its rows are.

    Attributes:
        name: in the tables of a result, and of its files.
        row: the type of its rows, a named tuple or a dataclass whose fields are columns.
        about: what one row is, for the documentation.
        long: see :class:`Table`.

    Example:
        >>> from typing import NamedTuple
        >>> class Row(NamedTuple):
        ...     n: int
        ...     p: float
        >>> SHARED = Sheet("shared", Row, "one row a length of the lists")
        >>> tables = {SHARED.name: SHARED.table([Row(1, 0.5), Row(2, 0.6)])}
        >>> [row.p for row in SHARED.rows(tables, n=2)], list(SHARED.rows({}))
        ([0.6], [])
    """

    name: str
    row: type[R]
    about: str = ""
    long: bool = False

    def table(self, rows: Iterable[R] = ()) -> Table[R]:
        """Return the table of some rows; one without rows has all columns."""
        return Table.of(rows, self.row, long=self.long)

    def named(self, rows: Iterable[R] = ()) -> dict[str, Table[Any]]:
        """Return the table of some rows by its name, as it stands in a result."""
        return {self.name: self.table(rows)}

    def add(self, tables: dict[str, Table[Any]], rows: Iterable[R]) -> None:
        """Append rows to the table of a result, which is there as soon as it has one."""
        more = self.table(rows)
        if more.height:
            tables.setdefault(self.name, Table(long=self.long)).extend(more)

    def of(self, tables: Mapping[str, Table[Any]]) -> Table[R]:
        """Return the table out of those of a result; one without rows where it is not there."""
        there = tables.get(self.name)
        return self.table() if there is None else there

    def rows(self, tables: Mapping[str, Table[Any]], **wanted: Any) -> Iterator[R]:
        """Yield those of its rows in a result that have the wanted values; none where it is not there."""
        return self.of(tables).rows(**wanted)


def _joined(first: Values | None, n: int, second: Values | None, m: int) -> Values:
    if not n and second is not None:
        return second
    parts = [(first, n), (second, m)]
    if all(part is None or (isinstance(part, np.ndarray) and part.dtype.kind == "f") for part, _ in parts):
        return np.concatenate([np.full(size, math.nan) if part is None else part for part, size in parts])
    if all(isinstance(part, np.ndarray) for part, _ in parts):
        return np.concatenate([part for part, _ in parts])
    return [value for part, size in parts for value in ([None] * size if part is None else part)]
