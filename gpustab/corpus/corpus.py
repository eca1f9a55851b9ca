"""A corpus as numbers: one array of word ids, cut into texts, cut into units that are sampled; how it is to be made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.documents import ERRORS, LAYOUTS, Errors, Layout, check_choice
from gpustab.errors import InputError
from gpustab.runs.key import Unit as Unit
from gpustab.spaces.vocabulary import Vocabulary

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True)
class CorpusOptions:
    """How text becomes a corpus; the defaults are the paper's.

    Attributes:
        lowercase: make all letters small.
        drop_numbers: leave digits out, and out of words: "4th" gives "th".
        drop_punctuation: leave punctuation and symbols out; otherwise each is a word of its own.
        min_count: words that are rarer in the whole corpus are left out, and their neighbours move together.
        drop_duplicates: leave out documents with the same words in the same order as an earlier one. Documents
            without words are no duplicates, nor are sentences.
        unit: what sampling draws, ``"document"`` or ``"sentence"``.
        fraction: keep the first documents of those that are left, this part of them, rounded up.
        layout: of a file, see :func:`gpustab.corpus.documents.open_documents`.
        errors: ``"strict"`` or ``"replace"``, for bytes that are not UTF-8.
        language: code of the language whose rules end a sentence; used where the input has no lines of its own.

    Raises:
        InputError: if a value is outside its range.
    """

    lowercase: bool = True
    drop_numbers: bool = True
    drop_punctuation: bool = True
    min_count: int = 20
    drop_duplicates: bool = True
    unit: Unit = "document"
    fraction: float = 1.0
    layout: Layout | None = None
    errors: Errors = "strict"
    language: str = "en"

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, get_args(Unit))
        check_choice("layout", self.layout, LAYOUTS)
        check_choice("errors", self.errors, ERRORS)
        if not (isinstance(self.min_count, int) and self.min_count >= 1):
            raise InputError(f"min_count is {self.min_count!r}, wanted a whole number from 1 upwards")
        # Not <= 0, or NaN would pass.
        if not 0 < self.fraction <= 1:
            raise InputError(f"fraction is {self.fraction!r}, wanted a number above 0 and up to 1")


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
        arrays = (self.tokens, "<i4"), (self.texts, "<i8"), (self.units, "<i8")
        # The sizes first, so that no part can be taken for another.
        sizes = [len(self.vocabulary), *(len(array) for array, _ in arrays)]
        digest = hashlib.sha256(np.array(sizes, dtype="<i8").tobytes())
        for word in self.vocabulary:
            digest.update(len(word).to_bytes(4, "little") + word)
        for array, dtype in arrays:
            digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return (
            f"Corpus({self.name!r}: {len(self):,} {self.unit}s, {len(self.tokens):,} tokens, "
            f"{len(self.vocabulary):,} words)"
        )
