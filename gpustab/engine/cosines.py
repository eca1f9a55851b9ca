"""Cosines over the runs: of given word pairs, and of query words with all words."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from gpustab.kernels import cosine
from gpustab.machine.device import DEFAULT, Compute, telling_memory
from gpustab.runs.runs import Runs


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
    """Return the cosines of word pairs in every run, ``(n, R)``; NaN where a run lacks a word.

    Args:
        runs: the runs.
        first: ``(n,)`` row numbers.
        second: ``(n,)`` row numbers, paired with the first.
        compute: how to compute.
    """
    wanted, places = torch.cat([first, second]).to(runs.device).unique(return_inverse=True)
    left, right = places.split([len(first), len(second)])
    values = torch.empty(len(first), len(runs), dtype=torch.float64, device=runs.device)
    pairs = torch.arange(len(first), device=runs.device).split(compute.tile(48 * runs.dimension, max(len(first), 1)))
    for r in range(len(runs)):
        rows = runs.select(r, wanted)
        for part in pairs:
            values[part, r] = cosine.cosines(rows[left[part]], rows[right[part]])
    return values


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
