"""What is kept of millions of short documents: some twenty bytes of each, where Python's own objects take hundreds."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.filed import forget, in_parts

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

_AT_ONCE = 1 << 18
"""Tokens that are looked at at a time: all at once, their long numbers would take several times the room of a text."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def counts_of(ids: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return how often each of the numbers below a size occurs, ``(size,)``.

    >>> counts_of(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    counts = np.zeros(size, np.int64)
    for _, part in in_parts(ids):
        counts += np.bincount(part, minlength=size)
    return counts


def stretches(offsets: NDArray[np.int64], most: int = 0) -> Iterator[tuple[int, int]]:
    """Yield first and last of ranges that follow each other and hold so many tokens, or one range of more.

    Args:
        offsets: ``(n + 1,)``, where each of n ranges begins, and the last one ends.
        most: tokens; default: a quarter of a million.

    >>> list(stretches(np.array([0, 3, 5, 14, 15]), 6))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(offsets.searchsorted(offsets[first] + (most or _AT_ONCE), "right")) - 1)
        yield first, last
        first = last


class Record(NamedTuple):
    """What a corpus keeps of a document besides its words; ``place`` counts all documents of the source, from 0."""

    id: str
    metadata: Mapping[str, str]
    place: int


class Records(Sequence[Record]):
    """Records in order; those without metadata whose id is their number, as of lines, take eight bytes each.

    >>> records = Records([Record("1", {}, 0), Record("b.txt", {"year": "1790"}, 1)])
    >>> records[0], records[1:][0].id
    (Record(id='1', metadata={}, place=0), 'b.txt')
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._places = array("q")
        self._named: dict[int, str] = {}
        self._told: dict[int, Mapping[str, str]] = {}
        for record in records:
            self.append(record)

    def append(self, record: Record) -> None:
        """Add a record at the end."""
        self._places.append(record.place)
        if record.id != str(record.place + 1):
            self._named[record.place] = record.id
        if record.metadata:
            self._told[record.place] = record.metadata

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Record]:
        if self._named or self._told:
            return map(self._record, self._places)
        return (Record(str(place + 1), {}, place) for place in self._places)

    @overload
    def __getitem__(self, which: int, /) -> Record: ...
    @overload
    def __getitem__(self, which: slice, /) -> Records: ...
    def __getitem__(self, which: int | slice, /) -> Record | Records:
        if isinstance(which, slice):
            part = Records()
            part._places = self._places[which]
            part._named, part._told = self._named, self._told  # by place, so those of others do no harm
            return part
        return self._record(self._places[which])

    def _record(self, place: int) -> Record:
        name = self._named[place] if place in self._named else str(place + 1)
        return Record(name, self._told.get(place, {}), place)


def copies_among(ids: NDArray[np.int32], starts: NDArray[np.int64], apart: int) -> NDArray[np.bool_]:
    """Tell which sequences have the same numbers in the same order as an earlier one; those without numbers never.

    Their hashes are formed many at a time; those whose hashes agree are told apart by one of
    128 bits, so that no pair in 10³⁰ is mistaken.

    Args:
        ids: ``(n,)`` the numbers of all sequences.
        starts: ``(s + 1,)``, where each begins, and the last one ends.
        apart: a number that does not count: two sequences that differ in it alone are equal.

    Returns:
        ``(s,)``.

    >>> copies_among(np.array([1, 2, 0, 2, 1, 0, 1, 0, 2, 0], np.int32), np.array([0, 3, 6, 10]), 0).tolist()
    [False, False, True]
    """
    hashes = np.zeros(len(starts) - 1, np.uint64)
    for first, last in stretches(starts):
        part = ids[starts[first] : starts[last]]
        counts = part != apart
        bounds = np.concatenate([[0], np.cumsum(counts)])[starts[first : last + 1] - starts[first]]
        filled = np.flatnonzero(np.diff(bounds))
        if not len(filled):
            continue
        places = np.arange(bounds[-1]) - np.repeat(bounds[:-1], np.diff(bounds))
        mixed = (part[counts].astype(np.uint64) + _ODD) * (places.astype(np.uint64) * _ODD + np.uint64(1))
        mixed ^= mixed >> np.uint64(29)
        hashes[first + filled] = np.add.reduceat(mixed * _ODD, bounds[filled])
        forget(ids)
    order = np.argsort(hashes, kind="stable")  # equal ones in their own order
    alike = hashes[order[1:]] == hashes[order[:-1]]
    copies, seen = np.zeros(len(hashes), bool), set[bytes]()
    for k in np.union1d(order[:-1][alike], order[1:][alike]):
        own = ids[starts[k] : starts[k + 1]]
        key = blake2b(own[own != apart].tobytes(), digest_size=16).digest()
        copies[k] = key in seen and bool((own != apart).any())
        seen.add(key)
    return copies
