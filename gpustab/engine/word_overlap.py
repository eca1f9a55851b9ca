"""Word by word: mean, SD and error over the pairs of runs of the part of the neighbours that two runs share."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.neighbours import NeighbourPass
from gpustab.kernels.jackknife import jackknife
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import DEFAULT, Compute, telling_memory, with_smaller_tiles


class WordOverlap(NamedTuple):
    """p@n of every target over the pairs of runs that have it; each ``(t,)``.

    Attributes:
        mean: over these pairs; NaN without one.
        sd: over these pairs, ``ddof = 1``; NaN for fewer than two.
        se: of the mean, by the jackknife over runs; NaN for fewer than three.
    """

    mean: Tensor
    sd: Tensor
    se: Tensor


@telling_memory
def word_overlap_pass(found: NeighbourPass, n: int, compute: Compute = DEFAULT) -> WordOverlap:
    """Return p@n of every target with its spread, in tiles of targets.

    Args:
        found: the lists.
        n: list length, at most ``found.k``.
        compute: how to compute.
    """
    runs, targets, k = found.indices.shape

    def work(tile: int) -> WordOverlap:
        parts = [
            _of_tile(found.indices[:, start : start + tile, :n], found.present[:, start : start + tile])
            for start in range(0, targets, tile)
        ]
        return WordOverlap(*(torch.cat(field) for field in zip(*parts, strict=True)))

    return with_smaller_tiles(work, compute.tile(8 * runs * (6 * runs + 4 * k) + 4 * runs * runs * k, max(targets, 1)))


def _of_tile(lists: Tensor, have: Tensor) -> WordOverlap:
    runs, _, n = lists.shape
    both = (have.T[:, :, None] & have.T[:, None, :]) & ~torch.eye(runs, dtype=torch.bool, device=have.device)
    shared = torch.where(both, shared_neighbours(lists, [n])[0], 0).double()  # (t, R, R)
    p = shared / n
    pairs = both.sum((1, 2)) / 2
    # Whole numbers divided once: equal shares are equal to the bit, whatever the tile, and tie where words are ranked.
    mean = shared.sum((1, 2)) / 2 / (n * pairs)
    moment = torch.where(both, p - mean[:, None, None], 0).square().sum((1, 2)) / 2
    sd = (moment / (pairs - 1)).sqrt().where(pairs > 1, torch.nan)
    return WordOverlap(mean.where(pairs > 0, torch.nan), sd, jackknife(p.sum(2).T, have))
