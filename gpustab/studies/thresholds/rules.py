"""From where on similar pairs are nearer in the baseline: by our rules, and by the paper's (Elekes et al. 2018, §4.4).

With enough pairs every two groups differ "significantly", with few none do; so the paper's threshold, by Welch's t-test
between groups whose pairs are taken as independent, is a matter of the number of pairs: "no significant difference" is
lack of power and no likeness. The value threshold is above all a matter of how many pairs the lowest group has, which
is why :func:`by_group_size` shows it for many sizes, and the list thresholds hang on the one last place.

Our two rules go by size and not by power: the lowest similarity from which on the monotone mean of the baseline is at
least a tenth of a standard deviation above that of the lowest pairs (*clear*), or at least that of all pairs
(*chance*).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.similarity_groups import STEPS
from gpustab.studies.thresholds.groups import REFERENCE, Differences, Sums, against, merged

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
        values = (
            torch.zeros(len(joined.n), device="cpu").double().index_add_(0, pool[pool >= 0], weight[pool >= 0])
            / joined.n
        )
    first = torch.stack([(pool == k).nonzero()[0, 0] for k in range(len(joined.n))])
    below = torch.cat([torch.zeros(1, device="cpu").double(), joined.n.cumsum(0)[:-1]]) / joined.n.sum()
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
    lowest = merged(sums, torch.where(torch.arange(len(sums.n), device="cpu") == 0, 0, -1))
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


SIZES = (2, 30, 100, 1_000, 10_000, 100_000, 1_000_000)
"""Least group sizes that the threshold is shown for."""

_PART = 1e-4
"""A group takes part with this part of all pairs at least, in the place of the paper's [−0.4, 0.8]."""


class ValueThreshold(NamedTuple):
    """The paper's value threshold at one least group size; groups are upper edges, cosines in hundredths.

    Attributes:
        min_pairs: pairs that a group must have.
        reference: lowest group that has them; ``None`` if none has.
        group: first higher group whose mean is significantly higher; ``None`` if there is none.
        cut: its lower edge: pairs above are called meaningful.
        below: share of the pairs that are not above it.
        bend: the group from which on every next group is significantly higher; ``None`` if the last two are not.
    """

    min_pairs: int
    reference: float | None
    group: float | None
    cut: float | None
    below: float | None
    bend: float | None


class ListThreshold(NamedTuple):
    """The paper's list thresholds; see :class:`gpustab.studies.thresholds.tables.PaperLists`."""

    last_different: int | None
    first_equal: int | None
    last_pairs: int
    last_words: float


def welch_p(sums: Sums, other: Sums | None = None) -> NDArray[np.float64]:
    """Return the two-sided p-values of Welch's test of G groups against each other or against others, ``(G, H)``.

    NaN where a group has fewer than two pairs, or neither varies and their means are equal.
    """
    from scipy.stats import ttest_ind_from_stats

    other = other or sums
    a, b = ([part.numpy() for part in (own.mean, own.variance.sqrt(), own.n)] for own in (sums, other))
    with np.errstate(all="ignore"):
        p: NDArray[np.float64] = ttest_ind_from_stats(
            *(part[:, None] for part in a), *(part[None] for part in b), equal_var=False
        ).pvalue
    few = (a[2][:, None] < 2) | (b[2][None] < 2)
    return np.where(few, np.nan, p)


def significantly_higher(sums: Sums, confidence: float) -> NDArray[np.bool_]:
    """Return whether group h is significantly higher than group g, ``(G, G)`` at ``[g, h]``, two-sided."""
    mean = sums.mean.numpy()
    with np.errstate(invalid="ignore"):
        higher: NDArray[np.bool_] = (welch_p(sums) < 1 - confidence) & (mean[None] > mean[:, None])
    return higher


def next_different(higher: NDArray[np.bool_], taking_part: NDArray[np.bool_]) -> list[int | None]:
    """Return for every group the next group of higher similarity and significantly higher mean (figure 22)."""
    found: list[int | None] = []
    for g in range(len(higher)):
        after = np.flatnonzero(higher[g] & taking_part & (np.arange(len(higher)) > g))
        found.append(int(after[0]) if taking_part[g] and len(after) else None)
    return found


def by_group_size(sums: Sums, higher: NDArray[np.bool_]) -> list[ValueThreshold]:
    """Return the paper's threshold for the least group sizes of :data:`SIZES` that some group has."""
    return [value_threshold(sums, size, higher) for size in SIZES if bool((sums.n >= size).any())]


def default_size(sums: Sums, min_pairs: int) -> int:
    """Return the least group size of the study: that which was asked for, or 0.01 % of the pairs if that is more."""
    return max(min_pairs, int(np.ceil(_PART * float(sums.n.sum()))))


def value_threshold(sums: Sums, min_pairs: int, higher: NDArray[np.bool_]) -> ValueThreshold:
    """Return the paper's threshold of groups by similarity value (§4.4.2), by :func:`significantly_higher`."""
    taking_part = sums.n.numpy() >= max(min_pairs, 2)
    members = np.flatnonzero(taking_part)
    if not len(members):
        return ValueThreshold(min_pairs, None, None, None, None, None)
    following = next_different(higher, taking_part)
    group = following[members[0]]
    steps = [bool(higher[a, b]) for a, b in pairwise(members)]
    flat = next((k for k in range(len(steps), 0, -1) if not steps[k - 1]), 0)
    return ValueThreshold(
        min_pairs,
        upper_edge(members[0]),
        None if group is None else upper_edge(group),
        None if group is None else lower_edge(group),
        None if group is None else float(sums.n[:group].sum() / sums.n.sum()),
        upper_edge(members[flat]) if flat < len(steps) else None,
    )


def list_threshold(sums: Sums, last: Tensor, confidence: float) -> ListThreshold:
    """Return the paper's thresholds of groups by place (§4.4.3).

    Its two bullets are vacuous as printed ("highest" and "lowest" are exchanged); the text fixes what is meant.

    Args:
        sums: one group per place; those by word are not looked at.
        last: ``(v,)`` for how many lists every word is the last.
        confidence: of every test, two-sided.
    """
    one = Sums(*(part[..., -1:] for part in sums))
    differ = welch_p(sums, one)[:-1, 0] < 1 - confidence
    different, equal = np.flatnonzero(differ), np.flatnonzero(~differ)
    counts = last.double()
    return ListThreshold(
        int(different[-1]) + 1 if len(different) else None,
        int(equal[0]) + 1 if len(equal) else None,
        int(sums.n[-1]),
        float(counts.sum().square() / counts.square().sum()),
    )


_GRID = 200
_CELLS = 1_000_000
"""Tests at a time: of all places of long lists they would not fit into memory."""


def shown_places(places: int) -> list[int]:
    """Return the places that stand for all in figure 23: some 200 log-spaced and 200 even ones, and powers of ten.

    >>> shown_places(12), len(shown_places(100_000)), {1, 10, 1000} <= set(shown_places(5943))
    ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 368, True)
    """
    if places < 1:
        return []
    parts = (np.geomspace(1, places, _GRID), np.linspace(1, places, _GRID), 10 ** np.arange(int(np.log10(places)) + 1))
    return [int(place) for place in np.unique(np.concatenate(parts).round())]


def next_places(sums: Sums, places: Sequence[int], confidence: float) -> list[int | None]:
    """Return for some places of the lists the next one whose mean differs (Elekes et al. 2018, figures 23 and 26).

    Higher or lower, as in the paper: its horizontal lines are single places of a high mean that many others meet first.

    Args:
        sums: one group per place; those by word are not looked at.
        places: from 1, ascending.
        confidence: of every test, two-sided; pairs are taken as independent.
    """
    found: list[int | None] = []
    step = max(1, _CELLS // max(len(sums.n), 1))
    for own in (places[k : k + step] for k in range(0, len(places), step)):
        after = own[0]  # places up to the first are before all of these
        some, rest = (Sums(*(part[..., kept] for part in sums)) for kept in ([k - 1 for k in own], slice(after, None)))
        differ = welch_p(some, rest) < 1 - confidence
        differ &= np.arange(after, len(sums.n))[None] >= np.array(own)[:, None]
        found += [after + 1 + int(row.argmax()) if row.any() else None for row in differ]
    return found


def question(sums: Sums, first: float = 0.10, second: float = 0.20) -> float | None:
    """Return the p-value of the paper's Q2: do the groups 0.10 and 0.20 have one mean? (5.19e-9 in the paper)."""
    places = torch.tensor([round(STEPS * x) + STEPS for x in (first, second)], device="cpu")
    p = float(welch_p(Sums(*(part[..., places] for part in sums)))[0, 1])
    return None if np.isnan(p) else p


def upper_edge(group: int) -> float:
    """Return the similarity that a group is called by.

    >>> upper_edge(82), lower_edge(82), lower_edge(0)
    (-0.18, -0.19, -1.0)
    """
    return (int(group) - STEPS) / STEPS


def lower_edge(group: int) -> float:
    """Return the similarity above which a group begins."""
    return max(-1.0, (int(group) - STEPS - 1) / STEPS)
