"""Cosines of word pairs over runs: normal or not, independent or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case, Draw, Rng
from gpustab.statistics import hypotheses
from gpustab.studies.instability.claims import INDEPENDENT_COSINES, NORMAL_COSINES
from gpustab.studies.instability.cosines import DISJOINT, of_couples, of_normality

_nulls: dict[int, torch.Tensor] = {}


def _normal(law: Callable[[Rng, tuple[int, int]], np.ndarray], pairs: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        null = _null(runs)
        found = hypotheses.uniformity(hypotheses.shapiro_p(torch.from_numpy(law(rng, (pairs, runs)))), null)
        return NORMAL_COSINES.judge(of_normality("x", runs, found))

    return draw


def _null(runs: int) -> torch.Tensor:
    if runs not in _nulls:
        _nulls[runs] = hypotheses.simulated_p(hypotheses.shapiro_p, runs, 0)
    return _nulls[runs]


def _independent(correlation: float, dependent: float, couples: int = 3000) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        shape, common = (couples, runs), rng.normal(size=(1, runs))
        z = rng.normal(size=shape)
        values = []
        for _ in range(2):
            own = math.sqrt(correlation) * z + math.sqrt(1 - correlation) * rng.normal(size=shape)
            signs = rng.choice([-1, 1], (couples, 1))
            values.append(math.sqrt(1 - dependent) * own + math.sqrt(dependent) * signs * common)
        found = hypotheses.independence(*map(torch.from_numpy, values), 0, permutations=799, simulated=50)
        return INDEPENDENT_COSINES.judge(of_couples("x", runs, DISJOINT, found))

    return draw


def _t(freedom: int) -> Callable[[Rng, tuple[int, int]], np.ndarray]:
    return lambda rng, shape: rng.standard_t(freedom, size=shape)


def _signs_of_one(rng: Rng, shape: tuple[int, int]) -> np.ndarray:
    """Normals that all hold a part of one run's common normal: correlated at ±0.3."""
    return math.sqrt(0.7) * rng.normal(size=shape) + math.sqrt(0.3) * rng.choice([-1, 1], (shape[0], 1)) * rng.normal(
        size=(1, shape[1])
    )


def cases() -> Iterator[Case]:
    """Yield the cases of rules that judge how cosines are distributed."""
    yield Case("normal", "normals", "yes", _normal(lambda rng, shape: rng.normal(size=shape)), 4, 0.2)
    yield Case("normal", "normals correlated at ±0.3", "yes", _normal(_signs_of_one), 4, 0.2)
    yield Case("normal", "t(3)", "no", _normal(_t(3)), 4, 0.2)
    yield Case("normal", "t(5)", "no", _normal(_t(5)), 4, 0.2)
    yield Case("normal", "uniform", "no", _normal(lambda rng, shape: rng.uniform(size=shape)), 4, 0.2)
    yield Case("normal", "exponential", "no", _normal(lambda rng, shape: rng.exponential(size=shape)), 4, 0.2)
    yield Case("independent", "correlation 0", "yes", _independent(0.0, 0.0), 4)
    yield Case("independent", "correlation 0, couples alike at ±0.3", "yes", _independent(0.0, 0.3), 4)
    yield Case("independent", "correlation 0.1", "no", _independent(0.1, 0.0), 4)
    yield Case("independent", "correlation 0.2", "no", _independent(0.2, 0.0), 4)
