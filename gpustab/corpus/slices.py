"""Parts of a corpus: by date, by any other column, in halves at random, and dealt out as a control.

All parts share the vocabulary of the whole, so that a word that is frequent enough in the whole is looked for in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpustab.corpus.corpus import Corpus
from gpustab.errors import InputError
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
    values = _values(corpus, column)
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
    years = []
    for k, value in enumerate(_values(corpus, column)):
        found = re.search(r"-?\d+", value)
        if not found:
            raise InputError(f"{corpus.name}: document '{corpus.records[k].id}': {column} is '{value}', wanted a year")
        years.append(int(found[0]))
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


def _dealt(corpus: Corpus, sizes: Sequence[int], seed: int, names: Sequence[tuple[str, str]]) -> list[Slice]:
    size = len(corpus.records)
    if min(sizes, default=0) < 1 or sum(sizes) > size:
        raise InputError(f"{corpus.name}: {size} documents cannot be dealt out as {', '.join(map(str, sizes))}")
    order = np.random.default_rng(check_seed(seed)).permutation(size)
    parts = np.split(order, np.cumsum(sizes))
    return [Slice((name,), corpus.take(part.tolist())) for name, part in zip(names, parts[: len(sizes)], strict=True)]


def _values(corpus: Corpus, column: str) -> list[str]:
    lacking = [record.id for record in corpus.records if not record.metadata.get(column)]
    if lacking:
        known = sorted({name for record in corpus.records for name in record.metadata})
        documents = f"{len(lacking)} of {len(corpus.records)} documents"
        raise InputError(
            f"{corpus.name}: {documents} have no {column} (first '{lacking[0]}'); "
            f"columns are {', '.join(known) or 'none'}"
        )
    return [record.metadata[column] for record in corpus.records]
