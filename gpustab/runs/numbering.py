"""Numbers for the words of several runs, by which their vocabularies are compared without a look at the words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray


class Numbering:
    """The distinct words of several runs, numbered from 0 in the order in which they first come.

    Example:
        >>> numbering = Numbering()
        >>> numbering.take([b"the", b"of"]).tolist(), numbering.take([b"and", b"the"]).tolist()
        ([0, 1], [2, 0])
        >>> list(numbering)
        [b'the', b'of', b'and']
    """

    def __init__(self) -> None:
        # A word that is missing gets the next number: no line of Python for any word.
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[bytes]:
        """Go through the words by number."""
        return iter(self._numbers)

    def take(self, words: Collection[bytes]) -> NDArray[np.int64]:
        """Return the numbers of some words, ``(n,)``; those that are new join."""
        return np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
