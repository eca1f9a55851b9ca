"""The paper's thresholds (Elekes et al. 2018, §4.4): Welch's t-test between groups, pairs taken as independent.

"No significant difference" is lack of power and no likeness: the value threshold is above all a matter of how many
pairs the lowest group has, which is why :func:`by_group_size` shows it for many sizes, and the list thresholds hang on
the one last place. They stand beside ours, which do not.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.similarity_groups import STEPS
from gpustab.studies.thresholds.sums import Sums

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
    """The paper's list thresholds; places from 1.

    Attributes:
        last_different: last place whose mean differs from that of the last place (31,584 in the paper).
        first_equal: first place whose mean does not (6,094 in the paper).
        last_pairs: pairs of the last place.
        last_words: effective number of words that are somebody's last.
    """

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


def value_threshold(sums: Sums, min_pairs: int, confidence: float) -> ValueThreshold:
    """Return the paper's threshold of groups by similarity value (§4.4.2)."""
    return _threshold(sums, min_pairs, significantly_higher(sums, confidence))


def by_group_size(sums: Sums, confidence: float) -> list[ValueThreshold]:
    """Return the paper's threshold for the least group sizes of :data:`SIZES` that some group has."""
    higher = significantly_higher(sums, confidence)
    return [_threshold(sums, size, higher) for size in SIZES if bool((sums.n >= size).any())]


def default_size(sums: Sums, min_pairs: int) -> int:
    """Return the least group size of the study: that which was asked for, or 0.01 % of the pairs if that is more."""
    return max(min_pairs, int(np.ceil(_PART * float(sums.n.sum()))))


def _threshold(sums: Sums, min_pairs: int, higher: NDArray[np.bool_]) -> ValueThreshold:
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


def question(sums: Sums, first: float = 0.10, second: float = 0.20) -> float | None:
    """Return the p-value of the paper's Q2: do the groups 0.10 and 0.20 have one mean? (5.19e-9 in the paper)."""
    places = torch.tensor([round(STEPS * x) + STEPS for x in (first, second)])
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
