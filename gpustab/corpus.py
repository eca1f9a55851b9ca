"""A corpus as numbers: one array of word ids, cut into texts, cut into units that are sampled."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpustab.vocabulary import Vocabulary

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Prepared text.

    Attributes:
        name: where it came from.
        vocabulary: the words that occur at least ``min_count`` times in the whole corpus, most frequent first.
        tokens: ``(n,)`` int32 word ids, in corpus order; rarer words are left out.
        texts: ``(s + 1,)`` int64 offsets into ``tokens``. No context window reaches from one text into another.
        units: ``(u + 1,)`` int64 offsets into ``texts``. Units (documents or sentences) are what sampling draws; they
            may be empty.
        unit: ``"document"`` or ``"sentence"``.
        dropped: what preparing left out, by kind: duplicate documents, rare words and their tokens.
    """

    name: str
    vocabulary: Vocabulary
    tokens: Ids
    texts: Offsets
    units: Offsets
    unit: str
    dropped: dict[str, int]

    def __len__(self) -> int:
        """Number of units."""
        return len(self.units) - 1

    @cached_property
    def hash(self) -> str:
        """SHA-256 of words, tokens and boundaries: equal for equal training input on any machine."""
        digest = hashlib.sha256()
        for word in self.vocabulary:
            digest.update(len(word).to_bytes(4, "little") + word)
        for array, dtype in ((self.tokens, "<i4"), (self.texts, "<i8"), (self.units, "<i8")):
            digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return (
            f"Corpus({self.name!r}: {len(self):,} {self.unit}s, {len(self.tokens):,} tokens, "
            f"{len(self.vocabulary):,} words)"
        )
