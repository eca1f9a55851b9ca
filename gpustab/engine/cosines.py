"""Cosines over the runs: of given word pairs, and of query words with all words."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from gpustab.kernels import cosine
from gpustab.runs import Runs


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


def query_cosines(runs: Runs, queries: Tensor) -> cosine.CosineStatistics:
    """Return mean and SD over the runs of the cosines of query words with all words, one run at a time.

    Args:
        runs: the runs.
        queries: ``(q,)`` row numbers.

    Returns:
        Every field ``(q, v)``; runs that lack a word are left out of its statistics.
    """
    return cosine.over_runs(cosine.query_cosines(runs.run(r), queries) for r in range(len(runs)))
