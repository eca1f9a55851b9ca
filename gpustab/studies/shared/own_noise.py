"""Which runs of a group have more noise of their own than the others, or less.

More: of another kind, or with vectors of other words. Less: of another sampling, averages, trained longer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.results.page import number, percent
from gpustab.statistics.intervals import t_quantile
from gpustab.studies.shared.claims import Claim, Margin
from gpustab.studies.shared.wording import listed

LESS = Margin(0.75, "own part of the squared losses of some runs by that of the others, up to which they may have less")
GAP = Margin(12.0, "gap between the logarithms of two classes of own parts, in SDs within, above which there are two")
"""Of 5, 6, 8, 16 draws of one normal law 0.9, 0.3, 0.02, 0 % of the sets have such a gap."""
CHANCE_OF_ONE_QUIET = Margin(0.001, "share of sets of one law in which one run is said to have less noise")

APART = Margin(1.05, "mean loss of the run that lies farthest by that of the others, above which it may lie apart")
CHANCE_OF_ONE = Margin(0.01, "share of sets of runs of one law in which one is said to lie apart")
"""So that it is at most 5 % too of vectors of which noise is a third, varying as e^{0.3 z}: then 0.05 gives 10 to 18 %,
since noise that large shortens all cosines of a run besides."""

_HARDLY = 0.01
"""Own part by the median, below which there is none: an average of the others has less than nothing."""
_FEWEST = 5
_NAMED = 5
_LITTLE = 0.15


class Apart(NamedTuple):
    """The run of a group that lies farthest from the others.

    Attributes:
        run: its number.
        ratio: its mean loss to the others, by theirs to each other.
        beyond: by how many standard errors it lies beyond them, see :func:`farthest`.
        runs: of the group.
        losses: mean loss without it, and with it.
        name: of the run.
    """

    run: int
    ratio: float
    beyond: float
    runs: int
    losses: tuple[float, float]
    name: str = ""

    @property
    def limit(self) -> float:
        """The standard errors that the farthest of so many runs of one law exceeds in so few sets."""
        return t_quantile(self.runs - 2, 1 - 2 * CHANCE_OF_ONE / self.runs)  # one-sided


LIES_APART = Claim[Apart](
    id="shared.one-lies-apart",
    says="One run lies apart from the others.",
    rule=(
        f"Grubbs' test of the logarithms of the runs' own noise, one-sided at {percent(CHANCE_OF_ONE)}, of three runs "
        f"or more. The run also lies more than {APART:g} times as far from the others as these from each other"
    ),
    judge=lambda x: "yes" if x.ratio > APART and x.beyond > x.limit else "no",
    sentences={
        "yes": lambda x: (
            f"{x.name} lies {number(x.ratio, 2)} times as far from the other runs as these lie from each other, which "
            f"their scatter does not explain. Is it of another kind, or do some of its words have vectors of others? "
            f"The loss is {number(x.losses[0], 3)} without it and {number(x.losses[1], 3)} with it."
        )
    },
)


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


def farthest(losses: Tensor) -> Apart | None:
    """Return the run that lies farthest from the others, and by how many standard errors; ``None`` of two runs.

    Its own part s² of the squared losses is largest, where ``d_ij² = s_i² + s_j²`` as of independent noise. Its
    logarithm, less the mean of the others', in units of their SD times ``√(1 + 1 / (R − 1))``, has a t law of R − 2
    degrees of freedom if it is no more than a draw of their law (Grubbs 1950). Noise may so differ in its size: with
    s = e^{σ z} the law is exact for every σ. Pairs that share runs are all in s². A run without a part of its own lies
    between the others: then nothing is told.

    Example:
        >>> losses = torch.tensor([[0.0, 2.0, 5.0], [2.0, 0.0, 5.125], [5.0, 5.125, 0.0]])
        >>> farthest(losses)[:2]
        (2, 2.53125)
    """
    runs = len(losses)
    if runs < 3:
        return None
    values = losses.double().cpu().clone().fill_diagonal_(0)
    means, own = values.sum(1) / (runs - 1), own_parts(values)
    run = int(own.argmax())
    rest = torch.cat([own[:run], own[run + 1 :]])
    among = float((means.sum() - 2 * means[run]) / (runs - 2))
    beyond = _errors_off(float(own[run].log()), rest.log()) if bool((rest > 0).all()) else 0.0
    return Apart(run, float(means[run]) / among if among else math.nan, beyond, runs, (among, float(means.mean())))


def _errors_off(one: float, others: Tensor) -> float:
    """Return how many standard errors lie between one logarithm and others, as Grubbs counts them."""
    error = float(others.std()) * math.sqrt(1 + 1 / len(others))
    return abs(one - float(others.mean())) / error if error else math.inf


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
        return _errors_off(float(few[0]), rest) > limit
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
