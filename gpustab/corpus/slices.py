"""Parts of a corpus: by date, by any other column, in halves at random, and dealt out as a control.

All parts share the vocabulary of the whole, so that a word that is frequent enough in the whole is looked for in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpustab.corpus.corpus import Corpus, Record
from gpustab.errors import InputError, option
from gpustab.options import check_seed
from gpustab.runs.key import Part


class Slice(NamedTuple):
    """One part of a corpus, and what sets it apart in the key of the runs that are trained on it."""

    part: Part
    corpus: Corpus


def by_column(corpus: Corpus, column: str) -> list[Slice]:
    """Return one slice for every value of a column of metadata (author, party), sorted by value.

    Raises:
        InputError: if a document has no such column.
    """
    values = values_of(corpus, column)
    return [
        Slice(((column, value),), corpus.take([k for k, own in enumerate(values) if own == value]))
        for value in sorted(set(values))
    ]


def by_epoch(corpus: Corpus, epochs: Sequence[tuple[int, int]], column: str = "year") -> list[Slice]:
    """Return one slice for every range of years, both ends included; documents outside all of them are left out.

    Args:
        corpus: whose documents have a date.
        epochs: ``(first, last)`` years.
        column: holds the date; its first whole number counts, so that ``1790-01-08`` is 1790.

    Raises:
        InputError: if a document has no date, or an epoch has no words.
    """
    years = [_year(corpus, k, value, column) for k, value in enumerate(values_of(corpus, column))]
    return [
        Slice((("epoch", f"{first}-{last}"),), corpus.take([k for k, y in enumerate(years) if first <= y <= last]))
        for first, last in epochs
    ]


def halves(corpus: Corpus, seed: int) -> list[Slice]:
    """Return two halves of the documents, drawn at random; of an odd number the second has one more."""
    size = len(corpus.records)
    return _dealt(corpus, [size // 2, size - size // 2], seed, [("half", name) for name in "ab"])


def control(corpus: Corpus, sizes: Sequence[int], seed: int) -> list[Slice]:
    """Return documents dealt out at random into parts of given sizes: epochs between which nothing can have changed.

    Args:
        corpus: whose documents are dealt out.
        sizes: numbers of documents, such as those of the epochs that the control is for.
        seed: of the shuffle.

    Raises:
        InputError: if the sizes are not positive, or together more than there are.
    """
    return _dealt(corpus, sizes, seed, [("control", str(n)) for n in range(1, len(sizes) + 1)])


def read_epochs(text: str, corpus: Corpus) -> tuple[str, list[tuple[int, int]] | None]:
    """Return the column and the ranges of years behind ``COLUMN:FIRST-LAST:YEARS``, or behind ``COLUMN`` alone.

    Both ends count, and the last epoch may be shorter: ``year:1790-2020:100`` is 1790-1889, 1890-1989 and 1990-2020. A
    column alone means that every value of it is an epoch; ``folder`` is the first folder on a document's path. Epochs
    without documents are left out.

    Raises:
        InputError: if it is not of that form.
    """
    form = f"{option('epochs_by', text)}: wanted COLUMN, or COLUMN:FIRST-LAST:YEARS such as year:1790-2020:20"
    column, colon, rest = text.partition(":")
    if not column:
        raise InputError(form)
    if not colon:
        return column, None
    found = re.fullmatch(r"(-?\d+)-(-?\d+):(\d+)", rest)
    if not found:
        raise InputError(form)
    first, last, years = map(int, found.groups())
    if years < 1 or last < first:
        raise InputError(form)
    ranges = [(start, min(start + years - 1, last)) for start in range(first, last + 1, years)]
    there = [_year(corpus, k, value, column) for k, value in enumerate(values_of(corpus, column))]
    return column, [own for own in ranges if any(own[0] <= year <= own[1] for year in there)]


def epoch_slices(corpus: Corpus, epochs_by: str, control_split: int = 0, seed: int = 0) -> list[Slice]:
    """Return the epochs of a corpus, or a control for them: as many documents each, dealt out at random.

    Args:
        corpus: whose documents have a date, or another column that tells the epoch.
        epochs_by: see :func:`read_epochs`.
        control_split: 0 for the epochs, else the number of a split of the documents that are in one of them.
        seed: of the splits.

    Raises:
        InputError: if there are fewer than two epochs, or as the functions above.
    """
    column, ranges = read_epochs(epochs_by, corpus)
    if ranges is None:
        found = [Slice((("epoch", part[0][1]),), own) for part, own in by_column(corpus, column)]
    else:
        found = by_epoch(corpus, ranges, column)
    if len(found) < 2:
        raise InputError(
            f"{option('epochs_by', epochs_by)}: {corpus.name} has documents in fewer than two such periods"
        )
    if not control_split:
        return found
    inside = {record.place for own in found for record in own.corpus.records}
    whole = corpus.take([k for k, record in enumerate(corpus.records) if record.place in inside])
    dealt = control(whole, [len(own.corpus.records) for own in found], seed + control_split)
    return [
        Slice((("control", str(control_split)), *own.part), part.corpus) for own, part in zip(found, dealt, strict=True)
    ]


def _year(corpus: Corpus, k: int, value: str, column: str) -> int:
    found = re.search(r"-?\d+", value)
    if not found:
        raise InputError(f"{corpus.name}: document '{corpus.records[k].id}': {column} is '{value}', wanted a year")
    return int(found[0])


def _dealt(corpus: Corpus, sizes: Sequence[int], seed: int, names: Sequence[tuple[str, str]]) -> list[Slice]:
    size = len(corpus.records)
    if min(sizes, default=0) < 1 or sum(sizes) > size:
        raise InputError(f"{corpus.name}: {size} documents cannot be dealt out as {', '.join(map(str, sizes))}")
    order = np.random.default_rng(check_seed(seed)).permutation(size)
    parts = np.split(order, np.cumsum(sizes))
    return [Slice((name,), corpus.take(part.tolist())) for name, part in zip(names, parts[: len(sizes)], strict=True)]


def values_of(corpus: Corpus, column: str) -> list[str]:
    """Return what every document has in a column of metadata; ``folder`` is the first folder on its path.

    Raises:
        InputError: if a document has no such column.
    """
    values = [_value(record, column) for record in corpus.records]
    lacking = [record.id for record, value in zip(corpus.records, values, strict=True) if not value]
    if lacking:
        known = sorted({name for record in corpus.records for name in record.metadata})
        documents = f"{len(lacking)} of {len(corpus.records)} documents"
        raise InputError(
            f"{corpus.name}: {documents} have no {column} (first '{lacking[0]}'); "
            f"columns are {', '.join(known) or 'none'}"
        )
    return values


def _value(record: Record, column: str) -> str:
    """What a document has in a column; ``folder`` is the first folder on its path, where no column is called so."""
    if column == "folder" and column not in record.metadata:
        return record.id.partition("/")[0] if "/" in record.id else ""
    return record.metadata.get(column, "")
