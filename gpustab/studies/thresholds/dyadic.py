"""Errors of differences of group means where pairs share words, in one pass and without a bootstrap.

Two pairs that share a word are correlated, others are not. With ``E_wg`` the sum of the residuals of word w's pairs in
group g by the group's size, ``Var(mean_g − mean_h) = Σ_w (E_wg − E_wh)²`` less the squares of single pairs, which that
counts twice: the cluster-robust variance of dyads (Aronow, Samii & Assenova 2015) of a difference of means. A
bootstrap of words is dearer and wrong: its weights w_i·w_j triple the part that belongs to the single pair.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.studies.thresholds.sums import Sums


class Differences(NamedTuple):
    """Group means less a reference's mean.

    Attributes:
        value: ``(G,)``; NaN where a side has no pair.
        se: ``(G,)`` dyadic standard error, not below that of independent pairs; NaN for fewer than two pairs.
        freedom: ``(G,)`` degrees of freedom: the fewer effective words of the two sides, less one; at least 1.
    """

    value: Tensor
    se: Tensor
    freedom: Tensor


def against(sums: Sums, reference: Sums, inside: bool = False) -> Differences:
    """Return how the groups differ from a reference.

    Args:
        sums: G groups.
        reference: one group, over the same words.
        inside: whether the reference holds the pairs of all groups, as that of all pairs does.
    """
    between = (sums.residuals - reference.residuals).square().sum(0)
    own = _squared(sums) + _squared(reference)
    if inside:  # a pair of both sides has one weight, 1/n_g − 1/n
        own = own - 2 * sums.deviation / (sums.n * reference.n)
    enough = (sums.n > 1) & (reference.n > 1)
    # The estimate from few words may come out small, even negative: not below the error of independent pairs, `own`.
    se = torch.maximum(between - own, own.clamp(min=0)).sqrt().where(enough, torch.nan)
    words = torch.minimum(sums.effective_words, reference.effective_words.expand_as(sums.n))
    return Differences(sums.mean - reference.mean, se, (words - 1).clamp(min=1))


def _squared(sums: Sums) -> Tensor:
    return sums.deviation / sums.n.square()
