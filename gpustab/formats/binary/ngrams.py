"""fastText's n-grams as numbers of hash buckets, and words' vectors composed of theirs (Bojanowski et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.formats.binary.npy import Matrix, NpyRows
from gpustab.formats.source import Watched

_BASIS, _PRIME = 2166136261, 16777619
_LONGEST = 64  # characters of an n-gram; usual are 3 to 6
_WORDS_AT_ONCE = 256
_BLOCK = 1 << 22  # values of n-gram vectors gathered at a time


def ngram_buckets(
    words: Sequence[bytes], shortest: int, longest: int, buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the buckets of the n-grams of ``<word>``, for each of ``b`` words.

    A character begins at each byte that is no UTF-8 continuation, whether or not the word is UTF-8. The lone ``<`` and
    ``>`` are no n-grams. The hash is 32-bit FNV-1a, except that bytes from 0x80 upwards are extended by their sign.

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


class ComposedRows:
    """FastText's word vectors: the mean of a word's own vector and those of its n-grams (Bojanowski et al. 2017).

    gensim 4 does not save them but ``vectors_vocab (v, d)`` and ``vectors_ngrams (bucket, d)``.
    """

    def __init__(self, own: Matrix, ngrams: Matrix, words: list[bytes], attributes: dict[str, Any]) -> None:
        numbers = [attributes.get(name) for name in ("min_n", "max_n", "bucket")]
        whole = [number for number in numbers if type(number) is int and 0 <= number < 1 << 32]
        if len(whole) < len(numbers) or whole[1] > _LONGEST:
            raise InputError(f"min_n, max_n or bucket is not a whole number, or n-grams are longer than {_LONGEST}")
        shortest, longest, self._buckets = whole
        if self._buckets and ngrams.shape != (self._buckets, own.shape[1]):
            raise InputError(f"the n-gram vectors have shape {ngrams.shape}, wanted {(self._buckets, own.shape[1])}")
        self.shape, self.dtype = own.shape, own.dtype
        self._own, self._words, self._lengths = own, words, (shortest, longest)
        self._watched = Watched(ngrams.path) if isinstance(ngrams, NpyRows) else None
        self._ngrams = ngrams.map() if isinstance(ngrams, NpyRows) else ngrams[:]  # rows are wanted in no order

    def __getitem__(self, rows: slice, /) -> NDArray[Any]:
        composed = np.array(self._own[rows], dtype=np.float32)
        if self._buckets:
            words = self._words[rows]
            for start in range(0, len(words), _WORDS_AT_ONCE):
                part = slice(start, start + _WORDS_AT_ONCE)
                self._add_ngrams(composed[part], words[part])
        return composed

    def _add_ngrams(self, vectors: NDArray[np.float32], words: list[bytes]) -> None:
        owners, buckets = ngram_buckets(words, *self._lengths, self._buckets)
        order = np.argsort(owners, kind="stable")
        step = max(1, _BLOCK // self.shape[1])
        for start in range(0, len(order), step):
            part = order[start : start + step]
            firsts = np.flatnonzero(np.diff(owners[part], prepend=-1))
            if self._watched is not None:
                self._watched.check()
            gathered = self._ngrams[buckets[part]]
            vectors[owners[part][firsts]] += np.add.reduceat(gathered, firsts, axis=0)
        vectors /= (np.bincount(owners, minlength=len(words)) + 1)[:, None]
