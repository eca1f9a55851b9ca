"""Averages of runs: their cosines, their losses, trees beside one reference, and scores."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import NEITHER, World, should
from benchmarks.placebos.drawn.case import RUNS, Draw, Rng, drawn
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability import InstabilityOptions
from gpustab.studies.instability.averages import LEVELS, LevelLoss, averaging_tables, cosine_ratios
from gpustab.studies.instability.claims_of_averages import highest, of_averaging
from gpustab.studies.instability.scores import Gain
from gpustab.studies.instability.technique import Technique
from gpustab.studies.instability.trees import TREES, Term, alignment_tables, term_of
from tests.generators import noisy_copies, runs_of


def _ratios(sd: float, slope: float, number: str, pairs: int = 600) -> Draw:
    """SD or slope of the cosines of averages of two by those of runs, whose noise differs as e^{0.1 z}."""

    def draw(runs: int, rng: Rng) -> Estimate | None:
        mean = 0.15 * rng.normal(size=(pairs, 1))
        values = mean + 0.02 * np.exp(0.1 * rng.normal(size=runs)) * rng.normal(size=(pairs, runs))
        k = runs // 2
        averages = (values[:, : 2 * k : 2] + values[:, 1 : 2 * k : 2]) / 2
        centre = averages.mean(1, keepdims=True)
        extra = 0.02 * math.sqrt(max(sd**2 - 0.5, 0)) * rng.normal(size=averages.shape)
        averages = slope * (centre + averages - centre + extra)
        if k < 2:
            return None
        single, double = torch.from_numpy(values), torch.from_numpy(averages)
        groups = [[2 * a, 2 * a + 1] for a in range(k)]
        row = cosine_ratios("x", False, 2, [(groups, (double, double))], (single, single))
        return Estimate.of_runs(getattr(row, number), getattr(row, f"{number}_se"), row.averages)

    return draw


def _term(by_pair: float, variance: float, pairs: int = 600) -> Draw:
    """A second term of eq. 3.4 whose word pairs have means of a part of σ, and a variance of a part of σ²/2."""

    def draw(runs: int, rng: Rng) -> Term:
        cosine = rng.normal(size=(pairs, runs))
        means = by_pair * rng.normal(size=(pairs, 1))
        term = means + math.sqrt(variance / 2) * rng.normal(size=(pairs, runs // 2))
        return term_of("x", torch.from_numpy(term), torch.from_numpy(cosine))

    return draw


def _technique(noise: float, shape: tuple[int, int, int], rng: Rng) -> Technique:
    runs, words, dimension = shape
    seed = int(rng.integers(1e6))
    stack = noisy_copies(runs, words, dimension, noise=noise, seed=seed)
    return Technique("x", {"shuffled": runs_of(stack)}, InstabilityOptions(pairs=60, seed=seed))


def _fall(noise: float) -> Draw:
    def draw(runs: int, rng: Rng) -> LevelLoss | None:
        tables = averaging_tables(_technique(noise, (runs, 150, 10), rng))
        levels = [row for row in LEVELS.rows(tables, renormalised=False) if row.runs_beneath > 1]
        return highest(levels, lambda row: row.technique)["x"] if levels else None

    return draw


def _trees(runs: int, rng: Rng) -> None:
    """Ask what trees and averages onto one reference tell of noisy copies."""
    list(of_averaging({TREES.name: alignment_tables(_technique(0.4, (runs, 120, 8), rng))[TREES.name]}))


def _gain(gain: float) -> Draw:
    """Scores of averages of ever more runs, each level higher by a gain."""

    def draw(runs: int, rng: Rng) -> Gain:
        rows, n = [], 2
        while (k := runs // n) > 1:
            differences = gain + 0.006 * rng.normal(size=k)
            rows.append(Gain("x", "t", n, k, float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(k)))
            n *= 2
        return highest(rows, lambda row: row.test)["t"]

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of averages."""
    yes, no, name = should("yes", "no"), should("no", "yes"), "instability.averages-vary-less"
    yield drawn(name, "SD of 1/√2", yes, _ratios(math.sqrt(0.5), 1.05, "sd"), RUNS[1:])
    yield drawn(name, "SD of 0.9", no, _ratios(0.9, 1.0, "sd"), RUNS[1:])
    name = "instability.averages-have-larger-means"
    yield drawn(name, "mean cosine × 1.05", yes, _ratios(math.sqrt(0.5), 1.05, "slope"), RUNS[1:])
    yield drawn(name, "mean cosine × 1.00", no, _ratios(math.sqrt(0.5), 1.0, "slope"), RUNS[1:])
    name = "instability.second-term"
    yield drawn(name, "no means, variance 0.2", yes, _term(0.0, 0.2))
    yield drawn(name, "means of 0.15 σ", no, _term(0.15, 0.2))
    name = "instability.losses-fall-as-root-n"
    yield drawn(name, "small noise", yes, _fall(0.1), RUNS[1:])
    yield drawn(name, "noise like the signal", no, _fall(2.0), RUNS[1:])
    truths = {"instability.reference-matters": yes, "instability.reference-adds-variation": no}
    yield World("noisy copies", _trees, truths, RUNS)
    name = "instability.averaging-raises-score"
    yield drawn(name, "no gain", NEITHER, _gain(0.0), RUNS[1:], 5)
    yield drawn(name, "gain of two SDs", yes, _gain(0.02), RUNS[1:], 5)
