"""Batches of pairs of matrices: leading dimensions that broadcast, and the results of all pairs combined."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Literal

import torch
from torch import Tensor

from gpustab.kernels.shapes import want_tensor

__all__ = ["Reduction", "combined", "each_of_several", "each_pair", "places", "refuse_reduction"]

Reduction = Literal["none", "mean", "sum"]


def each_pair(
    function: Callable[[Tensor, Tensor, Tensor | None], Tensor], x: Tensor, y: Tensor, weights: Tensor | None = None
) -> Tensor:
    """Apply a function to every pair of a batch, and to a single one directly, so that transforms see through."""
    return each_of_several(lambda *pair: (function(*pair),), x, y, weights)[0]


def each_of_several(
    function: Callable[[Tensor, Tensor, Tensor | None], tuple[Tensor, ...]],
    x: Tensor,
    y: Tensor,
    weights: Tensor | None = None,
) -> list[Tensor]:
    """The same for a function with several results: each is stacked."""
    batch = _batch(x, y, weights)
    if not batch:
        return list(function(x, y, weights))
    x, y = (part.expand(*batch, *part.shape[-2:]) for part in (x, y))
    weights = None if weights is None else weights.expand(*batch, weights.shape[-1])
    found = [function(x[at], y[at], None if weights is None else weights[at]) for at in places(batch)]
    return [torch.stack(field).view(*batch, *field[0].shape) for field in zip(*found, strict=True)]


def places(batch: torch.Size) -> Iterator[tuple[int, ...]]:
    """Yield the place of every member of a batch."""
    return itertools.product(*map(range, batch))


def _batch(x: Tensor, y: Tensor, weights: Tensor | None) -> torch.Size:
    """The leading dimensions of a batch.

    Raises:
        ValueError: for shapes that do not go together.
    """
    want_tensor("x", x)
    want_tensor("y", y)
    if weights is not None:
        want_tensor("weights", weights)
    shapes = f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}"
    if x.ndim < 2 or y.ndim < 2 or x.shape[-2] != y.shape[-2]:
        raise ValueError(f"{shapes}, wanted (..., v, d1) and (..., v, d2)")
    if weights is not None:
        if weights.shape[-1:] != x.shape[-2:-1]:
            raise ValueError(f"{shapes}, and weights {tuple(weights.shape)}, wanted (..., {x.shape[-2]})")
        shapes += f", weights {tuple(weights.shape)}"
    try:
        batch: torch.Size = torch.broadcast_shapes(
            x.shape[:-2], y.shape[:-2], () if weights is None else weights.shape[:-1]
        )
    except RuntimeError:
        raise ValueError(f"{shapes}: their leading dimensions do not broadcast") from None
    if 0 in batch:
        raise ValueError(f"{shapes}: the batch is empty")
    return batch


def combined(values: Tensor, reduction: Reduction) -> Tensor:
    """Return all values, their mean or their sum."""
    refuse_reduction(reduction)
    return values if reduction == "none" else values.mean() if reduction == "mean" else values.sum()


def refuse_reduction(reduction: str) -> None:
    """Refuse what is no reduction.

    Raises:
        ValueError: names it, and those that there are.
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"reduction is {reduction!r}, wanted 'none', 'mean' or 'sum'")
