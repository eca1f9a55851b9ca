"""Representational similarity analysis from sums over rows: how alike the distances of all pairs of words are.

Kriegeskorte et al. 2008. Neither needs an array of words by words.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

__all__ = ["cosine_correlation", "distance_correlation"]


def cosine_correlation(norms: Tensor, row_sums: Tensor, words: int, names: Sequence[str]) -> Tensor:
    """Return the Pearson correlation of the cosines of all pairs of different words, between all pairs of spaces.

    Representational similarity analysis (Kriegeskorte et al. 2008) with cosines: for unit rows ``Σ_{k≠l} c_kl c'_kl =
    ‖C_ij‖² − v`` and ``Σ_{k≠l} c_kl = ‖Σ rows‖² − v``, so that no ``v × v`` array is needed. It is the same for
    orthogonally turned spaces.

    Args:
        norms: ``(R, R)`` float64 ``‖C_ij‖²`` of unit rows, not centred.
        row_sums: ``(R, d)`` sums of the rows.
        words: number of rows v, at least 3.
        names: of the spaces, for messages.

    Returns:
        ``(R, R)`` in [−1, 1].

    Raises:
        ValueError: if the cosines of a space do not vary, or are all so near to 1 that their differences are rounding.
    """
    pairs = words * (words - 1)
    means = (row_sums.square().sum(1) - words) / pairs
    covariance = (norms - words) / pairs - means[:, None] * means
    variances = covariance.diagonal()
    # What a float64 difference leaves of equal cosines is 1e-16 of their squares.
    same = ~(variances > 1e-12 * norms.diagonal() / pairs)
    if bool(same.any()):
        one = int(same.nonzero()[0])
        raise ValueError(
            f"the cosines of {names[one]} do not vary, their mean being {float(means[one]):.9f}: its rows are equally "
            "far apart, or all point one way until their mean is subtracted"
        )
    spread = variances.sqrt()
    return covariance / (spread[:, None] * spread)


def distance_correlation(xx: Tensor, xy: Tensor, yy: Tensor, words: int) -> Tensor:
    """Return the Pearson correlation of the squared distances of all pairs of different rows, of a batch.

    With p and q the squared lengths of centred rows, ``D_kl = p_k + p_l − 2 x_k·x_l`` has the sum ``2v Σp``, and
    ``⟨D, D'⟩ = 2 (v p·q + Σp Σq + 2 ‖XᵀY‖²)``. Unlike :func:`cosine_correlation`, which is the same number for unit
    rows, it loses no digits where rows differ little.

    Args:
        xx: ``(B, d + 1, d + 1)`` float64 ``[x, p]ᵀ [x, p]`` of centred rows with their squared lengths
            (:func:`gpustab.kernels.similarity.with_lengths`).
        xy: the same of x and y.
        yy: the same of y.
        words: number of rows v, at least 3.

    Returns:
        ``(B,)`` in [−1, 1].

    Raises:
        ValueError: if the distances of x or of y do not vary.
    """
    sums = [part[:, :-1, :-1].diagonal(dim1=1, dim2=2).sum(1) for part in (xx, yy)]
    means = [2 * total / (words - 1) for total in sums]

    def covariance(part: Tensor, i: int, j: int) -> Tensor:
        inner = words * part[:, -1, -1] + sums[i] * sums[j] + 2 * part[:, :-1, :-1].square().sum((1, 2))
        return 2 * inner / (words * (words - 1)) - means[i] * means[j]

    own = [covariance(xx, 0, 0), covariance(yy, 1, 1)]
    for name, variance, mean in zip("xy", own, means, strict=True):
        if not bool((variance > 1e-12 * mean.square()).all()):
            raise ValueError(f"the distances of {name} do not vary: all pairs of its rows are equally far apart")
    correlation: Tensor = (covariance(xy, 0, 1) / (own[0].sqrt() * own[1].sqrt())).clamp(-1, 1)
    return correlation
