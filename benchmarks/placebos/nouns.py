"""Vectors that know nothing of what similarity is compared with, and groups of runs that are one.

What words have in common is told by the mean cosine of bootstrap runs that are not asked about: it stands for WordNet,
so that the bench needs none.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from benchmarks.placebos.runsets import Source, placed, with_odd_ones
from gpustab.results import Content
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.claims_of_paper import HANGS_ON_SIZE, sizes_of
from gpustab.studies.thresholds.study import thresholds
from gpustab.studies.thresholds.tables import SIZES

FEWER = (3, 5, 8)
PAIRS = 20_000
WORDS = (200, 600)
HELD_OUT = 16
STATES = 3
"""Draws of words, each of which is asked about often."""


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
    one = asked.dealt([placed()])

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


class Groups:
    """Asks about groups of runs over some draws of words; what was measured of a run is kept for other groups.

    Args:
        source: of the runs.
        folder: for tests, and for what is kept.
    """

    def __init__(self, source: Source, folder: Path) -> None:
        self.asked, self.folder, self.baseline = source.without_last(HELD_OUT), folder, Baseline(source.runs)

    def drawn(self, names: Sequence[str], r: int, rng: np.random.Generator, state: int) -> list[Runs]:
        """R runs to every name, none to two, of the words of one draw."""
        groups = self.asked.dealt([placed(name) for name in names])(r, rng)
        return [few(runs, WORDS[-1], np.random.default_rng(state), dealt=False) for runs in groups]

    def ask(self, groups: list[Runs], state: int, tests: str = "", *, kept: bool = True) -> Content:
        """Ask the study."""
        how: dict[str, Any] = {"tests": str(self.folder / tests)} if tests else {}
        if kept:
            how["finished"] = self.folder / "finished"
        return thresholds(groups, baseline=self.baseline, pairs=PAIRS, seed=state, **how)

    def two(
        self, r: int, rng: np.random.Generator, changed: Callable[[Runs], Runs] | None = None, tests: str = "unrelated"
    ) -> Content:
        """Ask about two names, the second of runs that are changed where wanted."""
        state = int(rng.integers(STATES))
        first, second = self.drawn(("sgns", "glove"), r, rng, state)
        return self.ask([first, changed(second) if changed else second], state, self.written(tests, rng))

    def odd(self, r: int, rng: np.random.Generator) -> Content:
        """Ask about two names, of runs of which one in ten is odd."""
        state = int(rng.integers(STATES))
        groups = [with_odd_ones(runs, rng) for runs in self.drawn(("sgns", "glove"), r, rng, state)]
        return self.ask(groups, state, self.written("unrelated", rng), kept=False)

    def moving(self, r: int, rng: np.random.Generator) -> Content:
        """Ask about one group whose runs have more in common the one than the other."""
        state = int(rng.integers(STATES))
        (runs,) = self.drawn(("sgns",), r, rng, state)
        groups = [raised(runs, rng.uniform(0, 0.3, r).tolist())]
        return self.ask(groups, state, self.written("unrelated", rng), kept=False)

    def of_sizes(self, r: int, rng: np.random.Generator, planted: float) -> None:
        """Ask about the thresholds of one size of three groups of other runs, said to be three sizes of one group."""
        state = int(rng.integers(STATES))
        made = self.ask(self.drawn(("sgns", "glove", "cbow"), r, rng, state), state, self.written("unrelated", rng))
        rows = [next(x for x in part.rows() if x.min_pairs == 100) for _, part in SIZES.of(made.tables).split("group")]
        rows = [row._replace(group="lsa", min_pairs=100 * k) for k, row in enumerate(rows, 1)]
        if planted:
            rows[-1] = rows[-1]._replace(next_higher=(rows[-1].next_higher or 0.0) + planted)
        for sizes in sizes_of({SIZES.name: SIZES.table(rows)}):
            HANGS_ON_SIZE.judge(sizes)

    def written(self, kind: str, rng: np.random.Generator) -> str:
        """Write tests of random pairs, six of drawn scores or one of the baseline's cosines; returns their folder.

        An eighth of the pairs are of words that are asked about.

        Each set has tests of its own: of one that lies near the limit by chance, many sets would say the same.
        """
        names = sorted(self.baseline.row)
        (folder := self.folder / "tests").mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        count, pairs = (6, 150) if kind == "unrelated" else (1, 3000)
        for k in range(count):
            words = [rng.choice(names, 2, replace=False).tolist() for _ in range(pairs)]
            scores = rng.random(len(words)) if kind == "unrelated" else [self.baseline(*pair) for pair in words]
            lines = [f"{a}\t{b}\t{5 + 5 * score:.4f}\n" for (a, b), score in zip(words, scores, strict=True)]
            (folder / f"test-{k}.tsv").write_text("".join(lines), encoding="utf-8")
        return folder.name


def raised(runs: Runs, by: Sequence[float]) -> Runs:
    """Return runs whose cosines are all nearer to 1: ``(cos + k) / (1 + k)``, with k of every run."""

    def row(run: torch.Tensor, k: float) -> torch.Tensor:
        unit = run / run.norm(dim=1, keepdim=True)
        return torch.cat([unit, torch.full((len(unit), 1), k**0.5)], 1)

    return _of_rows(runs, [row(run[:], k) for run, k in zip(runs.rows, by, strict=True)])


def narrowed(runs: Runs, dimension: int = 4) -> Runs:
    """Return runs of their first singular vectors alone, whose cosines have another shape."""
    made = []
    for run in runs.rows:
        u, s, _ = torch.linalg.svd(run[:].double(), full_matrices=False)
        made.append((u[:, :dimension] * s[:dimension]).float())
    return _of_rows(runs, made)


def _of_rows(runs: Runs, rows: Sequence[torch.Tensor]) -> Runs:
    return replace(runs, rows=tuple(rows), lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def worlds_of_groups(groups: Groups) -> Iterator[World]:
    """Yield the worlds of several groups; words of the pool have known thresholds: SD 0.005 and 0.013 over runs."""
    names = {str(key) for key in (placed("sgns"), placed("glove"))}

    def between(truth: Truth) -> Truth:
        return truth._replace(about=lambda x: {x.first, x.second} == names)

    yield World(
        "runs of one group under two names",
        groups.two,
        {
            "thresholds.no-one-fits": never("yes"),
            "thresholds.one-shape": between(should("same", "different")),
            "thresholds.stays": should("yes", "no"),
            "thresholds.hangs-on-size": never("yes"),
            "thresholds.narrows-range": never("yes"),
        },
        FEWER,
    )
    yield World(
        "runs of one group under two names, cosines of the second raised by a tenth of what they lack",
        lambda r, rng: groups.two(r, rng, lambda runs: raised(runs, [1 / 9] * r)),
        {"thresholds.no-one-fits": should("yes", "no"), "thresholds.one-shape": between(should("same", "different"))},
        FEWER,
        0.5,
    )
    yield World(
        "runs of one group under two names, the second of four dimensions",
        lambda r, rng: groups.two(r, rng, narrowed),
        {"thresholds.one-shape": between(should("different", "same"))},
        FEWER,
        0.5,
    )
    yield World(
        "runs of one group under two names, one run in ten odd",
        groups.odd,
        {"thresholds.no-one-fits": never("yes"), "thresholds.one-shape": between(never("different"))},
        FEWER,
    )
    yield World(
        "runs that have more in common the one than the other, so that their thresholds vary by 0.05",
        groups.moving,
        {"thresholds.stays": should("no", "yes")},
        FEWER,
        0.5,
    )
    yield World(
        "tests whose scores are cosines of other runs",
        lambda r, rng: groups.two(r, rng, tests="line"),
        {"thresholds.narrows-range": should("yes")},
        FEWER,
        0.25,
    )
    yield World(
        "one size of groups of pairs, of other runs each, called three",
        lambda r, rng: groups.of_sizes(r, rng, 0.0),
        {"thresholds.hangs-on-size": never("yes")},
        FEWER,
    )
    yield World(
        "the same, with 0.15 more at one of the sizes",
        lambda r, rng: groups.of_sizes(r, rng, 0.15),
        {"thresholds.hangs-on-size": should("yes")},
        FEWER,
        0.5,
    )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of thresholds."""
    for kind in ("shuffled", "bootstrap"):
        yield from _of_kind(folder, sets, kind)
        yield from _of_groups(folder, sets, kind)


def _of_kind(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    source = Source(folder, kind)
    for seed, world in enumerate(worlds(source)):
        yield from cells(world, source.noise, sets, seed)


def _of_groups(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    source = Source(folder, kind)
    with tempfile.TemporaryDirectory() as name:
        groups = Groups(source, Path(name))
        for seed, world in enumerate(worlds_of_groups(groups)):
            yield from cells(world, source.noise, sets, seed)
