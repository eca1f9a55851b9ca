"""What reading one file found and did: the account that goes with every space."""

from __future__ import annotations

from dataclasses import dataclass, field

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
