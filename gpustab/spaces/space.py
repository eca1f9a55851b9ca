"""One trained embedding space: words, raw vectors, what is known about its making, and the account of its reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.spaces.vocabulary import Vocabulary

_EXAMPLES = 3


@dataclass
class Event:
    """How often one kind of thing happened, and where first.

    Attributes:
        count: how often.
        examples: the first three, each with its line, row or byte.

    >>> event = Event()
    >>> for line in range(1, 6):
    ...     event.add(f"line {line}")
    >>> event.count, str(event)
    (5, 'line 1; line 2; line 3; ...')
    """

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count one more, and keep it as an example while there are fewer than three."""
        self.count += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)

    def __str__(self) -> str:
        return "; ".join(self.examples) + "; ..." * (self.count > len(self.examples))


@dataclass(frozen=True)
class LoadReport:
    """What reading one source found and did.

    Attributes:
        source: the file or object that was read.
        format: name of the format found, e.g. ``"word2vec text"``.
        compression: ``"gzip"``, ``"bzip2"`` or ``None``.
        unpacked: bytes that a compressed file gave so far as it was read.
        header: the declared ``(rows, dimension)``, or ``None`` without a header.
        rows: rows read, before duplicates and dropped rows.
        duplicates: rows of a word that was there before.
        undecodable: words that are not valid UTF-8; they are kept as their bytes.
        nonfinite: rows with nan, inf, or a value beyond float32.
        implausible: rows with a value a million times as large as is usual in the file.
        trailing: bytes after the last row that belong to no row.
        notes: what was found and done, one sentence per kind.
    """

    source: str
    format: str
    compression: str | None = None
    unpacked: int = 0
    header: tuple[int, int] | None = None
    rows: int = 0
    duplicates: Event = field(default_factory=Event)
    undecodable: Event = field(default_factory=Event)
    nonfinite: Event = field(default_factory=Event)
    implausible: Event = field(default_factory=Event)
    trailing: int = 0
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        packed = f", {self.compression}" if self.compression else ""
        return f"{self.source}: {self.format}{packed}, {self.rows} rows{''.join(f'; {note}' for note in self.notes)}"


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
