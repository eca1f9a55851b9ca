"""Similarity of representations that is read from Grams: linear CKA, canonical correlations, angles between shapes.

All are functions of ``C_xx = XᵀX``, ``C_xy = XᵀY`` and ``C_yy = YᵀY`` of *centred* columns, ``d × d`` matrices that add
up over the rows. What is done for one space (whitening) is done once, so that many pairs cost a product and an SVD.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.shapes import want

RESOLVED = 1e-10
"""Directions whose variance is a smaller part of the largest are left out: a float64 Gram resolves the correlations of
those that stay to about 1e-6."""


def centred(cross: Tensor, sum_x: Tensor, sum_y: Tensor, words: int) -> Tensor:
    """Return ``(X − x̄)ᵀ(Y − ȳ) = XᵀY − Σx Σyᵀ / v`` of a batch.

    Args:
        cross: ``(B, d1, d2)`` float64.
        sum_x: ``(B, d1)`` sums of the rows.
        sum_y: ``(B, d2)``.
        words: number of rows v.
    """
    want("cross", cross, "(B, d1, d2)")
    return cross - sum_x[:, :, None] * sum_y[:, None, :] / words


def linear_cka(xx: Tensor, xy: Tensor, yy: Tensor) -> Tensor:
    """Return linear CKA, ``‖C_xy‖² / (‖C_xx‖ ‖C_yy‖)`` (Kornblith et al. 2019, eq. 3 with linear kernels).

    It is the same for orthogonally turned and for scaled spaces, and not for other linear maps.

    Args:
        xx: ``(B, d1, d1)`` of centred columns.
        xy: ``(B, d1, d2)``.
        yy: ``(B, d2, d2)``.

    Returns:
        ``(B,)`` in [0, 1].

    Raises:
        ValueError: if a space does not vary or is not finite.

    Example:
        >>> gram = torch.eye(2, dtype=torch.float64)[None]
        >>> round(linear_cka(gram, 3 * gram, 9 * gram).item(), 12)  # equal, but three times as large
        1.0
    """
    sizes = [_varying(torch.linalg.matrix_norm(part), name) for part, name in ((xx, "x"), (yy, "y"))]
    cka: Tensor = torch.linalg.matrix_norm(xy).square() / (sizes[0] * sizes[1])
    return cka


class Whitening(NamedTuple):
    """What takes a space to uncorrelated columns of equal size.

    Attributes:
        inverse: ``(B, d, d)``, ``C^{-1/2}`` on the directions that are kept, 0 on the others.
        half: ``(B, d, d)``, ``C^{1/2}`` on them.
        rank: ``(B,)`` int64, how many are kept.
    """

    inverse: Tensor
    half: Tensor
    rank: Tensor


def whitening(gram: Tensor, explained: float = 1.0) -> Whitening:
    """Return the whitening of spaces given by their Grams.

    Args:
        gram: ``(B, d, d)`` float64, of centred columns.
        explained: keep the fewest directions of most variance that explain this part of it (0.99 for SVCCA, Raghu et
            al. 2017); directions below :data:`RESOLVED` are never kept.

    Raises:
        ValueError: if a space does not vary or is not finite, or ``explained`` is not in (0, 1].
    """
    want("gram", gram, "(B, d, d)")
    if not 0 < explained <= 1:
        raise ValueError(f"explained is {explained}, wanted a part of the variance above 0, up to 1")
    _varying(torch.linalg.matrix_norm(gram), "gram")
    values, vectors = torch.linalg.eigh(gram)
    values, vectors = values.flip(1), vectors.flip(2)
    share = values.clamp(min=0).cumsum(1) / values.clamp(min=0).sum(1, keepdim=True)
    before = torch.nn.functional.pad(share[:, :-1], (1, 0))
    # Not <, or rounding would keep a direction after exactly all variance is explained.
    kept = (values > RESOLVED * values[:, :1]) & (before < explained * (1 - 1e-12))
    roots = values.where(kept, 1).sqrt()
    inverse, half = (product(vectors * scale.where(kept, 0)[:, None, :], vectors.mT) for scale in (1 / roots, roots))
    return Whitening(inverse, half, kept.sum(1))


class Canonical(NamedTuple):
    """Canonical correlations of a batch of pairs.

    Attributes:
        correlations: ``(B, n)`` in [0, 1], descending; 0 beyond ``rank``.
        rank: ``(B,)`` int64, how many there are: the smaller rank of the two.
        mean: ``(B,)`` their mean.
        projection_weighted: ``(2, B)`` their mean weighted by how much of x each canonical direction takes up, and the
            same of y.
    """

    correlations: Tensor
    rank: Tensor
    mean: Tensor
    projection_weighted: Tensor


@torch.no_grad()  # where correlations are equal, the directions have no derivative
def canonical_correlations(x: Whitening, xy: Tensor, y: Whitening) -> Canonical:
    """Return the canonical correlations, the singular values of ``C_xx^{-1/2} C_xy C_yy^{-1/2}``, and two means.

    The mean is the same for any invertible linear map of either space (of one whitened with ``explained`` below 1, for
    orthogonal maps and scaling). The projection-weighted mean (Morcos et al. 2018, eq. 2) weights correlation i by
    ``Σ_j |⟨h_i, x_j⟩|``, over the columns j of x and with h_i the canonical variable: it is the same for any invertible
    map of y, for permuted or scaled x only, and differs when x and y change places.

    Args:
        x: of B spaces.
        xy: ``(B, d1, d2)`` float64, of centred columns.
        y: of B spaces.
    """
    want("xy", xy, "(B, d1, d2)")
    left, values, right = torch.linalg.svd(product(product(x.inverse, xy), y.inverse), full_matrices=False)
    rank = torch.minimum(x.rank, y.rank)
    here = torch.arange(values.shape[1], device=values.device) < rank[:, None]
    values = values.clamp(max=1).where(here, 0)
    taken = (product(basis, space.half).abs().sum(2) for basis, space in ((left.mT, x), (right, y)))
    weights = torch.stack([size.where(here, 0) for size in taken])  # (2, B, n)
    weighted = (weights * values).sum(2) / weights.sum(2)
    return Canonical(values, rank, values.sum(1) / rank, weighted)


def shape_distance(xx: Tensor, aligned: Tensor, yy: Tensor) -> Tensor:
    """Return the size-and-shape distance ``min_A ‖XA − Y‖ = √(tr C_xx + tr C_yy − 2 ⟨A, C_xy⟩)`` of a batch.

    It is the same for orthogonally turned spaces, and a metric (Williams et al. 2021).

    Args:
        xx: ``(B,)`` ``‖X‖²``.
        aligned: ``(B,)`` ``⟨A, C_xy⟩`` with A the Procrustes map: the nuclear norm of ``C_xy``.
        yy: ``(B,)`` ``‖Y‖²``.

    Returns:
        ``(B,)``; what is below 1e-8 of the norms is rounding.
    """
    return root(xx + yy - 2 * aligned)


def angular_distance(xx: Tensor, aligned: Tensor, yy: Tensor) -> Tensor:
    """Return the angle ``arccos(⟨A, C_xy⟩ / (‖X‖ ‖Y‖))`` of aligned spaces, in [0, π/2]; a metric, see Williams et al.

    It is the same for orthogonally turned and for scaled spaces. Arguments as in :func:`shape_distance`; what is below
    1e-8 is rounding.
    """
    share = aligned / (_varying(xx, "x") * _varying(yy, "y")).sqrt()
    # Not arccos, which has no digits left near 1.
    return torch.atan2(root(1 - share.square()), share)


def cosine_correlation(norms: Tensor, row_sums: Tensor, words: int) -> Tensor:
    """Return the Pearson correlation of the cosines of all pairs of different words, between all pairs of spaces.

    Representational similarity analysis (Kriegeskorte et al. 2008) with cosines: for unit rows ``Σ_{k≠l} c_kl c'_kl =
    ‖C_ij‖² − v`` and ``Σ_{k≠l} c_kl = ‖Σ rows‖² − v``, so that no ``v × v`` array is needed. It is the same for
    orthogonally turned spaces.

    Args:
        norms: ``(R, R)`` float64 ``‖C_ij‖²`` of unit rows, not centred.
        row_sums: ``(R, d)`` sums of the rows.
        words: number of rows v, at least 3.

    Returns:
        ``(R, R)`` in [−1, 1].

    Raises:
        ValueError: if the cosines of a space do not vary.
    """
    pairs = words * (words - 1)
    means = (row_sums.square().sum(1) - words) / pairs
    covariance = (norms - words) / pairs - means[:, None] * means
    variances = covariance.diagonal()
    # What a float64 difference leaves of equal cosines is 1e-16 of their squares.
    variances = variances.where(variances > 1e-12 * norms.diagonal() / pairs, 0)
    spread = _varying(variances, "the spread of cosines").sqrt()
    return covariance / (spread[:, None] * spread)


def _varying(sizes: Tensor, name: str) -> Tensor:
    wrong = ~(sizes > 0) | ~sizes.isfinite()
    if bool(wrong.any()):
        what = "does not vary" if bool((sizes == 0).any()) else "is not finite"
        raise ValueError(f"{name} {what} in {wrong.nonzero().flatten().tolist()[:5]} of {len(sizes)}")
    return sizes
