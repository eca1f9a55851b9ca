"""Orthogonal Procrustes alignment of matrices, and averages of many."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.batches import Reduction, combined, each_of_several, each_pair, places
from gpustab.kernels.pair_procrustes import pair_procrustes, pair_procrustes_square
from gpustab.kernels.pair_rows import lengths, pair_rows, powers, refuse_unmeasurable
from gpustab.kernels.pair_similarity import pair_whitened_angle
from gpustab.kernels.shapes import want_tensor

__all__ = ["Alignment", "align", "angular", "average", "disparity", "procrustes"]


class Alignment(NamedTuple):
    """How one matrix is turned onto another.

    Attributes:
        map: ``(..., d, d)`` float64 orthogonal A with ``X A ≈ Y``, without gradients; reflections are allowed.
        distance: ``(...)`` float64, of the aligned rows, with gradients.
        unique: ``(...)`` bool; False where ``XᵀY`` lacks full rank (always so for v < d), so that other maps are as
            good.
        scale: ``(...)`` float64 s with ``s X A ≈ Y``, without gradients; 1 unless it was asked for.
    """

    map: Tensor
    distance: Tensor
    unique: Tensor
    scale: Tensor


def procrustes(
    x: Tensor,
    y: Tensor,
    *,
    normalize: bool = True,
    weights: Tensor | None = None,
    reduced: bool = True,
    rotation_only: bool = False,
    scale: bool = False,
) -> Alignment:
    """Return the orthogonal map that brings x nearest to y, and how near (Schönemann 1966; thesis eq. 3.1).

    The distance ``‖XA − Y‖`` does not change when x or y is turned, when the words of both are permuted, or when x and
    y change places; with ``normalize`` nor when rows are scaled. It is right however near the matrices are. With
    ``scale`` it is ``min ‖s X A − Y‖`` over s, too (Schönemann & Carroll 1970): the same when x is scaled as a
    whole, but another one when x and y change places.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        normalize: scale rows to unit length first; the reduced distance then lies in [0, √2].
        weights: ``(v,)`` or ``(..., v)``, by which the words count.
        reduced: divide by √v (by the root of the sum of the weights), which is the root mean square over words.
        rotation_only: allow only maps of determinant +1 (Kabsch 1976), no mirrors.
        scale: stretch x as a whole, too.

    Raises:
        ValueError: for other shapes, where ``XᵀY`` is zero, or by the rule of :mod:`gpustab.functional`.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Output: map ``(..., d, d)``, all else ``(...)``.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> procrustes(x, x.flip(1)).distance.item()
        0.0
        >>> round(procrustes(3 * x, x, normalize=False, scale=True).scale.item(), 6)
        0.333333
    """
    _same_dimensions(x, y)

    def one(x: Tensor, y: Tensor, weights: Tensor | None) -> tuple[Tensor, ...]:
        if scale:
            found = _scaled(x, y, weights, normalize, rotation_only)
        else:
            pair = pair_procrustes(x, y, weights=weights, unit=normalize, rotation_only=rotation_only)
            found = Alignment(*pair, scale=torch.ones_like(pair.distance.detach()))
        size = (len(x) if weights is None else weights.double().sum()) ** 0.5 if reduced else 1
        return found._replace(distance=found.distance / size)

    return Alignment(*each_of_several(one, x, y, weights))


def _scaled(x: Tensor, y: Tensor, weights: Tensor | None, unit: bool, rotation_only: bool) -> Alignment:
    """With t² the squared distance of matrices of norm 1, ``⟨XA, Y⟩ = 1 − t²/2``, so that nothing cancels near 0."""
    rows = pair_rows(x, y, weights, unit)
    refuse_unmeasurable(rows, degree=2)
    x, y = rows.prepared(torch.float64)
    (x, of_x), (y, of_y) = _of_norm_one("x", x), _of_norm_one("y", y)
    found = pair_procrustes(x, y, rotation_only=rotation_only)
    half = found.distance.square() / 2
    share = (1 - half).clamp(min=0)
    distance = root(torch.where(half < 1, half * (2 - half), torch.ones_like(half))) * of_y
    return Alignment(found.map, distance, found.unique, (share * of_y / of_x).detach())


def disparity(x: Tensor, y: Tensor, *, reduction: Reduction = "mean") -> Tensor:
    """Return the Procrustes disparity, ``1 − ‖XᵀY‖_*²`` of centred matrices of norm 1; in [0, 1].

    It is that of ``scipy.spatial.procrustes`` and ``torchmetrics.functional.procrustes_disparity``, but right near 0,
    with gradients of every order, and an error where it is not defined. It does not change when x or y is turned,
    scaled as a whole or shifted, or when they change places.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        reduction: of a batch.

    Raises:
        ValueError: for other shapes, if all rows of a matrix are equal, or where ``XᵀY`` is zero.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """
    _same_dimensions(x, y)

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        half = pair_procrustes_square(*_shapes(x, y, normalize=False, centre=True)) / 2
        return half * (2 - half)

    return combined(each_pair(one, x, y), reduction)


def angular(
    x: Tensor,
    y: Tensor,
    *,
    alpha: float = 1.0,
    normalize: bool = False,
    centre: bool = True,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return the angle between two shapes, ``arccos (‖XᵀY‖_* / (‖X‖ ‖Y‖))``, a metric (Williams et al. 2021).

    It does not change when x or y is turned, scaled as a whole or (where columns are centred) shifted, or when they
    change places. Below 1 ``alpha`` lies between Procrustes and CCA: columns are first mapped by ``α I + (1 − α)
    (XᵀX)^{−1/2}``, as netrep does, and at 0 the angle does not change under any invertible map: it is ``arccos`` of
    mean CCA where x and y have equal ranks.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        alpha: from 0 (CCA) to 1 (Procrustes). Below 1 the size of x and y counts, and there are no gradients.
        normalize: scale rows to unit length first.
        centre: subtract the mean row; else it has to be 1.
        reduction: of a batch.

    Returns:
        ``()`` float64 in [0, π/2], or ``(...)`` without a reduction.

    Raises:
        ValueError: for other shapes, if all rows of a matrix are equal, or where ``XᵀY`` is zero.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """
    _same_dimensions(x, y)
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha is {alpha}, wanted a number from 0 to 1")
    if alpha < 1 and not centre:
        raise InputError("alpha below 1 whitens columns that are centred: give centre=True")

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        if alpha < 1:
            return pair_whitened_angle(x, y, alpha, unit=normalize)
        chord = root(pair_procrustes_square(*_shapes(x, y, normalize=normalize, centre=centre)))
        return 2 * torch.asin(chord / 2)  # not arccos, which has no digits near 1

    return combined(each_pair(one, x, y), reduction)


def _shapes(x: Tensor, y: Tensor, *, normalize: bool, centre: bool) -> tuple[Tensor, Tensor]:
    """Both float64, centred if that is asked for, and of norm 1."""
    rows = pair_rows(x, y, None, normalize)
    refuse_unmeasurable(rows, degree=0)
    found = []
    for name, part in zip("xy", rows.prepared(torch.float64), strict=True):
        part = part / powers(part.detach().abs().amax())
        mean = part.mean(0)
        part = part - mean if centre else part
        if centre and bool(part.square().sum() <= 1e-28 * len(part) * mean.square().sum()):
            raise InputError(f"all rows of {name} are equal, and have no shape")
        found.append(_of_norm_one(name, part)[0])
    return found[0], found[1]


def _of_norm_one(name: str, rows: Tensor) -> tuple[Tensor, Tensor]:
    norm = torch.linalg.vector_norm(rows)
    if not bool(norm > 0):
        raise InputError(f"{name} is zero, and has no shape")
    return rows / norm, norm


def _same_dimensions(x: Tensor, y: Tensor) -> None:
    want_tensor("x", x)
    want_tensor("y", y)
    if x.shape[-1:] != y.shape[-1:]:
        raise InputError(f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}, wanted (..., v, d) of one d")


def align(x: Tensor, y: Tensor, *, normalize: bool = True) -> Tensor:
    """Return x turned into the frame of y, ``X A``, by the map of :func:`procrustes`; the map has no gradients.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        normalize: every word counts alike for the map, whatever the lengths of its vectors, which are kept.

    Returns:
        ``(..., v, d)`` in the dtype of x.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Output: ``(..., v, d)``.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> align(x, torch.tensor([[0.0, 1.0], [1.0, 0.0]])).tolist()
        [[0.0, 1.0], [2.0, 0.0]]
    """
    _same_dimensions(x, y)
    return product(x.double(), procrustes(x.detach(), y.detach(), normalize=normalize).map).to(x.dtype)


def average(stack: Tensor, *, normalize: bool = True) -> Tensor:
    """Return the tree average of runs, each aligned to its neighbour (thesis eq. 3.2, §3.2.2); without gradients.

    Cosines in it do not change when runs are turned. They depend a little on the order of the runs.

    Args:
        stack: ``(..., R, v, d)``.
        normalize: scale rows to unit length first. Those of the average are shorter, and not scaled up again.

    Returns:
        ``(..., v, d)`` float64.

    Shape:
        - stack: ``(..., R, v, d)``.
        - Output: ``(..., v, d)``.

    Example:
        >>> x = torch.eye(2)
        >>> average(torch.stack([x, x.flip(0)])).norm(dim=1)
        tensor([1., 1.], dtype=torch.float64)
    """
    want_tensor("stack", stack)
    if stack.ndim < 3 or 0 in stack.shape:
        raise InputError(f"stack has shape {tuple(stack.shape)}, wanted (..., R, v, d), not empty")
    if not stack.is_floating_point():
        raise InputError(f"stack is {stack.dtype}, wanted real floating-point numbers")
    rows = stack.detach().double()
    if not bool(rows.isfinite().all()):
        raise InputError("stack has numbers that are not finite")
    rows = rows / lengths(rows) if normalize else rows
    found = [tree_average(rows[where])[-1][0] for where in places(stack.shape[:-3])]
    if any(one.undetermined for one in found):
        warnings.warn("an alignment is not unique: other averages are as good", stacklevel=2)
    return torch.stack([one.vectors for one in found]).view(*stack.shape[:-3], *stack.shape[-2:])
