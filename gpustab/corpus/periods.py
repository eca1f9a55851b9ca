"""Which documents of a corpus are in which period, by date or by another column; what is in none is counted."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.dates import Years
from gpustab.corpus.document_dates import UNCLEAR, Left, are_dates, left_out, read_all, value_in, written_in
from gpustab.corpus.options import UnclearDates
from gpustab.errors import InputError, option, some_of
from gpustab.results.page import counted

SHORT = 0.1
"""A period with a smaller part of the tokens of the middle one is named: few of its words will be frequent enough."""

_LISTED = 20
OUTSIDE, ACROSS = "outside of all periods", "across periods"
"""Why a document with a clear date is in no period."""


class PeriodCount(NamedTuple):
    """How much text a period has."""

    name: str
    documents: int
    tokens: int
    years: int = 0


class Periods(NamedTuple):
    """The documents of a corpus by period."""

    column: str
    periods: tuple[PeriodCount, ...]
    left: tuple[Left, ...]

    @property
    def reasons(self) -> str:
        """What is in no period, as the end of a sentence; empty where nothing is."""
        return f"; in none: {', '.join(map(str, self.left))}" if self.left else ""

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


class Placed(NamedTuple):
    """The documents of every period, by their places in the corpus, and the counts."""

    documents: list[list[int]]
    counts: Periods


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
    read, left, why = read_all(values)
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
    written = [written_in(record, column) for record in corpus.records]
    return Placed(found, Periods(column, tuple(periods), left_out(left, written)))


def group_documents(corpus: Corpus, column: str, unclear_dates: UnclearDates) -> Placed:
    """Return the documents of every value of a column, sorted by value.

    Raises:
        InputError: if a document has none and that is not allowed, or none has one.
    """
    try:
        values = values_of(corpus, column, some=unclear_dates != "refuse")
    except InputError as error:
        if any(value_in(record, column) for record in corpus.records):
            way = f"{option('unclear_dates', 'undated')} leaves them out of all periods"
            raise InputError(f"{error.marked}; {way}") from None
        raise
    names = sorted(set(filter(None, values)))
    found = [[k for k, value in enumerate(values) if value == name] for name in names]
    periods = [PeriodCount(name, len(own), _tokens(corpus, own)) for name, own in zip(names, found, strict=True)]
    lacking = [k for k, value in enumerate(values) if not value]
    left = {f"without {column}": lacking} if lacking else {}
    return Placed(found, Periods(column, tuple(periods), left_out(left, values)))


def values_of(corpus: Corpus, column: str, *, some: bool = False) -> list[str]:
    """Return what every document has in a column; ``some``: it may be empty, if not in all of them.

    Raises:
        InputError: if a document has nothing there, with the columns that there are.
    """
    values = [value_in(record, column) for record in corpus.records]
    lacking = [record.id for record, value in zip(corpus.records, values, strict=True) if not value]
    if lacking and not (some and len(lacking) < len(values)):
        known = sorted({name for record in corpus.records for name in record.metadata})
        documents = f"{len(lacking)} of {len(corpus.records)} documents"
        dated = [name for name in known if column == "year" and are_dates(corpus.records, name)]
        way = f"; say {option('date_column', dated[0])}" if dated else ""
        raise InputError(
            f"{corpus.name}: {documents} have no {column} (first '{lacking[0]}'); "
            f"columns are {', '.join(known) or 'none'}{way}"
        )
    return values


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
            what = f"document '{first.id}': {column} is '{written_in(first, column)}', wanted a year"
            wide = " and lies in no period as a whole" if reason == ACROSS else ""
            raise InputError(
                f"{corpus.name}: {what}: {why[reason]}{wide} ({counted(len(own), 'document', of=len(corpus.records))} "
                f"{reason}); {way}"
            )


def _tokens(corpus: Corpus, documents: Sequence[int]) -> int:
    starts = corpus.texts[corpus.documents]
    return int(np.diff(starts)[documents].sum()) if len(documents) else 0
