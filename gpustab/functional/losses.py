"""Losses of two matrices: PIP, word-wise PIP, Procrustes."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from gpustab.kernels.arithmetic import root
from gpustab.kernels.batches import Reduction, combined, each_pair
from gpustab.kernels.pair import pair_pip_square
from gpustab.kernels.pair_procrustes import pair_procrustes_square
from gpustab.kernels.pair_words import pair_wordwise_pip

__all__ = ["pip_loss", "procrustes_loss", "wordwise_pip_loss"]


def pip_loss(
    x: Tensor,
    y: Tensor,
    *,
    normalize: bool = True,
    weights: Tensor | None = None,
    squared: bool = False,
    reduced: bool = True,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return the PIP loss ``‖XXᵀ − YYᵀ‖ / (2v)`` (Rettenmeier 2020, eq. 2.27, 2.28; after Yin & Shen 2018).

    It does not change when x or y is turned by any orthogonal map, when the words of both are permuted, or when x and y
    change places; with ``normalize`` nor when rows are scaled. The loss and its gradient are 0 at equality, and right
    to about 1e-5 in float32 however near the matrices are. ``O(d²)`` memory beside the gradients.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``; the dimensions need not agree.
        normalize: scale rows to unit length first; the reduced loss then lies in [0, 1].
        weights: ``(v,)`` or ``(..., v)``, by which the words count.
        squared: the square of the loss, which is smooth at equality.
        reduced: divide by ``2v`` (by twice the sum of the weights); else the total loss.
        reduction: of a batch: ``"mean"``, ``"sum"``, or ``"none"`` for a loss of each pair.

    Raises:
        ValueError: for other shapes, or by the rule of :mod:`gpustab.functional`.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.

    Example:
        >>> import torch
        >>> x = torch.eye(2)
        >>> round(pip_loss(x, torch.tensor([[1.0], [1.0]])).item(), 6)  # √2 / 4
        0.353553
    """
    return _loss(pair_pip_square, 2, (x, y, weights), normalize, squared, reduced, reduction)


def procrustes_loss(
    x: Tensor,
    y: Tensor,
    *,
    normalize: bool = True,
    weights: Tensor | None = None,
    squared: bool = False,
    reduced: bool = True,
    reduction: Reduction = "mean",
) -> Tensor:
    """Return the distance of :func:`procrustes` as a loss: ``min_A ‖XA − Y‖ / √v`` over orthogonal A.

    Invariances are those of :func:`procrustes`. The loss and its gradient are 0 at equality, and right however near the
    matrices are. ``O(d²)`` memory beside the gradients; ``torch.compile`` takes it whole.

    Args:
        x: ``(..., v, d)``.
        y: ``(..., v, d)``.
        normalize: scale rows to unit length first; the reduced loss then lies in [0, √2].
        weights: ``(v,)`` or ``(..., v)``, by which the words count.
        squared: the square of the loss, which is smooth at equality.
        reduced: divide by √v (by the root of the sum of the weights), which is the root mean square over words.
        reduction: of a batch: ``"mean"``, ``"sum"``, or ``"none"`` for a loss of each pair.

    Raises:
        ValueError: for other shapes, where ``XᵀY`` is zero, or by the rule of :mod:`gpustab.functional`.

    Shape:
        - x, y: ``(..., v, d)``; leading dimensions broadcast.
        - Output: ``()``, or ``(...)`` without a reduction.
    """
    return _loss(pair_procrustes_square, 1, (x, y, weights), normalize, squared, reduced, reduction)


def _loss(
    square: Callable[..., Tensor],
    power: int,
    given: tuple[Tensor, Tensor, Tensor | None],
    normalize: bool,
    squared: bool,
    reduced: bool,
    reduction: Reduction,
) -> Tensor:
    """A loss from its square, reduced by a power of the number of words."""

    def one(x: Tensor, y: Tensor, weights: Tensor | None) -> Tensor:
        loss = square(x, y, weights=weights, unit=normalize)
        if reduced:
            words = len(x) if weights is None else weights.double().sum()
            loss = loss / (power * words) ** power
        return loss if squared else root(loss)

    return combined(each_pair(one, *given), reduction)


def wordwise_pip_loss(
    x: Tensor, y: Tensor, *, normalize: bool = True, reduced: bool = True, reduction: Reduction = "none"
) -> Tensor:
    """Return the PIP loss of every word, the norms of the rows of ``XXᵀ − YYᵀ`` by ``2√v`` (eq. 2.29).

    Their root mean square is the reduced loss, and the same maps leave them alone; permuted words have permuted losses.

    Args:
        x: ``(..., v, d1)``.
        y: ``(..., v, d2)``.
        normalize: scale rows to unit length first; the reduced losses then lie in [0, 1].
        reduced: divide by ``2√v``.
        reduction: over all words and the batch; ``"none"``: ``(..., v)``.

    Shape:
        - x: ``(..., v, d1)``, y: ``(..., v, d2)``; leading dimensions broadcast.
        - Output: ``(..., v)``, or ``()`` with a reduction.

    Example:
        >>> import torch
        >>> wordwise_pip_loss(torch.eye(2), torch.tensor([[1.0], [1.0]]))
        tensor([0.3536, 0.3536], dtype=torch.float64)
    """

    def one(x: Tensor, y: Tensor, _: Tensor | None) -> Tensor:
        loss = pair_wordwise_pip(x, y, unit=normalize)
        return loss / (2 * len(x) ** 0.5) if reduced else loss

    return combined(each_pair(one, x, y), reduction)
