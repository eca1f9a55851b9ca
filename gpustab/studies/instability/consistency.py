"""Is p@n consistent over n? The correlation over words between different n, freed of the noise of few runs.

Rettenmeier 2020, §2.2.2, table 2.3, takes Spearman's ρ of p@2 and p@50 as measured. Noise alone brings that to 0.30,
0.46 and 0.64 at 6, 8 and 16 runs where the true ρ is 1. One half of the runs knows nothing of the other's noise: p@2 of
one half with p@50 of the other, divided by how well each agrees with itself over halves, is free of it (Spearman 1904).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import Compute, with_smaller_tiles
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.ranks import spearman

PAIR = (2, 50)
"""The values of n that are farthest apart in table 2.3."""
SPLITS = 10
"""Splits into halves that are averaged; of many runs one is like the other."""
_MANY_RUNS = 32
BATCHES = 20
"""Batches of words, for the error of the correlation."""


class Consistency(NamedTuple):
    """Spearman's ρ over words between p@n at two n.

    Attributes:
        measured: of all runs, noise and all.
        reliability, other_reliability: of p@n and p@other_n between two halves of the runs.
        correlation: between the two n, freed of noise; NaN where a reliability is not above 0.
        se: its error, by the jackknife over batches of words: noise is independent from word to word.
    """

    technique: str
    n: int
    other_n: int
    words: int
    runs_each: int
    splits: int
    measured: float
    reliability: float
    other_reliability: float
    correlation: float
    se: float


def consistency_over_n(
    name: str, found: engine.NeighbourPass, compute: Compute, seed: int, pair: tuple[int, int] = PAIR
) -> list[Consistency]:
    """Return the correlation of p@n between two n, freed of noise; nothing below 4 runs or for shorter lists.

    Args:
        name: of the technique.
        found: neighbours of the targets; those that a run lacks are left out.
        compute: how to compute.
        seed: of the splits and of the batches of words.
        pair: the two n.
    """
    runs, everywhere = len(found.indices), found.present.all(0)
    if runs < 4 or max(pair) > found.k:
        return []
    found = found._replace(indices=found.indices[:, everywhere])
    splits = halves_of(runs, seed)
    whole = [tuple(range(runs))]
    p = mean_overlap(found, pair, [*whole, *(half for split in splits for half in split)], compute).round(decimals=10)
    measured = float(spearman(p[0, :1], p[1, :1])[0])
    values = p[:, 1:].unflatten(1, (len(splits), 2))  # (2 lengths, splits, 2 halves, words)
    correlation, *reliabilities = corrected(values)
    se = corrected_error(values, seed)
    numbers = (values.shape[3], runs // 2, len(splits), measured, *reliabilities, correlation, se)
    return [Consistency(name, *pair, *numbers)]


def corrected(values: Tensor) -> tuple[float, float, float]:
    """Return the correlation between two quantities that is free of noise, and the reliabilities of both.

    ``ρ(x_a, y_b) / √(ρ(x_a, x_b) ρ(y_a, y_b))``, each mean over splits into halves a, b.

    Args:
        values: ``(2, S, 2, w)``: two quantities in both halves of S splits, of w words.
    """
    (xa, xb), (ya, yb) = (quantity.unbind(1) for quantity in values)
    cross = (spearman(xa, yb) + spearman(xb, ya)).mean().item() / 2
    x, y = spearman(xa, xb).mean().item(), spearman(ya, yb).mean().item()
    return (cross / math.sqrt(x * y) if min(x, y) > 0 else math.nan), x, y


def corrected_error(values: Tensor, seed: int) -> float:
    """Return the error of the first number of :func:`corrected`, by leaving out one batch of words after the other."""
    words = values.shape[3]
    if words < 2 * BATCHES:
        return math.nan
    order = torch.randperm(words, generator=torch.Generator().manual_seed(seed))
    batch = torch.empty(words, dtype=torch.long)
    batch[order] = torch.arange(words) % BATCHES
    return jackknife_error([corrected(values[..., batch != b])[0] for b in range(BATCHES)])


def halves_of(runs: int, seed: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return different splits of the runs into halves, all there are or some drawn ones; an odd run is left out."""
    half, wanted = runs // 2, SPLITS if runs <= _MANY_RUNS else 2
    generator = torch.Generator().manual_seed(seed)
    if math.comb(runs, half) <= 1000:
        every = [
            (first, second)
            for first in itertools.combinations(range(runs), half)
            for second in itertools.combinations([r for r in range(runs) if r not in first], half)
            if first < second
        ]
        return [every[k] for k in torch.randperm(len(every), generator=generator)[:wanted].tolist()]
    orders = [torch.randperm(runs, generator=generator).tolist() for _ in range(wanted)]
    return [(tuple(order[:half]), tuple(order[half : 2 * half])) for order in orders]


def pair_weights(subsets: list[tuple[int, ...]], runs: int) -> Tensor:
    """Return what every pair of runs weighs in the means over the pairs of some subsets, ``(subsets, R²)``."""
    weights = torch.zeros(len(subsets), runs, runs, dtype=torch.float64)
    for s, subset in enumerate(subsets):
        for i, j in itertools.combinations(sorted(subset), 2):
            weights[s, i, j] = 1 / math.comb(len(subset), 2)
    return weights.flatten(1)


def mean_overlap(
    found: engine.NeighbourPass, lengths: tuple[int, ...], subsets: list[tuple[int, ...]], compute: Compute
) -> Tensor:
    """Return p@n of every target, mean over the pairs of some subsets of the runs: ``(N, subsets, t)``, in one pass."""
    runs, targets, k = found.indices.shape
    weights = pair_weights(subsets, runs).to(found.indices.device)
    n = torch.tensor(lengths, dtype=torch.float64, device=found.indices.device)[:, None, None]

    def work(tile: int) -> Tensor:
        parts = [
            product(weights, shared_neighbours(part, lengths).double().flatten(2).mT)  # (N, subsets, t)
            for part in found.indices.split(tile, dim=1)
        ]
        return (torch.cat(parts, 2) / n).cpu()

    bytes_per_target = 8 * runs * (4 * len(lengths) * runs + 4 * k) + 4 * runs * runs * k
    return with_smaller_tiles(work, compute.tile(bytes_per_target, max(targets, 1)))
