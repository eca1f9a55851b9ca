"""What `gpustab stability`, `compare` and `neighbours` say at their margins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from benchmarks.placebos.cells import World, never
from benchmarks.placebos.drawn.case import Draw, Rng, drawn
from gpustab.kernels.jackknife import pair_statistics
from gpustab.statistics.intervals import Estimate
from gpustab.studies.compare.claims import Groups
from gpustab.studies.neighbours import claims as of_neighbours
from gpustab.studies.shared.claims import Losses


def _pairs(mean: float, spread: float, runs: int, rng: Rng) -> Estimate:
    """A mean over pairs of runs that differ in their noise by so much, with its error."""
    own = rng.normal(size=runs) * spread / 2**0.5
    noise = np.triu(rng.normal(size=(runs, runs)) * spread / 4, 1)
    matrix = torch.from_numpy(mean * (1 + own[:, None] + own + noise + noise.T)).fill_diagonal_(0)
    pairs = pair_statistics(matrix)
    return Estimate.of_runs(pairs.mean, pairs.se, runs)


def _documents(ratio: float) -> Draw:
    """Shuffled and bootstrap runs whose losses have a ratio."""
    return lambda runs, rng: Losses(_pairs(0.02, 0.02, runs, rng), _pairs(0.02 * ratio, 0.05, runs, rng))


def _two_groups(difference: float) -> Draw:
    """Two groups whose p@10 differ, and whose losses do not."""

    def draw(runs: int, rng: Rng) -> Groups:
        shared = (_pairs(0.6 + more, 0.01, runs, rng) for more in (difference, 0.0))
        losses = (_pairs(0.2, 0.02, runs, rng) for _ in range(2))
        return Groups("a", "b", *shared, 10, *losses)

    return draw


def _neighbour(share: float) -> Draw:
    """A neighbour that comes in a share of the runs, with margins of that share."""
    middle = float(torch.special.ndtri(torch.tensor(share, dtype=torch.float64)))

    def draw(runs: int, rng: Rng) -> of_neighbours.Hits:
        margins = rng.normal(middle, 1, size=runs)
        margin = of_neighbours.margin(float(margins.mean()), float(margins.std(ddof=1)))
        return of_neighbours.Hits(int((margins > 0).sum()), runs, margin, 0.6)

    return draw


def worlds() -> Iterator[World]:
    """Yield the worlds of what is said of runs."""
    about = "bootstrap losses 1.1 times those of shuffled runs, the margin"
    yield drawn("shared.documents-matter", about, never("matter", "hardly"), _documents(1.1))
    about = "0.2 of ten neighbours more, the margin, and equal losses"
    yield drawn("compare.more-stable", about, never("alike", "second", "disagree"), _two_groups(0.02))
    about = "a neighbour in 50 % of all runs, the margin"
    yield drawn("neighbours.holds", about, never("firm", "passing"), _neighbour(0.5))
