"""Which runs the sentences are about: all but collapsed ones, further copies, and one that lies far from the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import PairStatistics, pair_matrix, pair_statistics
from gpustab.runs.common import small_overlap
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.studies.shared.spaces import COLLAPSED, far_runs, same_pairs
from gpustab.studies.stability import sentences


class Judged(NamedTuple):
    """What forbids to read a group's numbers as they stand, and the runs that remain.

    Attributes:
        alarms: one sentence each.
        kept: the runs that the verdict is about; none where there can be no verdict.
        collapsed: the mean cosine where all runs are collapsed, which is said of such groups together.
    """

    alarms: list[str]
    kept: list[int]
    collapsed: float | None = None

    def over(self, pairs: Tensor) -> Estimate:
        """Return the mean of an ``(R, R)`` pair matrix over the runs that remain, with its error."""
        found = statistics_of(pairs, self.kept)
        return Estimate.of_runs(found.mean, found.se, len(self.kept))


def judge(runs: Runs, pip: engine.PipPass) -> Judged:
    """Return what must be said of a group before its numbers, worst first."""
    losses = pair_matrix(pip.reduced, len(runs)).cpu()
    joining, joint = runs.joining, int(runs.joint.sum())
    if small_overlap(joining, joint):
        return Judged([sentences.little_in_common(joint, joining.seen, joining.folded)], [])
    means = pip.scale.mean_cosine.tolist() if pip.scale else []
    fallen = [r for r, mean in enumerate(means) if mean > COLLAPSED]
    alarms = []
    if fallen:
        mean = sum(means[r] for r in fallen) / len(fallen)
        if len(fallen) == len(runs):
            return Judged([], [], mean)
        alarms.append(sentences.collapsed([runs.names[r] for r in fallen], [mean], every=False))
    same, kept = same_pairs(runs, pip).cpu(), [r for r in range(len(runs)) if r not in fallen]
    for several in _classes(same, kept):
        alarms.append(sentences.copies([runs.names[r] for r in several]))
        kept = [r for r in kept if r not in several[1:]]
    for far, _ in far_runs(losses[kept][:, kept])[:1]:
        rest = [r for k, r in enumerate(kept) if k != far]
        alarms.append(_odd(runs, pip, losses, kept[far], rest))
        kept = rest
    return Judged(alarms, kept if len(kept) > 1 else [])


def statistics_of(pairs: Tensor, some: list[int]) -> PairStatistics:
    """Return the statistics of the pairs of some runs."""
    return pair_statistics(pairs.cpu()[some][:, some])


def _odd(runs: Runs, pip: engine.PipPass, losses: Tensor, far: int, rest: list[int]) -> str:
    without = statistics_of(losses, rest).mean
    share = others = None
    if pip.scale is not None:
        chance = pair_matrix(pip.scale.chance, len(runs)).cpu()
        share = float((losses[far, rest] / chance[far, rest]).mean())
        others = without / statistics_of(chance, rest).mean if len(rest) > 1 else None
    return sentences.odd(runs.names[far], share, others, without, statistics_of(losses, [*rest, far]).mean)


def _classes(same: Tensor, some: list[int]) -> Iterator[list[int]]:
    """Yield the runs that are one space several times, in their order."""
    seen: set[int] = set()
    for r in some:
        several = [r, *(k for k in some if k != r and bool(same[r, k]))]
        if len(several) > 1 and r not in seen:
            seen |= set(several)
            yield sorted(several)
