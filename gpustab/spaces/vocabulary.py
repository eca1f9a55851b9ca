r"""Words as bytes: one ordered, duplicate-free list of words, and its form as two tensors.

A word *is* its bytes, so that a token which is not UTF-8 survives every round trip.
Text for people decodes with ``surrogateescape`` and prints undecodable bytes as ``\xNN``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.spaces.words import LONGEST_WORD, as_word, meant, show, too_long


class Vocabulary(Sequence[bytes]):
    """An ordered list of distinct words.

    Args:
        words: the words, text or bytes, in order.

    Raises:
        InputError: if a word occurs twice, or has more than 65,536 bytes.

    >>> vocabulary = Vocabulary(["the", "of"])
    >>> vocabulary[1], vocabulary.index_of("of"), "and" in vocabulary
    (b'of', 1, False)
    """

    def __init__(self, words: Iterable[str | bytes]) -> None:
        self._words = tuple(as_word(word) for word in words)
        if (size := max(map(len, self._words), default=0)) > LONGEST_WORD:
            raise InputError(too_long(size, max(self._words, key=len)))
        if len(self._index) != len(self._words):
            twice = next(w for i, w in enumerate(self._words) if self._index[w] != i)
            raise InputError(f"the word '{show(twice)}' occurs twice in one vocabulary")

    @classmethod
    def from_index(cls, index: dict[bytes, int]) -> Vocabulary:
        """Return the vocabulary of words that are known to be distinct: the keys, whose values are 0, 1, 2 ..."""
        vocabulary = cls.__new__(cls)
        vocabulary._words = tuple(index)
        vars(vocabulary)["_index"] = index
        return vocabulary

    @cached_property
    def _index(self) -> dict[bytes, int]:
        return {word: i for i, word in enumerate(self._words)}

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, i: int) -> bytes:  # type: ignore[override]  # slices are not needed
        return self._words[i]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str | bytes) and as_word(word) in self._index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words: {', '.join(show(w) for w in self._words[:5])} ...)"

    def index_of(self, word: str | bytes) -> int:
        """Return the position of a word.

        Raises:
            InputError: if the word is not in the vocabulary.
        """
        try:
            return self._index[as_word(word)]
        except KeyError:
            raise InputError(f"the word '{show(as_word(word))}' is not in the vocabulary") from None

    def meant(self, word: str | bytes) -> bytes:
        """Return the word that somebody typed or copied from what was shown; a word that is not there as it is."""
        return meant(word, self)

    def text(self, i: int) -> str:
        """Return word ``i`` as printable text."""
        return show(self._words[i])

    def texts(self) -> list[str]:
        """Return all words as printable text."""
        return list(map(show, self._words))

    def to_tensors(self) -> tuple[Tensor, Tensor]:
        """Return all words as one ``(n_bytes,)`` uint8 tensor and ``(v + 1,)`` int64 offsets into it."""
        lengths = np.fromiter(map(len, self._words), dtype=np.int64, count=len(self))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        buffer = np.frombuffer(b"".join(self._words), dtype=np.uint8).copy()
        return torch.from_numpy(buffer), torch.from_numpy(offsets)

    @classmethod
    def from_tensors(cls, buffer: Tensor, offsets: Tensor) -> Vocabulary:
        """Rebuild a vocabulary from :meth:`to_tensors`.

        Args:
            buffer: ``(n_bytes,)``.
            offsets: ``(v + 1,)``.

        Raises:
            InputError: as :func:`cut_out`, or if a word occurs twice.
        """
        words = cut_out(buffer, offsets)
        index = dict(zip(words, range(len(words)), strict=True))
        return cls.from_index(index) if len(index) == len(words) else cls(words)  # which says what occurs twice


def cut_out(buffer: Tensor, offsets: Tensor) -> list[bytes]:
    """Return the words that :meth:`Vocabulary.to_tensors` put together; whether they are distinct, nobody looks.

    Args:
        buffer: ``(n_bytes,)``.
        offsets: ``(v + 1,)``.

    Raises:
        InputError: if the offsets do not run from 0 to the buffer's length without falling, or a word is too long.
    """
    data, bounds = buffer.numpy().tobytes(), offsets.numpy()
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != len(data) or (bounds[1:] < bounds[:-1]).any():
        raise InputError("the word offsets do not fit the word bytes: the file is damaged")
    sizes = np.diff(bounds)
    if (size := int(sizes.max(initial=0))) > LONGEST_WORD:
        raise InputError(too_long(size, data[bounds[sizes.argmax()] :][:40]))
    return [data[a:b] for a, b in pairwise(bounds.tolist())]
