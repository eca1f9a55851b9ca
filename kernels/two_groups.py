"""What pairs of runs say of two groups: within each of them, and between them, with the jackknife over runs.

Let a run's vectors stand for a point, and let pairs of runs have inner products: how many neighbours of a word both
list, or how alike they deviate from the mean cosine. The mean over pairs of runs of one group is the squared length of
the group's expected point, without bias from noise, since no run is paired with itself; that over pairs between two
groups is the inner product of both. So three means over pairs say how far what both groups *expect* agrees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.displacement import Jackknifed
from gpustab.kernels.jackknife import pair_means

__all__ = ["TwoGroups", "each", "residual_variance", "two_groups"]

_ROUNDS = 20
"""Steps in which pairs that are left out are fitted: where a third of them is, each leaves a third of the error."""


class TwoGroups(NamedTuple):
    """Mean inner products over pairs of runs, of every word.

    Attributes:
        between: of a run of each group, mean over all ``R₁ R₂`` pairs.
        first: of two runs of the first group; NaN where it has one run.
        second: of two runs of the second.
    """

    between: Jackknifed
    first: Jackknifed
    second: Jackknifed

    @property
    def within(self) -> Jackknifed:
        """Mean of both groups."""
        return each(lambda one, other: (one + other) / 2, self.first, self.second)

    @property
    def beyond(self) -> Jackknifed:
        """Half of the squared distance of what the groups expect: ``(first + second) / 2 − between``; may be < 0."""
        return each(lambda between, one, other: (one + other) / 2 - between, *self)

    @property
    def agreement(self) -> Jackknifed:
        """``between / √(first · second)``: 1 where both expect the same; NaN where runs of a group have nothing alike.

        Without the noise of single runs it is a cosine, and at most 1; estimated from few runs it may be more. It is
        Spearman's correction for attenuation (1904), which is exact here.
        """

        def cosine(between: Tensor, one: Tensor, other: Tensor) -> Tensor:
            known = (one > 0) & (other > 0)
            return torch.where(known, between / (one * other).clamp(min=0).sqrt(), torch.nan)

        return each(cosine, *self)

    @property
    def mean(self) -> TwoGroups:
        """The means over the words, as of one word."""
        return TwoGroups(*(each(lambda x: x.mean(-1, keepdim=True), part) for part in self))


def each(work: Callable[..., Tensor], *parts: Jackknifed) -> Jackknifed:
    """Return a function of numbers, without each run too."""
    return Jackknifed(*(work(*fields) for fields in zip(*parts, strict=True)))


def two_groups(pairs: Tensor, first: int, apart: Tensor | None = None) -> TwoGroups:
    """Return the means of inner products over the pairs within two groups of runs, and between them.

    Args:
        pairs: ``(t, R, R)`` symmetric, of t words; the diagonal is not read.
        first: how many of the runs are the first group, ``1 .. R − 1``.
        apart: ``(R₁, R₂)`` bool, the pairs between the groups that share no noise; default: all. Runs of two techniques
            that read the same draw of the documents are alike for that alone.

    Example:
        >>> pairs = torch.tensor([[[0.0, 6, 2, 4], [6, 0, 2, 4], [2, 2, 0, 9], [4, 4, 9, 0]]])
        >>> found = two_groups(pairs, 2)
        >>> found.between.value.item(), found.first.value.item(), found.second.value.item()
        (3.0, 6.0, 9.0)
        >>> found.between.without_second.flatten().tolist(), found.beyond.value.item()
        ([4.0, 2.0], 4.5)
    """
    one, two = first, pairs.shape[1] - first
    between = pairs[:, :one, one:]  # (t, R₁, R₂)
    use = torch.ones(one, two, dtype=torch.bool, device=pairs.device) if apart is None else apart.to(pairs.device)
    between, counts = between.where(use, 0), use.double()
    total, count = between.sum((1, 2)), counts.sum()
    without = [(total - between.sum(2 - axis).T) / (count - counts.sum(1 - axis))[:, None] for axis in (0, 1)]
    (a, a_without), (b, b_without) = (pair_means(x) for x in (pairs[:, :one, :one], pairs[:, one:, one:]))
    return TwoGroups(
        Jackknifed(total / count, *without),
        Jackknifed(a, a_without, a.expand(two, -1)),
        Jackknifed(b, b.expand(one, -1), b_without),
    )


def residual_variance(between: Tensor, apart: Tensor | None = None) -> Tensor:
    """Return the variance that no mean of a run explains of numbers between two groups, ``(t,)``; NaN of one run.

    Args:
        between: ``(t, R₁, R₂)``.
        apart: ``(R₁, R₂)`` bool, the pairs that count; default: all.

    >>> residual_variance(torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]])).tolist()
    [0.0, 1.0]
    """
    use = torch.ones_like(between[0], dtype=torch.bool) if apart is None else apart.to(between.device)
    filled = between.where(use, torch.nan)
    filled = filled.where(use, filled.nanmean((1, 2), keepdim=True))
    for _ in range(1 if bool(use.all()) else _ROUNDS):  # what is left out is put where the means of its runs meet
        rows, columns = filled.mean(2, keepdim=True), filled.mean(1, keepdim=True)
        fitted = rows + columns - filled.mean((1, 2), keepdim=True)
        filled = between.where(use, fitted)
    freedom = int(use.sum()) - between.shape[1] - between.shape[2] + 1
    return (filled - fitted).where(use, 0).square().sum((1, 2)) / (freedom if freedom > 0 else torch.nan)
