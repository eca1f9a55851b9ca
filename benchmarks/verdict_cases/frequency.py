"""Losses of words over their frequency: flat, falling, rising, or a hump."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case, Draw, Rng
from gpustab.studies.instability.claims_of_losses import EXTRINSIC_FALLS, INTRINSIC_FLAT
from gpustab.studies.instability.frequency import change_error, trend
from gpustab.studies.shared.claims import Claim


def _trend(shape: Callable[[np.ndarray], np.ndarray], claim: Claim, slope: float = 0.0) -> Draw:
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
        return claim.judge(found)

    return draw


def _hump(x: np.ndarray) -> np.ndarray:
    return 1 + 1.2 * np.exp(-2 * np.square(x - 2.2))


def cases() -> Iterator[Case]:
    """Yield the cases of rules that judge trends over frequency."""
    yield Case("flat over frequency", "flat, runs alike", "yes", _trend(np.ones_like, INTRINSIC_FLAT))
    yield Case("flat over frequency", "flat, runs steep by ±3 %", "yes", _trend(np.ones_like, INTRINSIC_FLAT, 0.03))
    yield Case("flat over frequency", "hump", "-", _trend(_hump, INTRINSIC_FLAT))
    yield Case("flat over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), INTRINSIC_FLAT))
    yield Case("falls over frequency", "falls by half", "yes", _trend(lambda x: 1.4 - 0.2 * x, EXTRINSIC_FALLS))
    yield Case("falls over frequency", "hump", "-", _trend(_hump, EXTRINSIC_FALLS))
    yield Case(
        "falls over frequency", "flat, runs steep by ±3 %", "-", _trend(np.ones_like, EXTRINSIC_FALLS, 0.03), part=10
    )
    yield Case("falls over frequency", "rises by half", "no", _trend(lambda x: 1 + 0.2 * (x - 1.3), EXTRINSIC_FALLS))
