"""What other documents would say: runs of one half of a corpus beside runs of the other half.

Bootstrap draws of the same documents share documents, and words that come in bursts keep their contexts: LSA on sotu
has a p@10 of 0.175 between bootstrap runs of one half and of 0.068 between the halves. So the halves are measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.machine.device import Compute
from gpustab.runs.families import over_common_words
from gpustab.runs.group import Group, loaded
from gpustab.runs.join import join
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.statistics.intervals import Estimate
from gpustab.studies.stability.judged import statistics_of

HALF = "half"


class Halves(NamedTuple):
    """Two halves of one corpus, trained in the same way.

    Attributes:
        name: of the group without its half.
        words: that all runs of both halves have.
        n: length of the lists.
        within: mean p@n of two runs of one half, over both halves.
        between: of a run of one half and a run of the other.
    """

    name: str
    words: int
    n: int
    within: Estimate
    between: Estimate


def pairs_of_halves(groups: Sequence[Runs | Group]) -> Iterator[tuple[Runs | Group, Runs | Group]]:
    """Yield the groups that differ in their half alone, whole documents of it, not drawn again."""
    found: dict[object, list[Runs | Group]] = {}
    for group in groups:
        if HALF in dict(group.key.part) and group.key.sampling != "bootstrap":
            found.setdefault(_without_half(group), []).append(group)
    yield from ((both[0], both[1]) for both in found.values() if len(both) == 2)


def compare_halves(
    first: Runs | Group, second: Runs | Group, n: int, compute: Compute, targets: int | None = None, seed: int = 0
) -> Halves | None:
    """Measure two halves over the words of both; ``None`` where they have fewer than three in common.

    Args:
        first: runs of one half.
        second: runs of the other.
        n: length of the lists.
        compute: how to compute.
        targets: as many words are drawn where there are more; default all up to 20,000, else 1,000.
        seed: of the draw.
    """
    one, other = loaded(first), loaded(second)
    both = _together(one, other)
    if both is None:
        return None
    runs = engine.place(both, compute)
    found = engine.neighbour_pass(runs, engine.draw_targets(runs, targets, seed), n, compute)
    p = engine.overlap_pass(found, [found.k], compute).p[0].cpu()
    own, others = list(range(len(one))), list(range(len(one), len(both)))
    return Halves(str(_without_half(first)), both.words, found.k, _within(p, own, others), between(p[own][:, others]))


def between(cross: Tensor) -> Estimate:
    """Return the mean over all pairs of two sets of runs, ``(R, S)``, with its error by leaving out runs of either.

    >>> from torch import tensor
    >>> round(between(tensor([[1.0, 2.0], [3.0, 4.0]])).se ** 2, 6)  # means of rows 1.5 and 3.5, of columns 2 and 3
    1.25
    """
    square = sum(float(cross.mean(k).var()) / cross.shape[1 - k] for k in (0, 1))
    return Estimate.of_runs(float(cross.mean()), square**0.5, min(cross.shape))


def _within(p: Tensor, own: list[int], others: list[int]) -> Estimate:
    """The mean over both halves."""
    found = [statistics_of(p, some) for some in (own, others)]
    se = (found[0].se ** 2 + found[1].se ** 2) ** 0.5 / 2
    return Estimate.of_runs((found[0].mean + found[1].mean) / 2, se, min(len(own), len(others)))


def _without_half(group: Runs | Group) -> object:
    return replace(group.key, part=tuple(pair for pair in group.key.part if pair[0] != HALF))


def _together(one: Runs, other: Runs) -> Runs | None:
    """All runs of both over the words that all of them have."""
    _, rows = over_common_words([one, other])
    if len(rows[0]) < 3:
        return None
    words = Vocabulary(one.vocabulary[k] for k in rows[0].tolist())
    spaces = [
        Space(words, runs.rows[r][0 : runs.words][own], None, f"{runs.name} {runs.names[r]}")
        for runs, own in zip((one, other), rows, strict=True)
        for r in range(len(runs))
    ]
    return join(spaces, centre=one.centre, unit=one.unit)
