"""Which runs of a group have less noise of their own than the others: of another sampling, averages, trained longer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from gpustab.results.page import percent
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.shared.claims import Margin
from gpustab.studies.shared.wording import listed

LESS = Margin(0.75, "own part of the squared losses of some runs by that of the others, up to which they may have less")
GAP = Margin(12.0, "gap between the logarithms of two classes of own parts, in SDs within, above which there are two")
"""Of 5, 6, 8, 16 draws of one normal law 0.9, 0.3, 0.02, 0 % of the sets have such a gap."""
CHANCE_OF_ONE_QUIET = Margin(0.001, "share of sets of one law in which one run is said to have less noise")

_HARDLY = 0.01
"""Own part by the median, below which there is none: an average of the others has less than nothing."""
_FEWEST = 5
_NAMED = 5
_LITTLE = 0.15


class Quieter(NamedTuple):
    """The runs that have less noise of their own.

    Attributes:
        runs: their numbers.
        part: their own part s² of the squared losses, by that of the others.
    """

    runs: list[int]
    part: float

    def among(self, runs: Sequence[int]) -> Quieter:
        """Return the same by the numbers that these runs have elsewhere."""
        return Quieter([runs[k] for k in self.runs], self.part)


def own_parts(losses: Tensor) -> Tensor:
    """Return every run's own part ``s_i²`` of the squared losses, by least squares of ``d_ij² = s_i² + s_j²``.

    Args:
        losses: ``(R, R)`` symmetric pair matrix, R ≥ 3.

    Example:
        >>> import torch
        >>> own = torch.tensor([1.0, 2.0, 3.0]).double()
        >>> [round(x, 6) for x in own_parts((own[:, None] + own).sqrt().fill_diagonal_(0)).tolist()]
        [1.0, 2.0, 3.0]
    """
    runs, squares = len(losses), losses.square().sum(1)
    return (squares - squares.sum() / (2 * (runs - 1))) / (runs - 2)


def quieter(losses: Tensor) -> Quieter | None:
    """Return the runs that have less noise of their own than the others, where they are surely of another class.

    The logarithms of own parts are parted at each gap. One run alone is tested as Grubbs does, several by the gap.

    Args:
        losses: ``(R, R)`` symmetric pair matrix of runs that belong together; of fewer than five nobody can tell.
    """
    if len(losses) < _FEWEST:
        return None
    own = own_parts(losses.double().cpu())
    logs, order = own.clamp(min=_HARDLY * float(own.median())).log().sort()
    for k in range(1, len(logs) - 1):
        few, rest = logs[:k], logs[k:]
        gap = float(rest[0] - few[-1])
        if float(few.mean() - rest.mean()) <= math.log(LESS) and _are_two(few, rest, gap):
            return Quieter(sorted(order[:k].tolist()), math.exp(float(few.mean() - rest.mean())))
    return None


def _are_two(few: Tensor, rest: Tensor, gap: float) -> bool:
    if len(few) == 1:
        limit = t_quantile(len(rest) - 1, 1 - 2 * CHANCE_OF_ONE_QUIET / (len(rest) + 1))
        return float(rest.mean() - few[0]) > limit * float(rest.std()) * math.sqrt(1 + 1 / len(rest))
    squares = (few - few.mean()).square().sum() + (rest - rest.mean()).square().sum()
    return gap > GAP * float((squares / (len(few) + len(rest) - 2)).sqrt())


def _share(part: float) -> str:
    root = math.sqrt(part)
    return f"{percent(root)}" if root > _LITTLE else "hardly any"


def said_of_quieter(found: Quieter, names: Sequence[str]) -> str:
    """Return the note on runs with less noise of their own."""
    shown = listed([names[r] for r in found.runs[:_NAMED]])
    more = f" and {len(found.runs) - _NAMED} more" if len(found.runs) > _NAMED else ""
    one = len(found.runs) == 1
    ask = "Is it an average of others, or" if one else "Are they"
    return (
        f"{shown}{more} {'has' if one else 'have'} {_share(found.part)} of the noise that the others have. "
        f"{ask} trained on more text, longer, or by another sampling? Then a mean over all runs says nothing of either."
    )
