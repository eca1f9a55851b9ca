"""Sizes of a space that are no sizes, noise that falls or rises with them, and classes that no vector knows.

Runs of one pool are dealt out under the names of two numbers of dimensions. The classes that a probe learns are made
from the mean of the pool, so that its runs know them; dealt out to other words, nobody does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, Row, World, cells, should
from benchmarks.placebos.runsets import Source, placed
from gpustab.machine.device import DEFAULT
from gpustab.runs.runs import Runs
from gpustab.studies.instability.trees import top_of
from gpustab.studies.sweep.claims_of_sizes import FORESEEN, STEADIER, Order, differ
from gpustab.studies.sweep.sizes import Task, raw_rows, sizes_of
from gpustab.studies.sweep.tables_of_sizes import effects, orders

DIMS, BITS, CLASSES = (20, 40), (2, 4, 32), 4
MEASURES = ("neighbours",)
"""Noise makes neighbours differ; what it does to eigenspaces and losses is not known for sure."""
WORDS = 200
NOISE = 0.6
"""Lengths of a vector by which each word of a run is moved where noise is planted."""
Rng = np.random.Generator
Stacks = Callable[[int, Rng], dict[int, torch.Tensor]]


class Asked:
    """A pool and the task to tell the classes of its words.

    Args:
        source: the pool.
    """

    def __init__(self, source: Source) -> None:
        self.source, runs = source, source.runs
        mean = top_of(runs).vectors
        rng = np.random.default_rng(0)
        scores = mean - mean.mean(0)
        self.classes = scores[:, :CLASSES].argmax(1)
        order = torch.from_numpy(rng.permutation(runs.words))
        self.learned, self.asked = order[: len(order) // 2], order[len(order) // 2 :]

    def stack(self, runs: Runs) -> torch.Tensor:
        """Return the vectors of all words, ``(R, v, d)``."""
        return raw_rows(runs, torch.arange(runs.words), DEFAULT)

    def judge(self, stacks: dict[int, torch.Tensor], rng: Rng, *, dealt: bool = False, alone: bool = False) -> None:
        """Judge all claims of sizes, or what dimensions do alone: the sooner the more sets there are."""
        classes = self.classes[torch.from_numpy(rng.permutation(len(self.classes)))] if dealt else self.classes
        task = Task(self.learned, classes[self.learned], self.asked, classes[self.asked], int(rng.integers(1 << 30)))
        found = sizes_of(stacks, BITS[::2] if alone else BITS, task, measures=() if alone else MEASURES)
        each = list(effects("shuffled", found))
        for effect in each:
            STEADIER.judge(effect)
        for row in orders("shuffled", found):
            FORESEEN.judge(Order(row, differ(each)))


def noisy(stack: torch.Tensor, size: float, rng: Rng) -> torch.Tensor:
    """Return runs with noise of so many lengths of their vectors."""
    noise = torch.from_numpy(rng.normal(size=tuple(stack.shape))) / stack.shape[2] ** 0.5
    return stack + size * stack.norm(dim=2, keepdim=True) * noise


def worlds(source: Source) -> Iterator[World]:
    """Yield every world of one pool."""
    asked, keys = Asked(source), [placed()] * len(DIMS)

    def dealt(deal: Callable[[int, Rng], list[Runs]], r: int, rng: Rng) -> dict[int, torch.Tensor]:
        return {dim: asked.stack(runs) for dim, runs in zip(DIMS, deal(r, rng), strict=True)}

    def planted(sizes: tuple[float, float], r: int, rng: Rng) -> dict[int, torch.Tensor]:
        stacks = dealt(source.dealt(keys), r, rng)
        return {dim: noisy(x, size, rng) for (dim, x), size in zip(stacks.items(), sizes, strict=True)}

    # Fewer bits are noise in any case, so that only what dimensions do has no truth of its own here.
    of_dims = {STEADIER.id: NEITHER._replace(about=lambda effect: effect.what == "dim")}
    for odd in (False, True):
        deal = source.dealt(keys, odd=odd)
        yield World(
            "runs of one group under two numbers of dimensions" + ", one run in ten odd" * odd,
            lambda r, rng, deal=deal: asked.judge(dealt(deal, r, rng), rng, alone=True),
            of_dims,
        )
    deal = source.dealt(keys)
    yield World(
        "runs of one group under two numbers of dimensions, classes dealt out to other words",
        lambda r, rng: asked.judge(dealt(deal, r, rng), rng, dealt=True),
        {STEADIER.id: NEITHER, FORESEEN.id: NEITHER},
        whole_to=8,
    )
    for sizes, right, wrong in (((NOISE, 0.0), "yes", "no"), ((0.0, NOISE), "no", "yes")):
        yield World(
            f"sizes with noise of {sizes[0]:g} and {sizes[1]:g} of the lengths added",
            lambda r, rng, sizes=sizes: asked.judge(planted(sizes, r, rng), rng),
            {
                STEADIER.id: should(right, wrong)._replace(about=lambda effect: effect.what == "dim"),
                FORESEEN.id: should("yes", "no")._replace(about=lambda order: order.row.measure == "neighbours"),
            },
            whole_to=8,
        )


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of sizes."""
    for seed, sampling in enumerate(("shuffled", "bootstrap")):
        source = Source(folder, sampling, WORDS)
        for k, world in enumerate(worlds(source)):
            yield from cells(world, source.noise, sets, 10 * seed + k)
