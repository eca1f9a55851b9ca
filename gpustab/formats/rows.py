"""What every reader makes: rows gathered into one float32 matrix, with one rule for duplicates and for odd values."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.formats.options import LoadOptions
from gpustab.formats.source import Origin, Source, Watched
from gpustab.formats.unusual import Unusual, Values, name_of
from gpustab.machine.memory import affordable
from gpustab.spaces.space import Event, LoadReport, Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import LONGEST_WORD, show, some_words, too_long

_FEW_VALUES = 2
"""Of a row, which in a table of one row for every value are its number and itself."""
_OFTEN = 3
"""Rows of every word, from which on they are no accident."""


@dataclass(frozen=True, eq=False)
class Placed:
    """What reading a file found but for its vectors, which start at its bytes ``places``, ``(v,)`` int64."""

    vocabulary: Vocabulary
    places: Tensor
    dimension: int
    name: str
    report: LoadReport


class PlacedRows:
    """The vectors of such a space, read when somebody asks for them."""

    def __init__(self, path: Path, places: Tensor, dimension: int) -> None:
        self.path = path
        self.shape = (len(places), dimension)
        self._places = places
        self._watched = Watched(path)
        with path.open("rb") as file:
            # A copy in name only, as nobody writes: torch wants memory that could be written to.
            content = torch.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), dtype=torch.uint8)
        # Each byte begins a row of this view, of which those of the vectors are copied.
        self._content = content.as_strided((len(content) - 4 * dimension + 1, 4 * dimension), (1, 1))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Tensor:
        """Return a copy of the rows ``[start:stop]``, ``(stop - start, d)`` float32."""
        places = self._places[rows]
        return self._copy(places, torch.empty(len(places), self.shape[1], device="cpu"))

    def take(self, rows: Tensor, out: Tensor) -> Tensor:
        """Copy rows ``(n,)`` into ``out``, ``(n, d)`` float32, and return it."""
        return self._copy(self._places[rows], out)

    def _copy(self, places: Tensor, out: Tensor) -> Tensor:
        self._watched.check()
        torch.index_select(self._content, 0, places, out=out.view(torch.uint8))
        return out


@dataclass(frozen=True)
class Format:
    """One readable format.

    Attributes:
        name: name for people.
        matches: tells from the first bytes of the content (up to 1 MiB, unpacked) whether it is this format.
        read: reads an opened source as the options say: a space of float32 vectors ``(v, d)``; raises ``InputError``.
        place: the same without the vectors, of a source where each lies together as float32, ``None`` of another.
    """

    name: str
    matches: Callable[[bytes], bool]
    read: Callable[[Source, LoadOptions], Space]
    place: Callable[[Source, LoadOptions], Placed | None] = lambda _source, _options: None


class RowTable:
    """A growing ``(v, d)`` float32 matrix and its words: where every reader puts its rows, and makes its space.

    The memory is one matrix: it is filled in place, grown and cut by reallocation, never copied. Of rows that stay in
    their file it keeps the places alone, ``(v, 1)`` int64.

    Args:
        dimension: number of values ``d``.
        capacity: rows to make room for at first; the caller has bounded it by the size of the file.
        options: ``words``, ``keep_duplicate``, ``drop_nonfinite``, ``skip_empty_tokens``.
        place: what the numbers of rows count, for messages.
        placed: whether the rows stay in their file.
        keep_empty: whether a word may be empty, as in files that hold whatever a space had.

    Attributes:
        rows: rows taken in, also those that were left out.
        duplicates: rows of a word that was there before; ``"last"`` puts them into the first row's place.
        empty: rows whose word is empty, with ``skip_empty_tokens`` as if not there; otherwise they are refused.
        nonfinite: rows with nan, inf, or a value beyond float32; with ``drop_nonfinite`` as if not there.
        implausible: rows with a value a million times as large as half of the first ones.

    Raises:
        OutOfMemoryError: if so many rows do not fit the memory that is free.
    """

    def __init__(
        self,
        dimension: int,
        capacity: int,
        options: LoadOptions,
        place: Literal["line", "row"] = "line",
        *,
        placed: bool = False,
        keep_empty: bool = False,
    ) -> None:
        self.rows = 0
        self.duplicates, self.empty = Event(), Event()
        self._keep_empty = keep_empty and not options.skip_empty_tokens
        self._place = "on line" if place == "line" else "in row"
        self._values = Values(options, self._place)
        self.nonfinite, self.implausible = self._values.nonfinite, self._values.implausible
        self._options = options
        self._index: dict[bytes, int] = {}
        self._places: list[int] = []
        self._counts: list[int] = []
        if options.wanted is not None:
            capacity = min(capacity, len(options.wanted))
        self._dimension, self._placed = dimension, placed
        width = 1 if placed else dimension
        self._kept: NDArray[Any] = np.empty(
            (affordable(max(capacity, 1), width), width), np.int64 if placed else np.float32
        )

    def __len__(self) -> int:
        return len(self._places)

    @property
    def complete(self) -> bool:
        """Whether every word that was asked for is there, so that no later row can matter."""
        wanted = self._options.wanted
        return wanted is not None and len(self) == len(wanted) and self._options.keep_duplicate == "first"

    def add(
        self,
        words: Sequence[bytes],
        vectors: NDArray[np.floating[Any]],
        places: Sequence[int],
        counts: Sequence[int] | None = None,
        starts: NDArray[np.int64] | None = None,
    ) -> None:
        """Take in some rows.

        Args:
            words: ``b`` words.
            vectors: ``(b, d)`` their values; rounded to float32 where they are wider.
            places: the line or row number of each.
            counts: corpus counts, from all rows or from none.
            starts: ``(b,)`` bytes of the file at which their values start, kept of rows that stay there.

        Raises:
            InputError: if a word is empty where it may not be, or longer than a word can be.
        """
        self.rows += len(words)
        if (size := max(map(len, words), default=0)) > LONGEST_WORD:
            word = max(words, key=len)
            raise InputError(f"{self._place} {places[words.index(word)]}: {too_long(size, word)}")
        if b"" in words and not self._keep_empty:
            filled = self._filled(words, places)
            words, vectors, places = [words[i] for i in filled], vectors[filled], [places[i] for i in filled]
            counts = None if counts is None else [counts[i] for i in filled]
            starts = None if starts is None else starts[filled]
        chosen = self._values.choose(words, vectors, places)
        kept = vectors if starts is None or not self._placed else starts[:, None]
        if len(chosen) < len(words):
            words, places = [words[i] for i in chosen], [places[i] for i in chosen]
            counts = None if counts is None else [counts[i] for i in chosen]
            kept = kept[chosen]
        start = len(self)
        own = range(start, start + len(words))
        rows = list(map(self._index.setdefault, words, own))
        if rows != list(own):  # some word was there before
            for word, row, number in zip(words, rows, own, strict=True):
                if row == number:
                    del self._index[word]
            self._add_one_by_one(words, kept, places, counts)
            return
        self._grow(start + len(words))
        self._places += places
        self._counts += counts or ()
        self._put(slice(start, len(self)), kept)

    def space(
        self,
        source: Origin,
        form: str,
        *,
        header: tuple[int, int] | None = None,
        notes: Sequence[str] = (),
        trailing: int = 0,
        metadata: dict[str, Any] | None = None,
        draw: Tensor | None = None,
    ) -> Space:
        """Return the rows as a space, cut to size, with the report on how it was read.

        Raises:
            InputError: if there are no rows, or rows that the options refuse; the message lacks the file's name.
        """
        report = self._report(source, form, header, notes, trailing)
        counts = torch.tensor(self._counts, dtype=torch.int64, device="cpu") if self._counts else None
        vocabulary, vectors = Vocabulary.from_index(self._index), torch.from_numpy(self._kept)
        return Space(vocabulary, vectors, counts, name_of(source.path), metadata or {}, draw, report)

    def placed(self, source: Origin, form: str, **found: Any) -> Placed:
        """Return where the rows are, cut to size, with the report; for errors see :meth:`space`."""
        report = self._report(source, form, **found)
        vocabulary, places = Vocabulary.from_index(self._index), torch.from_numpy(self._kept[:, 0])
        return Placed(vocabulary, places, self._dimension, name_of(source.path), report)

    def _report(
        self,
        source: Origin,
        form: str,
        header: tuple[int, int] | None = None,
        notes: Sequence[str] = (),
        trailing: int = 0,
    ) -> LoadReport:
        if self.nonfinite.count and not self._options.drop_nonfinite:
            raise InputError(f"{self._values.describe_nonfinite()}; {option('drop_nonfinite')} leaves such words out")
        if self.duplicates.count and self._options.keep_duplicate == "error":
            raise InputError(self._describe_duplicates())
        if not len(self):
            raise InputError(self._nothing())
        often, rest = divmod(len(self) + self.duplicates.count, len(self))
        if self._dimension <= _FEW_VALUES and often >= _OFTEN and not rest and len(self) > 1 and not self._options.dim:
            raise InputError(
                f"there are {often:,} rows of every word, of {self._dimension} dimension(s): is this a long table, a "
                "row for every value? in pandas: table.pivot(index=WORDS, columns=DIMENSIONS, values=VALUES)"
                f".reset_index(); if not, say {option('dim', self._dimension)}"
            )
        self._resize(len(self))
        unusual = Unusual(list(self._index), self._places, self._place)
        return LoadReport(
            str(source.path),
            form,
            source.compression,
            source.bytes_read if source.compression else 0,
            header,
            self.rows,
            self.duplicates,
            unusual.undecodable,
            self.nonfinite,
            self.implausible,
            trailing,
            (*notes, *self._notes(), *unusual.sentences()),
        )

    def _filled(self, words: Sequence[bytes], places: Sequence[int]) -> list[int]:
        """Return which rows have a word, where the others may be left out."""
        for word, place in zip(words, places, strict=True):
            if not word:
                if not self._options.skip_empty_tokens:
                    raise InputError(
                        f"{self._place} {place}: the word is empty; {option('skip_empty_tokens')} passes over such rows"
                    )
                self.empty.add(f"{self._place} {place}")
        return [i for i, word in enumerate(words) if word]

    def _add_one_by_one(
        self, words: Sequence[bytes], kept: NDArray[Any], places: Sequence[int], counts: Sequence[int] | None
    ) -> None:
        """Take in rows among which words repeat."""
        for i, (word, place) in enumerate(zip(words, places, strict=True)):
            row = self._index.setdefault(word, len(self))
            if row == len(self):
                self._grow(row + 1)
                self._places.append(place)
                self._counts += counts[i : i + 1] if counts else ()
            else:
                self.duplicates.add(f"'{show(word)}' {self._place}s {self._places[row]} and {place}")
                if self._options.keep_duplicate != "last":
                    continue
                if counts:
                    self._counts[row] = counts[i]
            self._put(slice(row, row + 1), kept[i : i + 1])

    def _put(self, rows: slice, kept: NDArray[Any]) -> None:
        with np.errstate(over="ignore"):
            self._kept[rows] = kept

    def _notes(self) -> Iterator[str]:
        wanted = self._options.wanted
        if wanted is not None:
            missing = sorted(wanted - self._index.keys())
            yield f"words: {len(self)} of the {len(wanted)} words asked for were found"
            if missing:
                yield f"words: {len(missing)} are not in the file: {some_words(missing)}"
        if self.empty.count:
            yield f"skip_empty_tokens: {self.empty.count} row(s) with an empty word left out: {self.empty}"
        if self.duplicates.count:
            yield f"{self._describe_duplicates()}; the {self._options.keep_duplicate} row of each was kept"
        yield from self._values.notes()

    def _nothing(self) -> str:
        wanted = self._options.wanted
        if wanted is not None:
            return f"none of the {len(wanted)} words asked for is there"
        return "no row is left" if self.rows else "there are no rows"

    def _describe_duplicates(self) -> str:
        return f"{self.duplicates.count} row(s) of a word that occurs more than once: {self.duplicates}"

    def _grow(self, rows: int) -> None:
        if rows > len(self._kept):
            self._resize(affordable(rows + rows // 4, self._kept.shape[1]))

    def _resize(self, rows: int) -> None:
        # refcheck=False: no view of the matrix exists before space() hands it out.
        self._kept.resize((rows, self._kept.shape[1]), refcheck=False)
