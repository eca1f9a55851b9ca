"""What is unusual about the words and the values of a file, said once per kind: what every reader looks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.formats.options import LoadOptions
from gpustab.spaces.space import Event
from gpustab.spaces.words import show

_NOT_PRINTABLE_ASCII = re.compile(rb"[^!-~]")


class Unusual:
    """The unusual words of a file: empty, with blanks or control characters inside, of white space only, not UTF-8.

    Args:
        words: ``v`` words.
        places: the line or row number of each.
        place: how a place is named: ``"on line"``, ``"in row"``.
    """

    def __init__(self, words: Sequence[bytes], places: Sequence[int], place: str) -> None:
        self.empty = Event()
        self.blank = Event()
        self.white = Event()
        self.undecodable = Event()
        self.control = Event()
        for i in [i for i, word in enumerate(words) if not word] if b"" in words else ():
            self.empty.add(f"{place} {places[i]}")
        search = _NOT_PRINTABLE_ASCII.search
        if not search(b"".join(words)):  # as in most files; one by one takes ten times as long
            return
        for i in [i for i, word in enumerate(words) if search(word)]:
            word = words[i]
            text = word.decode("utf-8", "surrogateescape")
            if text.isprintable() and " " not in text:
                continue
            example = f"'{show(word)}' {place} {places[i]}"
            if b" " in word or b"\t" in word:
                self.blank.add(example)
            if text.isspace():
                self.white.add(example)
            if any(byte < 32 or byte == 127 for byte in word.replace(b"\t", b"")):
                self.control.add(example)
            if any("\udc80" <= character <= "\udcff" for character in text):
                self.undecodable.add(example)

    def sentences(self) -> Iterator[str]:
        """Yield one sentence for each kind that is there."""
        kinds = {
            "are empty": self.empty,
            "hold a space or tab": self.blank,
            "are white space only": self.white,
            "hold control characters": self.control,
            "are not valid UTF-8 and are kept as their bytes": self.undecodable,
        }
        yield from (f"{event.count} word(s) {kind}: {event}" for kind, event in kinds.items() if event.count)


def name_of(path: Path) -> str:
    """Return the short name of a space: the file's name without ``.gz`` or ``.bz2`` and one more suffix.

    >>> name_of(Path("vectors/glove.6B.50d.txt.gz"))
    'glove.6B.50d'
    """
    path = path.with_suffix("") if path.suffix in (".gz", ".bz2") else path
    return path.stem or path.name


_FIRST = 1000
_IMPLAUSIBLE = 1e6
"""A byte too many or too few shifts the rest of a binary row, and makes of a letter an exponent of 10²⁰ and more."""


class Values:
    """A look at the values of one file's rows, piece by piece."""

    def __init__(self, options: LoadOptions, place: str) -> None:
        self.nonfinite = Event()
        self.implausible = Event()
        self._options = options
        self._place = place
        self._plausible: float | None = None

    def choose(
        self, words: Sequence[bytes], vectors: NDArray[np.floating[Any]], places: Sequence[int], at_most: float = np.inf
    ) -> Sequence[int]:
        """Return the rows to take: those that were asked for, and finite where others are left out.

        No value is larger than ``at_most``, where that is known; NaN if one is NaN.
        """
        wanted = self._options.wanted
        chosen: Sequence[int] = range(len(words))
        if wanted is not None:
            chosen = [i for i, word in enumerate(words) if word in wanted]
        if not vectors.size or self._is_usual(at_most, vectors):
            return chosen
        with np.errstate(over="ignore", invalid="ignore"):  # beyond float32: becomes inf, which is looked for here
            vectors = vectors.astype(np.float32, copy=False)
            largest = max(-vectors.min(), vectors.max())  # NaN if one is NaN
            if self._is_usual(largest, vectors):
                return chosen
            finite = np.isfinite(vectors)
        for i in chosen:
            example = f"'{show(words[i])}' {self._place} {places[i]}"
            if not finite[i].all():
                self.nonfinite.add(example)
            elif np.abs(vectors[i]).max() > self._bound(vectors):
                self.implausible.add(example)
        return [i for i in chosen if finite[i].all()] if self._options.drop_nonfinite else chosen

    def describe_nonfinite(self) -> str:
        """Return what was found that is not finite, as the beginning of a sentence."""
        return f"{self.nonfinite.count} row(s) with values that are not finite in float32: {self.nonfinite}"

    def notes(self) -> Iterator[str]:
        """Yield a sentence on what was left out, and one on what is not plausible."""
        if self.nonfinite.count:
            yield f"drop_nonfinite: left out {self.describe_nonfinite()}"
        if self.implausible.count:
            yield f"{self.implausible.count} row(s) with values a million times the usual, damaged? {self.implausible}"

    def _is_usual(self, size: float, vectors: NDArray[np.float32]) -> bool:
        return bool(size < np.inf and size <= self._bound(vectors))  # the bound is infinite after zeros alone

    def _bound(self, vectors: NDArray[np.float32]) -> float:
        """Return the size from which on a value is not plausible, settled by the first rows."""
        if self._plausible is None:
            sizes = np.abs(vectors[:_FIRST])
            sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
            self._plausible = _IMPLAUSIBLE * float(np.median(sizes)) if len(sizes) else None
        return np.inf if self._plausible is None else self._plausible
