"""Cosines of word pairs over runs: normal or not, independent or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import torch

from benchmarks.placebos.cells import World, should
from benchmarks.placebos.drawn.case import RUNS, Draw, Rng, drawn
from gpustab.statistics import hypotheses
from gpustab.studies.instability.cosines import DISJOINT, CosineTest, of_couples, of_normality


def _normal(law: Callable[[Rng, tuple[int, int]], np.ndarray], pairs: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> CosineTest:
        p = hypotheses.shapiro_p(torch.from_numpy(law(rng, (pairs, runs))))
        return of_normality("x", runs, hypotheses.uniformity(p, _null(runs)))

    return draw


@cache
def _null(runs: int) -> torch.Tensor:
    return hypotheses.simulated_p(hypotheses.shapiro_p, runs, 0)


def _independent(correlation: float, dependent: float, couples: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> CosineTest:
        shape, common = (couples, runs), rng.normal(size=(1, runs))
        z = rng.normal(size=shape)
        values = []
        for _ in range(2):
            own = math.sqrt(correlation) * z + math.sqrt(1 - correlation) * rng.normal(size=shape)
            signs = rng.choice([-1, 1], (couples, 1))
            values.append(math.sqrt(1 - dependent) * own + math.sqrt(dependent) * signs * common)
        part = hypotheses.independence(*map(torch.from_numpy, values), 0, permutations=799, simulated=50)
        return of_couples("x", runs, DISJOINT, part)

    return draw


def _t(freedom: int) -> Callable[[Rng, tuple[int, int]], np.ndarray]:
    return lambda rng, shape: rng.standard_t(freedom, size=shape)


def _signs_of_one(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
    """Normals that all hold a part of one run's common normal: correlated at ±0.3."""
    return math.sqrt(0.7) * rng.normal(size=shape) + math.sqrt(0.3) * rng.choice([-1, 1], (shape[0], 1)) * rng.normal(
        size=(1, shape[1])
    )


def worlds() -> Iterator[World]:
    """Yield the worlds of cosines."""
    yes, no, name = should("yes", "no"), should("no", "yes"), "instability.normal-cosines"
    yield drawn(name, "normals", yes, _normal(lambda rng, shape: rng.normal(size=shape)), RUNS[1:], 0.1)
    yield drawn(name, "normals correlated at ±0.3", yes, _normal(_signs_of_one), RUNS[1:], 0.1)
    yield drawn(name, "t(3)", no, _normal(_t(3)), RUNS[1:], 0.1)
    yield drawn(name, "t(5)", no, _normal(_t(5)), RUNS[1:], 0.1)
    name = "instability.independent-cosines"
    yield drawn(name, "correlation 0", yes, _independent(0.0, 0.0), RUNS[1:], 0.5)
    yield drawn(name, "correlation 0, couples alike at ±0.3", yes, _independent(0.0, 0.3), RUNS[1:], 0.5)
    yield drawn(name, "correlation 0.1", no, _independent(0.1, 0.0), RUNS[1:], 0.5)
