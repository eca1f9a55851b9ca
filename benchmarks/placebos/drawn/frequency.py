"""Losses of words over their frequency: flat, falling, rising, or a hump."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, World, should
from benchmarks.placebos.drawn.case import Draw, Rng, drawn
from gpustab.studies.instability.frequency import TrendRow, change_error, trend


def _trend(shape: Callable[[np.ndarray], np.ndarray], slope: float = 0.0, words: int = 1500) -> Draw:
    """Losses of words, log-normal about a function of log frequency; runs differ in how steep theirs is."""

    def draw(runs: int, rng: Rng) -> TrendRow:
        x = np.sort(rng.exponential(0.7, words)) + 1.3  # decades
        x = np.minimum(x, 4.5)
        i, j = np.triu_indices(runs, 1)
        steep = slope * rng.normal(size=runs)
        level = shape(x) * np.exp(0.3 * rng.normal(size=words))
        pairs = level[:, None] * (
            1 + 0.15 * rng.normal(size=(words, len(i))) + (steep[i] + steep[j]) * (x - 2)[:, None]
        )
        centred = x - x.mean()
        ends = np.array_split(x, 20)
        weights = np.stack(
            [centred * (ends[-1].mean() - ends[0].mean()) / np.square(centred).sum(), np.full(words, 1 / words)]
        )
        matrices = np.zeros((2, runs, runs))
        matrices[:, i, j] = matrices[:, j, i] = weights @ pairs
        error, rest = change_error({"shuffled": torch.from_numpy(matrices)})
        return trend(torch.from_numpy(10**x), torch.from_numpy(pairs.mean(1)), runs_se=error, runs=rest)

    return draw


def _hump(x: np.ndarray) -> np.ndarray:
    return 1 + 1.2 * np.exp(-2 * np.square(x - 2.2))


def _rise(x: np.ndarray) -> np.ndarray:
    return 1 + 0.2 * (x - 1.3)


def worlds() -> Iterator[World]:
    """Yield the worlds of trends over frequency."""
    yes, no, flat, part = should("yes", "no"), should("no", "yes"), "instability.intrinsic-flat", 0.5
    yield drawn(flat, "flat, runs alike", yes, _trend(np.ones_like), part=part)
    yield drawn(flat, "flat, runs steep by ±3 %", yes, _trend(np.ones_like, 0.03), part=part)
    yield drawn(flat, "hump", NEITHER, _trend(_hump), part=part)
    yield drawn(flat, "rises by half", no, _trend(_rise), part=part)
    falls = "instability.extrinsic-falls"
    yield drawn(falls, "falls by half", yes, _trend(lambda x: 1.4 - 0.2 * x), part=part)
    yield drawn(falls, "hump", NEITHER, _trend(_hump), part=part)
    yield drawn(falls, "flat, runs steep by ±3 %", NEITHER, _trend(np.ones_like, 0.03), part=10 * part)
    yield drawn(falls, "rises by half", no, _trend(_rise), part=part)
