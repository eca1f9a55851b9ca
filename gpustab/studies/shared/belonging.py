"""Which runs of a group belong together: it falls into kinds, some runs lie far from all others, or one lies apart.

A run may only be called odd where the others belong together. So kinds are sought first; what follows is said of groups
that have none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.results.page import number, percent
from gpustab.studies.shared.claims import Margin
from gpustab.studies.shared.own_noise import LIES_APART, Apart, Quieter, farthest, quieter, said_of_quieter
from gpustab.studies.shared.related import (
    RELATED,
    Related,
    in_a_row,
    may_be_related,
    related,
    said_of_related,
    said_of_row,
    shared_parts,
)
from gpustab.studies.shared.wording import listed, word

KINDS = Margin(1.4, "mean loss of runs of two kinds by that of one, above which they are kinds")
"""Runs of one law have 1.06 at most in 5,000 sets of 4 to 16 real runs, and 1.4 of 20 words in 4 dimensions; runs
whose noise varies as e^{0.3 z} have none, since two loud ones lie farther from each other than from a quiet one."""

ALONE = Margin(2.0, "the same where one kind of half of the runs at most is beside single runs")
"""Each of these may then be the one that failed; the noise of runs that varies as e^{0.3 z} does so in 1 % of sets."""

FAR_OF_FEW = Margin(1.7, "loss of a run to 2 or 3 others by theirs, above which it lies far from them")
FAR = Margin(0.3, "the same with more others, as a logarithm, above which it lies far if they scatter not at all")
FAR_BY_SPREAD = Margin(2.0, "robust spreads of that logarithm over runs by which it must lie above it besides")
"""In many drawn sets: among equal runs none is named, among runs whose noise varies as e^{0.3 z} one in
3 to 5 % of the sets of 3 to 16 runs; a run of three times the noise of equal ones always is.
"""
WORDS = Margin(10.0, "words below which nothing is said of which runs belong together")
"""Losses of two words are chance: one of three innocent runs lay far in 91 % of sets of two words, 11 % of five, 1 % of
eight and none of ten."""
_SURE = 4
"""Standard errors of a sketch by which a run must stay below what is far."""
_FEW = 4
_NAMED = 5
_HALF = 0.5
"""Power of the margins of kinds from which a sketch doubts that runs are of one kind."""
_ROWS = 64
"""Rows whose medians are taken at once: sorting holds ten numbers for each, of all pairs of a thousand runs 80 MB."""


class Belonging(NamedTuple):
    """Which runs belong together, by their numbers.

    Attributes:
        kinds: two or more, the largest first; none where all runs but those named below belong together.
        far: runs that lie far from all others, with how many times as far as these from each other.
        apart: the one that lies farthest of the rest; ``None`` of fewer than three, or where there are kinds.
        row: all runs in their order, where they are states of one training.
        kin: runs that are related to others.
        quieter: those of the rest that have less noise of their own, if some do.
    """

    kinds: list[list[int]]
    far: list[tuple[int, float]]
    apart: Apart | None
    row: Sequence[int] = ()
    kin: Sequence[Related] = ()
    quieter: Quieter | None = None

    @property
    def outside(self) -> list[int]:
        """Runs without which the others belong together."""
        return sorted(r for kind in self.kinds[1:] for r in kind) or [r for r, _ in self.far]


def belonging(losses: Tensor, words: int, leave_out: Tensor | None = None) -> Belonging:
    """Return which runs belong together.

    Args:
        losses: ``(R, R)`` symmetric pair matrix.
        words: of so many words; see :data:`WORDS`.
        leave_out: ``(R, R)`` bool, pairs that say nothing, such as copies: only the first of them is looked at.
    """
    values = losses.double().cpu()
    silent = torch.zeros_like(values, dtype=torch.bool) if leave_out is None else leave_out.cpu()
    single = _first_of_each(silent)
    if words < WORDS:
        return Belonging([], [], None)
    among = values[single][:, single]
    if row := in_a_row(among):
        return Belonging([], [], None, [single[k] for k in row])
    kinds = kinds_of(among)
    if kinds and not _differ_in_noise(among, kinds):
        return Belonging([[single[k] for k in kind] for kind in kinds], [], None)
    everyone = list(range(len(values)))
    far = _far_one_after_another(values, silent, everyone)
    if 2 * sum(r not in far for r in single) <= len(single):  # nobody can tell who is odd
        far = {}
    # Several that are unrelated to all would make runs of one kind seem to have much in common; one does not.
    asked = [r for r in single if r not in far] if len(far) > 1 else single
    kin = [found.among(asked) for found in related(among if asked == single else values[asked][:, asked])]
    del among  # of a thousand runs 8 MB
    made = {found.run for found in kin}
    if made and len(far) <= 1:
        far = _far_one_after_another(values, silent, [r for r in everyone if r not in made])
    rest = [r for r in single if r not in made and r not in far]
    apart = farthest(values[rest][:, rest])
    less = quieter(values[rest][:, rest])
    return Belonging(
        [],
        sorted(far.items()),
        apart and apart._replace(run=rest[apart.run]),
        kin=kin,
        quieter=less and less.among(rest),
    )


def _differ_in_noise(losses: Tensor, kinds: Sequence[Sequence[int]]) -> bool:
    """Tell whether one kind beside single runs is no more than runs with less noise of their own."""
    one, alone = kinds[0], kinds[-1]
    if len(alone) > 1 or not quieter(losses):
        return False
    return float(shared_parts(losses)[list(one)][:, list(one)].max()) <= RELATED


def _far_one_after_another(values: Tensor, silent: Tensor, left: list[int]) -> dict[int, float]:
    """Return which of some runs lie far, also those that only show when others that lie farther are gone."""
    far = dict[int, float]()
    while found := far_runs(values[left][:, left], silent[left][:, left]):
        far |= {left[r]: ratio for r, ratio in found}
        left = [r for r in left if r not in far]
    return far


def _first_of_each(same: Tensor) -> list[int]:
    return [r for r in range(len(same)) if not bool(same[r, :r].any())]


def kinds_of(losses: Tensor, power: float = 1) -> list[list[int]]:
    """Return the kinds of runs, the largest first; nothing where they are of one kind.

    Runs are merged by their mean losses (average linkage); of all stages on the way that one counts where the least
    mean loss of two kinds most exceeds the largest within one. Independent noise makes no kinds, however much its size
    differs: then ``d_ij² = s_i² + s_j²``, and two loud runs lie farther from each other than from quiet ones. Two runs
    at least make a kind. Where there is one beside single runs, these are kinds of their own if they are half of all or
    more; else they lie far, or not.

    Args:
        losses: ``(R, R)`` symmetric pair matrix without copies.
        power: of the margins :data:`KINDS` and :data:`ALONE`.

    Example:
        >>> apart = torch.full((5, 5), 3.0)
        >>> apart[:3, :3] = apart[3:, 3:] = 1.0
        >>> kinds_of(apart.fill_diagonal_(0))
        [[0, 1, 2], [3, 4]]
    """
    runs = len(losses)
    if runs <= 3 or not bool(losses.isfinite().all()):
        return []
    losses = losses.double().cpu()
    i, j = torch.triu_indices(runs, runs, 1, device="cpu")
    pairs = losses[i, j]
    if pairs.max() <= KINDS**power * pairs.min():  # so are their means
        return []
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    values = losses.clone().fill_diagonal_(0).numpy()
    kinds, within = {r: [r] for r in range(runs)}, dict.fromkeys(range(runs), 0.0)
    best, found = 0.0, list[list[int]]()
    for step, (one, other, between, _) in enumerate(linkage(squareform(values, checks=False), "average")):
        several = [len(kind) for kind in kinds.values() if len(kind) > 1]
        least = _least_ratio(several, runs) ** power
        if (widest := max(within.values())) * max(best, least) < between:
            best, found = between / widest if widest else math.inf, list(kinds.values())
        members = kinds.pop(int(one)) + kinds.pop(int(other))
        del within[int(one)], within[int(other)]
        kinds[runs + step] = members
        within[runs + step] = float(values[np.ix_(members, members)].sum() / (len(members) * (len(members) - 1)))
    return sorted(map(sorted, found), key=lambda kind: (-len(kind), kind))


def _least_ratio(sizes: Sequence[int], runs: int) -> float:
    """Return the ratio from which kinds of such sizes, and the single others of so many runs, are kinds."""
    if len(sizes) > 1 and 2 * sum(sizes) > runs:
        return KINDS
    # Two of five or more may be one training: see related.
    alone = len(sizes) == 1 and 2 * sizes[0] <= runs and (sizes[0] > 2 or runs == _FEW)
    return ALONE if alone else math.inf


def said_of_kinds(
    kinds: Sequence[Sequence[int]], names: Sequence[str], losses: Tensor, chance: Tensor | None = None
) -> str:
    """Return that runs fall into kinds, which, and how far they lie from each other.

    Args:
        kinds: see :class:`Belonging`.
        names: of all runs.
        losses: ``(R, R)``.
        chance: ``(R, R)``, those of unrelated spaces, if known.
    """
    distances = losses if chance is None else losses / chance
    form = (lambda x: f"{number(x, 3)}") if chance is None else (lambda x: f"{percent(x)} of chance")
    within, between = map(form, within_and_between(distances, kinds))
    which = "; ".join(listed([names[r] for r in kind]) for kind in kinds[:_NAMED])
    more = f"; and {len(kinds) - _NAMED} more" if len(kinds) > _NAMED else ""
    made = " Or is one of the two made of the other?" if len(kinds[0]) == 2 > len(kinds[1]) else ""
    return (
        f"The runs fall into {word(len(kinds))} kinds: {which}{more}. Two runs of one kind lie {within} apart, two of "
        f"different kinds {between}. A mean over all of them says nothing of any. Measure each kind by itself.{made}"
    )


def said_of_apart(found: Belonging, names: Sequence[str]) -> list[str]:
    """Return the notes on a run that lies apart, and on runs with less noise than the others, if there are such."""
    said = LIES_APART.sentence(found.apart._replace(name=names[found.apart.run])) if found.apart else ""
    return [*[said] * bool(said), *([said_of_quieter(found.quieter, names)] if found.quieter else ())]


def said_of_kin(found: Belonging, names: Sequence[str]) -> list[str]:
    """Return what is said of runs that are no trainings of their own."""
    row = [said_of_row(found.row, names)] if found.row else []
    return row + [said_of_related(one, names) for one in found.kin]


def within_and_between(values: Tensor, kinds: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the mean of a pair matrix over pairs of runs of one kind, and over those of two."""
    of = torch.full((len(values),), -1, device="cpu")
    for k, kind in enumerate(kinds):
        of[list(kind)] = k
    i, j = torch.triu_indices(len(values), len(values), 1, device="cpu")
    known, same, pairs = (of[i] >= 0) & (of[j] >= 0), of[i] == of[j], values.cpu()[i, j].double()
    return float(pairs[known & same].mean()), float(pairs[known & ~same].mean())


def far_runs(losses: Tensor, leave_out: Tensor | None = None) -> list[tuple[int, float]]:
    """Return the runs that lie much farther from the others than these lie from each other, with how many times.

    ``ratio_i`` is the median loss of run i to the others by that of the others among themselves: the median over them
    of each one's median, so that nearly half of the runs may be of another kind. (The median over their pairs is lost
    as soon as three of eight are.) One run in ten of three times the noise leaves ``mean ± t(R − 1) SE`` a coverage of
    0.6 to 0.8: such a run must be known by name.

    Args:
        losses: ``(R, R)`` symmetric pair matrix, R ≥ 3; fewer runs have no others.
        leave_out: ``(R, R)`` bool, pairs that say nothing, such as copies.

    Example:
        >>> apart = torch.tensor([[0.0, 1, 1, 3], [1, 0, 1, 3], [1, 1, 0, 3], [3, 3, 3, 0]])
        >>> far_runs(apart)
        [(3, 3.0)]
    """
    runs = len(losses)
    if runs < 3:
        return []
    ratio, beyond = _farness(losses, leave_out)
    return [(r, float(ratio[r])) for r in (beyond > 0).nonzero().flatten().tolist()]


def _farness(losses: Tensor, leave_out: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return all ratios of :func:`far_runs`, and how far their logarithms lie beyond what is near; each ``(R,)``."""
    values = losses.double().cpu().clone().fill_diagonal_(math.nan)
    if leave_out is not None:
        values[leave_out] = math.nan
    own, rest = _medians(values), _medians(_medians_without(values).mT)
    ratio = (own / rest).where(rest > 0, torch.nan)
    logs = ratio.log()
    spread = 1.4826 * (logs - logs.nanquantile(0.5)).abs().nanquantile(0.5)
    return ratio, logs - far_from(len(values), float(spread.nan_to_num()))


def all_belong(distances: Tensor, leave_out: Tensor) -> bool:
    """Tell whether estimates of squared losses, ``(G, R, R)``, almost surely leave no run far, and make no kinds.

    A jackknife over the estimates says how much they scatter.
    """
    groups, runs = distances.shape[:2]
    if runs < 3:
        return True
    single = _first_of_each(leave_out.cpu())
    among = distances.mean(0)[single][:, single].sqrt()
    if kinds_of(among, _HALF) or may_be_related(among):
        return False
    parts = [distances.mean(0), *(distances.sum(0) - distances) / (groups - 1)]
    beyond = torch.stack([_farness(part.sqrt(), leave_out)[1] for part in parts])
    spread = (groups - 1) * (beyond[1:] - beyond[1:].mean(0)).square().mean(0)
    asked = ~beyond[0].isnan()  # a run of which nothing is left to say is not far
    return bool((beyond[0] + _SURE * spread.sqrt() < 0)[asked].all())


def _medians(values: Tensor) -> Tensor:
    """Return the median of every row but for what is NaN, ``(R,)``."""
    return torch.cat([rows.nanquantile(0.5, dim=1) for rows in values.split(_ROWS)])


def _medians_without(values: Tensor) -> Tensor:
    """Return the median loss of every run, without each of the others, ``(R, R)``.

    Args:
        values: ``(R, R)`` symmetric; NaN, as its diagonal is, says nothing.

    Returns:
        In column i what the medians of the other runs are without run i; NaN for run i itself.
    """
    return torch.cat([_without_each(rows) for rows in values.split(_ROWS)]).fill_diagonal_(math.nan)


def _without_each(values: Tensor) -> Tensor:
    """Return the medians of some rows ``(n, R)`` without each of their values; every row is sorted once."""
    sorted_, places = values.sort(1).values, values.argsort(1).argsort(1)  # NaN comes last
    there = ~values.isnan()
    left = there.sum(1, keepdim=True) - there.long()

    def kth(k: Tensor) -> Tensor:
        """The k-th of those that are left, one further on where what is left out stands before it."""
        return sorted_.gather(1, (k + (there & (places <= k)).long()).clamp(0, values.shape[1] - 1))

    medians = kth((left - 1).clamp(min=0) // 2).lerp(kth(left // 2), 0.5)
    return medians.where(left > 0, torch.nan)


def far_from(runs: int, spread: float) -> float:
    """Return the logarithm of the ratio above which one of so many runs is far, with the spread of all logarithms."""
    return math.log(FAR_OF_FEW) if runs <= _FEW else FAR + FAR_BY_SPREAD * spread
