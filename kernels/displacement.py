"""How far words moved between two groups of runs: 1 − cosine after alignment (Rettenmeier 2020, eq. 4.2).

All pairs of a run of the one and a run of the other are aligned over the rows that are given, the joint vocabulary of
both groups, or over some of them, or not at all. Within each group the same is done with its own pairs, so that
training noise can be divided out: if a run's unit row is a common direction plus noise, cosines between groups are too
small by √(w₁ w₂), the w being the mean cosines within.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import Average, aligned_average, cross_gram, tree_average
from gpustab.kernels.procrustes import procrustes

__all__ = [
    "Averages",
    "Displacement",
    "Frames",
    "Jackknifed",
    "Mean",
    "Residual",
    "average_displacement",
    "averages",
    "displacement",
    "halves_displacement",
    "left_out",
    "moved",
    "residual",
    "turn",
    "two_frames",
]


class Mean(NamedTuple):
    """A mean over words.

    Attributes:
        value: NaN of no word.
        se: its standard error over the runs of both groups; NaN where the number is undefined without a run.
        words: over how many.
    """

    value: float
    se: float
    words: int


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

    def mean(self, rows: Tensor) -> Mean:
        """Return the mean over some words that have a value, and its standard error.

        A word counts if it has a value without every run, too, so that all means are of the same words: one word that
        loses its value with a run would make the error of all undefined. Where no word has one, as without a run of a
        group of one or two, the mean is over the words that have a value, and its error is undefined.

        Args:
            rows: ``(v,)`` bool, which words.
        """
        own = rows & self.value.isfinite()
        complete = own & self.without_first.isfinite().all(0) & self.without_second.isfinite().all(0)
        kept = complete if bool(complete.any()) else own
        means = [part[:, kept].mean(1, keepdim=True) for part in (self.without_first, self.without_second)]
        return Mean(float(self.value[kept].mean()), float(torch.hypot(*map(_jackknife, means))), int(kept.sum()))


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


def moved(x: Tensor, y: Tensor, over: Tensor | None = None) -> Tensor:
    """Return ``1 − cos(x A, y)`` of every row, A the orthogonal map of x onto y, ``(v,)`` float64.

    Args:
        x: ``(v, d)``, turned. Rows need no unit length.
        y: ``(v, d)``.
        over: ``(v,)`` bool, the rows over which A is found; default: all. Of no row, x is not turned.

    Raises:
        ValueError: if these share no direction.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
        >>> moved(x, x @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).abs().max().item() < 1e-12
        True
    """
    return _turned(x.double(), y.double(), turn(x, y, over))


def turn(x: Tensor, y: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the orthogonal map of x onto y, ``(d, d)`` float64; for the arguments and errors see :func:`moved`."""
    if over is None:
        return procrustes(cross_gram(x, y)[None]).maps[0]
    if not bool(over.any()):
        return torch.eye(x.shape[1], dtype=torch.float64, device=x.device)
    return procrustes(cross_gram(x[over], y[over])[None]).maps[0]


class Residual(NamedTuple):
    """How well a turn fits the rows over which it was found.

    Attributes:
        rows: how many these are; all where nothing was turned.
        fit: their mean change, 1 − cosine.
        held_out: the same of each half of them by the turn that the other half gives: where there are hardly more rows
            than dimensions, a turn fits by its freedom. NaN where a half has fewer rows than dimensions.
        by_all: mean change of all rows by the turn that is found over all.
    """

    rows: int
    fit: float
    held_out: float
    by_all: float


def residual(x: Tensor, y: Tensor, over: Tensor | None = None) -> Residual:
    """Return how well a turn fits; for the arguments see :func:`moved`.

    >>> x = torch.randn(90, 4, generator=torch.Generator().manual_seed(0))
    >>> y = torch.cat([x[:30], -x[30:]])  # thirty words stood still
    >>> [round(abs(value), 1) for value in residual(x, y, torch.arange(90) < 30)]
    [30, 0.0, 0.0, 0.8]
    """
    turned = over is None or bool(over.any())
    by_all, change = (float(moved(x, y).mean()), moved(x, y, over))
    if over is None or not turned:
        over = torch.ones(len(x), dtype=torch.bool, device=x.device)
    rows = over.nonzero().flatten()
    fit = float(change[over].mean())
    if not turned:
        return Residual(len(rows), fit, fit, by_all)
    if len(rows) < 2 * x.shape[1]:
        return Residual(len(rows), fit, torch.nan, by_all)
    halves = [torch.zeros_like(over).index_fill(0, part, True) for part in (rows[::2], rows[1::2])]
    apart = [moved(x, y, one)[other] for one, other in zip(halves, reversed(halves), strict=True)]
    return Residual(len(rows), fit, float(torch.cat(apart).mean()), by_all)


class Frames(NamedTuple):
    """Whether words need two turns to fit.

    Attributes:
        ratio: mean change of words that may choose the better of two turns, as a part of that by the one turn of all;
            about 1 where the second turn fits nothing, near 0 where two camps of words each kept to themselves.
        second: part of the words that fit the second turn better.
    """

    ratio: float
    second: float


def two_frames(x: Tensor, y: Tensor, steps: int = 10) -> Frames:
    """Return how far two turns of one space onto another fit better than one.

    A turn makes no difference between words that moved and words that stood still while most others moved together.
    Words are parted by the turn that fits them better, and both are found anew, until nothing changes; this is done on
    every other word, and told of those between, so that no turn fits by its freedom. Where words moved each by itself
    the ratio is 0.7 to 1.2; of two camps with little noise it is below 0.3.

    Args:
        x: ``(v, d)``.
        y: ``(v, d)``.
        steps: at most.

    Returns:
        NaN where a camp would have fewer words than dimensions.

    Example:
        >>> generator = torch.Generator().manual_seed(0)
        >>> x = torch.randn(300, 4, generator=generator, dtype=torch.float64)
        >>> y = torch.cat([x[:100], -x[100:]])  # a hundred words stood still
        >>> [round(value, 2) for value in two_frames(x, y)]
        [0.0, 0.33]
    """
    x, y = x.double(), y.double()
    fit = torch.arange(len(x), device=x.device) % 2 == 0
    one = turn(x[fit], y[fit])
    change = _turned(x[fit], y[fit], one)
    first = change <= change.median()
    frames = [one, one]
    for _ in range(steps):
        if min(int(first.sum()), int((~first).sum())) < x.shape[1]:
            return Frames(torch.nan, torch.nan)
        frames = [turn(x[fit][camp], y[fit][camp]) for camp in (first, ~first)]
        again = _turned(x[fit], y[fit], frames[0]) <= _turned(x[fit], y[fit], frames[1])
        if bool((again == first).all()):
            break
        first = again
    by_one, by_first, by_second = (_turned(x[~fit], y[~fit], frame) for frame in (one, *frames))
    ratio = torch.minimum(by_first, by_second).mean() / by_one.mean()
    return Frames(float(ratio), float((by_second < by_first).double().mean()))


def _turned(x: Tensor, y: Tensor, frame: Tensor) -> Tensor:
    tiny = torch.finfo(torch.float64).tiny
    return 1 - torch.nn.functional.cosine_similarity(product(x, frame), y, dim=1, eps=tiny)


def displacement(
    first: Sequence[Tensor] | Tensor, second: Sequence[Tensor] | Tensor, over: Tensor | None = None
) -> Displacement:
    """Return how far words moved between two groups of runs, row k being the same word in all.

    Args:
        first: ``(R₁, v, d)``, or as many tensors ``(v, d)``.
        second: ``(R₂, v, d)``.
        over: rows over which a run of the one is turned onto a run of the other, see :func:`moved`. Two runs of one
            group, in which nothing moved, are turned over all rows; of no row nothing is turned.
    """
    words, many = len(first[0]), (len(first), len(second))
    sums = [first[0].new_zeros(n, words, dtype=torch.float64) for n in many]
    pairs = first[0].new_zeros(many, dtype=torch.float64)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            cosine = 1 - moved(x, y, over)
            sums[0][i] += cosine
            sums[1][j] += cosine
            pairs[i, j] = 1 - cosine.mean()
    total = sums[0].sum(0)
    between = total / (many[0] * many[1])
    left_out = [(total - own) / ((n - 1) * other) for own, n, other in zip(sums, many, reversed(many), strict=True)]
    own = None if over is None or bool(over.any()) else over
    (one, one_without), (two, two_without) = (_within(group, own) for group in (first, second))
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
        tree: its levels, the runs first; see :func:`gpustab.kernels.averaging.tree_average`.
        without: the average without each run; none for one run.
        half: averages of the first and of the second half of the runs; none for one run.
    """

    tree: list[list[Average]]
    without: list[Tensor]
    half: list[Tensor]

    @property
    def levels(self) -> dict[int, list[Tensor]]:
        """By number of runs beneath, disjoint averages of equally many; the largest number is that of all runs."""
        found = {
            2**k: [own.vectors for own in level if len(own.runs) == 2**k] for k, level in enumerate(self.tree[:-1])
        }
        return found | {len(self.tree[0]): [self.top]}

    @property
    def top(self) -> Tensor:
        """The average of all runs."""
        return self.tree[-1][0].vectors

    def rows(self, which: Tensor) -> Averages:
        """Return the averages of some words."""
        tree = [[own._replace(vectors=own.vectors[which], weights=own.weights[which]) for own in x] for x in self.tree]
        return Averages(tree, [own[which] for own in self.without], [own[which] for own in self.half])


def averages(runs: Sequence[Tensor], present: Tensor | None = None, *, turned: bool = True) -> Averages:
    """Return the averages of a group.

    Args:
        runs: R tensors ``(v, d)``.
        present: ``(R, v)`` bool, which run has which word; default: all.
        turned: off for runs that have one frame.
    """
    tree = tree_average(runs, present=present, turned=turned)
    *_, (_, without) = left_out(tree, turned=turned)
    size, half = len(runs) // 2, []
    for own in (range(size), range(size, 2 * size)) if size else ():
        there = None if present is None else present[list(own)]
        half.append(tree_average([runs[k] for k in own], present=there, turned=turned)[-1][0].vectors)
    return Averages(tree, without, half)


def left_out(tree: Sequence[Sequence[Average]], *, turned: bool = True) -> Iterator[tuple[int, list[Tensor]]]:
    """Yield, for every number of runs that a level averages, each run's average without that run.

    Only what stands on the way from the run to the root is averaged anew, which takes R merges a level. A run whose
    average has another number of runs beneath than the level's (the odd last one) is not among them.

    Args:
        tree: see :func:`gpustab.kernels.averaging.tree_average`.
        turned: see there.

    Yields:
        The number, and tensors ``(v, d)`` in the order of the runs; none where an average is a single run.
    """
    own: list[Average | None] = [None] * len(tree[0])
    for k, (below, level) in enumerate(pairwise(tree), 1):
        node = {run: above for above in level for run in above.runs}
        for run, above in sorted(node.items()):
            beside = next((x for x in below if run not in x.runs and set(x.runs) <= set(above.runs)), None)
            own[run] = _joined(own[run], beside, turned)
        size = len(tree[0]) if len(level) == 1 else 2**k
        yield size, [x.vectors for run, x in enumerate(own) if x is not None and len(node[run].runs) == size]
    if len(tree) == 1:
        yield 1, []


def _joined(one: Average | None, two: Average | None, turned: bool) -> Average | None:
    """The average of what there is of two, the one of the first runs turned onto the other, as in the tree."""
    if one is None or two is None:
        return one or two
    return aligned_average(*sorted((one, two), key=lambda own: own.runs), turned=turned)


def average_displacement(first: Averages, second: Averages, over: Tensor | None = None) -> Jackknifed:
    """Return how far words moved between the averages of two groups, and without each run; see :func:`moved`."""
    one, two = first.top, second.top
    return Jackknifed(
        moved(one, two, over),
        _stacked([moved(x, two, over) for x in first.without], one),
        _stacked([moved(one, y, over) for y in second.without], two),
    )


def halves_displacement(own: Averages, over: Tensor | None = None) -> Tensor:
    """Return how far apart the averages of the two halves of a group are, ``(v,)``; NaN for one run."""
    if not own.half:
        return own.top.new_full((len(own.top),), torch.nan, dtype=torch.float64)
    return moved(own.half[0], own.half[1], over)


def _within(runs: Sequence[Tensor] | Tensor, over: Tensor | None) -> tuple[Tensor, Tensor]:
    """Mean cosine over the pairs of a group, ``(v,)``, and without each run, ``(R, v)``; NaN without a pair."""
    n = len(runs)
    sums = runs[0].new_zeros(n, len(runs[0]), dtype=torch.float64)
    for i, j in combinations(range(n), 2):
        cosine = 1 - moved(runs[i], runs[j], over)
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
