"""Similarity of representations that is read from Grams: linear CKA, canonical correlations, angles between shapes.

All are functions of ``C_xx = XᵀX``, ``C_xy = XᵀY`` and ``C_yy = YᵀY`` of *centred* columns, ``d × d`` matrices that add
up over the rows. What is done for one space (whitening) is done once, so that many pairs cost a product and an SVD.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.shapes import want

__all__ = [
    "RESOLVED",
    "Canonical",
    "Whitening",
    "anchored_instability",
    "angular_distance",
    "canonical_correlations",
    "centred",
    "chance_of_linear_cka",
    "debiased_cka",
    "eigenspace_instability",
    "eigenspace_overlap",
    "equally_far",
    "linear_cka",
    "partly_whitened",
    "resolved",
    "shape_distance",
    "unbiased_hsic",
    "unrounded",
    "whitening",
    "with_lengths",
]

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
    """Return linear CKA, ``‖C_xy‖² / (‖C_xx‖ ‖C_yy‖)`` (Kornblith et al. 2019, with linear kernels).

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


def chance_of_linear_cka(xx: Tensor, yy: Tensor, words: int) -> Tensor:
    """Return the mean linear CKA of two spaces whose words are permuted against each other, ``(B,)``.

    ``tr C_xx tr C_yy / ((v − 1) ‖C_xx‖ ‖C_yy‖)``, exactly: over all permutations P the mean of ``tr(K P L Pᵀ)`` of two
    kernels with rows of sum 0 is ``tr K tr L / (v − 1)``. It is near 1 where d is not small beside v.

    Args:
        xx: ``(B, d1, d1)`` of centred columns.
        yy: ``(B, d2, d2)``.
        words: v.
    """
    share = [part.diagonal(dim1=1, dim2=2).sum(1) / torch.linalg.matrix_norm(part) for part in (xx, yy)]
    chance: Tensor = share[0] * share[1] / (words - 1)
    return chance


def with_lengths(rows: Tensor) -> Tensor:
    """Return rows ``(..., d)`` with their squared lengths as a last column, whose moments debiased CKA is made of."""
    return torch.cat([rows, rows.square().sum(-1, keepdim=True)], dim=-1)


def unbiased_hsic(cross: Tensor, sum_x: Tensor, sum_y: Tensor, words: int) -> Tensor:
    """Return the unbiased estimate of HSIC of linear kernels, without any ``v × v`` array (Song et al. 2012).

    ``[tr(K̃L̃) + 1ᵀK̃1 1ᵀL̃1 / ((v−1)(v−2)) − 2/(v−2) 1ᵀK̃L̃1] / (v(v−3))`` with ``K̃ = XXᵀ`` and ``L̃ = YYᵀ`` whose
    diagonals are 0. With p and q the squared lengths of the rows, ``tr(K̃L̃) = ‖XᵀY‖² − p·q``, ``1ᵀK̃1 = ‖Σx‖² − Σp``,
    and ``1ᵀK̃L̃1 = Σ_k (x_k·Σx − p_k)(y_k·Σy − q_k)``: sums over words, all of them.

    Args:
        cross: ``(B, d1 + 1, d2 + 1)`` float64 ``[x, p]ᵀ [y, q]`` of rows :func:`with_lengths`.
        sum_x: ``(B, d1 + 1)`` sums of the rows.
        sum_y: ``(B, d2 + 1)``.
        words: v, at least 4.

    Returns:
        ``(B,)`` float64; its mean is 0 for unrelated rows. It is 0 where only rounding is left.
    """
    want("cross", cross, "(B, d1, d2)")
    if words < 4:
        raise ValueError(f"there are {words} words, wanted at least 4: an unbiased HSIC divides by v (v − 3)")
    inner, lengths = cross[:, :-1, :-1], cross[:, -1, -1]
    x, y = sum_x[:, :-1], sum_y[:, :-1]
    whole_x, whole_y = (total[:, :-1].square().sum(1) - total[:, -1] for total in (sum_x, sum_y))
    traces = inner.square().sum((1, 2)) - lengths
    mixed = product(product(x[:, None], inner), y[:, :, None])[:, 0, 0]
    mixed = mixed - (x * cross[:, :-1, -1]).sum(1) - (cross[:, -1, :-1] * y).sum(1) + lengths
    pairs = whole_x * whole_y / ((words - 1) * (words - 2))
    hsic = traces + pairs - 2 / (words - 2) * mixed
    return unrounded(hsic, inner.square().sum((1, 2)), lengths, pairs, mixed / words) / (words * (words - 3))


def unrounded(difference: Tensor, *terms: Tensor) -> Tensor:
    """Return a sum of terms of both signs, but 0 where it is no more than their rounding, 1e-12 of their sizes."""
    size = torch.stack([term.detach().abs() for term in terms]).sum(0)
    return difference.where(difference.detach().abs() > 1e-12 * size, 0)


def equally_far(name: str) -> str:
    """Return the message for a space whose unbiased HSIC with itself is 0."""
    return f"all rows of {name} lie equally far apart, so that nothing is left once the bias is taken off"


def debiased_cka(xx: Tensor, xy: Tensor, yy: Tensor) -> Tensor:
    """Return debiased CKA of unbiased HSICs, ``HSIC(x, y) / √(HSIC(x, x) HSIC(y, y))`` (Nguyen et al. 2021, eq. 3).

    Plain CKA is near 1 for unrelated rows where d is not small beside v; the mean of this one is 0 there.

    Args:
        xx: ``(B,)`` from :func:`unbiased_hsic`.
        xy: ``(B,)``.
        yy: ``(B,)``.

    Returns:
        ``(B,)`` in [−1, 1]: an unbiased HSIC is an inner product (Székely & Rizzo 2014).

    Raises:
        ValueError: if all rows of a space lie equally far apart, or are not finite.
    """
    for name, own in (("x", xx), ("y", yy)):
        if bool((own <= 0).any()):
            raise ValueError(equally_far(name))
    return xy / (_varying(xx, "HSIC of x").sqrt() * _varying(yy, "HSIC of y").sqrt())


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


def resolved(raw: Tensor, gram: Tensor, words: int) -> Tensor:
    """Return the part of the largest variance that a direction of centred sums must have, ``(B,)``.

    It is :data:`RESOLVED`, and more where a large mean was subtracted: what the sums round is no direction.

    Args:
        raw: ``(B, d, d)`` float64 Grams before their mean was subtracted.
        gram: ``(B, d, d)``, centred.
        words: v.
    """
    before, after = (part.diagonal(dim1=1, dim2=2).sum(1) for part in (raw, gram))
    return (1e-15 * words * before / after).clamp(min=RESOLVED)


def whitening(gram: Tensor, explained: float = 1.0, floor: Tensor | None = None) -> Whitening:
    """Return the whitening of spaces given by their Grams.

    Args:
        gram: ``(B, d, d)`` float64, of centred columns.
        explained: keep the fewest directions of most variance that explain this part of it (0.99 for SVCCA, Raghu et
            al. 2017); directions below the floor are never kept.
        floor: ``(B,)`` part of the largest variance, see :func:`resolved`; default: :data:`RESOLVED`.

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
    least = RESOLVED if floor is None else floor[:, None]
    kept = (values > least * values[:, :1]) & (before < explained * (1 - 1e-12))
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
    orthogonal maps and scaling). The projection-weighted mean (Morcos et al. 2018) weights correlation i by
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


def eigenspace_overlap(x: Whitening, xy: Tensor, y: Whitening) -> Tensor:
    """Return the eigenspace overlap score, ``‖UᵀŨ‖² / max(d, d̃)`` (May et al. 2019), ``(B,)`` in [0, 1].

    U and Ũ are bases of the columns of the two spaces; where columns depend on each other d is their rank.

    Args:
        x: whitenings of spaces that are not centred.
        xy: ``(B, d1, d2)`` float64, not centred.
        y: of the others.
    """
    shared = product(product(x.inverse, xy), y.inverse).square().sum((1, 2))
    overlap: Tensor = shared / torch.maximum(x.rank, y.rank)
    return overlap


def eigenspace_instability(xx: Tensor, xy: Tensor, yy: Tensor, power: float = 3.0) -> Tensor:
    """Return the eigenspace instability measure (Leszczynski et al. 2020), with x and y as anchors.

    ``tr((UUᵀ + ŨŨᵀ − 2 ŨŨᵀUUᵀ) Σ) / tr Σ`` with ``Σ = (XXᵀ)^α + (YYᵀ)^α``. Since ``UUᵀ (XXᵀ)^α = (XXᵀ)^α``, that is
    ``1 − [tr ŨŨᵀ(XXᵀ)^α + tr UUᵀ(YYᵀ)^α] / tr Σ``: which part of the strong directions of one is missing in the other.
    All of it is read from ``d × d`` matrices, as ``tr ŨŨᵀ(XXᵀ)^α = ‖C_xx^{(α−1)/2} C_xy C_yy^{−1/2}‖²``.

    Args:
        xx: ``(B, d1, d1)`` float64, not centred.
        xy: ``(B, d1, d2)``.
        yy: ``(B, d2, d2)``.
        power: α, at least 1; the paper has 3.

    Returns:
        ``(B,)`` in [0, 1], 0 for spaces that span the same.
    """
    if not power >= 1:
        raise ValueError(f"power is {power}, wanted a number from 1")
    x, y = whitening(xx), whitening(yy)
    size = torch.maximum(*(torch.linalg.matrix_norm(part, 2) for part in (xx, yy)))[:, None, None]  # α may be large
    whole_x, whole_y = (_power(part / size, power).diagonal(dim1=1, dim2=2).sum(1) for part in (xx, yy))
    of_x = product(product(_power(xx / size, (power - 1) / 2), xy / size.sqrt()), y.inverse).square().sum((1, 2))
    of_y = product(product(_power(yy / size, (power - 1) / 2), xy.mT / size.sqrt()), x.inverse).square().sum((1, 2))
    return (1 - (of_x + of_y) / (whole_x + whole_y)).clamp(min=0)


def anchored_instability(
    x: Tensor, xy: Tensor, y: Tensor, anchors: Sequence[tuple[Tensor, Tensor, Tensor]], power: float = 3.0
) -> Tensor:
    """Return the eigenspace instability measure (Leszczynski et al. 2020, definition 2) with anchors of its own.

    ``tr((UUᵀ + ŨŨᵀ − 2 ŨŨᵀUUᵀ) Σ) / tr Σ`` with ``Σ = Σ_a (AAᵀ)^α`` of the anchors A: how far regressions on the two
    spaces differ on average, of values that vary as the anchors do. With an eigenbasis of ``C_aa``, every column ``z``
    of ``C_aa^{(α−1)/2}`` gives ``AC_aa^{(α−1)/2}``, whose projections on the two spaces are read from ``d × d``
    matrices.

    Args:
        x: ``(d1, d1)`` float64, ``XᵀX``, not centred.
        xy: ``(d1, d2)``.
        y: ``(d2, d2)``.
        anchors: of every anchor A ``XᵀA``, ``YᵀA`` and ``AᵀA``.
        power: α, at least 1; the paper has 3.

    Returns:
        ``()`` in [0, 1], 0 for spaces that span the same; equal spaces leave 1e-15.
    """
    if not power >= 1:
        raise ValueError(f"power is {power}, wanted a number from 1")
    of_x, of_y = (whitening(gram[None]).inverse[0] for gram in (x, y))
    between = product(product(of_y, xy.mT), of_x)
    size = max(float(torch.linalg.matrix_norm(own, 2)) for *_, own in anchors)  # α may be large
    beyond, whole = x.new_zeros(()), x.new_zeros(())
    for xa, ya, own in anchors:
        weight = _power(own[None] / size, (power - 1) / 2)[0] / size**0.5
        in_x, in_y = product(product(of_x, xa), weight), product(product(of_y, ya), weight)
        beyond += in_x.square().sum() + in_y.square().sum() - 2 * (in_y * product(between, in_x)).sum()
        whole += _power(own[None] / size, power)[0].trace()
    return (beyond / whole).clamp(0, 1)


def _power(gram: Tensor, power: float) -> Tensor:
    values, vectors = torch.linalg.eigh(gram)
    values = values.clamp(min=0)
    return product(vectors * values.where(values > RESOLVED * values[:, -1:], 0)[:, None, :] ** power, vectors.mT)


def partly_whitened(gram: Tensor, alpha: float) -> Tensor:
    """Return the maps between Procrustes and CCA, ``α I + (1 − α) C^{−1/2}`` (Williams et al. 2021).

    Args:
        gram: ``(B, d, d)`` float64 of centred columns.
        alpha: 1 for the identity, 0 for whitening.
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha is {alpha}, wanted a number from 0 to 1")
    identity = torch.eye(gram.shape[1], dtype=gram.dtype, device=gram.device)
    return alpha * identity + (1 - alpha) * whitening(gram).inverse


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


def _varying(sizes: Tensor, name: str) -> Tensor:
    wrong = ~(sizes > 0) | ~sizes.isfinite()
    if bool(wrong.any()):
        what = "is not finite" if bool((~sizes.isfinite()).any()) else "does not vary"
        where = f" in {wrong.nonzero().flatten().tolist()[:5]} of {len(sizes)}" if sizes.numel() > 1 else ""
        raise ValueError(f"{name} {what}{where}")
    return sizes
