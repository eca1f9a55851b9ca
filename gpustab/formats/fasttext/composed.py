"""fastText's word vectors, composed from those of the words and of their n-grams where only these were saved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.formats.binary.npy_rows import Matrix, NpyRows
from gpustab.formats.fasttext.ngrams import ngram_buckets

_LONGEST = 64  # characters of an n-gram; usual are 3 to 6
_WORDS_AT_ONCE = 256
_BLOCK = 1 << 22  # values of n-gram vectors gathered at a time


class ComposedRows:
    """FastText's word vectors: the mean of a word's own vector and those of its n-grams (Bojanowski et al. 2017).

    gensim 4 does not save them but ``vectors_vocab (v, d)`` and ``vectors_ngrams (bucket, d)``.
    """

    def __init__(self, own: Matrix, ngrams: Matrix, words: list[bytes], attributes: dict[str, Any]) -> None:
        numbers = [attributes.get(name) for name in ("min_n", "max_n", "bucket")]
        whole = [number for number in numbers if type(number) is int and 0 <= number < 1 << 32]
        if len(whole) < len(numbers) or whole[1] > _LONGEST:
            raise InputError(f"min_n, max_n or bucket is no whole number, or n-grams are longer than {_LONGEST}")
        shortest, longest, self._buckets = whole
        if self._buckets and ngrams.shape != (self._buckets, own.shape[1]):
            raise InputError(f"the n-gram vectors have shape {ngrams.shape}, wanted {(self._buckets, own.shape[1])}")
        self.shape, self.dtype = own.shape, own.dtype
        self._own, self._words, self._lengths = own, words, (shortest, longest)
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
            gathered = self._ngrams[buckets[part]]
            vectors[owners[part][firsts]] += np.add.reduceat(gathered, firsts, axis=0)
        vectors /= (np.bincount(owners, minlength=len(words)) + 1)[:, None]
