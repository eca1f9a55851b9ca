"""Linear CKA and canonical correlations of two matrices of rows: two passes, the second over centred rows."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import similarity
from gpustab.kernels.pair_rows import PairRows, pair_rows, refuse_unscalable, summed_products

_NOISE = 1e-28
"""Part of a squared mean that its rounding may leave of equal rows."""


class PairCanonical(NamedTuple):
    """Canonical correlations of two matrices.

    Attributes:
        correlations: ``(min(d1, d2),)`` float64 in [0, 1], descending; 0 beyond the smaller rank.
        mean: ``()`` mean CCA: the mean of the correlations of all directions.
        svcca: ``()`` mean over the directions that explain most of the variance.
        pwcca: ``()`` projection-weighted mean, weighted by x.
    """

    correlations: Tensor
    mean: Tensor
    svcca: Tensor
    pwcca: Tensor


def pair_linear_cka(x: Tensor, y: Tensor, *, unit: bool = False) -> Tensor:
    """Return linear CKA of two matrices, ``()`` float64 in [0, 1]; see :func:`gpustab.kernels.similarity.linear_cka`.

    Args:
        x: ``(v, d1)`` of any float dtype; products are float64. Columns are centred here.
        y: ``(v, d2)``, row k being the same word.
        unit: scale rows to unit length before.

    Example:
        >>> x = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
        >>> round(pair_linear_cka(x, 3 * x.flip(1) + 1).item(), 12)
        1.0
    """
    xx, xy, yy = _centred_grams(pair_rows(x, y, None, unit))[:, None]
    return similarity.linear_cka(xx, xy, yy)[0]


def pair_canonical(x: Tensor, y: Tensor, *, unit: bool = False, explained: float = 0.99) -> PairCanonical:
    """Return the canonical correlations of two matrices, without gradients; arguments as :func:`pair_linear_cka`.

    Args:
        x: ``(v, d1)``.
        y: ``(v, d2)``.
        unit: scale rows to unit length before.
        explained: part of the variance that SVCCA keeps.
    """
    xx, xy, yy = _centred_grams(pair_rows(x.detach(), y.detach(), None, unit))[:, None]
    whole, most = (
        similarity.canonical_correlations(similarity.whitening(xx, part), xy, similarity.whitening(yy, part))
        for part in (1.0, explained)
    )
    few = min(x.shape[1], y.shape[1])
    return PairCanonical(whole.correlations[0, :few], whole.mean[0], most.mean[0], whole.projection_weighted[0, 0])


def _centred_grams(rows: PairRows) -> Tensor:
    """``C_xx``, ``C_xy``, ``C_yy``, ``(3, d, d)`` float64; means first, since a large mean would swallow the rest."""
    refuse_unscalable(rows)
    sums = [torch.stack(part.prepared(torch.float64)).sum(1) for part in rows.parts()]
    mean = torch.stack(sums).sum(0) / len(rows.x)  # (2, d)
    parts = (part.prepared(torch.float64) for part in rows.parts())
    grams = summed_products((x - mean[0], y - mean[1]) for x, y in parts)
    # Rows that are all equal leave the rounding of their mean, which is no variance.
    constant = _trace(grams[0::2]) <= _NOISE * len(rows.x) * mean.square().sum(1)
    return grams.masked_fill(torch.stack([constant[0], constant.any(), constant[1]])[:, None, None], 0)


def _trace(grams: Tensor) -> Tensor:
    return grams.diagonal(dim1=1, dim2=2).sum(1)
