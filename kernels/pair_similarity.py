"""Linear CKA and canonical correlations of two matrices of rows: two passes, the second over centred rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import similarity
from gpustab.kernels.pair_rows import PairRows, pair_rows, powers, refuse_unmeasurable, summed_products

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
    refuse_unmeasurable(rows, degree=0)
    sums = [torch.stack(part).sum(1) for part in _of_size_one(rows)]
    mean = torch.stack(sums).sum(0) / len(rows.x)  # (2, d)
    grams = summed_products((x - mean[0], y - mean[1]) for x, y in _of_size_one(rows))
    # Rows that are all equal leave the rounding of their mean, which is no variance.
    constant = _trace(grams[0::2]) <= _NOISE * len(rows.x) * mean.square().sum(1)
    for name, same in zip("xy", constant.tolist(), strict=True):
        if same:
            raise ValueError(f"all rows of {name} are equal, so that nothing varies together with them")
    return grams


def _of_size_one(rows: PairRows) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the rows, x and y scaled as a whole so that their largest number is about 1: no similarity sees it."""
    x, y = (1 if rows.unit else powers(part.detach().abs().amax().double()) for part in (rows.x, rows.y))
    for part in rows.parts():
        of_x, of_y = part.prepared(torch.float64)
        yield of_x / x, of_y / y


def _trace(grams: Tensor) -> Tensor:
    return grams.diagonal(dim1=1, dim2=2).sum(1)
