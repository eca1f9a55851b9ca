"""Orthogonal Procrustes maps of many pairs of runs at once.

``A = argmin ‖X A − Y‖`` over orthogonal A (Schönemann 1966; Rettenmeier 2020, eq. 3.1) is the orthogonal polar factor
of the cross-Gram ``C = Xᵀ Y``: only ``d × d`` matrices are ever decomposed. Reflections are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root, row_dot
from gpustab.kernels.gram import blocks_of_pairs, run_pairs, run_squares, runs_of
from gpustab.kernels.shapes import want

__all__ = ["Procrustes", "procrustes", "procrustes_of_parts", "residuals"]

_STEPS = 40
"""Enough for condition 1e10; what has not converged by then is (nearly) singular and goes to the SVD."""

_BATCH = 1024
"""Pairs solved together: enough to fill a GPU."""

_TOLERANCE = 1e-12
"""Largest entry of ``AᵀA − I`` that counts as orthogonal, in float64."""

_NEARLY_SINGULAR = 1e-10
"""Ratio of the smallest to the largest singular value below which the iteration does not converge in its steps."""


class Procrustes(NamedTuple):
    """Orthogonal maps of a batch of pairs.

    Attributes:
        maps: ``(B, d, d)`` float64 with ``X @ A ≈ Y``.
        unique: ``(B,)`` bool; False where the cross-Gram is rank-deficient (always so for v < d), so that other maps
            are as good.
        by_svd: ``(B,)`` bool; True where the cross-Gram is (nearly) singular, so that the polar iteration does not
            converge and on every device the float64 SVD answers.
    """

    maps: Tensor
    unique: Tensor
    by_svd: Tensor


def procrustes(cross: Tensor, *, rotation_only: bool = False) -> Procrustes:
    """Return the orthogonal maps that minimise ``‖X A − Y‖`` for a batch of cross-Grams.

    Args:
        cross: ``(B, d, d)``, each ``Xᵀ Y``. Computed in float64 whatever its dtype.
        rotation_only: allow only maps of determinant +1.

    Raises:
        ValueError: if a cross-Gram is zero or not finite; the message says which.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> y = torch.tensor([[0.0, 1.0], [-2.0, 0.0]])  # x, turned by 90°
        >>> procrustes((x.T @ y)[None]).maps[0].abs().round().tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    want("cross", cross, "(B, d, d)")
    return procrustes_of_parts([cross], rotation_only=rotation_only)


def procrustes_of_parts(parts: Sequence[Tensor], *, rotation_only: bool = False) -> Procrustes:
    """Return :func:`procrustes` of several batches of cross-Grams as of one, without a copy of them all."""
    largest = torch.cat([_largest(part) for part in parts])
    _refuse(~torch.isfinite(largest), "is not finite")
    _refuse(largest == 0, "is zero, so every map is as good as every other")
    solved = [
        # A common factor changes nothing, and 1e-30 must not underflow when squared.
        _solve(few.double() / size[:, None, None].double(), rotation_only)
        for few, size in zip(_few(parts), largest.split([len(few) for few in _few(parts)]), strict=True)
    ]
    return Procrustes(*(torch.cat(field) for field in zip(*solved, strict=True)))


def _few(parts: Sequence[Tensor]) -> Iterator[Tensor]:
    """Some cross-Grams at a time: of all at once, 8,128 pairs of d = 300, 41 GB would come and go."""
    waiting: list[Tensor] = []
    for few in (few for part in parts for few in part.split(_BATCH)):
        if waiting and sum(map(len, waiting)) + len(few) > _BATCH:
            yield torch.cat(waiting)
            waiting = []
        waiting.append(few)
    yield torch.cat(waiting)


def _largest(cross: Tensor) -> Tensor:
    return cross.flatten(1).abs().amax(1)


def _solve(cross: Tensor, rotation_only: bool) -> Procrustes:
    solution = _by_lapack(cross) or _by_products(cross)
    if rotation_only:
        maps, unique = _without_reflections(cross, solution.maps, solution.unique)
        return solution._replace(maps=maps, unique=unique)
    return solution


def _refuse(bad: Tensor, what: str) -> None:
    if bad.any():
        raise ValueError(f"cross-Gram {bad.nonzero().flatten().tolist()[:5]} of {len(bad)} {what}")


def _by_lapack(cross: Tensor) -> Procrustes | None:
    """Polar factors of matrices on the CPU by SVD; ``None`` elsewhere, for gradients, and if one of them fails.

    On a CPU an SVD takes a third of the iteration's time at d = 300, half at 100, nearly all of it at 50 (1 to 276
    matrices, 1 and 2 threads). A GPU takes 10 ms for each, so there the iteration is the faster by a hundred. It also
    has a gradient where singular values are equal, which an SVD has not.
    """
    if cross.device.type != "cpu" or cross.requires_grad:
        return None
    try:
        u, values, vt = torch.linalg.svd(cross)
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # is there
        return None
    maps = product(u, vt)
    if not bool((_orthogonality(maps) < _TOLERANCE).all()):
        return None
    share = values[:, -1] / values[:, 0]
    return Procrustes(maps, share > cross.shape[-1] * torch.finfo(cross.dtype).eps, share < _NEARLY_SINGULAR)


def _by_products(cross: Tensor) -> Procrustes:
    """Polar factors by iteration, those of nearly singular matrices one by one by SVD."""
    maps, converged = _polar_iteration(cross)
    unique = converged.clone()
    for index in (~converged).nonzero().flatten().tolist():
        maps[index], unique[index] = _polar_by_svd(cross[index])
    return Procrustes(maps, unique, ~converged)


def _orthogonality(maps: Tensor) -> Tensor:
    """Largest entry of ``|AᵀA − I|`` of every map, ``(B,)``."""
    identity = torch.eye(maps.shape[-1], dtype=maps.dtype, device=maps.device)
    return (product(maps.mT, maps) - identity).abs().amax((1, 2))


def _polar_iteration(cross: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled Newton-Schulz iteration to the polar factor; returns the factors and which of them converged.

    Cubic steps ``X ← α X (3 I − α² XᵀX) / 2`` with the α that is optimal for singular values in ``[low, 1]``
    (Chen & Chow 2014): small ones grow by 3√3/2 a step instead of 3/2, and only products of matrices are needed.
    """
    identity = torch.eye(cross.shape[-1], dtype=cross.dtype, device=cross.device)
    bound = (cross.abs().sum(1).amax(1) * cross.abs().sum(2).amax(1)).sqrt()  # ‖C‖₂² ≤ ‖C‖₁ ‖C‖∞
    x = cross / torch.minimum(bound, torch.linalg.matrix_norm(cross))[:, None, None]
    low = 1e-6  # singular values below it are only slower
    for _ in range(_STEPS):
        square = product(x.mT, x)
        error = (square - identity).abs().amax((1, 2))
        if (error < _TOLERANCE).all():
            break
        alpha = (3 / (1 + low + low * low)) ** 0.5
        low = min(1.0, alpha * low * (3 - (alpha * low) ** 2) / 2)
        x = alpha / 2 * product(x, 3 * identity - alpha * alpha * square)
    return x, _orthogonality(x) < _TOLERANCE


def _polar_by_svd(matrix: Tensor) -> tuple[Tensor, bool]:
    """Polar factor by SVD, on the CPU if the device's own solver fails, and whether the matrix has full rank."""
    try:
        u, values, vt = torch.linalg.svd(matrix)
        good = bool(torch.isfinite(u).all() and torch.isfinite(vt).all())
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # is there
        good = False
    if not good:
        u, values, vt = (part.to(matrix.device) for part in torch.linalg.svd(matrix.cpu()))
    factor = product(u, vt)
    if not float(_orthogonality(factor[None])) < 1e-10:
        raise ValueError("the SVD of a finite cross-Gram did not give an orthogonal map")
    full_rank = bool(values[-1] > len(matrix) * torch.finfo(matrix.dtype).eps * values[0])
    return factor, full_rank


def _without_reflections(cross: Tensor, maps: Tensor, unique: Tensor) -> tuple[Tensor, Tensor]:
    """Turn maps of determinant −1 into the best rotations: reverse the direction that costs least.

    ``AᵀC`` is symmetric with C's singular values as eigenvalues and its right singular vectors; with h the
    eigenvector of the smallest one the best rotation is ``A (I − 2 h hᵀ)`` (Kabsch 1976).
    """
    reflected = (torch.linalg.det(maps) < 0).nonzero().flatten()
    if not len(reflected):
        return maps, unique
    symmetric = product(maps[reflected].mT, cross[reflected])
    values, vectors = torch.linalg.eigh((symmetric + symmetric.mT) / 2)
    h = vectors[:, :, :1]
    maps, unique = maps.clone(), unique.clone()
    maps[reflected] -= 2 * product(product(maps[reflected], h), h.mT)
    if values.shape[1] > 1:  # two smallest values alike: two directions cost the same
        unique[reflected] &= values[:, 1] - values[:, 0] > 1e-12 * values[:, -1]
    return maps, unique


def residuals(gram: Tensor, maps: Tensor) -> Tensor:
    """Return ``‖V_i A_ij − V_j‖`` of every pair: its square is ``tr C_ii + tr C_jj − 2 ⟨A_ij, C_ij⟩``.

    Args:
        gram: ``(R(R+1)/2, d, d)`` block Gram.
        maps: ``(R(R-1)/2, d, d)`` in the order of :func:`gpustab.kernels.gram.run_pairs`.

    Returns:
        ``(R(R-1)/2,)`` float64, between 0 and ``√(‖V_i‖² + ‖V_j‖²)``. Near 0 it is a difference of large numbers:
        about 1e-8 of the norms is as small as it gets.
    """
    i, j = run_pairs(runs_of(gram), gram.device)
    size = run_squares(gram)
    starts = zip(maps.split([len(part) for part in blocks_of_pairs(gram)]), blocks_of_pairs(gram), strict=True)
    inner = torch.cat([row_dot(some.flatten(1), part.flatten(1)) for some, part in starts])
    return root(size[i] + size[j] - 2 * inner)
