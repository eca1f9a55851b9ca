"""Overlap of nearest-neighbour lists between all pairs of runs: p@n and j@n (Rettenmeier 2020, eq. 2.7-2.10).

``p@n = shared / n``, ``j@n = shared / (2n − shared) = p / (2 − p)``, per word and pair of runs, averaged after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.gram import run_pairs
from gpustab.kernels.jackknife import jackknife, pair_matrix
from gpustab.kernels.shapes import want

__all__ = [
    "Overlap",
    "OverlapSums",
    "WordOverlap",
    "as_overlap",
    "chance_overlap",
    "mean_over_measured",
    "neighbour_overlap",
    "order_of_rows",
    "overlap_sums",
    "rank_similarity",
    "shared_by_length",
    "shared_neighbours",
]

_NUMBERS = 1 << 22
"""Pairs of neighbours that are compared at a time."""
_WORDS = 1 << 16
"""Words at a time where runs are compared by which words they have."""


class WordOverlap(NamedTuple):
    """p@n of every target over the pairs of runs that have it; each ``(t,)``.

    Attributes:
        mean: over these pairs; NaN without one.
        sd: over these pairs, ``ddof = 1``; NaN for fewer than two.
        se: of the mean, by the jackknife over runs; NaN for fewer than three.
    """

    mean: Tensor
    sd: Tensor
    se: Tensor


class Overlap(NamedTuple):
    """Overlap at N list lengths, averaged both ways.

    Attributes:
        p_pairs, j_pairs: ``(N, P)`` float64, of the pairs of runs ``i < j``: mean over the targets that both have; NaN
            without such a target.
        targets: ``(R, R)`` int64: how many targets that mean is taken over.
        p_word, j_word: ``(N, t)`` float64: mean over the pairs of runs that have the target; NaN without one.
        words: p@n of every target with its spread, at the one n for which it was asked for.
    """

    p_pairs: Tensor
    j_pairs: Tensor
    targets: Tensor
    p_word: Tensor
    j_word: Tensor
    words: WordOverlap | None = None

    @property
    def p(self) -> Tensor:
        """``p_pairs`` as pair matrices, ``(N, R, R)``; of a thousand runs they are large."""
        return torch.stack([pair_matrix(values, len(self.targets)) for values in self.p_pairs])

    @property
    def j(self) -> Tensor:
        """``j_pairs`` as pair matrices, ``(N, R, R)``."""
        return torch.stack([pair_matrix(values, len(self.targets)) for values in self.j_pairs])

    def of_words(self) -> WordOverlap:
        """Return the targets' p@n with its spread, which was asked for."""
        assert self.words is not None  # noqa: S101
        return self.words


class OverlapSums(NamedTuple):
    """What overlaps are means of: sums of some targets, which add up with those of others.

    Attributes:
        p, j: ``(N, P)`` float64, of the pairs of runs ``i < j``, over the targets that both have.
        p_word, j_word: ``(N, t)`` float64, mean over the pairs of runs that have the target; NaN without one.
        words: see :class:`Overlap`.
    """

    p: Tensor
    j: Tensor
    p_word: Tensor
    j_word: Tensor
    words: WordOverlap | None = None


def shared_neighbours(neighbours: Tensor, lengths: Sequence[int]) -> Tensor:
    """Return :func:`shared_by_length` of all lengths at once, ``(N, t, R, R)`` float32."""
    return torch.stack(list(shared_by_length(neighbours, lengths)))


def shared_by_length(neighbours: Tensor, lengths: Sequence[int]) -> Iterator[Tensor]:
    """Count how many of the first n neighbours two runs share, for all pairs of runs, several n and all targets.

    Every target's neighbours over all runs get small local numbers, so that a list is a 0/1 row and all pairs of runs
    are one product of a matrix with its transpose: exact in float32. Words that are early in some run have the small
    numbers, so that a short list is a short row.

    Args:
        neighbours: ``(R, t, k)`` word ids, nearest first; negative entries are no neighbours.
        lengths: values of n, each in ``1 .. k``.

    Yields:
        For every n, ``(t, R, R)`` float32 holding whole numbers.
    """
    want("neighbours", neighbours, "(R, t, k)")
    runs, targets, k = neighbours.shape
    if not lengths or min(lengths) < 1 or max(lengths) > k:
        raise ValueError(f"list lengths {list(lengths)} must lie in 1 .. {k}")
    local, best = _local_numbers(neighbours)
    valid = (neighbours >= 0).permute(1, 0, 2).float()
    for n in lengths:
        width = max(1, int((best < n).sum(1).amax())) if targets else 1
        member = torch.zeros(targets, runs, width, dtype=torch.float32, device=neighbours.device)
        member.scatter_add_(2, local[:, :, :n], valid[:, :, :n])
        yield product(member, member.mT)


def _local_numbers(neighbours: Tensor) -> tuple[Tensor, Tensor]:
    """Number each target's words by their best rank in any run: ``(t, R, k)``, and these ranks, ``(t, W)``."""
    runs, targets, k = neighbours.shape
    words = neighbours.permute(1, 0, 2).reshape(targets, runs * k)
    order = order_of_rows(words)
    ordered = words.gather(1, order)
    steps = (ordered[:, 1:] != ordered[:, :-1]).long().cumsum(1)
    local = torch.zeros_like(words).scatter_(1, order[:, 1:], steps)
    width = int(local.max()) + 1 if local.numel() else 1
    ranks = torch.arange(k, device=words.device).repeat(runs).expand_as(local)
    best = torch.full((targets, width), k, device=words.device).scatter_reduce_(1, local, ranks, "amin")
    best, by_rank = best.sort(dim=1)
    number = torch.empty_like(by_rank).scatter_(1, by_rank, torch.arange(width, device=words.device).expand_as(by_rank))
    return number.gather(1, local).view(targets, runs, k), best


def order_of_rows(words: Tensor) -> Tensor:
    """Return the places that sort every row of ``(t, n)`` numbers, equal ones in any order.

    NumPy takes a quarter of torch's time on a CPU.

    >>> order_of_rows(torch.tensor([[3, 1, 2]])).tolist()
    [[1, 2, 0]]
    """
    return torch.from_numpy(np.argsort(words.numpy(), axis=1)) if words.device.type == "cpu" else words.argsort(dim=1)


def overlap_sums(
    neighbours: Tensor,
    lengths: Sequence[int],
    present: Tensor | None = None,
    total: Tensor | None = None,
    spread: int | None = None,
) -> OverlapSums:
    """Sum up p@n and j@n of all pairs of runs; see :func:`neighbour_overlap`.

    Args:
        neighbours: ``(R, t, k)`` word ids, nearest first.
        lengths: values of n, each in ``1 .. k``.
        present: ``(R, t)`` bool, which run has which target; default: all.
        total: ``(2, N, P)`` float64, p and j of other targets, to which these are added in place.
        spread: one of the lengths, at which the spread of every target's p@n is measured too.
    """
    want("neighbours", neighbours, "(R, t, k)")
    runs, targets, _ = neighbours.shape
    have = torch.ones(runs, targets, dtype=torch.bool, device=neighbours.device) if present is None else present
    whole = bool(have.all())
    upper = _places_of_pairs(runs, have.device)
    of = have.sum(0).double()
    pairs = of * (of - 1) / 2  # (t,)
    if total is None:
        total = torch.zeros(2, len(lengths), len(upper), dtype=torch.float64, device=have.device)
    # In one tensor: small ones, made among large ones that are let go, would keep the memory of these in pieces.
    by_word = torch.empty(2, len(lengths), targets, dtype=torch.float64, device=have.device)
    words = None
    for place, (n, counts) in enumerate(zip(lengths, shared_by_length(neighbours, lengths), strict=True)):
        if not whole:
            counts.mul_(have.T[:, :, None] & have.T[:, None, :])
        shared = counts.flatten(1).index_select(1, upper).double()  # (t, P)
        total[0, place] += shared.sum(0) / n
        by_word[0, place] = shared.sum(1) / (n * pairs)
        if n == spread:
            of_run = (counts.sum(2) - counts.diagonal(dim1=1, dim2=2)).double()  # whole numbers, exact in float32
            words = _spread(shared, of_run, n, pairs, have)
        shared /= 2 * n - shared
        total[1, place] += shared.sum(0)
        by_word[1, place] = shared.sum(1) / pairs
    return OverlapSums(total[0], total[1], by_word[0], by_word[1], words)


def _places_of_pairs(runs: int, device: torch.device) -> Tensor:
    """Return the places of the pairs ``i < j`` in a flattened pair matrix, ``(P,)``."""
    return torch.ones(runs, runs, dtype=torch.bool, device=device).triu_(1).flatten().nonzero().flatten()


def _spread(shared: Tensor, of_run: Tensor, n: int, pairs: Tensor, have: Tensor) -> WordOverlap:
    """Return the spread of p@n over pairs, of how many neighbours these share, ``(t, P)``, and its sums by run."""
    # Whole numbers divided once: equal shares are equal to the bit, whatever the tile, and tie where words are ranked.
    total, squares = shared.sum(1), torch.linalg.vecdot(shared, shared)
    mean = total / (n * pairs)
    sd = ((squares * pairs - total.square()) / (pairs * (pairs - 1))).sqrt() / n
    error = jackknife(of_run.T / n, have)
    return WordOverlap(mean.where(pairs > 0, torch.nan), sd.where(pairs > 1, torch.nan), error)


def as_overlap(sums: OverlapSums, present: Tensor) -> Overlap:
    """Return the means of sums, which they take the place of: of many runs they are large.

    Args:
        sums: over all targets.
        present: ``(R, t)`` bool, which run has which of them.
    """
    held = present.double()
    both = product(held, held.mT).long()
    targets = both.flatten()[_places_of_pairs(len(both), both.device)]
    return Overlap(sums.p.div_(targets), sums.j.div_(targets), both, sums.p_word, sums.j_word, sums.words)


def neighbour_overlap(neighbours: Tensor, lengths: Sequence[int], present: Tensor | None = None) -> Overlap:
    """Return p@n and j@n of all pairs of runs at several n, per pair of runs and per target.

    Args:
        neighbours: ``(R, t, k)`` word ids, nearest first.
        lengths: values of n, each in ``1 .. k``.
        present: ``(R, t)`` bool, which run has which target; default: all.

    Example:
        >>> lists = torch.tensor([[[1, 2, 3]], [[2, 1, 4]]])  # two runs, one target
        >>> overlap = neighbour_overlap(lists, [1, 2, 3])
        >>> overlap.p[:, 0, 1].tolist(), overlap.j[2, 0, 1].item()
        ([0.0, 1.0, 0.6666666666666666], 0.5)
    """
    have = torch.ones_like(neighbours[:, :, 0], dtype=torch.bool) if present is None else present
    return as_overlap(overlap_sums(neighbours, lengths, have), have)


def rank_similarity(first: Tensor, second: Tensor) -> Tensor:
    """Return how alike two lists of every target rank the neighbours that they share (Wang et al. 2022).

    ``Σ_w 2 / ((1 + |r_w − s_w|)(r_w + s_w)) / Σ_{n=1}^{m} 1/n`` over the m shared words w, with ranks r and s in the
    two lists: near neighbours count most, and those of like rank. Lists that share a neighbour at rank 10 of both alone
    have 0.1.

    Args:
        first: ``(t, k)`` word ids, nearest first.
        second: ``(t, k)``.

    Returns:
        ``(t,)`` float64 in [0, 1]; 0 for lists that share nothing.

    Example:
        >>> lists = torch.tensor([[1, 2, 3]])
        >>> rank_similarity(lists, lists).item(), round(rank_similarity(lists, torch.tensor([[2, 1, 4]])).item(), 6)
        (1.0, 0.444444)
    """
    k = first.shape[1]
    ranks = torch.arange(1, k + 1, dtype=torch.float64, device=first.device)
    weights = 2 / ((1 + (ranks[:, None] - ranks).abs()) * (ranks[:, None] + ranks))
    whole = torch.cat([ranks[:1], (1 / ranks).cumsum(0)])  # of no shared words: any number but 0
    few = max(1, _NUMBERS // k**2)
    pieces = []
    for a, b in zip(first.split(few), second.split(few), strict=True):
        same = (a[:, :, None] == b[:, None, :]) & (a >= 0)[:, :, None]
        pieces.append((same * weights).sum((1, 2)) / whole[same.sum((1, 2))])
    return torch.cat(pieces)


def chance_overlap(present: Tensor) -> Tensor:
    """Return p@1 of unrelated runs for all pairs; p@n is n times as much.

    Two lists of n words, drawn at random from the ``v_i − 1`` and ``v_j − 1`` words beside the target, share
    ``n² (c − 1) / ((v_i − 1)(v_j − 1))`` words on the average, c being the words that both runs have, the target among
    them. Where all runs have all words that is the usual ``n / (v − 1)``.

    Args:
        present: ``(R, v)`` bool, which run has which word.

    Returns:
        ``(R, R)`` float64, zero on the diagonal.

    Example:
        >>> present = torch.tensor([[True, True, True, True, False], [True, True, True, False, True]])
        >>> round(chance_overlap(present)[0, 1].item(), 6)  # 2 / (3 · 3)
        0.222222
    """
    common = torch.zeros(len(present), len(present), dtype=torch.float64, device=present.device)
    for some in present.split(_WORDS, dim=1):
        common += product(some.float(), some.float().mT)  # whole numbers, exact in float32
    others = (common.diagonal() - 1).clamp(min=1)
    return _off_diagonal((common - 1).clamp(min=0) / (others[:, None] * others))


def mean_over_measured(pairs: Tensor, targets: Tensor) -> float:
    """Return the mean of a number of all pairs of runs over the pairs that have targets; NaN without one.

    Args:
        pairs: ``(R, R)``.
        targets: ``(R, R)``, see :class:`Overlap`.
    """
    i, j = run_pairs(len(pairs), pairs.device)
    return float(pairs[i, j][targets[i, j] > 0].mean())


def _off_diagonal(pairs: Tensor) -> Tensor:
    """A pair matrix has a zero diagonal: a run is no pair with itself."""
    return pairs.masked_fill(torch.eye(pairs.shape[-1], dtype=torch.bool, device=pairs.device), 0)
