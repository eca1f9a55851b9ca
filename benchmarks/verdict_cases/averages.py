"""Averages of runs: their cosines, their losses, trees beside one reference, and scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.verdict_cases.case import Case, Draw, Rng
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.instability.averages import LEVELS, averaging_tables, cosine_ratios
from gpustab.studies.instability.claims_of_averages import (
    FALLS,
    LARGER_MEANS,
    RAISES_SCORE,
    REFERENCE_ADDS,
    REFERENCE_MATTERS,
    SECOND_TERM,
    SMALLER_SD,
    highest,
    of_averaging,
)
from gpustab.studies.instability.scores import Gain
from gpustab.studies.instability.technique import Technique
from gpustab.studies.instability.trees import TREES, alignment_tables, term_of
from gpustab.studies.shared.claims import Claim
from tests.generators import noisy_copies, runs_of


def _ratios(sd: float, slope: float, claim: Claim) -> Draw:
    def draw(runs: int, rng: Rng, pairs: int = 600) -> str:
        mean = 0.15 * rng.normal(size=(pairs, 1))
        values = mean + 0.02 * np.exp(0.1 * rng.normal(size=runs)) * rng.normal(size=(pairs, runs))
        k = runs // 2
        averages = (values[:, : 2 * k : 2] + values[:, 1 : 2 * k : 2]) / 2
        centre = averages.mean(1, keepdims=True)
        extra = 0.02 * math.sqrt(max(sd**2 - 0.5, 0)) * rng.normal(size=averages.shape)
        averages = slope * (centre + averages - centre + extra)
        single, double = torch.from_numpy(values), torch.from_numpy(averages)
        if k < 2:
            return "undecided"
        groups = [[2 * a, 2 * a + 1] for a in range(k)]
        row = cosine_ratios("x", False, 2, [(groups, (double, double))], (single, single))
        number = (row.sd, row.sd_se) if claim is SMALLER_SD else (row.slope, row.slope_se)
        return claim.judge(Estimate.of_runs(*number, row.averages))

    return draw


def _term(by_pair: float, variance: float) -> Draw:
    """A second term of eq. 3.4 whose word pairs have means of a part of σ, and a variance of a part of σ²/2."""

    def draw(runs: int, rng: Rng, pairs: int = 600) -> str:
        cosine = rng.normal(size=(pairs, runs))
        means = by_pair * rng.normal(size=(pairs, 1))
        term = means + math.sqrt(variance / 2) * rng.normal(size=(pairs, runs // 2))
        return SECOND_TERM.judge(term_of("x", torch.from_numpy(term), torch.from_numpy(cosine)))

    return draw


def _seed(rng: Rng) -> int:
    return int(rng.integers(1e6))


def _technique(stack: torch.Tensor, rng: Rng) -> Technique:
    return Technique("x", {"shuffled": runs_of(stack)}, InstabilityOptions(pairs=60, seed=_seed(rng)))


def _fall(noise: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        tables = averaging_tables(_technique(noisy_copies(runs, 150, 10, noise=noise, seed=_seed(rng)), rng))
        levels = [row for row in LEVELS.rows(tables, renormalised=False) if row.runs_beneath > 1]
        return FALLS.judge(highest(levels, lambda row: row.technique)["x"]) if levels else "undecided"

    return draw


def _tree(noise: float, claim: Claim) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        tables = alignment_tables(_technique(noisy_copies(runs, 120, 8, noise=noise, seed=_seed(rng)), rng))
        found = of_averaging({TREES.name: tables[TREES.name]})
        return next(observation.agrees for observation in found if observation.claim.id == claim.id)

    return draw


def _gain(gain: float) -> Draw:
    def draw(runs: int, rng: Rng) -> str:
        rows, n = [], 2
        single = 0.4 + 0.01 * rng.normal(size=runs)
        while runs // n > 1:
            k = runs // n
            own = single[: k * n].reshape(k, n).mean(1)
            differences = gain + 0.006 * rng.normal(size=k) + 0 * own
            se = float(differences.std(ddof=1)) / math.sqrt(k)
            rows.append(Gain("x", "t", n, k, float(differences.mean()), se))
            n *= 2
        return RAISES_SCORE.judge(highest(rows, lambda row: row.test)["t"]) if rows else "undecided"

    return draw


def cases() -> Iterator[Case]:
    """Yield the cases of rules that judge averages."""
    yield Case("SD of averages", "1/√2", "yes", _ratios(math.sqrt(0.5), 1.05, SMALLER_SD))
    yield Case("SD of averages", "0.9", "no", _ratios(0.9, 1.0, SMALLER_SD))
    yield Case("mean cosine of averages", "× 1.05", "yes", _ratios(math.sqrt(0.5), 1.05, LARGER_MEANS))
    yield Case("mean cosine of averages", "× 1.00", "no", _ratios(math.sqrt(0.5), 1.0, LARGER_MEANS))
    yield Case("second term", "no means, variance 0.2", "yes", _term(0.0, 0.2))
    yield Case("second term", "means of 0.15 σ", "no", _term(0.15, 0.2))
    yield Case("falls as 1/√n", "small noise", "yes", _fall(0.1))
    yield Case("falls as 1/√n", "noise like the signal", "no", _fall(2.0))
    yield Case("one reference, tree", "noisy copies", "yes", _tree(0.4, REFERENCE_MATTERS))
    yield Case("one reference adds", "noisy copies", "no", _tree(0.4, REFERENCE_ADDS), 6)
    yield Case("averaging raises scores", "no gain", "-", _gain(0.0), part=10)
    yield Case("averaging raises scores", "gain of two SDs", "yes", _gain(0.02), part=10)
