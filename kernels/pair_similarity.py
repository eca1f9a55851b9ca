"""Linear CKA and canonical correlations of two matrices of rows: two passes, the second over centred rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import similarity
from gpustab.kernels.arithmetic import product
from gpustab.kernels.pair_rows import PairRows, pair_rows, powers, refuse_unmeasurable, summed_products

__all__ = [
    "PairCanonical",
    "centred_with_lengths",
    "pair_canonical",
    "pair_debiased_cka",
    "pair_eigenspaces",
    "pair_linear_cka",
    "pair_unbiased_hsics",
    "pair_whitened_angle",
]

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


def pair_debiased_cka(x: Tensor, y: Tensor, *, unit: bool = False) -> Tensor:
    """Return debiased CKA, ``()`` float64 in [−1, 1]; see :func:`gpustab.kernels.similarity.debiased_cka`.

    Arguments as :func:`pair_linear_cka`; at least 4 rows.
    """
    return similarity.debiased_cka(*_hsics(pair_rows(x, y, None, unit))[:, None])[0]


def pair_unbiased_hsics(x: Tensor, y: Tensor, *, unit: bool = False) -> Tensor:
    """Return the unbiased HSIC of x with itself, of x with y and of y with itself, ``(3,)`` float64, linear kernels.

    See :func:`gpustab.kernels.similarity.unbiased_hsic`; arguments as :func:`pair_linear_cka`, at least 4 rows.
    """
    rows = pair_rows(x, y, None, unit)
    refuse_unmeasurable(rows)
    size_x, size_y = (size.square() for size in _sizes(rows))
    return _hsics(rows) * torch.stack([size_x * size_x, size_x * size_y, size_y * size_y])


def _hsics(rows: PairRows) -> Tensor:
    """Of rows of size one."""
    totals, grams = [], []
    for lifted in centred_with_lengths(rows):
        totals.append(torch.stack(lifted).sum(1))
        grams.append(summed_products([lifted]))
    total, gram = torch.stack(totals).sum(0), torch.stack(grams).sum(0)
    return similarity.unbiased_hsic(gram, total[[0, 0, 1]], total[[0, 1, 1]], len(rows.x))


def centred_with_lengths(rows: PairRows) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the rows of size one less their mean, ``(c, d + 1)`` float64 each, the last column their squared length."""
    mean = _means(rows)
    for a, b in _of_size_one(rows):
        yield similarity.with_lengths(a - mean[0]), similarity.with_lengths(b - mean[1])


def pair_eigenspaces(x: Tensor, y: Tensor, *, unit: bool = False, power: float = 3.0) -> tuple[Tensor, Tensor]:
    """Return eigenspace overlap and eigenspace instability of two matrices, ``()`` float64 each, without gradients.

    See :func:`gpustab.kernels.similarity.eigenspace_overlap` and :func:`~gpustab.kernels.similarity
    .eigenspace_instability`; nothing is centred.
    """
    rows = pair_rows(x.detach(), y.detach(), None, unit)
    refuse_unmeasurable(rows, degree=2)
    size = powers(torch.stack([part.abs().amax().double() for part in (rows.x, rows.y)]).amax())
    grams = summed_products(part.prepared(torch.float64) for part in rows.parts()) / (1 if unit else size**2)
    xx, xy, yy = grams[:, None]
    for name, gram in (("x", xx), ("y", yy)):
        if not bool(gram.any()):
            raise ValueError(f"{name} is zero and spans nothing")
    overlap = similarity.eigenspace_overlap(similarity.whitening(xx), xy, similarity.whitening(yy))
    return overlap[0], similarity.eigenspace_instability(xx, xy, yy, power)[0]


def pair_whitened_angle(x: Tensor, y: Tensor, alpha: float, *, unit: bool = False) -> Tensor:
    """Return the angle of two centred matrices after partial whitening, ``()`` float64 without gradients.

    See :func:`gpustab.kernels.similarity.partly_whitened`: 1 is the angle of Procrustes, 0 that of CCA.
    """
    rows = pair_rows(x.detach(), y.detach(), None, unit)
    xx, xy, yy = _centred_grams(rows)[:, None]
    # With x = s x̂, the map αI + (1 − α)C^{−1/2} is in proportion to αs I + (1 − α)Ĉ^{−1/2}, and no C leaves float64.
    shares = [alpha * size / (alpha * size + 1 - alpha) for size in map(float, _sizes(rows))]
    of_x, of_y = (similarity.partly_whitened(gram, share) for gram, share in zip((xx, yy), shares, strict=True))
    nuclear = torch.linalg.svdvals(product(product(of_x, xy), of_y)).sum(1)
    norms = (
        product(product(part, gram), part).diagonal(dim1=1, dim2=2).sum(1) for part, gram in ((of_x, xx), (of_y, yy))
    )
    whole_x, whole_y = norms
    return similarity.angular_distance(whole_x, nuclear, whole_y)[0]


def _centred_grams(rows: PairRows) -> Tensor:
    """``C_xx``, ``C_xy``, ``C_yy``, ``(3, d, d)`` float64; means first, since a large mean would swallow the rest."""
    mean = _means(rows)
    grams = summed_products((x - mean[0], y - mean[1]) for x, y in _of_size_one(rows))
    # Rows that are all equal leave the rounding of their mean, which is no variance.
    constant = _trace(grams[0::2]) <= _NOISE * len(rows.x) * mean.square().sum(1)
    for name, same in zip("xy", constant.tolist(), strict=True):
        if same:
            raise ValueError(f"all rows of {name} are equal, so that nothing varies together with them")
    return grams


def _means(rows: PairRows) -> Tensor:
    """The mean rows of both, ``(2, d)``, of rows that are measurable."""
    refuse_unmeasurable(rows, degree=0)
    return torch.stack([torch.stack(part).sum(1) for part in _of_size_one(rows)]).sum(0) / len(rows.x)


def _of_size_one(rows: PairRows) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the rows, x and y scaled as a whole so that their largest number is about 1: no similarity sees it."""
    size_x, size_y = _sizes(rows)
    for part in rows.parts():
        x, y = part.prepared(torch.float64)
        yield (x, y) if rows.dtype != torch.float64 else (x / size_x, y / size_y)


def _sizes(rows: PairRows) -> tuple[Tensor, Tensor]:
    """What to divide x and y by: powers of 2, and 1 where no square of theirs can leave float64."""
    one = torch.ones((), dtype=torch.float64, device=rows.x.device)
    small = [rows.unit or part.dtype != torch.float64 for part in (rows.x, rows.y)]
    x, y = (
        one if fits else powers(part.detach().abs().amax()) for fits, part in zip(small, (rows.x, rows.y), strict=True)
    )
    return x, y


def _trace(grams: Tensor) -> Tensor:
    return grams.diagonal(dim1=1, dim2=2).sum(1)
