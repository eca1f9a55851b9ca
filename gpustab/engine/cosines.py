"""Cosines over the runs: of given word pairs, of query words with all words, and of targets for a prediction.

For a prediction the words stream past in tiles, all runs of a tile at a time; beyond a tile ``(t, c)`` of cosines only
the targets' own rows ``(R, t, d)`` and the highest means are held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels import cosine, prediction
from gpustab.kernels.arithmetic import product
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.out_of_memory import telling_memory
from gpustab.runs.runs import Runs

_TILE_ON_CPU = 1 << 20
"""Bytes of gathered rows that stay near the processor."""


@telling_memory
def pair_cosines(runs: Runs, first: Tensor, second: Tensor) -> cosine.CosineStatistics:
    """Return mean and SD over the runs of the cosines of word pairs; only the rows of these words are read.

    Args:
        runs: the runs.
        first: ``(n,)`` row numbers.
        second: ``(n,)`` row numbers, paired with the first.

    Returns:
        Every field ``(n,)``; runs that lack a word of a pair are left out of its statistics.
    """
    wanted, places = torch.cat([first, second]).unique(return_inverse=True)
    left, right = places.split([len(first), len(second)])

    def values() -> Iterator[Tensor]:
        for r in range(len(runs)):
            rows = runs.select(r, wanted)
            yield cosine.cosines(rows[left], rows[right])

    return cosine.over_runs(values())


@telling_memory
def pair_values(runs: Runs, first: Tensor, second: Tensor, compute: Compute = DEFAULT) -> Tensor:
    """Return the cosines of word pairs in every run, NaN where a run lacks a word.

    Args:
        runs: the runs.
        first: ``(n,)`` row numbers.
        second: ``(n,)`` row numbers, paired with the first, or ``(n, m)``: m to each of the first.
        compute: how to compute.

    Returns:
        ``(n, R)`` float64 in [−1, 1], or ``(n, m, R)``.
    """
    wanted, places = torch.cat([first, second.flatten()]).to(runs.device).unique(return_inverse=True)
    left, right = places.split([len(first), second.numel()])
    values = torch.empty(*second.shape, len(runs), dtype=torch.float64, device=runs.device)
    for r in range(len(runs)):
        unit = cosine.unit_rows(runs.select(r, wanted))
        values[..., r] = row_products(unit, left, right.view(second.shape), compute)
    values.clamp_(-1, 1)
    return values


def row_products(x: Tensor, first: Tensor, second: Tensor, compute: Compute = DEFAULT) -> Tensor:
    """Return inner products of rows of x ``(v, d)``, in its dtype: of rows ``(n,)`` with ``(n,)`` or ``(n, m)``."""
    of_one = x.shape[1] * (second.shape[1] if second.ndim == 2 else 1)
    tile = compute.tile(48 * of_one, max(len(first), 1))
    if x.device.type == "cpu":
        tile = min(tile, max(1, _TILE_ON_CPU // (8 * of_one)))
    parts = zip(first.split(tile), second.split(tile), strict=True)
    return torch.cat([_dots(_taken(x, a), _taken(x, b)) for a, b in parts])


def _taken(rows: Tensor, places: Tensor) -> Tensor:
    """``rows[places]`` of places ``(n,)`` or ``(n, m)``; indexing takes twice as long."""
    return rows.index_select(0, places.flatten()).view(*places.shape, -1)


def _dots(x: Tensor, y: Tensor) -> Tensor:
    """Inner products of rows ``(n, d)`` with one each, or with m each ``(n, m, d)``, the same bits in whatever tile."""
    if y.ndim == 3:
        x = x[:, None]
    if x.device.type == "cpu":
        return torch.from_numpy(np.vecdot(x.numpy(), y.numpy()))
    return y.mul_(x).sum(-1)


@telling_memory
def query_cosines(runs: Runs, queries: Tensor) -> cosine.CosineStatistics:
    """Return mean and SD over the runs of the cosines of query words with all words, one run at a time.

    Args:
        runs: the runs.
        queries: ``(q,)`` row numbers.

    Returns:
        Every field ``(q, v)``; runs that lack a word are left out of its statistics.
    """
    return cosine.over_runs(cosine.query_cosines(runs.run(r), queries) for r in range(len(runs)))


CORRELATED = 30
"""The mean correlation ρ̄ is that of so many neighbours of highest mean cosine."""


Tiles = Callable[[], Iterable[tuple[int, Tensor, Tensor]]]
"""Gives first word, mean and SD ``(t, c)`` of the cosines of t targets with all words, tile by tile, at every call."""


class TargetCosines(NamedTuple):
    """What one pass over all words tells about t targets.

    Attributes:
        mean, sd: ``(t, M)`` of the words of highest mean, for the bounds on the candidates.
        correlation: ``(t,)``.
        total: ``(t,)`` sum of the SDs over all words.
    """

    mean: Tensor
    sd: Tensor
    correlation: Tensor
    total: Tensor


def target_cosines(runs: Runs, targets: Tensor, n: int, compute: Compute, tiles: Tiles) -> TargetCosines:
    """Pass over all words once, for lists of up to n neighbours of the targets ``(t,)``, whose tiles these are."""
    kept = min(max(2 * n + 10, CORRELATED), runs.words - 1)
    mean, sd, words = (
        torch.empty(len(targets), 0, dtype=t, device=runs.device) for t in (torch.float64, torch.float64, torch.long)
    )
    total = torch.zeros(len(targets), dtype=torch.float64, device=runs.device)
    for start, new_mean, new_sd in tiles():
        total += new_sd.sum(1)
        new_words = torch.arange(start, start + new_mean.shape[1], device=runs.device).expand_as(new_mean)
        mean, sd, words = (torch.cat(pair, 1) for pair in ((mean, new_mean), (sd, new_sd), (words, new_words)))
        mean, places = mean.topk(min(kept, mean.shape[1]), dim=1)
        sd, words = sd.gather(1, places), words.gather(1, places)
    near = words[:, :CORRELATED]
    return TargetCosines(mean, sd, mean_correlation(pair_values(runs, targets, near, compute)), total)


def mean_correlation(values: Tensor) -> Tensor:
    """Return the mean correlation over runs of all pairs of k words, ``(t,)``, of ``(t, k, R)`` values.

    Words that do not vary are left out; 0 where fewer than two do.

    >>> round(mean_correlation(torch.tensor([[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 2.0, 1.0]]])).item(), 6)
    -0.333333
    """
    centred = values - values.mean(2, keepdim=True)
    length = torch.linalg.vector_norm(centred, dim=2, keepdim=True)
    varies = length > prediction.SHARP
    unit = torch.where(varies, centred / length, 0)
    k = varies.sum((1, 2))
    mean: Tensor = (unit.sum(1).square().sum(1) - k) / (k * (k - 1))
    return mean.where(k > 1, 0)


def cosine_tiles(runs: Runs, targets: Tensor, compute: Compute, *, keep: bool) -> Tiles:
    """Return what gives the tiles of some targets, whose own mean is −∞; if ``keep``, one of all words is made once."""
    tile = compute.tile(64 * len(targets) + 24 * runs.dimension, runs.words)
    if tile < runs.words or not keep:
        return lambda: _tiles(runs, targets, tile)
    whole = list(_tiles(runs, targets, tile))
    return lambda: whole


def _tiles(runs: Runs, targets: Tensor, tile: int) -> Iterator[tuple[int, Tensor, Tensor]]:
    own = torch.stack([runs.select(r, targets) for r in range(len(runs))])  # (R, t, d)
    for start in range(0, runs.words, tile):
        stop = min(start + tile, runs.words)
        found = cosine.over_runs(
            product(own[r], runs.run(r, start=start, stop=stop).mT).clamp_(-1, 1) for r in range(len(runs))
        )
        itself = targets[:, None] == torch.arange(start, stop, device=runs.device)
        yield start, found.mean.masked_fill(itself, -torch.inf), found.sd.masked_fill(itself, 0)
