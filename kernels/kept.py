"""How few of its nearest neighbours a word keeps between two groups of runs (Gonen et al. 2020, §3).

Their score of a word is minus the number of neighbours that it has in common in two spaces. It needs no frame in
common, so nothing is aligned. Two runs of one group, in which nothing moved, do not share all neighbours either: what
they share beyond chance is the scale on which the loss between the groups is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.displacement import Jackknifed
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.overlap import shared_neighbours
from gpustab.kernels.two_groups import each, two_groups

__all__ = ["Kept", "kept_neighbours", "lost"]

_NUMBERS = 1 << 22
"""Neighbours of all runs that are held at a time."""


class Kept(NamedTuple):
    """Parts of the lists of k neighbours that two runs have in common, of every word.

    Attributes:
        k: length of a list.
        chance: what unrelated lists share, ``k / (v − 1)``.
        shared: between a run of each group, mean over all ``R₁ R₂`` pairs.
        within: between two runs of one group, mean of both groups; NaN where a group has one run.
    """

    k: int
    chance: float
    shared: Jackknifed
    within: Jackknifed

    def lost(self, least: float = 0.0) -> Jackknifed:
        """Return what the groups lost of every word's neighbours, see :func:`lost`."""
        return each(lambda between, within: lost(between, within, self.chance, least), self.shared, self.within)

    @property
    def mean(self) -> Kept:
        """The same of the mean shares of all words, as of one word."""
        mean = [each(lambda x: x.mean(-1, keepdim=True), part) for part in (self.shared, self.within)]
        return Kept(self.k, self.chance, *mean)


def lost(shared: Tensor, within: Tensor, chance: float, least: float = 0.0) -> Tensor:
    """Return ``(within − shared) / (within − chance)``: 0 if two groups share as much as two runs of one, 1 by chance.

    It is NaN where two runs of one group share no more than ``least`` beyond chance: nothing is left to be lost.

    >>> lost(torch.tensor([0.75, 0.5, 0.25]), torch.tensor([0.75, 0.75, 0.75]), 0.25).tolist()
    [0.0, 0.5, 1.0]
    """
    scale = within - chance
    return torch.where(scale > least, (within - shared) / scale, torch.nan)


def kept_neighbours(first: Sequence[Tensor] | Tensor, second: Sequence[Tensor] | Tensor, k: int) -> Kept:
    """Return how many of their k nearest neighbours words keep between two groups of runs.

    Args:
        first: ``(R₁, v, d)``, or as many tensors ``(v, d)``; row j is the same word in all runs of both groups.
        second: ``(R₂, v, d)``. The dimensions of the groups may differ.
        k: length of the lists, cut to ``v − 1``.

    Example:
        >>> x = torch.randn(3, 40, 4, generator=torch.Generator().manual_seed(0))
        >>> turned = x @ torch.linalg.qr(x[0, :4])[0]  # a turn changes no neighbour
        >>> kept_neighbours(x, turned[:1], 5).shared.without_second.shape
        torch.Size([1, 40])
    """
    runs = [*first, *second]
    k = min(k, len(runs[0]) - 1)
    tiles = torch.arange(len(runs[0]), device=runs[0].device).split(max(1, _NUMBERS // (k * len(runs))))
    shares = [_shares([top_k(run, part, k).indices for run in runs], len(first)) for part in tiles]
    between, within = (
        Jackknifed(*(torch.cat(part, -1).cpu() for part in zip(*each, strict=True)))
        for each in zip(*shares, strict=True)
    )
    return Kept(k, k / (len(runs[0]) - 1), between, within)


def _shares(lists: Sequence[Tensor], first: int) -> tuple[Jackknifed, Jackknifed]:
    """Shares between the groups and within them, from lists ``(t, k)`` of all runs."""
    k = lists[0].shape[1]
    found = two_groups(shared_neighbours(torch.stack(list(lists)), [k])[0].double() / k, first)
    return found.between, found.within
