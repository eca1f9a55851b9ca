"""R runs over one vocabulary: row k of every run is the same word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.machine.threads import read_ahead
from gpustab.runs.joining import Joining
from gpustab.runs.key import Key
from gpustab.spaces.vocabulary import Vocabulary


class Rows(Protocol):
    """The raw vectors of one run: a tensor, or a slice-by-slice view of a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """``(v, d)``."""

    def __getitem__(self, rows: slice) -> Tensor:
        """Return ``(c, d)`` rows."""


@dataclass(frozen=True, eq=False)
class Runs:
    """R runs of the same technique on the same corpus, joined by word.

    What a word is does not matter: rows may stand for sentences or documents as well, with their ids as words.
    Raw vectors are kept as they are; centring and unit length are applied to every chunk that is read, in float64,
    in the order centre → unit. Made by :func:`gpustab.load_runs`.

    Attributes:
        vocabulary: the ``v`` words in canonical order.
        rows: R times the raw ``(v, d_r)`` vectors; zero where a run lacks the word.
        names: a name for every run.
        joining: what became of the runs' own vocabularies.
        key: what group the runs form.
        counts: ``(v,)`` int64 total counts, if every run has counts.
        centre: whether the mean over the joint words is subtracted.
        unit: whether rows are scaled to unit length.
        notes: sentences on what was found and done while loading.
        present: ``(R, v)`` bool: the run has the word with a defined (non-zero) vector.
        means: ``(R, d)`` float64 mean rows over the joint words (zero without centring).
        lengths: ``(R, v)`` float64 lengths of the (centred) rows, 1 where absent.
        seeds: the training seed that each run's file records, ``None`` where it records none; empty if nobody looked.
        trained: how they were made (``made``) and by which programs (``versions``), where runs in memory are to tell.
    """

    vocabulary: Vocabulary
    rows: tuple[Rows, ...]
    names: tuple[str, ...]
    joining: Joining
    present: Tensor
    means: Tensor
    lengths: Tensor
    key: Key = Key()
    counts: Tensor | None = None
    centre: bool = False
    unit: bool = True
    notes: tuple[str, ...] = ()
    seeds: tuple[int | None, ...] = ()
    trained: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def name(self) -> str:
        """Name of the group that the runs form."""
        return str(self.key)

    @property
    def words(self) -> int:
        """Size ``v`` of the vocabulary."""
        return len(self.vocabulary)

    @cached_property
    def dimension(self) -> int:
        """Largest ``d``; runs with fewer dimensions are padded with zeros, which changes no inner product."""
        return max(rows.shape[1] for rows in self.rows)

    @cached_property
    def joint(self) -> Tensor:
        """``(v,)`` bool: the words that all runs have. Global numbers are over these."""
        return self.present.all(0)

    @property
    def seeds_differ(self) -> bool:
        """Whether every run records a training seed, and no two the same: then none is a copy of another's file."""
        return None not in self.seeds and len(set(self.seeds)) == len(self)

    @property
    def device(self) -> torch.device:
        """Where the masks lie, and the rows if they are tensors."""
        return self.present.device

    def __repr__(self) -> str:
        return (
            f"Runs({self.name!r}: {len(self)} runs, {self.words:,} words ({self.joining.rule}), "
            f"{self.dimension} dimensions, {self.device})"
        )

    def to(self, device: torch.device | str, *, rows: bool = True) -> Runs:
        """Return the same runs on a device, with their rows or without; rows of files stay files."""
        moved = tuple(part.to(device) if rows and isinstance(part, Tensor) else part for part in self.rows)
        tensors = {name: getattr(self, name).to(device) for name in ("present", "means", "lengths")}
        return replace(self, rows=moved, **tensors)

    def take(self, order: list[int]) -> Runs:
        """Return some of the runs, in the given order, over the same vocabulary; counts stay in proportion."""
        present, counts = self.present[order], self.counts
        if counts is not None:
            share = present.sum(0).double() / self.present.sum(0).clamp(min=1)
            counts = (counts * share.to(counts.device)).round().long()
        return replace(
            self,
            rows=tuple(self.rows[r] for r in order),
            names=tuple(self.names[r] for r in order),
            seeds=tuple(self.seeds[r] for r in order) if self.seeds else (),
            present=present,
            counts=counts,
            means=self.means[order],
            lengths=self.lengths[order],
        )

    def counts_in_a_run(self) -> list[int | None]:
        """Return how often every word occurs in what one run read: the mean over the runs that have it."""
        if self.counts is None:
            return [None] * self.words
        return (self.counts.cpu() / self.present.sum(0).clamp(min=1).cpu()).round().long().tolist()

    def joint_words(self) -> list[bytes]:
        """Return the words that all runs have, in canonical order."""
        return [self.vocabulary[k] for k in self.joint.nonzero().flatten().tolist()]

    def rows_of(self, words: Sequence[bytes]) -> Tensor:
        """Return the row numbers of words, ``(n,)``.

        Raises:
            InputError: if one is not in the vocabulary.
        """
        return torch.tensor([self.vocabulary.index_of(word) for word in words], dtype=torch.long, device="cpu")

    def restricted(self, words: Sequence[bytes]) -> Runs:
        """Return the runs with no words but these; rows keep their numbers, all other words are absent."""
        mask = torch.zeros(self.words, dtype=torch.bool, device="cpu")
        mask[self.rows_of(words)] = True
        return replace(self, present=self.present & mask.to(self.device))

    def run(self, r: int, *, dtype: torch.dtype = torch.float64, start: int = 0, stop: int | None = None) -> Tensor:
        """Return the prepared rows ``start .. stop`` of one run, ``(c, d)``: centred, unit, zero where absent."""
        part = slice(start, self.words if stop is None else min(stop, self.words))
        return self._prepared(r, part, self.rows[r][part].to(self.device), self._room(dtype, part.stop - part.start))

    def select(self, r: int, words: Tensor, *, dtype: torch.dtype = torch.float64) -> Tensor:
        """Return the prepared rows of some words ``(n,)`` of one run, ``(n, d)``; of a file only these are read."""
        raw = self.rows[r][0 : self.words]
        return self._prepared(r, words, raw[words.to(raw.device)].to(self.device), self._room(dtype, len(words)))

    def _room(self, dtype: torch.dtype, *rows: int) -> Tensor:
        return torch.empty(*rows, self.dimension, dtype=dtype, device=self.device)

    def _prepared(self, r: int, part: slice | Tensor, raw: Tensor, out: Tensor) -> Tensor:
        """Prepare raw rows into ``out``, in float64 whatever its dtype; every copy more is a tenth of a pass."""
        d = raw.shape[1]
        if self.centre:
            raw = raw.double() - self.means[r, :d]
        if self.unit:
            if out.dtype == torch.float64:  # a division of mixed types takes 1.1 to 1.9 times as long as a copy and it
                raw = out[:, :d].copy_(raw)
            torch.div(raw, self.lengths[r, part, None], out=out[:, :d])
        else:
            out[:, :d] = raw
        if r in self._incomplete:
            out[:, :d].masked_fill_(~self.present[r, part, None], 0)
        out[:, d:] = 0
        return out

    @cached_property
    def _incomplete(self) -> frozenset[int]:
        """The runs that lack words; asked once, since on a GPU the question waits for all work before it."""
        return frozenset((~self.present.all(1)).nonzero().flatten().tolist())

    def directions(self, r: int) -> Tensor:
        """Return rows of one run that point as its prepared rows do, ``(v, d_r)``, in the dtype that loses nothing."""
        return self.run(r) if self.centre else self.rows[r][0 : self.words].to(self.device)

    def chunk(self, start: int, stop: int, *, dtype: torch.dtype = torch.float64) -> Tensor:
        """Return the prepared rows ``start .. stop`` of all runs, ``(R, c, d)``, zero where a run lacks the word.

        Args:
            start: first row.
            stop: one beyond the last row.
            dtype: of the result; preparation is always done in float64.
        """
        part = slice(start, min(stop, self.words))
        return self._stacked(part, [rows[part].to(self.device) for rows in self.rows], dtype)

    def chunks(
        self, size: int, *, dtype: torch.dtype = torch.float64, share: tuple[int, int] = (0, 1)
    ) -> Iterator[tuple[int, Tensor]]:
        """Yield the first row of every chunk of at most ``size`` words, and its rows as :meth:`chunk` gives them.

        Rows that lie elsewhere (on disk, or in main memory while the work is on a GPU) are read one chunk ahead.

        Args:
            size: words of a chunk.
            dtype: see :meth:`chunk`.
            share: ``(rank, world)``: only every ``world``-th chunk, from chunk number ``rank`` on. The chunks
                themselves are the same whatever the share, so that several processes sum up what one would.
        """
        rank, world = share
        starts = range(rank * size, self.words, world * size)
        parts = [slice(start, min(start + size, self.words)) for start in starts]
        here = all(isinstance(rows, Tensor) and rows.device == self.device for rows in self.rows)
        at_hand = ((part, [rows[part] for rows in self.rows]) for part in parts)
        for part, raw in at_hand if here else read_ahead(self._read, parts, self.device):
            yield part.start, self._stacked(part, raw, dtype)

    def _read(self, part: slice) -> list[Tensor]:
        # A slice of a mapped file is read only when it is touched: the copy is what reads ahead.
        return [rows[part].clone() for rows in self.rows]

    def _stacked(self, part: slice, raw: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
        # The rows of a word side by side, as products of many runs at once want them.
        out = self._room(dtype, part.stop - part.start, len(self)).transpose(0, 1)
        for r, rows in enumerate(raw):
            self._prepared(r, part, rows, out[r])
        return out

    def stack(self, dtype: torch.dtype = torch.float64) -> Tensor:
        """Return all prepared rows at once, ``(R, v, d)``."""
        return self.chunk(0, self.words, dtype=dtype)


def want_runs(given: object, *also: type) -> None:
    """Raise unless something is runs, or one of other types; bare tensors and arrays are not, as they have no words.

    Raises:
        InputError: says what it is, and how runs are made of it.
    """
    if not isinstance(given, (Runs, *also)):
        kind = type(given).__name__
        raise InputError(f"this is a {kind}, wanted runs: load_runs([(words, tensor), (words, tensor)]) makes them")
