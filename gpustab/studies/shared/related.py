"""Which runs of a group are no trainings of their own: made of one another, or saved on the way of one training.

What two independent runs do to a space adds up: ``d_ij² = s_i² + s_j²``, with each run's own part s². So the losses to
all other runs tell how far two of them should lie from each other, whatever the size of their noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.studies.shared.claims import Margin
from gpustab.studies.shared.own_noise import own_parts
from gpustab.studies.shared.wording import listed

RELATED = Margin(0.5, "part of two runs' own squared losses that they have in common, above which they are related")
"""Two of ten real trainings have 0.16 in common at most; a run with its average with another 0.55, one that was trained
on 0.97, two of another kind than the rest up to 0.7; two of eight of a quarter of the others' noise 0.41."""
NEARER = Margin(0.8, "loss of two runs by the median of either's to unrelated ones, up to which they may be related")
"""Two loud runs seem to have much in common, as losses grow no more near chance; but they lie near nobody."""
BETWEEN = Margin(0.2, "squared loss of two runs by which those to a third fall short, above which it lies between")
"""An average of two has 0.5, and a run without noise of its own 0."""
STEPS = Margin(0.75, "squared loss of two runs by those to one between them, summed, above which they lie in a row")
"""It is 1 on a walk, 2 on a straight line, and a half for independent runs and for those of one kind."""

_BY_CHANCE = 0.05
"""Share of sets of innocent runs in which a pair may seem related because runs differ most in one direction: some then
lie near each other, and others as far from what is due. What two have in common is the product of their places there,
which exceeds ``t`` spreads in some ``e^−t`` of pairs; of many pairs one does so by chance. Of 128 skip-gram runs of one
law and collapsed spaces, 0 of 1,660 subsets of 5 to 96 were alarmed; at 2.5 spreads whatever the pairs, 131."""
_SURE = 0.85
"""Part in common from which two are related however much runs differ in one direction. If it has more of the
noise than a third, two of many runs have so much by chance; at 0.93 an average or blend of two is no longer found."""
_MOST = 50
"""Each takes another look at all pairs: half of a thousand runs took minutes."""
_LEAST = 3
"""Runs of which one may lie between the others; from four on two others tell what a pair should be."""
_ROW = 5
"""Runs from which no kinds lie in a row."""
_LEAVE = "Then it is no training of its own: leave it out."
_OR_STEPS = "Or does a setting, or the text, change step by step over the runs? Then measure each kind by itself."


class Related(NamedTuple):
    """A run that is no training of its own.

    Attributes:
        run: its number.
        to: the runs that it is made of, or that are made of it.
        times: how many times farther the nearest other run lies; NaN where there is none.
    """

    run: int
    to: list[int]
    times: float

    def among(self, runs: Sequence[int]) -> Related:
        """Return the same by the numbers that these runs have elsewhere."""
        return Related(runs[self.run], [runs[k] for k in self.to], self.times)


def shared_parts(losses: Tensor) -> Tensor:
    """Return which part of their own squared losses two runs have in common, ``1 − d_ij² / (s_i² + s_j²)``.

    ``s_i² = A_i − M / 2``, with the mean A of the squared losses to the runs but i and j, and the mean M of those among
    them.

    Args:
        losses: ``(R, R)`` symmetric pair matrix without copies, R ≥ 4.

    Returns:
        ``(R, R)``; −∞ where the two lie between the others, and on the diagonal.

    Example:
        >>> own = torch.tensor([1.0, 1.0, 2.0, 4.0, 5.0])
        >>> square = own[:, None] + own
        >>> square[0, 1] = square[1, 0] = 0.5
        >>> f"{shared_parts(square.sqrt().fill_diagonal_(0))[0, 1]:.2f}"
        '0.75'
    """
    square = losses.double().cpu().square().fill_diagonal_(0)
    others = len(square) - 2
    sums, total = square.sum(1), square.sum()
    # In place: of a thousand runs every matrix more is 8 MB of what the whole measurement holds at its peak.
    both = sums[:, None] + sums
    among = (-2 * both).add_(total).add_(square, alpha=2).div_(others * (others - 1))
    due = both.sub_(square, alpha=2).div_(others).sub_(among)
    return square.div_(due).neg_().add_(1).masked_fill_(~(due > 0), -math.inf).fill_diagonal_(-math.inf)


def related(losses: Tensor, margin: float = RELATED, nearer: float = NEARER) -> list[Related]:
    """Return runs that are related to others, at most fifty; without them no two of the rest are, if they are fewer.

    Args:
        losses: ``(R, R)`` symmetric pair matrix without copies. Of three runs only one between the others is known.
        margin: see :data:`RELATED`.
        nearer: see :data:`NEARER`.
    """
    losses = losses.double().cpu()
    left, found, ends = list(range(len(losses))), list[Related](), dict[int, tuple[int, int]]()
    while len(left) >= _LEAST and len(found) < _MOST:
        values = losses[left][:, left] if found else losses
        pairs = _between(values, left, ends)
        if len(left) > _LEAST:
            pairs |= _related_pairs(values, margin, nearer)
        many = pairs.sum(1)
        if not int(many.max()):
            break
        run = int((many == many.max()).nonzero()[-1])
        others = ~pairs[run]
        others[run] = False
        times = float(values[run][others].min() / values[run][pairs[run]].max()) if bool(others.any()) else math.nan
        found.append(Related(run, pairs[run].nonzero().flatten().tolist(), times).among(left))
        left.pop(run)
    return found


def _related_pairs(values: Tensor, margin: float, nearer: float) -> Tensor:
    """Return which pairs have much in common and lie near: also nearer than either to all that it has not."""
    parts = shared_parts(values)
    known = parts[parts.isfinite()]
    beyond = 0.0
    if len(known):
        middle, spreads = known.median(), math.log(len(values) * (len(values) - 1) / 2 / _BY_CHANCE)
        beyond = float(middle + spreads * 1.4826 * known.sub_(middle).abs_().median())
    pairs = parts > max(margin, min(beyond, _SURE))
    if not bool(pairs.any()):
        return pairs
    median = values.where(~pairs, math.nan).fill_diagonal_(math.nan).nanmedian(1).values
    found, pairs = None, pairs & (values < nearer * torch.minimum(median[:, None], median))
    while found is None or not torch.equal(found, pairs):
        least = values.where(~pairs, math.inf).fill_diagonal_(math.inf).amin(1)
        found, pairs = pairs, pairs & (values < torch.minimum(least[:, None], least))
    return pairs


def _between(values: Tensor, left: Sequence[int], ends: dict[int, tuple[int, int]]) -> Tensor:
    """Return which pairs are a run that lies between two others and one of these.

    Independent noise never does so: ``d_ik² + d_jk² − d_ij²`` is twice the own part of k.

    Args:
        values: ``(R, R)`` losses.
        left: what the runs' numbers are among all.
        ends: by these numbers, the two between which a run lies most; they hold as long as both are left.
    """
    square, pairs = values.square(), torch.zeros_like(values, dtype=torch.bool)
    own, place = own_parts(values), {run: k for k, run in enumerate(left)}
    for k in (own < own.median() / 2).nonzero().flatten().tolist():
        if not place.keys() >= set(ends.get(left[k], (-1,))):
            one, other = _ends_of(square, k)
            ends[left[k]] = left[one], left[other]
        i, j = (place[run] for run in ends[left[k]])
        if float(square[k, i] + square[k, j]) < (1 - BETWEEN) * float(square[i, j]):
            pairs[k, [i, j]] = pairs[[i, j], k] = True
    return pairs


def _ends_of(square: Tensor, run: int) -> tuple[int, int]:
    """Return the two runs between which one lies most."""
    ratio = (square[run, :, None] + square[run]) / square
    ratio[run] = ratio[:, run] = torch.inf
    return divmod(int(ratio.fill_diagonal_(torch.inf).argmin()), len(ratio))


def in_a_row(losses: Tensor, margin: float = STEPS) -> list[int]:
    """Return the runs in the order in which each lies between the one before and the next; nothing where none does.

    Example:
        >>> steps = torch.arange(5.0)
        >>> in_a_row((steps[:, None] - steps).abs().sqrt())
        [0, 1, 2, 3, 4]
    """
    if len(losses) < _ROW or not bool(losses.isfinite().all()):
        return []
    square = losses.double().cpu().square().fill_diagonal_(0)
    end = int(square.argmax()) // len(square)
    order = square[end].argsort(stable=True).tolist()
    if order[0] > order[-1]:
        order.reverse()
    square = square[order][:, order]
    for j in range(1, len(order) - 1):
        steps = square[:j, j, None] + square[j, j + 1 :]
        if not bool((square[:j, j + 1 :] > margin * steps).all()):
            return []
    return order


def may_be_related(losses: Tensor) -> bool:
    """Tell whether estimates of losses leave a doubt that all runs are trainings of their own."""
    return bool(in_a_row(losses, STEPS**2) or related(losses, RELATED / 2, NEARER**0.5))


def said_of_related(found: Related, names: Sequence[str]) -> str:
    """Return the fact that a run is related to others, and what that leaves open."""
    run, to = names[found.run], listed([names[k] for k in found.to])
    if len(found.to) > 1:
        return f"{run} lies between {to}. Is it an average of them, or a state of one training? {_LEAVE} {_OR_STEPS}"
    return (
        f"{run} lies {found.times:.1f} times nearer to {to} than to any other run, and their own noise does not "
        f"explain it. Is one made of the other, as one that is trained on? {_LEAVE} Or are both of another kind "
        "than the rest? Then measure each kind by itself."
    )


def said_of_row(order: Sequence[int], names: Sequence[str]) -> str:
    """Return the fact that runs lie in a row."""
    return (
        f"The runs lie in a row, each between the one before and the next: {listed([names[r] for r in order])}. Are "
        "they states of one training that were saved on its way? Then they are one run: give one of each training. "
        f"{_OR_STEPS} A mean over all of them says nothing of what another training would give."
    )
