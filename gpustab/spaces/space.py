"""One trained embedding space: its words, their raw vectors, and what is known about its making."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.spaces.load_report import LoadReport
from gpustab.spaces.vocabulary import Vocabulary

_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Space:
    """One run: ``v`` words and their raw (not normalised) vectors.

    Items other than words (sentences, documents) have their ids as words: an item is a unique byte string.

    Attributes:
        vocabulary: the ``v`` words, in the order of the rows.
        vectors: ``(v, d)`` float32 tensor, finite.
        counts: ``(v,)`` int64 corpus counts, or ``None`` where the format has none.
        name: short name shown to people.
        metadata: what the maker recorded (seed, seconds, ...).
        draw: ``(n,)`` int64 document indices of a bootstrap sample, or ``None``.
        report: what loading found, or ``None`` for a space made in memory.

    Raises:
        InputError: if words, vectors and counts do not have equal lengths, or a value is not finite.
    """

    vocabulary: Vocabulary
    vectors: Tensor
    counts: Tensor | None = None
    name: str = "run"
    metadata: dict[str, Any] = field(default_factory=dict)
    draw: Tensor | None = None
    report: LoadReport | None = None

    def __post_init__(self) -> None:
        v = len(self.vocabulary)
        if self.vectors.ndim != 2 or self.vectors.shape[0] != v:
            raise InputError(
                f"{self.name}: vectors have shape {tuple(self.vectors.shape)}, wanted ({v}, d) for {v} words"
            )
        if not v or not self.vectors.shape[1]:
            raise InputError(f"{self.name}: the space is empty, shape {tuple(self.vectors.shape)}")
        if self.counts is not None and self.counts.shape != (v,):
            raise InputError(f"{self.name}: counts have shape {tuple(self.counts.shape)}, wanted ({v},)")
        # In pieces: temporaries would else be as large as the vectors. A sum is finite only if its terms are.
        parts = self.vectors.split(_ROWS)
        if not all(torch.isfinite(part.sum(dtype=torch.float64)) for part in parts):
            finite = torch.cat([torch.isfinite(part).all(dim=1) for part in parts])
            if finite.all():
                return
            first = int((~finite).nonzero()[0])
            raise InputError(
                f"{self.name}: {int((~finite).sum())} of {v} vectors are not finite, "
                f"first the word '{self.vocabulary.text(first)}'"
            )

    @property
    def dimension(self) -> int:
        """Number of dimensions ``d``."""
        return self.vectors.shape[1]
