"""Two groups whose spaces are one, or in which a known share of the words have each other's vectors.

Runs of one pool are dealt out to two groups. In the second, some words take the vectors of the next of them in
frequency, in every run alike: these have other neighbours, and all words that are near them in part. Or they take a
part of them: how large it must be for the agreement to be at its margin is known by the whole pool, and which words are
seen most differently by the runs that were not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import RUNS, Row, Truth, World, batch, cells, never, should, wanted
from benchmarks.placebos.runsets import TECHNIQUES, Source, knowing_nothing, with_odd_ones
from gpustab.report import Result
from gpustab.runs.runs import Runs
from gpustab.statistics.windows import place
from gpustab.studies.compare.claims_of_spaces import DIFFER, SAME, SEEN_DIFFERENTLY
from gpustab.studies.compare.spaces import COSINES, SPACES, UNLIKE
from gpustab.studies.compare.study import WORDS, compare

Rng = np.random.Generator
SOME, MANY = 0.2, 0.4
"""Shares of the words that are exchanged: where words are asked, and so many that the spaces surely differ."""
_STEPS, _OF = 10, 32
"""Halvings that find the part at the margin, and runs of either group that tell it."""


def exchanged(runs: Runs, share: float, rng: Rng, part: float = 1.0) -> Runs:
    """Return runs in which a share of the words have a part of the vectors of the next of them in frequency."""
    some = np.sort(rng.permutation(runs.words)[: round(share * runs.words)])
    order = np.arange(runs.words)
    order[some] = np.roll(some, 1)
    rows = tuple(run[:] + part * (run[:][torch.from_numpy(order)] - run[:]) for run in runs.rows)
    return replace(runs, rows=rows, lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


class Pair:
    """A pool whose runs are dealt out to two groups.

    Args:
        source: the pool.
        odd: whether one run in ten is of another kind.
    """

    def __init__(self, source: Source, *, odd: bool = False) -> None:
        self.source, self.odd = source, odd

    def compared(self, r: int, rng: Rng, share: float) -> Result:
        """Compare two groups of R runs, a share of whose words are exchanged."""
        one, other = self.source.dealt(TECHNIQUES[:2], odd=self.odd)(r, rng)
        return compare(one, exchanged(other, share, rng))

    def ask(self, share: float) -> Callable[[int, Rng], object]:
        """Return what asks the study."""
        return lambda r, rng: self.compared(r, rng, share)

    def nothing(self, r: int, rng: Rng) -> object:
        """Ask of groups whose vectors are dealt out to other words in every run."""
        one, other = (knowing_nothing(runs, rng) for runs in self.source.dealt(TECHNIQUES[:2])(r, rng))
        return compare(one, other)

    def in_part(self, r: int, rng: Rng, part: float) -> Result:
        """Compare two groups of R runs, in which the same words have a part of each other's vectors."""
        one, other = self.source.dealt(TECHNIQUES[:2])(r, rng)
        return compare(one, exchanged(other, SOME, np.random.default_rng(0), part))

    def at_margin(self) -> float:
        """Return the part of the vectors whose exchange makes the neighbours of the pool agree by the margin."""
        low, high = 0.0, 0.5
        for _ in range(_STEPS):
            middle = (low + high) / 2
            result = self.in_part(_OF, np.random.default_rng(0), middle)
            agreement = next(iter(SPACES.rows(result.tables))).agreement
            low, high = (middle, high) if agreement > SAME else (low, middle)
        return (low + high) / 2

    def words(self, sets: int, seed: int) -> Iterator[Row]:
        """Yield how many of the words that are named are not in the tenth that differs most by the other runs."""
        runs = self.source.runs
        about = "words surely seen most differently that are not" + ", one run in ten odd" * self.odd
        for r in RUNS:
            if not (count := wanted(about, self.source.noise, r, sets)):
                continue
            rng, named, wrong, silent = np.random.default_rng([seed, r, batch()][: 3 if batch() else 2]), 0, 0, 0
            for _ in range(count):
                order, draw = rng.permutation(len(runs)).tolist(), int(rng.integers(1 << 30))
                rest = (len(runs) - 2 * r) // 2
                parts = [runs.take(order[start : start + n]) for start, n in ((0, r), (r, r), (2 * r, rest))]
                parts.append(runs.take(order[2 * r + rest :]))
                if self.odd:
                    parts[:2] = [with_odd_ones(part, rng) for part in parts[:2]]
                for k in (1, 3):
                    parts[k] = exchanged(parts[k], SOME, np.random.default_rng(draw))
                parts = [replace(part, key=TECHNIQUES[k % 2]) for k, part in enumerate(parts)]
                own = {row.word for row in UNLIKE.rows(compare(*parts[:2]).tables)}
                known = WORDS.of(compare(*parts[2:]).tables)
                truth = place(torch.tensor(known["beyond"], dtype=torch.float64)).tolist()
                named, silent = named + len(own), silent + (not own)
                wrong += sum(at < 0.9 for word, at in zip(known["word"], truth, strict=True) if word in own)
            yield Row(SEEN_DIFFERENTLY.id, about, self.source.noise, r, named, named, wrong, silent, batch())


def worlds(source: Source) -> Iterator[World]:
    """Yield the worlds of one pool."""
    alike: dict[str, Truth] = {DIFFER.id: should("alike", "differ"), SEEN_DIFFERENTLY.id: never("yes")}
    pair = Pair(source)
    for odd in (False, True):
        own, also = Pair(source, odd=odd), ", one run in ten odd" * odd
        yield World(f"runs of one group dealt out to two{also}", own.ask(0.0), alike, whole_to=8)
        differ = {DIFFER.id: of_neighbours(should("differ", "alike"))}
        about = f"{MANY:.0%} of the words exchanged in the second of two groups{also}".replace("%", " %")
        yield World(about, own.ask(MANY), differ, whole_to=8, part=0.5)
    margin = {DIFFER.id: of_neighbours(never("differ", "alike"))}
    about = f"{SOME:.0%} of the words have so much of each other that neighbours agree by the margin".replace("%", " %")
    at = pair.at_margin()
    yield World(about, lambda r, rng: pair.in_part(r, rng, at), margin, whole_to=8)
    nothing = {DIFFER.id: never("differ", "alike"), SEEN_DIFFERENTLY.id: never("yes")}
    yield World(
        "vectors dealt out to other words in every run of two groups", pair.nothing, nothing, whole_to=8, part=0.5
    )


def of_neighbours(truth: Truth) -> Truth:
    """Return a truth of neighbours alone: of how far cosines agree the exchange says another number."""
    return truth._replace(about=lambda spaces: spaces.row.measure != COSINES)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of two spaces."""
    for seed, kind in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, kind)
        for k, world in enumerate(worlds(source)):
            yield from cells(world, source.noise, sets, 10 * seed + k)
        for odd in (False, True):
            yield from Pair(source, odd=odd).words(max(sets // 4, 2), 20 + seed)
