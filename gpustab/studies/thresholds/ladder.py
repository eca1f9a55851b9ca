"""Our thresholds: from where on similar pairs are clearer of the lowest, or above chance, by size and not by power.

With enough pairs every two groups differ "significantly", with few none do; so the paper's threshold is a matter of the
number of pairs. These two are not: the lowest similarity from which on the monotone mean of the baseline is at least a
tenth of a standard deviation above that of the lowest pairs (*clear*), or at least that of all pairs (*chance*).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.studies.thresholds.sums import Differences, Sums, against, merged

REFERENCE = 0.01
"""Part of all pairs that form the lowest rung, which the others are compared with."""

MARGIN = 0.1
"""By so many standard deviations of the baseline a rung is to be above the lowest."""

_TOP = 0.01
"""Part of all pairs that the highest rung holds at least: testing from the top down would stop at three pairs."""

RULES = ("clear", "chance")


class Rungs(NamedTuple):
    """Groups joined to rungs, from dissimilar to similar.

    Attributes:
        sums: of the rungs, the reference first.
        pool: ``(G,)`` the rung of every group; −1 for an empty one.
        first: ``(N,)`` lowest group of every rung.
        below: ``(N,)`` share of the pairs below every rung.
        means: ``(N,)`` mean of the baseline.
        monotone: ``(N,)`` nearest means that never fall, by least squares weighted with the pairs.
    """

    sums: Sums
    pool: Tensor
    first: Tensor
    below: Tensor
    means: Tensor
    monotone: Tensor


class Cut(NamedTuple):
    """A threshold, as the number of the lowest rung above it.

    Attributes:
        rule: ``"clear"`` or ``"chance"``.
        rung: estimate: the first rung whose monotone mean reaches the level; ``None`` if none does.
        proven: from this rung on up every rung is above the level at the confidence; ``None`` if not even the highest.
        not_below: all rungs below this one are under the level at the confidence.
        level: value of the baseline that is to be reached.
    """

    rule: str
    rung: int | None
    proven: int | None
    not_below: int
    level: float


def rungs(sums: Sums, least: int = 1, means: Tensor | None = None) -> Rungs:
    """Join groups, given from dissimilar to similar, so that the lowest and the highest rung hold 1 % of the pairs.

    Args:
        sums: G groups.
        least: pairs of a rung.
        means: ``(G,)`` to take instead of the groups' means: those without word effects.
    """
    pool = _pooled(sums.n.numpy(), least)
    joined = merged(sums, pool)
    values = joined.mean
    if means is not None:
        weight = torch.where(sums.n > 0, sums.n * means, 0)
        values = torch.zeros(len(joined.n)).double().index_add_(0, pool[pool >= 0], weight[pool >= 0]) / joined.n
    first = torch.stack([(pool == k).nonzero()[0, 0] for k in range(len(joined.n))])
    below = torch.cat([torch.zeros(1).double(), joined.n.cumsum(0)[:-1]]) / joined.n.sum()
    return Rungs(joined, pool, first, below, values, monotone(values, joined.n))


def _pooled(n: np.ndarray, least: int) -> Tensor:
    """The rung of every group; a rung too small at the end joins the one before."""
    total, pool, rung, held = n.sum(), np.full(len(n), -1), 0, 0.0
    for k in np.flatnonzero(n):
        pool[k] = rung
        held += n[k]
        if held >= (max(least, REFERENCE * total) if rung == 0 else least):
            rung, held = rung + 1, 0.0
    top, held = pool.max(), 0.0
    for k in np.flatnonzero(n)[::-1]:
        held += n[k]
        if held >= max(least, _TOP * total) or pool[k] <= 1:
            top = pool[k]
            break
    return torch.from_numpy(np.minimum(pool, max(top, 0)))


def monotone(means: Tensor, weights: Tensor) -> Tensor:
    """Return the nearest values that never fall, by weighted least squares (pool adjacent violators)."""
    from scipy.optimize import isotonic_regression

    return torch.from_numpy(isotonic_regression(means.numpy(), weights=weights.numpy()).x)


def cuts(ladder: Rungs, confidence: float) -> list[Cut]:
    """Return the two thresholds, each with what is proven from the top down and from the bottom up.

    A fixed order of tests that stops at the first failure needs no correction for their number: a wrong *proven* has
    the probability of one test.

    Args:
        ladder: the rungs.
        confidence: of each test, one-sided.
    """
    sums = ladder.sums
    lowest = merged(sums, torch.where(torch.arange(len(sums.n)) == 0, 0, -1))
    margin = MARGIN * float(sums.overall.variance.sqrt())
    found = {"clear": (against(sums, lowest), margin), "chance": (against(sums, sums.overall, inside=True), 0.0)}
    return [
        Cut(rule, estimate(ladder, rule), *_proven(*found[rule], confidence), level)
        for rule, level in levels(ladder).items()
    ]


def levels(ladder: Rungs) -> dict[str, float]:
    """Return what the mean of the baseline is to reach, by rule."""
    everything = ladder.sums.overall
    margin = MARGIN * float(everything.variance.sqrt())
    return {"clear": float(ladder.means[0]) + margin, "chance": float(everything.mean)}


def estimate(ladder: Rungs, rule: str) -> int | None:
    """Return the first rung whose monotone mean reaches the rule's level."""
    reached = (ladder.monotone >= levels(ladder)[rule] - 1e-12).nonzero().flatten()
    return int(reached[0]) if len(reached) else None


def _proven(found: Differences, margin: float, confidence: float) -> tuple[int | None, int]:
    """The lowest rung from which on up all are above the margin, and how many from below are under it."""
    from scipy.stats import t

    bound = torch.from_numpy(t.ppf(confidence, found.freedom.numpy())) * found.se
    over = found.value - margin > bound  # NaN is no
    run = _run(over[1:].flip(0))  # the lowest rung is what others are compared with
    under = found.value - margin < -bound
    return (len(over) - run if run else None), max(1, _run(under))


def _run(true: Tensor) -> int:
    """Length of the run of true values at the start."""
    false = (~true).nonzero().flatten()
    return int(false[0]) if len(false) else len(true)
