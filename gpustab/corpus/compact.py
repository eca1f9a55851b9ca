"""What is kept of millions of short documents: some twenty bytes of each, where Python's own objects take hundreds."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1 << 20
"""Tokens that are looked at at a time: all at once, their long numbers would take several times the room of a text."""
_RECENT = 20_000
"""Keys that are held one by one before they are sorted in among the others; more where there are many others."""


def counts_of(ids: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return how often each of the numbers below a size occurs, ``(size,)``.

    >>> counts_of(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    counts = np.zeros(size, np.int64)
    for start in range(0, len(ids), _AT_ONCE):
        counts += np.bincount(ids[start : start + _AT_ONCE], minlength=size)
    return counts


def stretches(offsets: NDArray[np.int64], most: int = 0) -> Iterator[tuple[int, int]]:
    """Yield first and last of ranges that follow each other and hold so many tokens, or one range of more.

    Args:
        offsets: ``(n + 1,)``, where each of n ranges begins, and the last one ends.
        most: tokens; default: a million.

    >>> list(stretches(np.array([0, 3, 5, 14, 15]), 6))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(offsets.searchsorted(offsets[first] + (most or _AT_ONCE), "right")) - 1)
        yield first, last
        first = last


class Record(NamedTuple):
    """What a corpus keeps of a document besides its words.

    Attributes:
        id: see :class:`gpustab.corpus.documents.Document`.
        metadata: likewise.
        place: its number among all documents of the source, from 0.
    """

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


class Seen:
    """Sequences of word ids that were met, by a hash of 120 bits: sixteen bytes each, and no pair in 10³⁰ is mistaken.

    >>> seen = Seen()
    >>> [seen.add(np.array(ids, np.int32)) for ids in ([1, 2], [2, 1], [1, 2])]
    [False, False, True]
    """

    def __init__(self) -> None:
        self._sorted = np.zeros(0, "S16")
        self._recent: set[bytes] = set()

    def add(self, ids: NDArray[np.int32]) -> bool:
        """Take note of a sequence, and tell whether it was met before."""
        key = blake2b(ids.tobytes(), digest_size=15).digest() + b"."  # NumPy leaves out zeros at the end
        if key in self._recent or self._is_sorted_in(key):
            return True
        self._recent.add(key)
        if len(self._recent) > max(_RECENT, len(self._sorted) // 8):
            self._sorted = np.concatenate([self._sorted, np.array(sorted(self._recent), "S16")])
            self._sorted.sort(kind="stable")
            self._recent.clear()
        return False

    def _is_sorted_in(self, key: bytes) -> bool:
        place = int(self._sorted.searchsorted(key)) if len(self._sorted) else 0
        return place < len(self._sorted) and bool(self._sorted[place] == key)
