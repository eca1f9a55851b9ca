"""Periods whose words keep their neighbours, or were made to lose them: real text, and spaces that a model drew.

Documents are dealt out at random to two periods, and to two splits; of some sets words are exchanged in the later
period. Runs are LSA of its documents, or of draws of them, with an exact and with a coarse solver, whose noise is that
of training. Drawn spaces are turned in half of their words, too, where no alignment fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchmarks.placebos.cells import RUNS, Row, World, cells, never, should
from benchmarks.placebos.periods import exchanged_words
from benchmarks.placebos.terms import news
from gpustab.kernels.displacement import averages, moved
from gpustab.kernels.kept import Kept as KeptWords
from gpustab.kernels.kept import kept_neighbours
from gpustab.studies.change.claims import BARELY
from gpustab.studies.change.claims_of_neighbours import FEWER_THAN_AT_RANDOM, NAME_ALIKE, Agreement
from gpustab.studies.change.differences import neighbours_difference
from gpustab.studies.change.nearest import agreement, length_of
from gpustab.studies.change.tables import Kept

Rng = np.random.Generator
SPLITS, LEAST, DIM = 2, 10, 30
SOLVERS = {"exact": 5, "coarse": 0}
"""Iterations of the randomised decomposition: two runs of the same documents share much or little."""
V, D, EXCHANGED = 200, 15, 20
DOCUMENTS = 0.25
TRAINING = {"low": 0.2, "high": 0.6}
_NOTHING = Kept(**dict.fromkeys(Kept._fields, 0.0) | {"first": "a", "second": "b", "control": False})  # type: ignore[arg-type]


class Periods(NamedTuple):
    """The runs of two periods, and bootstrap runs of both, ``(v, d)`` each."""

    runs: tuple[list[Tensor], list[Tensor]]
    drawn: tuple[list[Tensor], list[Tensor]]


Make = Callable[[int, Rng, bool], Periods]
"""Of R runs, a generator, and whether it is a split, in which nothing changed."""


def judged(make: Make) -> Callable[[int, Rng], None]:
    """Return what judges all claims of neighbours of two periods beside their splits."""

    def ask(r: int, rng: Rng) -> None:
        rows, agreed = [], 0.0
        for split in range(SPLITS + 1):
            made = make(r, rng, split > 0)
            k = length_of(len(made.runs[0][0]))
            kept, samplings = kept_neighbours(*made.runs, k), kept_neighbours(*made.drawn, k)
            rows.append(_row(kept, samplings, r)._replace(control=split > 0))
            if not split:
                agreed = agreement(kept.lost(BARELY).value, moved(*(averages(runs).top for runs in made.runs)))
        beside = FEWER_THAN_AT_RANDOM.judge(neighbours_difference(rows))
        NAME_ALIKE.judge(Agreement("a", agreed, rows[0].words, beside == "more"))

    return ask


def _row(kept: KeptWords, samplings: KeptWords, runs: int) -> Kept:
    every = torch.ones(len(kept.shared.value), dtype=torch.bool)
    lost, beyond = kept.mean.lost(BARELY), samplings.within.value - kept.shared.value
    shared, within, drawn = (part.mean(every) for part in (kept.shared, kept.within, samplings.within))
    return _NOTHING._replace(
        k=kept.k,
        words=len(every),
        runs=runs,
        chance=kept.chance,
        shared=shared.value,
        shared_se=shared.se,
        two_runs=within.value,
        two_runs_se=within.se,
        two_samplings=drawn.value,
        two_samplings_se=drawn.se,
        beyond_se_words=float(beyond.std()) / len(every) ** 0.5,
        lost=float(lost.value),
        lost_se=float(lost.se),
    )


@cache
def _texts() -> list[list[str]]:
    return news()


def of_text(iterations: int, part: float) -> Make:
    """Return what deals documents out to two periods, a part of the middle words exchanged in the later one."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    texts = _texts()

    def space(counts: np.ndarray, rng: Rng) -> Tensor:
        svd = TruncatedSVD(DIM, n_iter=iterations, random_state=int(rng.integers(1 << 30)))
        svd.fit(TfidfTransformer(sublinear_tf=True).fit_transform(counts))
        return torch.from_numpy(svd.components_.T * svd.singular_values_)

    def make(r: int, rng: Rng, split: bool) -> Periods:
        other = {} if split else exchanged_words(texts, part, rng)
        late = rng.permutation(len(texts)) % 2
        words = {word: k for k, word in enumerate(sorted({word for text in texts for word in text}))}
        both = [np.zeros((int((late == k).sum()), len(words))) for k in range(2)]
        for k, counts in enumerate(both):
            inside = [text for text, own in zip(texts, late, strict=True) if own == k]
            for row, text in zip(counts, inside, strict=True):
                np.add.at(row, [words[other.get(word, word) if k else word] for word in text], 1)
        draws = [[rng.integers(len(counts), size=len(counts)) for _ in range(r)] for counts in both]
        kept = np.all([counts.sum(0) >= LEAST for counts in both], 0)
        for counts, own in zip(both, draws, strict=True):
            kept &= np.all([counts[draw].any(0) for draw in own], 0)
        runs, drawn = [], []
        for counts, own in zip(both, draws, strict=True):
            runs.append([space(counts[:, kept], rng) for _ in range(r)])
            drawn.append([space(counts[draw][:, kept], rng) for draw in own])
        return Periods((runs[0], runs[1]), (drawn[0], drawn[1]))

    return make


def of_model(training: float, *, exchanged: bool, turned: bool) -> Make:
    """Return what draws two periods of one space, words exchanged or half of them turned another way in the later."""

    def make(r: int, rng: Rng, split: bool) -> Periods:
        base, rare = rng.normal(size=(V, D)), 1 + np.arange(V)[:, None] / V
        later, chosen = base.copy(), rng.permutation(V)[:EXCHANGED]
        if turned and not split:
            camp = rng.random(V) < 0.5
            later[camp] = base[camp] @ np.linalg.qr(rng.normal(size=(D, D)))[0]
        if exchanged and not split:
            later[chosen] = later[np.roll(chosen, 1)]
        own = [period + DOCUMENTS * rare * rng.normal(size=(V, D)) for period in (base, later)]

        def runs(again: float) -> tuple[list[Tensor], list[Tensor]]:
            def run(x: np.ndarray) -> Tensor:
                noise = again * rng.normal(size=(V, D)) + training * rng.normal(size=(V, D))
                return torch.from_numpy(x + rare * noise)

            first, second = ([run(x) for _ in range(r)] for x in own)
            return first, second

        return Periods(runs(0.0), runs(DOCUMENTS))

    return make


NONE = {"change.neighbours-more-than-at-random": never("more"), "change.same-words": never("yes", "no")}
MOVED = {"change.neighbours-more-than-at-random": should("more")}


def worlds_of_text(iterations: int) -> Iterator[World]:
    """Yield the worlds of real text."""
    yield World("documents dealt out at random to two periods", judged(of_text(iterations, 0.0)), NONE, RUNS, 0.9)
    about = "all words of middle frequency exchanged in the later of two periods"
    alike = MOVED | {"change.same-words": should("yes", "no")}
    yield World(about, judged(of_text(iterations, 1.0)), alike, RUNS, 0.25)


def worlds_of_models(name: str) -> Iterator[World]:
    """Yield the worlds of drawn spaces."""
    noise = TRAINING[name]
    words = f"{EXCHANGED} of {V} words exchanged in the later period, {name} noise"
    about = f"spaces of two periods drawn alike, {name} noise"
    yield World(about, judged(of_model(noise, exchanged=False, turned=False)), NONE, RUNS, 0.9)
    alike = MOVED | {"change.same-words": should("yes", "no")}
    yield World(words, judged(of_model(noise, exchanged=True, turned=False)), alike, RUNS, 0.25)
    about = f"half of the words turned, and {words}"
    yield World(about, judged(of_model(noise, exchanged=True, turned=True)), MOVED, RUNS, 0.25)


def rows(_folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of neighbours."""
    for name in TRAINING:
        for seed, world in enumerate(worlds_of_models(name)):
            yield from cells(world, "made, see there", sets, seed)
    for name, iterations in SOLVERS.items():
        for seed, world in enumerate(worlds_of_text(iterations)):
            yield from cells(world, f"lsa, {name} solver", sets, seed)
