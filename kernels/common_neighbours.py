"""Neighbours that all of m runs have in common: reliability as Hellrich & Hahn count it.

*Bad company: neighborhoods in neural embedding spaces considered harmful* (COLING 2016): of every word, the part of its
n nearest neighbours that is the same in all models, here ``r@n``; they compare three. Hellrich, Kampe & Hahn (*The
influence of down-sampling strategies on SVD word embedding stability*, 2019) divide by the union of the lists instead,
``|∩| / |∪|``, and leave each of ten models out in turn, so that nine are compared. Both are read from the programs that
they published.

Both fall with the number of runs by construction: a neighbour that every second run lists is common to two runs in one
of four cases, and to ten hardly ever. So numbers compare only at one number of runs. Of R runs, ``r@n`` at m runs is
its mean over all choices of m of them: a neighbour that h runs list is in all m with probability ``C(h, m) / C(R, m)``.
At two runs it is p@n.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.overlap import order_of_rows
from gpustab.kernels.shapes import want

__all__ = ["CommonNeighbours", "common_neighbours"]


class CommonNeighbours(NamedTuple):
    """What all of m runs have in common of the first n neighbours, at M values of m; and without each of the R runs.

    Attributes:
        share: ``(M, t)`` float64, r@n, mean over all choices of m runs; NaN for a target that fewer than m runs have.
        share_without: ``(R, M, t)``, the same of the other runs.
        jaccard: ``(t,)``, j@n of all runs that have the target; NaN for fewer than two.
        jaccard_without: ``(R, t)``; their mean is what Hellrich, Kampe & Hahn print of R runs.
    """

    share: Tensor
    share_without: Tensor
    jaccard: Tensor
    jaccard_without: Tensor


def common_neighbours(
    neighbours: Tensor, n: int, runs: Sequence[int], present: Tensor | None = None
) -> CommonNeighbours:
    """Return which part of their first n neighbours all of m runs have in common, exactly, for several m.

    Args:
        neighbours: ``(R, t, k)`` word ids, nearest first.
        n: length of the lists, in ``1 .. k``.
        runs: values of m, each in ``2 .. R``.
        present: ``(R, t)`` bool, which run has which target; default: all.

    Example:
        >>> lists = torch.tensor([[[1, 2]], [[1, 3]], [[1, 2]]])  # three runs, one target
        >>> found = common_neighbours(lists, 2, [2, 3])
        >>> [round(x, 4) for x in found.share.flatten().tolist()], round(found.jaccard.item(), 4)
        ([0.6667, 0.5], 0.3333)
    """
    want("neighbours", neighbours, "(R, t, k)")
    count, targets, k = neighbours.shape
    if not 1 <= n <= k:
        raise ValueError(f"n is {n}; wanted 1 .. {k}")
    if not runs or min(runs) < 2 or max(runs) > count:
        raise ValueError(f"numbers of runs {list(runs)} must lie in 2 .. {count}")
    have = torch.ones(count, targets, dtype=torch.bool, device=neighbours.device) if present is None else present
    hits = _hits(neighbours[:, :, :n].permute(1, 0, 2), have)
    of = have.sum(0)  # (t,) runs that have the target
    left = of - have.long()  # (R, t)
    shares, without = [], []
    for m in runs:
        every = (_choose(hits, m, count) / hits.clamp(min=1)).sum((1, 2))  # a word of h lists is met h times
        own = (_choose(hits - 1, m - 1, count) * (hits > 0)).sum(2).T  # choices that the run is in; without it they go
        shares.append(every / (n * _choose(of, m, count)))
        without.append((every - own) / (n * _choose(left, m, count)))
    return CommonNeighbours(torch.stack(shares), torch.stack(without, 1), *_jaccard(hits, of, have))


def _hits(lists: Tensor, have: Tensor) -> Tensor:
    """In how many lists of its target the word at each place stands, ``(t, R, n)``; 0 in a run without the target.

    Args:
        lists: ``(t, R, n)`` word ids.
        have: ``(R, t)`` bool.
    """
    words = lists.masked_fill(~have.T[:, :, None], -1).flatten(1)
    order = order_of_rows(words)
    ordered = words.gather(1, order)
    first = torch.nn.functional.pad((ordered[:, 1:] != ordered[:, :-1]).long(), (1, 0))
    number = first.cumsum(1)
    counts = torch.zeros_like(words).scatter_add_(1, number, torch.ones_like(words)).gather(1, number)
    hits = torch.empty_like(words).scatter_(1, order, counts)
    return hits.masked_fill_(words < 0, 0).view(lists.shape)


def _choose(h: Tensor, m: int, most: int) -> Tensor:
    """Return ``C(h, m)`` of whole numbers up to the most there can be, float64; 0 of h below m, or below 0."""
    table = torch.tensor([float(comb(k, m)) for k in range(most + 1)], dtype=torch.float64, device=h.device)
    return table[h.clamp(min=0)]


def _jaccard(hits: Tensor, of: Tensor, have: Tensor) -> tuple[Tensor, Tensor]:
    """What all lists have in common by what stands in any, ``(t,)``, and the same without each run, ``(R, t)``."""
    part = 1 / hits.clamp(min=1).double()  # a word of h lists is met h times

    def words(chosen: Tensor) -> Tensor:
        return (part * chosen).sum((1, 2))

    everywhere, nearly = hits == of[:, None, None], hits == of[:, None, None] - 1
    once, listed = hits == 1, hits > 0
    shared, union = words(everywhere & listed), words(listed)
    # Without a run, a word that all others list is common to all that are left, and one that it alone lists is gone.
    still = shared + words(nearly & listed) - (nearly & listed).sum(2).T
    whole, without = shared / union, still / (union - once.sum(2).T)
    without = torch.where(have, without, whole)
    return whole.where(of > 1, torch.nan), without.where(of - have.long() > 1, torch.nan)
