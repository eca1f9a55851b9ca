"""fastText's character n-grams as numbers of hash buckets, for many words at once (Bojanowski et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BASIS, _PRIME = 2166136261, 16777619


def ngram_buckets(
    words: Sequence[bytes], shortest: int, longest: int, buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets of the n-grams of ``<word>``, for each of ``b`` words.

    A character begins at each byte that is no UTF-8 continuation, whether or not the word is UTF-8. The lone ``<`` and
    ``>`` are no n-grams. The hash is 32-bit FNV-1a, except that bytes from 0x80 upwards are extended by their sign.

    Args:
        words: ``b`` words.
        shortest: characters of the shortest n-grams.
        longest: characters of the longest.
        buckets: number of buckets.

    Returns:
        ``(m,)`` the word that each n-gram belongs to, and ``(m,)`` its bucket, in no particular order.

    >>> owner, _ = ngram_buckets([b"ab"], 3, 3, 1000)  # <ab, ab>
    >>> owner
    array([0, 0])
    """
    text = np.frombuffer(b"".join([b"<%b>" % word for word in words]), dtype=np.uint8)
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 2
    ends = np.cumsum(lengths)
    owner, end = np.repeat(np.arange(len(words)), lengths), np.repeat(ends, lengths)
    begins = np.append((text & 0xC0) != 0x80, True)  # a character, or the end of all words
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)

    # All n-grams grow by one byte at a time; `size` counts their whole characters.
    start = np.flatnonzero(begins[:-1]) if longest > 0 else np.empty(0, dtype=np.int64)
    position, size = start.copy(), np.zeros(len(start), dtype=np.int64)
    value = np.full(len(start), _BASIS, dtype=np.uint32)
    owners, found = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    while len(start):
        value = (value ^ signed[position]) * np.uint32(_PRIME)
        position += 1
        whole, last = begins[position], position == end[start]
        size += whole
        first = start + lengths[owner[start]] == end[start]
        taken = whole & (size >= shortest) & ~((size == 1) & (first | last))
        owners.append(owner[start[taken]])
        found.append(value[taken].astype(np.int64) % buckets)
        grows = ~last & ~(whole & (size == longest))
        start, position, size, value = start[grows], position[grows], size[grows], value[grows]
    return np.concatenate(owners), np.concatenate(found)
