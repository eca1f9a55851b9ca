"""Periods that are made of one pool of runs: nothing moved between them, or some words were moved on purpose.

Runs are turned into one frame first, so that words can be moved the same way in all of a period's runs, and so that a
frame in common, or its lack, is known. A law of frequency and the words beyond it want controls, which are dealt from
the same pool.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.placebos.cells import RUNS, Row, World, cells, never, should
from benchmarks.placebos.runsets import Source, with_odd_ones
from gpustab.kernels.procrustes import procrustes
from gpustab.results import Content
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs
from gpustab.studies.change.study import change

FEWER = (3, 5, 8)
PERIODS = ("1800-1899", "1900-1999", "2000-2099")
TARGETS, CHANGED = 40, 16
"""Targets of a made SemEval task, and how many of them changed."""
DRIFT = 0.15
"""How far the most frequent word is moved, in lengths of its vector, where rarer ones are moved farther."""

Turn = Callable[[Tensor], Tensor]
"""What is done to the rows of a run, ``(v, d)``."""


def of_rows(runs: Runs, turn: Turn) -> Runs:
    """Return runs with other rows."""
    rows = tuple(turn(run[:]) for run in runs.rows)
    return replace(runs, rows=rows, lengths=torch.stack([x.double().norm(dim=1) for x in rows]))


def in_one_frame(source: Source) -> Runs:
    """Return the runs of a source, turned onto the first."""
    first = source.runs.rows[0][:].double()
    return of_rows(
        source.runs, lambda x: (x.double() @ procrustes((x.double().T @ first)[None]).maps[0]).to(torch.float32)
    )


def rotation(dimension: int, rng: np.random.Generator) -> Tensor:
    """Return a random rotation, ``(d, d)`` float32."""
    return torch.from_numpy(np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]).float()


def exchanged(words: int, part: float, rng: np.random.Generator) -> Turn:
    """Return what gives a part of the words each other's vectors, the same way in every run."""
    chosen = rng.permutation(words)[: round(part * words)]
    order = torch.arange(words)
    order[chosen] = torch.from_numpy(np.roll(chosen, 1))
    return lambda x: x[order]


class Pool:
    """Deals the runs of a pool out to periods.

    Args:
        source: of the runs.
    """

    def __init__(self, source: Source) -> None:
        self.runs, self.noise = in_one_frame(source), source.noise
        self.words, self.dimension = self.runs.words, self.runs.dimension

    def deal(self, keys: Sequence[Key], r: int, rng: np.random.Generator) -> list[Runs]:
        """R runs to every key, none to two."""
        order = rng.permutation(len(self.runs)).tolist()
        groups = [self.runs.take(order[k * r : (k + 1) * r]) for k in range(len(keys))]
        return [replace(runs, key=key) for runs, key in zip(groups, keys, strict=True)]

    def two(self, r: int, rng: np.random.Generator, turn: Turn | None = None, sampling: str = "shuffled") -> list[Runs]:
        """Two periods, words of the later one moved where wanted."""
        earlier, later = self.deal([_key(sampling, epoch=name) for name in PERIODS[:2]], r, rng)
        return [earlier, of_rows(later, turn) if turn else later]


def _key(sampling: str = "shuffled", technique: str = "lsa", **part: str) -> Key:
    return Key(technique, sampling, part=tuple(part.items()))


def asked(groups: list[Runs], **choices: Any) -> Content:
    """Ask the study of all words."""
    return change(groups, min_count=1, resamples=99, **choices)


def of_two(pool: Pool) -> Iterator[World]:
    """Two periods: what is listed, what changes are compared with, camps and frames."""
    v, d = pool.words, pool.dimension

    def turned(part: float, rng: np.random.Generator) -> Turn:
        chosen, q = torch.from_numpy(rng.random(v) < part), rotation(d, rng)
        return lambda x: torch.where(chosen[:, None], x @ q, x)

    def pushed(rng: np.random.Generator) -> Turn:
        common = torch.from_numpy(rng.normal(size=d)).float()
        return lambda x: x + 5 * x.norm(dim=1).mean() * common / common.norm()

    yield World(
        "runs of one group in two periods",
        lambda r, rng: asked(pool.two(r, rng)),
        {
            "change.order-of-words": never("yes"),
            "change.compared": should("no", "yes", "bootstrap"),
            "change.two-camps": never("yes"),
        },
        RUNS,
    )
    yield World(
        "runs of one group in two periods, one run in ten odd",
        lambda r, rng: asked([with_odd_ones(runs, rng) for runs in pool.two(r, rng)]),
        {"change.order-of-words": never("yes"), "change.two-camps": never("yes"), "change.collapsed": never("yes")},
        RUNS,
        0.5,
    )
    yield World(
        "bootstrap runs alone, in two periods",
        lambda r, rng: asked(pool.two(r, rng, sampling="bootstrap")),
        {"change.compared": should("bootstrap", "yes", "no")},
        FEWER[:1],
        0.25,
    )
    yield World(
        "a third of the words exchanged in the later of two periods",
        lambda r, rng: asked(pool.two(r, rng, exchanged(v, 1 / 3, rng))),
        {"change.order-of-words": should("yes"), "change.two-camps": never("yes")},
        RUNS,
        0.5,
    )
    yield World(
        "half of the words turned another way in the later of two periods",
        lambda r, rng: asked(pool.two(r, rng, turned(0.5, rng))),
        {"change.two-camps": should("yes")},
        FEWER,
        0.5,
    )
    yield World(
        "words of the later of two periods pushed one way by five lengths",
        lambda r, rng: asked(pool.two(r, rng, pushed(rng))),
        {"change.collapsed": should("yes")},
        FEWER,
        0.25,
    )


def of_frames(pool: Pool) -> Iterator[World]:
    """Two periods that are not turned onto each other."""
    v, d = pool.words, pool.dimension

    def own_frames(r: int, rng: np.random.Generator) -> list[Runs]:
        return [of_rows(runs, lambda x: x @ rotation(d, rng)) for runs in pool.two(r, rng)]

    def turned(r: int, rng: np.random.Generator) -> list[Runs]:
        q = rotation(d, rng)
        return pool.two(r, rng, lambda x: x @ q)

    made: list[tuple[str, Callable[[int, np.random.Generator], list[Runs]], Any]] = [
        ("runs of one group in two periods, all in one frame", pool.two, should("yes", "no")),
        (
            "the same, with a third of the words exchanged",
            lambda r, rng: pool.two(r, rng, exchanged(v, 1 / 3, rng)),
            should("yes", "no"),
        ),
        ("runs of one group in two periods, each period in its frame", turned, should("no", "yes")),
        ("runs of one group in two periods, each run in its frame", own_frames, never("yes")),
    ]
    for about, deal, truth in made:
        yield World(
            about, lambda r, rng, deal=deal: asked(deal(r, rng), align="none"), {"change.no-frame": truth}, FEWER, 0.5
        )  # type: ignore[misc]


def of_laws(pool: Pool) -> Iterator[World]:
    """Three periods with two controls each, where nothing moved, rarer words were moved farther, or some words were."""
    v, d = pool.words, pool.dimension
    keys = [_key(epoch=name) for name in PERIODS]
    controls = [_key(control=number, epoch=name) for number in ("1", "2") for name in PERIODS]
    counts = pool.runs.counts
    far = DRIFT * (counts.max() / counts.double()).pow(0.25) if counts is not None else torch.full((v,), DRIFT)
    few = torch.zeros(v, dtype=torch.bool)
    few[torch.from_numpy(np.random.default_rng(0).permutation(v)[:30])] = True
    names = {pool.runs.vocabulary.text(k) for k in few.nonzero().flatten().tolist()}

    def drifted(r: int, rng: np.random.Generator, by: Tensor) -> list[Runs]:
        groups = pool.deal([*keys, *controls], r, rng)
        for k in range(1, len(keys)):
            way = torch.from_numpy(rng.normal(size=(v, d)) / d**0.5).float()
            groups[k] = of_rows(
                groups[k], lambda x, way=way: x + by.float()[:, None] * way * x.norm(dim=1, keepdim=True)
            )  # type: ignore[misc]
        return groups

    yield World(
        "runs of one group in three periods and two controls",
        lambda r, rng: asked(pool.deal([*keys, *controls], r, rng)),
        {
            "change.frequency": never("more", "less"),
            "change.word-beyond-law": never("yes"),
            "change.more-than-at-random": never("more"),
        },
        FEWER[:2],
        0.5,
    )
    yield World(
        "runs of one group in three periods and two controls, one run in ten odd",
        lambda r, rng: asked([with_odd_ones(runs, rng) for runs in pool.deal([*keys, *controls], r, rng)]),
        {
            "change.frequency": never("more", "less"),
            "change.word-beyond-law": never("yes"),
            "change.more-than-at-random": never("more"),
        },
        FEWER[:2],
        0.5,
    )
    yield World(
        "words moved the farther the rarer they are, in two of three periods",
        lambda r, rng: asked(drifted(r, rng, far)),
        {"change.frequency": should("more", "less"), "change.more-than-at-random": should("more")},
        FEWER[:2],
        0.5,
    )
    yield World(
        "thirty words moved by their lengths in two of three periods",
        lambda r, rng: asked(drifted(r, rng, few.double())),
        {"change.word-beyond-law": should("yes")._replace(about=lambda word: word.word in names)},
        FEWER[:2],
        0.5,
    )


class Task:
    """A made SemEval task on the words of a pool, of which some changed.

    Args:
        pool: of the runs.
        folder: for the task.
    """

    def __init__(self, pool: Pool, folder: Path) -> None:
        self.pool, self.folder = pool, folder

    def __call__(self, r: int, rng: np.random.Generator, *, moved: bool) -> object:
        """Ask about runs of two names, so that six ways are judged; grades are drawn, or what targets were moved by."""
        pool = self.pool
        chosen = rng.permutation(pool.words)[:TARGETS]
        changed = np.arange(TARGETS) < CHANGED
        grades = np.where(changed, rng.uniform(0.5, 1, TARGETS), rng.uniform(0, 0.2, TARGETS))
        self._write([pool.runs.vocabulary.text(int(k)) for k in chosen], changed, grades)
        keys = [_key(technique=name, language="english", epoch=epoch) for name in ("lsa", "sgns") for epoch in "12"]
        groups = pool.deal(keys, r, rng)
        if moved:
            way = torch.zeros(pool.words, pool.dimension)
            way[torch.from_numpy(chosen)] = torch.from_numpy(
                2 * grades[:, None] * rng.normal(size=(TARGETS, pool.dimension)) / pool.dimension**0.5
            ).float()
            groups[1::2] = [of_rows(runs, lambda x: x + way * x.norm(dim=1, keepdim=True)) for runs in groups[1::2]]
        return asked(groups, semeval=str(self.folder))

    def _write(self, words: Sequence[str], changed: np.ndarray, grades: np.ndarray) -> None:
        place = self.folder / "english"
        (place / "truth").mkdir(parents=True, exist_ok=True)
        for period in ("corpus1", "corpus2"):
            (place / period / "lemma").mkdir(parents=True, exist_ok=True)
            (place / period / "lemma" / "text.txt").write_text("\n", encoding="utf-8")
        (place / "targets.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        for name, values in (("binary", changed.astype(int)), ("graded", grades)):
            lines = [f"{word}\t{value}\n" for word, value in zip(words, values, strict=True)]
            (place / "truth" / f"{name}.txt").write_text("".join(lines), encoding="utf-8")


def of_tasks(task: Task) -> Iterator[World]:
    """Targets whose classes and grades are drawn, or moved by their grades."""
    yield World(
        "targets of drawn grades, of runs of one group in two periods",
        lambda r, rng: task(r, rng, moved=False),
        {"change.average-better": never("better", "worse"), "change.better-than-one-class": never("yes")},
        RUNS,
    )
    yield World(
        "targets moved by up to two lengths as their grades say",
        lambda r, rng: task(r, rng, moved=True),
        {"change.average-better": should("better", "worse"), "change.better-than-one-class": should("yes", "no")},
        RUNS,
        0.5,
    )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of periods that are made of one pool."""
    for kind in ("shuffled", "bootstrap"):
        yield from _of_periods(folder, sets, kind)
        yield from _of_tasks(folder, sets, kind)


def _of_periods(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    pool = Pool(Source(folder, kind))
    for seed, world in enumerate((*of_two(pool), *of_frames(pool), *of_laws(pool))):
        yield from cells(world, pool.noise, sets, seed)


def _of_tasks(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    pool = Pool(Source(folder, kind))
    with tempfile.TemporaryDirectory() as name:
        for seed, world in enumerate(of_tasks(Task(pool, Path(name)))):
            yield from cells(world, pool.noise, sets, seed)
