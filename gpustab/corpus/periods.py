"""Which documents of a corpus are in which period, by date or by another column; what is in none is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from gpustab.corpus.compact import Record
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.dates import YEAR_AND_TWO, UnclearDateError, Years, kept_year, read_span, read_years
from gpustab.corpus.options import UnclearDates
from gpustab.errors import InputError, option, some_of
from gpustab.results.page import counted

SHORT = 0.1
"""A period with a smaller part of the tokens of the middle one is named: few of its words will be frequent enough."""

_SHOWN, _LISTED = 3, 20
_MONTHS = 12
OUTSIDE, UNDATED, UNCLEAR, ACROSS = "outside of all periods", "without a date", "with an unclear date", "across periods"
"""Why a document is in no period."""


class PeriodCount(NamedTuple):
    """How much text a period has."""

    name: str
    documents: int
    tokens: int
    years: int = 0


class Left(NamedTuple):
    """Documents that are in no period, for one reason."""

    reason: str
    documents: int
    examples: tuple[str, ...]


class Periods(NamedTuple):
    """The documents of a corpus by period."""

    column: str
    periods: tuple[PeriodCount, ...]
    left: tuple[Left, ...]

    @property
    def reasons(self) -> str:
        """What is in no period, as the end of a sentence; empty where nothing is."""
        parts = [f"{own.documents:,} {own.reason}{_examples(own)}" for own in self.left]
        return f"; in none: {', '.join(parts)}" if parts else ""

    @property
    def summary(self) -> str:
        """All counts in one sentence; of an empty period :attr:`doubts` tell."""
        there = [
            f"{own.name}: {own.documents:,} ({own.tokens:,} running words)" for own in self.periods if own.documents
        ]
        return f"documents by {self.column}: {some_of(there, _LISTED)}{self.reasons}"

    @property
    def doubts(self) -> list[str]:
        """Sentences on periods that are empty, cut short, or have little text."""
        named = []
        if empty := [own.name for own in self.periods if not own.tokens]:
            named.append(f"no words in {', '.join(empty)}: left out")
        longest = max((own.years for own in self.periods), default=0)
        named += [
            f"{own.name} has {counted(own.years, 'year')}, the others {longest}"
            for own in self.periods
            if 0 < own.years < longest and own.tokens
        ]
        usual = median([own.tokens for own in self.periods if own.tokens] or [0])
        named += [
            f"{own.name} has {counted(own.tokens, 'running word')}, the middle one of the periods {usual:,.0f}: "
            "few words are frequent enough in it"
            for own in self.periods
            if 0 < own.tokens < SHORT * usual
        ]
        return named


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
        parts = [f"{own.documents:,} {own.reason}{_examples(own)}" for own in self.left]
        return f"{self.column}: {', '.join([f'{self.dated:,} with a date{span}', *parts])}"


class Placed(NamedTuple):
    """The documents of every period, by their places in the corpus, and the counts."""

    documents: list[list[int]]
    counts: Periods


def count_dates(records: Sequence[Record], column: str = "year") -> Dates:
    """Count the documents that have a date, and those that have none or an unclear one; nothing is refused."""
    read, left, _ = _read_all([_value(record, column) for record in records])
    dated = [years for years in read if years is not None]
    first, last = (min(years.first for years in dated), max(years.last for years in dated)) if dated else (None, None)
    return Dates(column, len(dated), first, last, _left(left, [_written(record, column) for record in records]))


def dates_of(records: Sequence[Record]) -> Dates | None:
    """Count the dates of the column ``year``, or of the first that holds dates; ``None`` where there are none."""
    columns = dict.fromkeys(name for record in records for name in record.metadata)
    found = next((name for name in columns if name == "year"), None)
    found = found or next((name for name in columns if _are_dates(records, name)), None)
    return count_dates(records, found) if found else None


def _has_spans(values: Iterable[str]) -> bool:
    """Tell a column that writes ``1912-13`` for two years: then ``1901-12``, which may be a month, is a span there too.

    >>> _has_spans(["1901-12", "1912-13"]), _has_spans(["1901-12", "1912-11"])
    (True, False)
    """
    found = (YEAR_AND_TWO.fullmatch(value.strip()) for value in values)
    return any(int(one[2]) > _MONTHS and int(one[2]) > int(one[1][2:]) for one in found if one)


def _read_all(values: Sequence[str]) -> tuple[list[Years | None], dict[str, list[int]], dict[str, str]]:
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


def place_documents(
    corpus: Corpus, ranges: Sequence[tuple[int, int]], column: str, unclear_dates: UnclearDates
) -> Placed:
    """Return the documents whose years lie in each of some ranges, both ends included.

    A span of years, such as a century, is in a period that holds all of it.

    Raises:
        InputError: if no document has a date, or one is unclear and that is not allowed.
    """
    values = values_of(corpus, column, some=True)
    found: list[list[int]] = [[] for _ in ranges]
    read, left, why = _read_all(values)
    for k, years in ((k, years) for k, years in enumerate(read) if years is not None):
        inside, reason = _periods_of(years, ranges, unclear_dates)
        for number in inside:
            found[number].append(k)
        if reason:
            why.setdefault(reason, f"it is {years.first} to {years.last}")
            left.setdefault(reason, []).append(k)
    if unclear_dates == "refuse":
        _refuse(corpus, column, left, why)
    if not any(read) and UNCLEAR not in left:
        raise InputError(
            f"{corpus.name}: no document has a date; {column} of document '{corpus.records[0].id}' is '{values[0]}', "
            "wanted a year"
        )
    periods = [
        PeriodCount(f"{first}-{last}", len(own), _tokens(corpus, own), last - first + 1)
        for (first, last), own in zip(ranges, found, strict=True)
    ]
    written = [_written(record, column) for record in corpus.records]
    return Placed(found, Periods(column, tuple(periods), _left(left, written)))


def group_documents(corpus: Corpus, column: str, unclear_dates: UnclearDates) -> Placed:
    """Return the documents of every value of a column, sorted by value.

    Raises:
        InputError: if a document has none and that is not allowed, or none has one.
    """
    try:
        values = values_of(corpus, column, some=unclear_dates != "refuse")
    except InputError as error:
        if any(_value(record, column) for record in corpus.records):
            way = f"{option('unclear_dates', 'undated')} leaves them out of all periods"
            raise InputError(f"{error.marked}; {way}") from None
        raise
    names = sorted(set(filter(None, values)))
    found = [[k for k, value in enumerate(values) if value == name] for name in names]
    periods = [PeriodCount(name, len(own), _tokens(corpus, own)) for name, own in zip(names, found, strict=True)]
    lacking = [k for k, value in enumerate(values) if not value]
    left = {f"without {column}": lacking} if lacking else {}
    return Placed(found, Periods(column, tuple(periods), _left(left, values)))


def values_of(corpus: Corpus, column: str, *, some: bool = False) -> list[str]:
    """Return what every document has in a column; ``some``: it may be empty, if not in all of them.

    Raises:
        InputError: if a document has nothing there, with the columns that there are.
    """
    values = [_value(record, column) for record in corpus.records]
    lacking = [record.id for record, value in zip(corpus.records, values, strict=True) if not value]
    if lacking and not (some and len(lacking) < len(values)):
        known = sorted({name for record in corpus.records for name in record.metadata})
        documents = f"{len(lacking)} of {len(corpus.records)} documents"
        dated = [name for name in known if column == "year" and _are_dates(corpus.records, name)]
        way = f"; say {option('date_column', dated[0])}" if dated else ""
        raise InputError(
            f"{corpus.name}: {documents} have no {column} (first '{lacking[0]}'); "
            f"columns are {', '.join(known) or 'none'}{way}"
        )
    return values


def _are_dates(records: Sequence[Record], column: str) -> bool:
    """Tell whether most documents have a clear date of four digits in a column."""
    values = [record.metadata.get(column, "") for record in records]
    clear = sum(years is not None and years.first > 999 for years, _ in map(_read, values))
    return 2 * clear > len(values)


def _value(record: Record, column: str) -> str:
    """What a document has in a column; ``folder`` is the first folder on its path, where no column is called so."""
    if column == "folder" and column not in record.metadata:
        return record.id.partition("/")[0] if "/" in record.id else ""
    return record.metadata.get(column, "")


def _written(record: Record, column: str) -> str:
    """What a document's date is where it was written: its year may have come of another column."""
    year = _value(record, column)
    others = (value for name, value in record.metadata.items() if name != column and value and value != year)
    return next((value for value in others if year and kept_year(value) == year), year)


def _periods_of(years: Years, ranges: Sequence[tuple[int, int]], unclear_dates: UnclearDates) -> tuple[list[int], str]:
    """Return the numbers of the periods that hold a date, or why none does."""
    inside = [k for k, (first, last) in enumerate(ranges) if first <= years.first and years.last <= last]
    touched = any(first <= years.last and years.first <= last for first, last in ranges)
    if not inside and touched and unclear_dates == "middle":
        middle = (years.first + years.last) // 2
        return _periods_of(Years(middle, middle), ranges, "refuse")
    return inside, "" if inside else ACROSS if touched else OUTSIDE


def _refuse(corpus: Corpus, column: str, left: dict[str, list[int]], why: dict[str, str]) -> None:
    """Refuse unclear dates, and spans that no period holds, with the way to go on."""
    leave = f"{option('unclear_dates', 'undated')} leaves such documents out of all periods"
    middle = f"{option('unclear_dates', 'middle')} takes the middle year"
    for reason, way in ((UNCLEAR, leave), (ACROSS, f"{middle}, {leave}")):
        if own := left.get(reason):
            first = corpus.records[own[0]]
            what = f"document '{first.id}': {column} is '{_written(first, column)}', wanted a year"
            wide = " and lies in no period as a whole" if reason == ACROSS else ""
            raise InputError(
                f"{corpus.name}: {what}: {why[reason]}{wide} ({counted(len(own), 'document', of=len(corpus.records))} "
                f"{reason}); {way}"
            )


def _tokens(corpus: Corpus, documents: Sequence[int]) -> int:
    starts = corpus.texts[corpus.documents]
    return int(np.diff(starts)[documents].sum()) if len(documents) else 0


def _left(left: dict[str, list[int]], values: Sequence[str]) -> tuple[Left, ...]:
    return tuple(
        Left(reason, len(own), tuple(value for value, _ in Counter(values[k] for k in own).most_common(_SHOWN)))
        for reason, own in left.items()
    )


def _examples(own: Left) -> str:
    shown = ", ".join(f"'{value[:30]}'" for value in own.examples if value.strip())
    return f" ({shown})" if shown else ""
