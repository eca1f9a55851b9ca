"""Numbers over query words with their errors over runs: how much cosines, lists and ranks vary within a group.

Errors are the jackknife over runs: a number is found again without each run. They say how far other runs of the same
documents would move it for *these* query words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.statistics.intervals import Estimate, jackknife_error
from gpustab.studies.bootstrap.tables import ByRuns


def jackknifed(values: Tensor, number: Callable[[Tensor], float]) -> Estimate:
    """Return a number of values ``(p, R)`` with its error by leaving out one run after the other."""
    runs = values.shape[1]
    left_out = [number(values[:, [k for k in range(runs) if k != r]]) for r in range(runs)] if runs > 2 else []
    return Estimate.of_runs(number(values), jackknife_error(left_out), runs)


def variances(values: Tensor) -> Tensor:
    """Return the ``ddof = 1`` variance over the runs that have a value, ``(p,)``; NaN for fewer than two."""
    known = ~values.isnan()
    runs = known.sum(1)
    mean = torch.where(known, values, 0).sum(1) / runs
    squares = torch.where(known, values - mean[:, None], 0).square().sum(1)
    return (squares / (runs - 1)).where(runs > 1, torch.nan)


def log_spread(values: Tensor, scale: Tensor) -> Estimate:
    """Return ``ln √(mean variance / scale²)``: differences of two of them are ratios of spreads.

    The mean of variances is unbiased for any number of runs; the mean of SDs is 0.80 of its limit at two runs.

    Args:
        values: ``(p, R)`` cosines.
        scale: ``(p,)``; ones for the spread itself, the SD of the query's cosines over all words for one that does not
            depend on how far apart the words of a space are.
    """

    def number(part: Tensor) -> float:
        mean = float((variances(part) / scale.square()).nanmean())
        return 0.5 * math.log(mean) if mean > 0 else math.nan

    return jackknifed(values, number)


def mean_cosine(values: Tensor) -> Estimate:
    """Return the mean over pairs and runs of cosines ``(p, R)``."""
    return jackknifed(values, lambda part: float(part.nanmean(1).nanmean()))


def mean_sd(values: Tensor) -> float:
    """Return the mean SD (``ddof = 1``) of word pairs, as in figure 1."""
    return float(variances(values).sqrt().nanmean())


def rank_change(ranks: Tensor) -> Estimate:
    """Return the mean of |rank − median rank| over word pairs and runs, ``(p, R)``."""
    return jackknifed(ranks, lambda part: float((part - part.nanquantile(0.5, 1, keepdim=True)).abs().nanmean()))


def bias(runs: int) -> float:
    """Return E[population SD] / σ of so many normal values.

    >>> [round(bias(runs), 3) for runs in (2, 5, 10, 25, 50)]
    [0.564, 0.841, 0.923, 0.97, 0.985]
    """
    return math.sqrt(2 / runs) * math.exp(math.lgamma(runs / 2) - math.lgamma((runs - 1) / 2))


def by_runs(group: str, values: Tensor) -> list[ByRuns]:
    """Return figure 6: the SD of cosines by number of runs, over all stretches of so many runs in a ring.

    Args:
        group: its name.
        values: ``(p, R)``.
    """
    total = values.shape[1]
    rows = []
    for runs in range(2, total + 1):
        stretches = range(total if runs < total else 1)
        own = torch.stack([variances(values[:, [(s + k) % total for k in range(runs)]]) for s in stretches])
        paper = float((own * (runs - 1) / runs).sqrt().nanmean())
        unbiased = float(own.nanmean().sqrt())
        rows.append(ByRuns(group, runs, paper, bias(runs), unbiased, 1 / math.sqrt(2 * (runs - 1))))
    return rows


def rise_left(values: Tensor) -> Estimate:
    """Return how much the mean SD rises from 2 runs to all beyond its bias, as a logarithm; 0 where all is bias."""

    def number(part: Tensor) -> float:
        runs = part.shape[1]
        two = float(torch.stack([variances(part[:, [i, j]]) for i in range(runs) for j in range(i)]).sqrt().nanmean())
        everything = mean_sd(part)
        # Mean ddof-1 SDs: their bias is that of the population SD without the factor √((R − 1) / R).
        shares = [bias(k) * math.sqrt(k / (k - 1)) for k in (2, runs)]
        return math.log(everything / shares[1]) - math.log(two / shares[0]) if two > 0 else math.nan

    return jackknifed(values, number)


class Lists(NamedTuple):
    """How much the lists of two runs share.

    Attributes:
        disjoint: share of (query, pair of runs) without a common word.
        everywhere: words of a query that are in the lists of all runs that have the query, mean over queries.
    """

    disjoint: float
    everywhere: float


def list_agreement(lists: Tensor, present: Tensor) -> Lists:
    """Return what lists ``(R, q, n)`` share, where ``present`` ``(R, q)`` tells which runs have the query."""
    pairs = empty = 0
    everywhere: list[int] = []
    for q in range(lists.shape[1]):
        own = [set(row) for row in lists[present[:, q], q].tolist()]
        shared = [len(a & b) for k, a in enumerate(own) for b in own[:k]]
        pairs, empty = pairs + len(shared), empty + sum(count == 0 for count in shared)
        if own:
            everywhere.append(len(set.intersection(*own)))
    return Lists(empty / pairs if pairs else math.nan, sum(everywhere) / max(len(everywhere), 1))


def recurring(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> Estimate:
    """Return the share of averaged lists that two disjoint halves of the runs have in common, error over queries."""
    shares = [len({*a} & {*b}) / len(a) for a, b in zip(first, second, strict=True) if a]
    count = len(shares)
    if not count:
        return Estimate(math.nan, math.nan, 0)
    values = torch.tensor(shares, dtype=torch.float64)
    return Estimate(float(values.mean()), float(values.std()) / math.sqrt(count) if count > 1 else math.nan, count - 1)
