"""Losses of words over their frequency: flat, falling, rising, or a hump."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case, Draw, Rng
from gpustab.studies.instability.frequency import trend
from gpustab.studies.instability.frequency_observations import is_falling, is_flat
from gpustab.studies.instability.trend_errors import change_error


def _trend(shape: Callable[[np.ndarray], np.ndarray], rule: Callable[[dict], str], slope: float = 0.0) -> Draw:
    """Losses of words, log-normal about a function of log frequency; runs differ in how steep theirs is."""

    def draw(runs: int, rng: Rng, words: int = 1500) -> str:
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
        found = trend(torch.from_numpy(10**x), torch.from_numpy(pairs.mean(1)), runs_se=error, runs=rest)
        return rule(found._asdict())

    return draw


def _hump(x: np.ndarray) -> np.ndarray:
    return 1 + 1.2 * np.exp(-2 * np.square(x - 2.2))


def cases() -> Iterator[Case]:
    """Yield the cases of rules that judge trends over frequency."""
    yield Case("flat over frequency", "flat, runs alike", "yes", _trend(np.ones_like, lambda r: is_flat(r, 0.2)))
    yield Case(
        "flat over frequency", "flat, runs steep by ±3 %", "yes", _trend(np.ones_like, lambda r: is_flat(r, 0.2), 0.03)
    )
    yield Case("flat over frequency", "hump", "-", _trend(_hump, lambda r: is_flat(r, 0.2)))
    yield Case(
        "flat over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), lambda r: is_flat(r, 0.2))
    )
    yield Case("falls over frequency", "falls by half", "yes", _trend(lambda x: 1.4 - 0.2 * x, is_falling))
    yield Case("falls over frequency", "hump", "-", _trend(_hump, is_falling))
    yield Case("falls over frequency", "flat, runs steep by ±3 %", "-", _trend(np.ones_like, is_falling, 0.03), part=10)
    yield Case("falls over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), is_falling))
