"""How far words moved between two groups of runs: 1 − cosine after alignment (Rettenmeier 2020, eq. 4.2).

All pairs of a run of the one and a run of the other are aligned over the rows that are given, the joint vocabulary of
both groups. Within each group the same is done with its own pairs, so that training noise can be divided out: if a
run's unit row is a common direction plus noise, cosines between groups are too small by √(w₁ w₂), the w being the
mean cosines within.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import Average, cross_gram, tree_average
from gpustab.kernels.procrustes import procrustes


class Jackknifed(NamedTuple):
    """A number of every word, and what it is without each run.

    Attributes:
        value: ``(v,)`` float64; NaN where it is undefined.
        without_first: ``(R₁, v)``, without each run of the first group.
        without_second: ``(R₂, v)``, without each run of the second.
    """

    value: Tensor
    without_first: Tensor
    without_second: Tensor

    @property
    def se(self) -> Tensor:
        """``(v,)`` standard errors, ``SE² = SE₁² + SE₂²``: the two groups are independent. NaN for a group of one."""
        return torch.hypot(_jackknife(self.without_first), _jackknife(self.without_second))

    def mean(self, rows: Tensor) -> tuple[float, float]:
        """Return the mean over some words that have a value, and its standard error."""
        rows = rows & self.value.isfinite()
        means = [part[:, rows].mean(1, keepdim=True) for part in (self.without_first, self.without_second)]
        return float(self.value[rows].mean()), float(torch.hypot(*map(_jackknife, means)))


class Displacement(NamedTuple):
    """How far words moved between two groups of runs.

    Attributes:
        change: mean of 1 − cosine over all ``R₁ R₂`` pairs: the ensemble average of individual runs.
        corrected: ``1 − b / √(w₁ w₂)``, with the mean cosines b between and w within groups: what infinitely many runs
            would give. NaN where a w is not positive, or a group has one run.
        pairs: ``(R₁, R₂)`` mean over the words, of every pair of runs.
        within: change between two runs of one group, ``1 − (w₁ + w₂)/2``; NaN where a group has one run.
    """

    change: Jackknifed
    corrected: Jackknifed
    pairs: Tensor
    within: Jackknifed


def moved(x: Tensor, y: Tensor) -> Tensor:
    """Return ``1 − cos(x A, y)`` of every row, A the orthogonal map of x onto y over all rows, ``(v,)`` float64.

    Args:
        x: ``(v, d)``, turned. Rows need no unit length.
        y: ``(v, d)``.

    Raises:
        ValueError: if they share no direction.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> moved(x, x @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).abs().max().item() < 1e-12
        True
    """
    turned = product(x.double(), procrustes(cross_gram(x, y)[None]).maps[0])
    return 1 - torch.nn.functional.cosine_similarity(turned, y.double(), dim=1, eps=torch.finfo(torch.float64).tiny)


def displacement(first: Sequence[Tensor] | Tensor, second: Sequence[Tensor] | Tensor) -> Displacement:
    """Return how far words moved between two groups of runs, row k being the same word in all.

    Args:
        first: ``(R₁, v, d)``, or as many tensors ``(v, d)``.
        second: ``(R₂, v, d)``.
    """
    words, many = len(first[0]), (len(first), len(second))
    sums = [first[0].new_zeros(n, words, dtype=torch.float64) for n in many]
    pairs = first[0].new_zeros(many, dtype=torch.float64)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            cosine = 1 - moved(x, y)
            sums[0][i] += cosine
            sums[1][j] += cosine
            pairs[i, j] = 1 - cosine.mean()
    total = sums[0].sum(0)
    between = total / (many[0] * many[1])
    left_out = [(total - own) / ((n - 1) * other) for own, n, other in zip(sums, many, reversed(many), strict=True)]
    (one, one_without), (two, two_without) = map(_within, (first, second))
    corrected = Jackknifed(
        1 - _attenuated(between, one, two),
        1 - _attenuated(left_out[0], one_without, two),
        1 - _attenuated(left_out[1], one, two_without),
    )
    change = Jackknifed(1 - between, 1 - left_out[0], 1 - left_out[1])
    within = Jackknifed(1 - (one + two) / 2, 1 - (one_without + two) / 2, 1 - (one + two_without) / 2)
    return Displacement(change, corrected, pairs, within)


class Averages(NamedTuple):
    """The tree averages of a group's runs (§3.2.2), words in the rows.

    Attributes:
        levels: by number of runs beneath, disjoint averages of equally many; the largest number is that of all runs.
        without: the average without each run; none for one run.
        half: averages of the first and of the second half of the runs; none for one run.
    """

    levels: dict[int, list[Tensor]]
    without: list[Tensor]
    half: list[Tensor]

    @property
    def top(self) -> Tensor:
        """The average of all runs."""
        return self.levels[max(self.levels)][0]

    def rows(self, which: Tensor) -> Averages:
        """Return the averages of some words."""
        levels = {n: [own[which] for own in level] for n, level in self.levels.items()}
        return Averages(levels, [own[which] for own in self.without], [own[which] for own in self.half])


def averages(runs: Sequence[Tensor], present: Tensor | None = None) -> Averages:
    """Return the averages of a group.

    Args:
        runs: R tensors ``(v, d)``.
        present: ``(R, v)`` bool, which run has which word; default: all.
    """
    masks = [None] * len(runs) if present is None else list(present)
    tree = _tree(runs, masks, range(len(runs)))
    levels: dict[int, list[Tensor]] = {}
    for k, level in enumerate(tree[:-1]):
        levels[2**k] = [own.vectors for own in level if len(own.runs) == 2**k]
    levels[len(runs)] = [tree[-1][0].vectors]
    rest = [[k for k in range(len(runs)) if k != left] for left in range(len(runs))] if len(runs) > 1 else []
    size = len(runs) // 2
    halves = [range(size), range(size, 2 * size)] if size else []
    without, half = ([_tree(runs, masks, own)[-1][0].vectors for own in some] for some in (rest, halves))
    return Averages(levels, without, half)


def average_displacement(first: Averages, second: Averages) -> Jackknifed:
    """Return how far words moved between the averages of two groups, and without each run."""
    one, two = first.top, second.top
    return Jackknifed(
        moved(one, two),
        _stacked([moved(x, two) for x in first.without], one),
        _stacked([moved(one, y) for y in second.without], two),
    )


def halves_displacement(own: Averages) -> Tensor:
    """Return how far apart the averages of the two halves of a group are, ``(v,)``; NaN for one run."""
    if not own.half:
        return own.top.new_full((len(own.top),), torch.nan, dtype=torch.float64)
    return moved(*own.half)


def _tree(runs: Sequence[Tensor], masks: Sequence[Tensor | None], which: Iterable[int]) -> list[list[Average]]:
    some = list(which)
    present = None if masks[0] is None else torch.stack([mask for k in some if (mask := masks[k]) is not None])
    return tree_average([runs[k] for k in some], present=present)


def _within(runs: Sequence[Tensor] | Tensor) -> tuple[Tensor, Tensor]:
    """Mean cosine over the pairs of a group, ``(v,)``, and without each run, ``(R, v)``; NaN without a pair."""
    n = len(runs)
    sums = runs[0].new_zeros(n, len(runs[0]), dtype=torch.float64)
    for i, j in combinations(range(n), 2):
        cosine = 1 - moved(runs[i], runs[j])
        sums[i] += cosine
        sums[j] += cosine
    total = sums.sum(0) / 2
    return total / (n * (n - 1) / 2 or torch.nan), (total - sums) / ((n - 1) * (n - 2) / 2 or torch.nan)


def _attenuated(between: Tensor, one: Tensor, two: Tensor) -> Tensor:
    both = torch.where((one > 0) & (two > 0), one * two, torch.nan)
    return between / both.sqrt()


def _jackknife(without: Tensor) -> Tensor:
    """Standard error from the values without each of R runs, ``(v,)``; NaN for fewer than two runs."""
    n = len(without)
    if n < 2:
        return without.new_full(without.shape[1:], torch.nan)
    return ((n - 1) / n * (without - without.mean(0)).square().sum(0)).sqrt()


def _stacked(values: list[Tensor], like: Tensor) -> Tensor:
    return torch.stack(values) if values else like.new_zeros(0, len(like), dtype=torch.float64)
