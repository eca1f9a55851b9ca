"""Vectors that know nothing of what similarity is compared with, and groups of runs that are one.

What words have in common is told by the mean cosine of bootstrap runs that are not asked about: it stands for WordNet,
so that the bench needs none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from benchmarks.placebos.runsets import Source, placed
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.study import thresholds

FEWER = (3, 5, 8)
PAIRS = 20_000
WORDS = (200, 600)
HELD_OUT = 16


class Baseline:
    """How similar two words are in runs that are held out.

    Args:
        runs: the pool.
    """

    def __init__(self, runs: Runs) -> None:
        held = list(range(len(runs) - HELD_OUT, len(runs)))
        vectors = torch.cat([runs.run(r) for r in held], 1)
        self.vectors = (vectors / vectors.norm(dim=1, keepdim=True)).numpy()
        self.row = {runs.vocabulary.text(k): k for k in range(runs.words)}

    def __call__(self, first: str, second: str) -> float | None:
        if first not in self.row or second not in self.row:
            return None
        return float(self.vectors[self.row[first]] @ self.vectors[self.row[second]])


def few(runs: Runs, words: int, rng: np.random.Generator, *, dealt: bool) -> Runs:
    """Return runs with so many words, whose vectors are, where wanted, dealt out anew, the same way in every run."""
    kept = np.sort(rng.permutation(runs.words)[:words]).tolist()
    if dealt:
        order = torch.arange(runs.words)
        order[kept] = torch.from_numpy(rng.permutation(kept))
        runs = replace(runs, rows=tuple(run[:][order] for run in runs.rows), lengths=runs.lengths[:, order])
    return runs.restricted([runs.vocabulary[k] for k in kept])


def worlds(source: Source) -> Iterator[World]:
    """Yield the worlds of thresholds."""
    pool = source.runs
    baseline = Baseline(pool)
    asked = source.without_last(HELD_OUT)
    names = {str(key) for key in (placed("sgns"), placed("glove"))}
    one, two = asked.dealt([placed()]), asked.dealt([placed("sgns"), placed("glove")])

    def ask(groups: list[Runs], words: int, rng: np.random.Generator, *, dealt: bool = False) -> object:
        state = int(rng.integers(1 << 30))
        few_of = [few(runs, words, np.random.default_rng(state), dealt=dealt) for runs in groups]
        return thresholds(few_of, baseline=baseline, pairs=PAIRS, seed=state)

    for words in WORDS:
        yield World(
            f"vectors of {words} words, dealt out to others",
            lambda r, rng, n=words: ask(one(r, rng), n, rng, dealt=True),  # type: ignore[misc]
            {"thresholds.meaningful": never("yes", "far")},
            FEWER,
        )
    yield World(
        f"{WORDS[-1]} words, beside cosines of other runs",
        lambda r, rng: ask(one(r, rng), WORDS[-1], rng),
        {"thresholds.meaningful": Truth(frozenset({"no"}), frozenset({"yes", "far"}))},
        FEWER,
        0.5,
    )
    yield World(
        "runs of one group under two names",
        lambda r, rng: ask(two(r, rng), WORDS[-1], rng),
        {
            "thresholds.no-one-fits": never("yes"),
            "thresholds.one-shape": should("same", "different")._replace(about=lambda x: {x.first, x.second} == names),
        },
        FEWER,
        0.5,
    )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of thresholds."""
    for kind in ("shuffled", "bootstrap"):
        source = Source(folder, kind)
        for seed, world in enumerate(worlds(source)):
            yield from cells(world, source.noise, sets, seed)
