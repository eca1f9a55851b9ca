"""What the documents of a corpus say of their dates: read in one loop, counted, and shown by examples where unclear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gpustab.corpus.compact import Record
from gpustab.corpus.dates import YEAR_AND_TWO, UnclearDateError, Years, kept_year, read_span, read_years

_SHOWN = 3
_MONTHS = 12
UNDATED, UNCLEAR = "without a date", "with an unclear date"


class Left(NamedTuple):
    """Documents that are in no period, for one reason."""

    reason: str
    documents: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        """Return how many there are, and some of what stands in their column."""
        shown = ", ".join(f"'{value[:30]}'" for value in self.examples if value.strip())
        return f"{self.documents:,} {self.reason}{f' ({shown})' if shown else ''}"


class Dates(NamedTuple):
    """What the documents of a corpus say of their dates, whatever the periods."""

    column: str
    dated: int
    first: int | None
    last: int | None
    left: tuple[Left, ...]

    @property
    def summary(self) -> str:
        """All counts in one sentence."""
        span = f", {self.first} to {self.last}" if self.dated else ""
        return f"{self.column}: {', '.join([f'{self.dated:,} with a date{span}', *map(str, self.left)])}"


def count_dates(records: Sequence[Record], column: str = "year") -> Dates:
    """Count the documents that have a date, and those that have none or an unclear one; nothing is refused."""
    read, left, _ = read_all([value_in(record, column) for record in records])
    dated = [years for years in read if years is not None]
    first, last = (min(years.first for years in dated), max(years.last for years in dated)) if dated else (None, None)
    return Dates(column, len(dated), first, last, left_out(left, [written_in(record, column) for record in records]))


def dates_of(records: Sequence[Record]) -> Dates | None:
    """Count the dates of the column ``year``, or of the first that holds dates; ``None`` where there are none."""
    columns = dict.fromkeys(name for record in records for name in record.metadata)
    found = next((name for name in columns if name == "year"), None)
    found = found or next((name for name in columns if are_dates(records, name)), None)
    return count_dates(records, found) if found else None


def _has_spans(values: Iterable[str]) -> bool:
    """Tell a column that writes ``1912-13`` for two years: then ``1901-12``, which may be a month, is a span there too.

    >>> _has_spans(["1901-12", "1912-13"]), _has_spans(["1901-12", "1912-11"])
    (True, False)
    """
    found = (YEAR_AND_TWO.fullmatch(value.strip()) for value in values)
    return any(int(one[2]) > _MONTHS and int(one[2]) > int(one[1][2:]) for one in found if one)


def read_all(values: Sequence[str]) -> tuple[list[Years | None], dict[str, list[int]], dict[str, str]]:
    """Return the years of the dates of a column; which have none, by reason; and why the first of these has none."""
    years, left, why, spans = list[Years | None](), dict[str, list[int]](), dict[str, str](), _has_spans(values)
    for k, value in enumerate(values):
        own, reason = _read(value, spans)
        years.append(own)
        if own is None:
            left.setdefault(UNCLEAR if reason else UNDATED, []).append(k)
            why.setdefault(UNCLEAR if reason else UNDATED, reason)
    return years, left, why


def _read(value: str, spans: bool = False) -> tuple[Years | None, str]:
    """Return the years of a date, or none, and why it is unclear; ``spans``: of a column that has spans of years."""
    try:
        return read_span(value) if spans else read_years(value), ""
    except UnclearDateError as error:
        return None, str(error)


def are_dates(records: Sequence[Record], column: str) -> bool:
    """Tell whether most documents have a clear date of four digits in a column."""
    values = [record.metadata.get(column, "") for record in records]
    clear = sum(years is not None and years.first > 999 for years, _ in map(_read, values))
    return 2 * clear > len(values)


def value_in(record: Record, column: str) -> str:
    """What a document has in a column; ``folder`` is the first folder on its path, where no column is called so."""
    if column == "folder" and column not in record.metadata:
        return record.id.partition("/")[0] if "/" in record.id else ""
    return record.metadata.get(column, "")


def written_in(record: Record, column: str) -> str:
    """What a document's date is where it was written: its year may have come of another column."""
    year = value_in(record, column)
    others = (value for name, value in record.metadata.items() if name != column and value and value != year)
    return next((value for value in others if year and kept_year(value) == year), year)


def left_out(left: dict[str, list[int]], values: Sequence[str]) -> tuple[Left, ...]:
    """Return the documents that are left out, by reason, with what most often stands in their column."""
    return tuple(
        Left(reason, len(own), tuple(value for value, _ in Counter(values[k] for k in own).most_common(_SHOWN)))
        for reason, own in left.items()
    )
