"""Rows gathered into one float32 matrix, with one rule for duplicates and one for values that are not finite."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpustab.errors import InputError
from gpustab.formats.options import LoadOptions
from gpustab.vocabulary import show

EXAMPLES = 3


@dataclass
class Event:
    """How often one kind of thing happened, and where first."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, example: str) -> None:
        """Count one more, and keep it as an example while there are fewer than three."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)

    def __str__(self) -> str:
        return "; ".join(self.examples) + "; ..." * (self.count > len(self.examples))


class RowTable:
    """A growing ``(v, d)`` float32 matrix and its words.

    The memory is one matrix: it is filled in place, grown and cut by reallocation, never copied.

    Args:
        dimension: number of values ``d``.
        capacity: rows to make room for at first.
        options: ``keep_duplicate``, ``drop_nonfinite``.

    Attributes:
        lines: the line of each kept row.
        duplicates: rows of a word that was there before; ``"last"`` puts them into the first row's place.
        nonfinite: rows with nan, inf, or a value beyond float32; with ``drop_nonfinite`` as if not there.
    """

    def __init__(self, dimension: int, capacity: int, options: LoadOptions) -> None:
        self.lines: list[int] = []
        self.duplicates = Event()
        self.nonfinite = Event()
        self._options = options
        self._index: dict[bytes, int] = {}
        self._vectors = np.empty((max(capacity, 1), dimension), dtype=np.float32)
        self._row = np.empty(dimension, dtype=np.float32)

    @property
    def words(self) -> list[bytes]:
        """The ``v`` words, in the order of the rows."""
        return list(self._index)

    def add(self, word: bytes, values: list[float], line: int) -> None:
        """Take in one row of ``d`` values."""
        with np.errstate(over="ignore"):  # becomes inf, which is looked for right below
            self._row[:] = values
        if not np.isfinite(self._row).all():
            self.nonfinite.add(f"'{show(word)}' on line {line}")
            if self._options.drop_nonfinite:
                return
        place = self._index.setdefault(word, len(self.lines))
        if place == len(self.lines):
            self._grow(place + 1)
            self.lines.append(line)
        else:
            self.duplicates.add(f"'{show(word)}' on lines {self.lines[place]} and {line}")
            if self._options.keep_duplicate != "last":
                return
        self._vectors[place] = self._row

    def finish(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """Return the ``(v, d)`` matrix, cut to the rows that were added.

        Raises:
            InputError: if there are no rows, or rows that the options refuse; the message lacks the file's name.
        """
        if self.nonfinite.count and not self._options.drop_nonfinite:
            raise InputError(f"{self.describe_nonfinite()}; drop_nonfinite leaves such words out")
        if self.duplicates.count and self._options.keep_duplicate == "error":
            raise InputError(self.describe_duplicates())
        if not self.lines:
            raise InputError("no row is left")
        self._resize(len(self.lines))
        return self._vectors

    def describe_nonfinite(self) -> str:
        """Return the count of rows that are not finite, and the first of them."""
        return f"{self.nonfinite.count} row(s) with values that are not finite in float32: {self.nonfinite}"

    def describe_duplicates(self) -> str:
        """Return the count of duplicate rows, and the first three of them."""
        return f"{self.duplicates.count} row(s) of a word that occurs more than once: {self.duplicates}"

    def _grow(self, rows: int) -> None:
        if rows > len(self._vectors):
            self._resize(rows + rows // 4)

    def _resize(self, rows: int) -> None:
        # refcheck=False: no view of the matrix exists before finish() hands it out.
        self._vectors.resize((rows, self._vectors.shape[1]), refcheck=False)
