"""The Procrustes distance of two matrices, as a loss to train by: right near equality, in ``O(d²)`` memory.

``min_A ‖XA − Y‖²`` over orthogonal A. A is the best there is, so that its change has no part in the gradient
(envelope theorem): ``2 (XA − Y) Aᵀ`` and ``−2 (XA − Y)``. The distance is summed from the rows of ``XA − Y``; read from
Grams, as ``‖X‖² + ‖Y‖² − 2 ⟨A, XᵀY⟩``, it would be lost below 1e-8 of the norms.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.pair_function import Passes, Value, Wanted, pair_function
from gpustab.kernels.pair_rows import PairRows, above_rounding, pair_rows, refuse_unmeasurable
from gpustab.kernels.procrustes import procrustes

__all__ = ["PairProcrustes", "pair_procrustes", "pair_procrustes_distance", "pair_procrustes_square"]


_NEAR = 1e-20
"""Part of the squared norms below which the identity may be as good a map as the one that was found."""


class PairProcrustes(NamedTuple):
    """The alignment of two matrices.

    Attributes:
        map: ``(d, d)`` float64 orthogonal A with ``XA ≈ Y``.
        distance: ``()`` float64, ``‖XA − Y‖``.
        unique: ``()`` bool; False where the cross-Gram is rank-deficient, so that other maps are as good.
    """

    map: Tensor
    distance: Tensor
    unique: Tensor


def pair_procrustes_distance(x: Tensor, y: Tensor, *, weights: Tensor | None = None, unit: bool = False) -> Tensor:
    """Return ``min_A ‖XA − Y‖`` over orthogonal A (Schönemann 1966; Rettenmeier 2020, eq. 3.1); reflections allowed.

    Args:
        x: ``(v, d)`` of any float dtype; products are float64.
        y: ``(v, d)``, row k being the same word.
        weights: ``(v,)`` by which the words count; no gradient flows to them.
        unit: scale rows to unit length first.

    Returns:
        ``()`` float64, in [0, √(2v)] for unit rows. At equality the distance is 0 and its gradient too, which is one of
        its subgradients; where the map is not unique so is the gradient. Memory as in
        :func:`gpustab.kernels.pair.pair_pip_loss`.

    Raises:
        ValueError: for other shapes, where ``XᵀY`` is zero, or as :func:`pair_pip_loss` does.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> pair_procrustes_distance(x, x @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).item()
        0.0
    """
    return root(pair_procrustes_square(x, y, weights=weights, unit=unit))


def pair_procrustes_square(x: Tensor, y: Tensor, *, weights: Tensor | None = None, unit: bool = False) -> Tensor:
    """Return ``min_A ‖XA − Y‖²``, which is smooth at equality; see :func:`pair_procrustes_distance`."""
    return _PROCRUSTES_SQUARE(_same_dimensions(pair_rows(x, y, weights, unit))).value


def pair_procrustes(
    x: Tensor, y: Tensor, *, weights: Tensor | None = None, unit: bool = False, rotation_only: bool = False
) -> PairProcrustes:
    """Return the map with the distance, which alone has gradients; see :func:`pair_procrustes_distance`.

    ``rotation_only`` allows maps of determinant +1 alone.
    """
    function = _ROTATION_SQUARE if rotation_only else _PROCRUSTES_SQUARE
    square, frame, cross = function(_same_dimensions(pair_rows(x, y, weights, unit)))
    return PairProcrustes(frame, root(square), procrustes(cross.detach(), rotation_only=rotation_only).unique[0])


def _same_dimensions(rows: PairRows) -> PairRows:
    if rows.x.shape != rows.y.shape:
        raise ValueError(f"x has shape {tuple(rows.x.shape)} and y {tuple(rows.y.shape)}, wanted (v, d) of both")
    return rows


def _cross(rows: PairRows) -> Tensor:
    """``XᵀY``, ``(1, d, d)`` float64: an error of A changes the distance by its square only, but one near 0 by all."""
    parts = (part.prepared(torch.float64) for part in rows.parts())
    return sum((product(x.mT, y) for x, y in parts), torch.zeros((), dtype=torch.float64, device=rows.x.device))[None]


def _residual(rows: PairRows, frame: Tensor) -> tuple[Tensor, Tensor]:
    """``‖XA − Y‖²`` and ``‖X‖² + ‖Y‖²``."""
    parts = (part.prepared(torch.float64) for part in rows.parts())
    norms = [torch.stack([torch.linalg.vector_norm(part) for part in (product(x, frame) - y, x, y)]) for x, y in parts]
    turned, of_x, of_y = torch.stack(norms).square().sum(0)
    return turned, of_x + of_y


def _square(rows: PairRows, rotation_only: bool = False) -> Value:
    refuse_unmeasurable(rows, degree=2)
    cross = _cross(rows)
    if not bool(cross.any()):
        raise ValueError("x and y share no direction: XᵀY is zero, so that every map is as good as every other")
    frame = procrustes(cross, rotation_only=rotation_only).maps[0]
    square, size = _residual(rows, frame)
    # The map of a copy is the identity, and rounding must not move what lies where it should.
    if bool(square <= _NEAR * size):
        identity = torch.eye(len(frame), dtype=frame.dtype, device=frame.device)
        kept, _ = _residual(rows, identity)
        square, frame = (kept, identity) if bool(kept <= square) else (square, frame)
    return Value(above_rounding(square, size, len(frame)), frame, cross)


def _gradients(
    rows: PairRows,
    frame: Tensor | None,
    sums: Tensor,  # noqa: ARG001
    wanted: Wanted,
) -> tuple[Tensor, Tensor]:
    x, y = rows.prepared(torch.float64)
    rest = 2 * (x - y if frame is None else product(x, frame) - y)
    back = rest if frame is None or not wanted[0] else product(rest, frame.mT)
    return (
        rows.of_raw(back, rows.x) if wanted[0] else rows.x[:0],
        rows.of_raw(-rest, rows.y) if wanted[1] else rows.y[:0],
    )


def _renewed(rows: PairRows, frame: Tensor, rotation_only: bool = False) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """The map moves with x and y, which second derivatives see."""
    cross = _cross(rows)
    return procrustes(cross, rotation_only=rotation_only).maps[0], cross


_PROCRUSTES_SQUARE = pair_function(Passes("pair_procrustes_square", 1, _square, _gradients, _renewed))
_ROTATION_SQUARE = pair_function(
    Passes(
        "pair_rotation_square",
        1,
        partial(_square, rotation_only=True),
        _gradients,
        partial(_renewed, rotation_only=True),
    )
)
