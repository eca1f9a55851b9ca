"""Lists of neighbours: alike over their length or not, predicted or not, related to losses or not."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import World, should
from benchmarks.placebos.drawn.case import RUNS, Draw, Rng, drawn
from gpustab.engine import NeighbourPass, agreement, top_n_probabilities
from gpustab.kernels.overlap import neighbour_overlap
from gpustab.kernels.prediction import predicted_overlap
from gpustab.machine.device import Compute
from gpustab.studies.instability.claims import PROXY, PROXY_OF, Predicted, Sampled
from gpustab.studies.instability.subsets import Consistency, WithDistance, consistency_over_n, with_distance


def _pass(n: int, lists: torch.Tensor, values: torch.Tensor) -> NeighbourPass:
    """The lists of all words, which all runs have."""
    everyone = torch.ones(lists.shape[:2], dtype=torch.bool)
    return NeighbourPass(torch.arange(lists.shape[1]), n, lists, values, everyone[:, :, None], everyone)


def _consistent(kind: str, words: int = 400, candidates: int = 120) -> Draw:
    """Targets whose neighbours' cosines are normal: one noise level a target, and profiles alike or each its own."""

    def draw(runs: int, rng: Rng) -> Consistency | None:
        fixed = np.random.default_rng(7)  # the same targets in all sets
        profile = np.sort(fixed.exponential(0.1, (words, candidates)))[:, ::-1]
        if kind == "alike":
            profile = np.tile(np.linspace(0.5, 0, candidates), (words, 1))
        sd = 0.03 * np.exp((1.0 if kind == "alike" else 0.5) * fixed.normal(size=(words, 1)))
        values = torch.from_numpy(profile + sd * rng.normal(size=(runs, words, candidates)))
        lists = values.topk(50, dim=2).indices
        rows = consistency_over_n("x", _pass(50, lists, values), Compute(), 0)
        return rows[0] if rows else None

    return draw


def _predicted(unequal: float, model: str, targets: int = 150, candidates: int = 60) -> Draw:
    """Cosines of independent normals, predicted by their own SDs (``plain``) or by one for all (``structure``)."""

    def measured(mean: torch.Tensor, sd: torch.Tensor, runs: int, rng: Rng) -> tuple[float, torch.Tensor, torch.Tensor]:
        values = mean + sd * torch.from_numpy(rng.normal(size=(runs, *mean.shape)))
        p = neighbour_overlap(values.topk(1, dim=2).indices, [1]).p_word
        found, spread = values.mean(0), values.std(0)
        if model == "structure":
            spread = torch.full_like(spread, float(spread.mean()))
        probabilities = top_n_probabilities(found, spread, [1])
        return float(agreement(predicted_overlap(probabilities, [1]), p).pearson[0]), found, spread

    def draw(runs: int, rng: Rng) -> Predicted:
        mean = torch.from_numpy(np.sort(rng.exponential(0.1, (targets, candidates)))[:, ::-1].copy())
        sd = torch.from_numpy(0.03 * np.exp(unequal * rng.normal(size=(targets, 1)))).expand_as(mean)
        pearson, found, spread = measured(mean, sd, runs, rng)
        exact, _, _ = measured(found, spread, runs, rng)
        return Predicted(pearson, exact, targets)

    return draw


def _proxy(true: float, words: int = 1000) -> Draw:
    def draw(_runs: int, rng: Rng) -> Sampled:
        normal = 2 * math.sin(math.pi * true / 6)  # Pearson's of normals whose Spearman's is `true`
        x, y = rng.normal(size=(2, words))
        ranks = [np.argsort(np.argsort(z)) for z in (x, normal * x + math.sqrt(1 - normal**2) * y)]
        return Sampled(float(np.corrcoef(*ranks)[0, 1]), words, int(PROXY_OF * PROXY))

    return draw


def _unrelated(related: bool, words: int = 300, candidates: int = 60) -> Draw:
    """Lists of normal cosines beside losses whose level is the noise of the lists (``related``), or is not."""

    def draw(runs: int, rng: Rng) -> WithDistance | None:
        profile = np.sort(rng.exponential(0.1, (words, candidates)))[:, ::-1]
        sd = 0.03 * np.exp((0.7 if related else 0.0) * rng.normal(size=(words, 1)))
        values = torch.from_numpy(profile + sd * rng.normal(size=(runs, words, candidates)))
        lists = values.topk(10, dim=2).indices
        level = sd if related else np.exp(0.5 * rng.normal(size=(words, 1)))
        noise = np.triu(rng.normal(size=(words, runs, runs)), 1)
        pairs = level[:, :, None] * (1 + 0.1 * (noise + noise.swapaxes(1, 2)))
        own = torch.from_numpy(pairs * (1 - np.eye(runs)))
        rows = with_distance("x", _pass(10, lists, values), own, Compute(), 0)
        return rows[-1] if rows else None

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of lists of neighbours and of samples of words."""
    yes, no, name = should("yes", "no"), should("no", "yes"), "instability.inconsistent-over-n"
    yield drawn(name, "true ρ 0.99 (one profile)", no, _consistent("alike"), RUNS[1:], 0.5)
    yield drawn(name, "true ρ 0.5 (own profiles)", yes, _consistent("own"), RUNS[1:], 0.5)
    name = "instability.predicted-by-normals"
    yield drawn(name, "independent normals", yes, _predicted(0.7, "plain"), part=0.5)
    name = "instability.structure-factor"
    yield drawn(name, "one SD for all", yes, _predicted(0.0, "structure"), part=0.5)
    yield drawn(name, "SDs differ by e^{0.7 z}", no, _predicted(0.7, "structure"), part=0.5)
    name = "instability.consistent-over-proxies"
    yield drawn(name, "ρ 0.97", yes, _proxy(0.97), RUNS[:1], 5)
    yield drawn(name, "ρ 0.90", no, _proxy(0.90), RUNS[:1], 5)
    name = "instability.unrelated-to-distance"
    yield drawn(name, "losses of their own", yes, _unrelated(False), RUNS[1:], 0.25)
    yield drawn(name, "both from one noise level", no, _unrelated(True), RUNS[1:], 0.25)
