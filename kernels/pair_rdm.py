"""Representational similarity analysis: how alike two matrices rank or measure the distances of all pairs of rows."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import pdist

from gpustab.kernels.distances import distance_correlation
from gpustab.kernels.pair_rows import PairRows, lengths, pair_rows, powers, refuse_unmeasurable, summed_products
from gpustab.kernels.pair_similarity import centred_with_lengths

__all__ = ["Comparison", "Distance", "average_ranks", "pair_rdm"]

Distance = Literal["cosine", "euclidean", "correlation"]
Comparison = Literal["pearson", "spearman"]


def pair_rdm(
    x: Tensor, y: Tensor, *, distance: Distance = "cosine", comparison: Comparison = "pearson", unit: bool = False
) -> Tensor:
    """Return the correlation of the distances of all pairs of different rows, ``()`` float64 in [−1, 1].

    Kriegeskorte et al. 2008. Cosines and Pearson's correlation need ``O(d²)`` numbers beside the rows (see
    :func:`gpustab.kernels.distances.distance_correlation`), all else ``4 v²``.

    Args:
        x: ``(v, d1)`` of any float dtype.
        y: ``(v, d2)``, row k being the same word.
        distance: ``"cosine"``; ``"euclidean"``; ``"correlation"``: cosine of rows that are centred each.
        comparison: ``"pearson"``; ``"spearman"``: of ranks, tied ones being shared, without gradients.
        unit: scale rows to unit length before Euclidean distances.

    Raises:
        ValueError: for another name, fewer than 3 rows, a row without a direction where one is needed, or distances
            that are all equal.

    Example:
        >>> x = torch.tensor([[0.0], [1.0], [3.0], [7.0]])
        >>> round(pair_rdm(x, x.square(), distance="euclidean", comparison="spearman").item(), 6)  # ranks alone count
        1.0
    """
    for name, given, known in (("distance", distance, Distance), ("comparison", comparison, Comparison)):
        if given not in get_args(known):
            raise ValueError(f"{name} is {given!r}, wanted one of {', '.join(get_args(known))}")
    rows = pair_rows(x, y, None, unit or distance == "cosine")
    if len(x) < 3:
        raise ValueError(f"x has {len(x)} rows, wanted at least 3: two have one distance")
    refuse_unmeasurable(rows, degree=0)
    if distance == "cosine" and comparison == "pearson":
        return _cosines_by_sums(rows)
    # Without the padding: a mean over it would be another one.
    parts = [part[:, : raw.shape[1]] for part, raw in zip(rows.prepared(torch.float64), (x, y), strict=True)]
    found = [_distances(part / powers(part.detach().abs().amax()), distance) for part in parts]
    if comparison == "spearman":
        found = [average_ranks(part.detach()) for part in found]
    centred = [part - part.mean() for part in found]
    for name, part, whole in zip("xy", centred, found, strict=True):
        if not bool(part.abs().amax() > 1e-12 * whole.abs().amax()):
            raise ValueError(f"the {distance} distances of {name} do not vary")
    x, y = (part / torch.linalg.vector_norm(part) for part in centred)
    return (x * y).sum().clamp(-1, 1)


def _cosines_by_sums(rows: PairRows) -> Tensor:
    """Of unit rows, whose squared distances are ``2 − 2 cos``; centred, since far from 0 all cosines are nearly 1."""
    xx, xy, yy = summed_products(centred_with_lengths(rows))[:, None]
    for name, own in (("x", xx), ("y", yy)):
        if bool(own[0, :-1, :-1].trace() <= 1e-28 * len(rows.x)):
            raise ValueError(f"the cosine distances of {name} do not vary: its rows point the same way")
    return distance_correlation(xx, xy, yy, len(rows.x))[0]


def _distances(rows: Tensor, distance: Distance) -> Tensor:
    """Of all pairs ``k < l``, ``(v(v−1)/2,)``; half their squares for unit rows, which are one minus cosines."""
    if distance == "euclidean":
        return pdist(rows)
    if distance == "correlation":
        largest = rows.detach().abs().amax(1)
        rows = rows - rows.mean(1, keepdim=True)
        # What the rounding of its mean leaves of a constant row is no direction.
        rounding = 8 * torch.finfo(torch.float64).eps * rows.shape[1] * largest
        constant = rows.detach().abs().amax(1) <= rounding
        if bool(constant.any()):
            raise ValueError(f"row {int(constant.nonzero()[0])} is constant and correlates with no other")
        rows = rows / lengths(rows)
    return pdist(rows).square() / 2


def average_ranks(values: Tensor) -> Tensor:
    """Return ranks from 1, equal values having the mean of theirs, ``(n,)`` float64.

    Example:
        >>> average_ranks(torch.tensor([3.0, 1.0, 3.0])).tolist()
        [2.5, 1.0, 2.5]
    """
    _, which, counts = values.unique(return_inverse=True, return_counts=True)
    last = counts.cumsum(0)
    ranks: Tensor = (last.double() - (counts - 1) / 2)[which]
    return ranks
