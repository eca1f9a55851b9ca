"""Parts of a corpus: by date, by any other column, in halves at random, and dealt out as a control.

All parts share the vocabulary of the whole, so that a word that is frequent enough in the whole is looked for in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import UnclearDates
from gpustab.corpus.periods import Periods, Placed, group_documents, place_documents
from gpustab.errors import InputError, option
from gpustab.options import check_seed
from gpustab.runs.key import Part


class Slice(NamedTuple):
    """One part of a corpus, and what sets it apart in the key of the runs that are trained on it."""

    part: Part
    corpus: Corpus


def by_epoch(
    corpus: Corpus, epochs: Sequence[tuple[int, int]], column: str = "year", unclear_dates: UnclearDates = "refuse"
) -> list[Slice]:
    """Return one slice for every range of years, both ends included; documents outside all of them are left out.

    Raises:
        InputError: if a date is unclear and that is not allowed, no document has one, or an epoch has no words.
    """
    dated = place_documents(corpus, epochs, column, unclear_dates)
    return [
        Slice((("epoch", f"{first}-{last}"),), corpus.take(documents))
        for (first, last), documents in zip(epochs, dated.documents, strict=True)
    ]


def halves(corpus: Corpus, seed: int) -> list[Slice]:
    """Return two halves of the documents, drawn at random; of an odd number the second has one more."""
    size = len(corpus.records)
    return _dealt(corpus, [size // 2, size - size // 2], seed, [("half", name) for name in "ab"])


def control(corpus: Corpus, sizes: Sequence[int], seed: int) -> list[Slice]:
    """Return documents dealt out at random into parts of given sizes: epochs between which nothing can have changed.

    Raises:
        InputError: if the sizes are not positive, or together more than there are.
    """
    return _dealt(corpus, sizes, seed, [("control", str(n)) for n in range(1, len(sizes) + 1)])


def read_epochs(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """Return the column and the ranges of years behind ``COLUMN:FIRST-LAST:YEARS``, or behind ``COLUMN`` alone.

    Both ends count, and the last epoch may be shorter: ``year:1790-2020:100`` is 1790-1889, 1890-1989 and 1990-2020.
    Epochs with years between them are listed: ``year:1790-1900,1950-2020``. A column alone means that every value of it
    is an epoch; ``folder`` is the first folder on a document's path.

    Raises:
        InputError: if it is not of that form, or epochs that are listed overlap.

    >>> read_epochs("year:1790-1900,1950-2020")
    ('year', [(1790, 1900), (1950, 2020)])
    """
    form = (
        f"{option('epochs_by', text)}: wanted COLUMN, or COLUMN:FIRST-LAST:YEARS such as year:1790-2020:20, or "
        "COLUMN:FIRST-LAST,FIRST-LAST"
    )
    column, colon, rest = text.partition(":")
    if not column:
        raise InputError(form)
    if not colon:
        return column, None
    listed = [re.fullmatch(r"(-?\d+)-(-?\d+)", part.strip()) for part in rest.split(",")]
    if len(listed) > 1 and all(listed):
        ranges = [(int(one[1]), int(one[2])) for one in listed if one]
        ends = [year for span in ranges for year in span]
        if ends != sorted(ends) or any(a[1] == b[0] for a, b in pairwise(ranges)):
            raise InputError(f"{form}; epochs follow one another, and no year is in two")
        return column, ranges
    found = re.fullmatch(r"(-?\d+)-(-?\d+):(\d+)", rest)
    if not found:
        raise InputError(form)
    first, last, years = map(int, found.groups())
    if years < 1 or last < first:
        raise InputError(form)
    return column, [(start, min(start + years - 1, last)) for start in range(first, last + 1, years)]


def count_periods(corpus: Corpus, epochs_by: str, unclear_dates: UnclearDates = "undated") -> Periods:
    """Count the documents and tokens of every epoch, empty ones included, and the documents that are in none.

    By default no unclear date is refused, so that all can be counted.

    Raises:
        InputError: as :func:`by_epoch`.
    """
    return _placed(corpus, epochs_by, unclear_dates).counts


def _placed(corpus: Corpus, epochs_by: str, unclear_dates: UnclearDates) -> Placed:
    column, ranges = read_epochs(epochs_by)
    if ranges is None:
        return group_documents(corpus, column, unclear_dates)
    return place_documents(corpus, ranges, column, unclear_dates)


def epoch_slices(
    corpus: Corpus, epochs_by: str, control_split: int = 0, seed: int = 0, unclear_dates: UnclearDates = "refuse"
) -> list[Slice]:
    """Return the epochs of a corpus, or a control for them: as many documents each, dealt out at random.

    Epochs without words are left out; :func:`count_periods` tells them.

    Args:
        corpus: whose documents have a date, or another column that tells the epoch.
        epochs_by: see :func:`read_epochs`.
        control_split: 0 for the epochs, else the number of a split of the documents that are in one of them.
        seed: of the splits.
        unclear_dates: see :class:`gpustab.corpus.options.ReadOptions`.

    Raises:
        InputError: if there are fewer than two epochs, or as the functions above.
    """
    placed = _placed(corpus, epochs_by, unclear_dates)
    there = [
        (count.name, own) for count, own in zip(placed.counts.periods, placed.documents, strict=True) if count.tokens
    ]
    found = [Slice((("epoch", name),), corpus.take(own)) for name, own in there]
    if len(found) < 2:
        raise InputError(
            f"{option('epochs_by', epochs_by)}: {corpus.name} has documents in fewer than two such periods"
            f"{placed.counts.reasons}"
        )
    if not control_split:
        return found
    inside = {record.place for own in found for record in own.corpus.records}
    whole = corpus.take([k for k, record in enumerate(corpus.records) if record.place in inside])
    dealt = control(whole, [len(own.corpus.records) for own in found], seed + control_split)
    return [
        Slice((("control", str(control_split)), *own.part), part.corpus) for own, part in zip(found, dealt, strict=True)
    ]


def _dealt(corpus: Corpus, sizes: Sequence[int], seed: int, names: Sequence[tuple[str, str]]) -> list[Slice]:
    size = len(corpus.records)
    if min(sizes, default=0) < 1 or sum(sizes) > size:
        raise InputError(f"{corpus.name}: {size} documents cannot be dealt out as {', '.join(map(str, sizes))}")
    order = np.random.default_rng(check_seed(seed)).permutation(size)
    parts = np.split(order, np.cumsum(sizes))
    return [Slice((name,), corpus.take(part.tolist())) for name, part in zip(names, parts[: len(sizes)], strict=True)]
