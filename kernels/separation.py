"""How alike samples of one term are, beside samples of different terms: cosines, ranks, and how well they separate."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

__all__ = ["Nulls", "Separation", "separation"]


class Separation(NamedTuple):
    """Exact sums over all pairs of samples, by term, so that any term can be left out of them.

    Attributes:
        same: ``(T,)`` float64 sum of the cosines of pairs of samples of each term.
        pairs: ``(T,)`` how many such pairs.
        null: ``(T,)`` sum of the cosines of the null pairs that touch a term.
        nulls: ``(T,)`` how many null pairs touch it; each touches two terms.
        lost: ``(T,)`` sum over a term's own pairs of the null pairs below them, ties as halves.
        touching: ``(T,)`` sum over the null pairs that touch a term of the own pairs (of all terms) above them.
        both: ``(T,)`` the same, of the term's own pairs alone.
        ranks: ``(T,)`` sum over a term's ordered pairs of the place of the second among the null partners of the first.
        among: ``(T,)`` sum over its ordered pairs of the number of places.
    """

    same: Tensor
    pairs: Tensor
    null: Tensor
    nulls: Tensor
    lost: Tensor
    touching: Tensor
    both: Tensor
    ranks: Tensor
    among: Tensor


class Nulls(Protocol):
    """Null pairs: a bool tensor ``(P, P)``, symmetric, or what gives its rows block by block."""

    def __getitem__(self, rows: slice, /) -> Tensor:
        """Return ``(k, P)`` rows."""


def separation(unit: Tensor, term: Tensor, allowed: Nulls) -> Separation:
    """Return the sums of :class:`Separation`.

    Args:
        unit: ``(P, d)`` unit vectors of the samples. A zero row has no direction: its cosines are undefined, and its
            pairs count nowhere.
        term: ``(P,)`` term of each sample, ascending from 0 without gaps.
        allowed: pairs of different terms that are null pairs; P² of them are never held at once.

    Example:
        >>> unit = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> term = torch.tensor([0, 0, 1, 1])
        >>> found = separation(unit, term, term[:, None] != term)
        >>> found.same.tolist(), found.nulls.tolist(), found.lost.tolist()
        ([1.0, 1.0], [4.0, 4.0], [4.0, 4.0])
    """
    unit = unit.double()
    starts = torch.cat([term.new_zeros(1), torch.bincount(term).cumsum(0)]).tolist()
    blocks = [slice(a, b) for a, b in pairwise(starts)]
    known = unit.any(1)
    own = [_own_pairs(product(x, x.T)) for x in (unit[rows][known[rows]] for rows in blocks)]
    values = torch.cat(own).sort().values
    below = torch.zeros(len(values) + 1, dtype=torch.float64, device=unit.device)
    found = [
        _of_term(unit, rows, known, allowed[rows], pairs, values, below)
        for rows, pairs in zip(blocks, own, strict=True)
    ]
    # below[k]: twice the null pairs, ties as halves, that lie below k own pairs or more; each pair came from both terms
    beaten = below.cumsum(0)[:-1] / 2
    lost = [beaten[torch.searchsorted(values, pairs)].sum() for pairs in own]
    same, pairs, null, nulls, touching, both, ranks, among = (
        torch.stack(column) for column in zip(*found, strict=True)
    )
    return Separation(same, pairs, null, nulls, torch.stack(lost), touching, both, ranks, among)


def _own_pairs(cosines: Tensor) -> Tensor:
    i, j = torch.triu_indices(len(cosines), len(cosines), 1, device=cosines.device)
    return cosines[i, j]


def _of_term(
    unit: Tensor, rows: slice, known: Tensor, allowed: Tensor, pairs: Tensor, values: Tensor, below: Tensor
) -> tuple[Tensor, ...]:
    """One term's sums; adds its null pairs to ``below``."""
    inside = known[rows]
    allowed = allowed[inside] & known
    cosines = product(unit[rows][inside], unit.T)
    others = cosines.masked_fill(~allowed, -torch.inf).sort(1).values
    null = others[others > -torch.inf]  # in order row by row: found in two thirds of the time
    left, right = _sides(values, null)
    half = torch.full_like(null, 0.5)
    below.scatter_add_(0, right, half).scatter_add_(0, left, half)
    touching = (len(values) - (left + right).double() / 2).sum()
    ordered = pairs.sort().values
    less, no_more = _sides(ordered, null)
    at_most = (less + no_more).double() / 2
    ranks, among = _ranks(others, cosines[:, rows][:, inside], allowed)
    counts = (len(pairs), null.numel())
    n_pairs, n_null = (null.new_tensor(float(n)) for n in counts)
    return pairs.sum(), n_pairs, null.sum(), n_null, touching, (len(pairs) - at_most).sum(), ranks, among


def _sides(ordered: Tensor, found: Tensor) -> tuple[Tensor, Tensor]:
    """Return how many of ordered values lie below each number, and how many do not lie above it."""
    right = torch.searchsorted(ordered, found, right=True)
    tied = bool((ordered[(right - 1).clamp(min=0)] == found).any()) if len(ordered) else False
    return torch.searchsorted(ordered, found) if tied else right, right  # ties are rare: one search is enough


def _ranks(others: Tensor, own: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """Sum of the places of each second sample, and of the places there are.

    Args:
        others: ``(k, P)`` cosines to null partners, ascending; −∞ for all else.
        own: ``(k, k)`` cosines of the term's samples.
        allowed: ``(k, P)`` null partners.
    """
    k = len(own)
    above = others.shape[1] - torch.searchsorted(others, own.contiguous(), right=True)
    different = ~torch.eye(k, dtype=torch.bool, device=own.device)
    return (above + 1)[different].double().sum(), (allowed.sum(1).double() + 1).sum() * (k - 1)
