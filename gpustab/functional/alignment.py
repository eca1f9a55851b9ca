"""Orthogonal Procrustes alignment of matrices, and averages of many."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import tree_average
from gpustab.kernels.batches import each_of_several, places
from gpustab.kernels.pair_procrustes import pair_procrustes
from gpustab.kernels.pair_rows import lengths


class Alignment(NamedTuple):
    """How one matrix is turned onto another.

    Attributes:
        map: ``(..., d, d)`` float64 orthogonal A with ``X A ≈ Y``, without gradients; reflections are allowed.
        distance: ``(...)`` float64, of the aligned rows, with gradients.
        unique: ``(...)`` bool; False where ``XᵀY`` lacks full rank (always so for v < d), so that other maps are as
            good.
    """

    map: Tensor
    distance: Tensor
    unique: Tensor


def procrustes(
    x: Tensor, y: Tensor, *, normalize: bool = True, weights: Tensor | None = None, reduced: bool = True
) -> Alignment:
    """Return the orthogonal map that brings x nearest to y, and how near (Schönemann 1966; thesis eq. 3.1).

    The distance ``‖XA − Y‖`` does not change when x or y is turned, when the words of both are permuted, or when x and
    y change places; with ``normalize`` nor when rows are scaled. It is right however near the matrices are.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        normalize: scale rows to unit length first; the reduced distance then lies in [0, √2].
        weights: ``(v,)`` or ``(..., v)``, by which the words count.
        reduced: divide by √v (by the root of the sum of the weights), which is the root mean square over words.

    Raises:
        ValueError: for other shapes, or where ``XᵀY`` is zero or not finite.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> procrustes(x, x.flip(1)).distance.item()
        0.0
    """
    if x.shape[-1:] != y.shape[-1:]:
        raise InputError(f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}, wanted (..., v, d) of one d")

    def one(x: Tensor, y: Tensor, weights: Tensor | None) -> tuple[Tensor, ...]:
        found = pair_procrustes(x, y, weights=weights, unit=normalize)
        size = (len(x) if weights is None else weights.double().sum()) ** 0.5 if reduced else 1
        return found.map, found.distance / size, found.unique

    return Alignment(*each_of_several(one, x, y, weights))


def align(x: Tensor, y: Tensor, *, normalize: bool = True) -> Tensor:
    """Return x turned into the frame of y, ``X A``, by the map of :func:`procrustes`; the map has no gradients.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        normalize: every word counts alike for the map, whatever the lengths of its vectors, which are kept.

    Returns:
        ``(..., v, d)`` in the dtype of x.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> align(x, torch.tensor([[0.0, 1.0], [1.0, 0.0]])).tolist()
        [[0.0, 1.0], [2.0, 0.0]]
    """
    return product(x.double(), procrustes(x.detach(), y.detach(), normalize=normalize).map).to(x.dtype)


def average(stack: Tensor, *, normalize: bool = True) -> Tensor:
    """Return the tree average of runs, each aligned to its neighbour (thesis eq. 3.2, §3.2.2); without gradients.

    Cosines in it do not change when runs are turned. They depend a little on the order of the runs.

    Args:
        stack: ``(..., R, v, d)``.
        normalize: scale rows to unit length first. Those of the average are shorter, and not scaled up again.

    Returns:
        ``(..., v, d)`` float64.

    Example:
        >>> x = torch.eye(2)
        >>> average(torch.stack([x, x.flip(0)])).norm(dim=1)
        tensor([1., 1.], dtype=torch.float64)
    """
    if stack.ndim < 3 or 0 in stack.shape:
        raise InputError(f"stack has shape {tuple(stack.shape)}, wanted (..., R, v, d), not empty")
    rows = stack.detach().double()
    rows = rows / lengths(rows) if normalize else rows
    found = [tree_average(rows[where])[-1][0] for where in places(stack.shape[:-3])]
    if any(one.undetermined for one in found):
        warnings.warn("an alignment is not unique: other averages are as good", stacklevel=2)
    return torch.stack([one.vectors for one in found]).view(*stack.shape[:-3], *stack.shape[-2:])
