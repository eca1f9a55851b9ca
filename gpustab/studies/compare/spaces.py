"""How far the spaces of two groups agree, beyond the noise of single runs: in the mean, and for every word.

Of a word's neighbours let π_A be the probability with which a run of A lists each other word. Two runs of A share
Σ π_A² / n of their lists on average, a run of A and one of B Σ π_A π_B / n. Less what lists share by chance, these are
inner products of π less its mean. So ``between / √(within_A · within_B)`` is Pearson's correlation of π_A and π_B: 1 if
runs of both list the same words equally often, however noisy they are, and 0 if they agree by chance.

The PIP loss is the same of cosines: what a squared loss lacks of that by chance is twice the inner product of two runs'
cosines less their means, so that the agreement is Pearson's correlation of the expected cosines of all pairs of words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.displacement import Jackknifed
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.overlap import shared_neighbours
from gpustab.kernels.two_groups import TwoGroups, each, residual_variance, two_groups
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet
from gpustab.results.page import percent, thousands
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.levels import highest_tenth
from gpustab.statistics.reliability import LEAST, WordValues, parts
from gpustab.statistics.windows import LIKE, local_mean, standing_out

COSINES = "PIP loss"
_PAIRS = 1 << 20
"""Pairs of runs and words, or neighbours of all runs, that are held at a time."""
_FLOOR = 0.3
"""Part of the jackknife's square that is left where all noise is of pairs: 0.3 at three runs, up to 0.5 at more."""
NEAREST = 4
"""Neighbours of a word that are shown of each group."""


class Agreement(NamedTuple):
    """How far two groups agree by one measure; chance is what unrelated spaces have."""

    measure: Annotated[str, Column(about="p@n, or the PIP loss as a share of chance")]
    first: Annotated[float, Column("two runs of the first", 2, "mean over pairs of runs of the first group")]
    first_se: float
    second: Annotated[float, Column("two runs of the second", 2, "the same in the second group")]
    second_se: float
    between: Annotated[float, Column("a run of each", 2, "mean over pairs of a run of each group")]
    between_se: float
    agreement: Annotated[
        float,
        Column(
            "agreement", 2, "of both groups, noise of single runs taken out: 1 if both expect the same, 0 by chance"
        ),
    ]
    agreement_se: float
    runs: Annotated[int, Column(about="of the group with fewer: by these the errors are known")]
    chance: Annotated[float, Column("by chance", 2, "what two unrelated spaces have")]

    def estimate(self, name: str) -> Estimate:
        """Return one of the four numbers with its error, by name."""
        return Estimate.of_runs(getattr(self, name), getattr(self, f"{name}_se"), self.runs)


class Unlike(NamedTuple):
    """A word that two groups see more differently than nine in ten words as frequent, beyond noise of single runs."""

    word: str
    times: Annotated[int | None, Column("count", about="occurrences in a run", text=thousands)]
    first: Annotated[float, Column("two runs of the first", 2, "share of its n neighbours that two runs share")]
    second: Annotated[float, Column("two runs of the second", 2, "the same in the second group")]
    between: Annotated[float, Column("a run of each", 2, "the same of a run of each group")]
    beyond: Annotated[float, Column("beyond noise", 2, "mean of the first two less the third")]
    se: Annotated[float, Column("its standard error", 2, "over runs")]
    sure: Annotated[float, Column("how surely", about="probability to be in that tenth", text=percent)]
    in_first: Annotated[str, Column("near it in the first", about="neighbours that more runs of the first list")]
    in_second: Annotated[str, Column("near it in the second", about="neighbours that more runs of the second list")]


SPACES = Sheet("spaces", Agreement, "one row a measure")
UNLIKE = Sheet("unlike", Unlike, "one row a word that two groups surely see differently, the surest first")


class Words(NamedTuple):
    """What lists say of every word, each ``(t,)``.

    Attributes:
        shared: p@n within both groups and between them.
        se: standard error of ``shared.beyond``, pooled over words of like frequency; NaN where a group has few runs.
        noise: its squared error, of each word alone; may be negative.
    """

    shared: TwoGroups
    se: Tensor
    noise: Tensor

    def most_unlike(self) -> tuple[Tensor, Tensor]:
        """Return how probably each word is in the tenth that differs most, and the rows of those that surely are."""
        sure = highest_tenth(self.shared.beyond.value, self.noise)
        return sure, standing_out(sure)


def drawn_apart(one: Runs, other: Runs) -> Tensor:
    """Return which runs of two groups share no noise, ``(R₁, R₂)`` bool: not those that record one training seed.

    Runs of two techniques of one number have one seed, and read the same draw and order of the documents. If they were
    counted, two groups of bootstrap runs would agree for that.
    """
    first, second = (runs.seeds or (None,) * len(runs) for runs in (one, other))
    return torch.tensor([[a is None or a != b for b in second] for a in first], device="cpu")


def error(part: Jackknifed, apart: Tensor) -> Tensor:
    """Return the standard errors of numbers of two groups, of which some runs go in pairs.

    Leaving out a run of each at once changes a number by the sum of what either does, so that the two groups'
    squared errors have a common part: twice the sum over such pairs of what both do.
    """
    one, other = (x - x.mean(0) for x in (part.without_first, part.without_second))
    scale = math.sqrt((1 - 1 / len(one)) * (1 - 1 / len(other)))
    common = sum(((one[i] * other[j]) for i, j in (~apart).nonzero().tolist()), torch.zeros_like(part.value))
    return (part.se.square() + 2 * scale * common).clamp(min=0).sqrt()


def of_lists(lists: Sequence[engine.NeighbourPass], values: Sequence[WordValues], apart: Tensor) -> Words:
    """Return what two groups' lists of the same words say of them.

    Args:
        lists: of each group, over one vocabulary.
        values: p@n of these words by each group alone.
        apart: see :func:`drawn_apart`.
    """
    many = [len(one.indices) for one in lists]
    every = torch.cat([one.indices for one in lists])  # (R, t, k)
    tile = max(1, _PAIRS // (sum(many) * max(sum(many), lists[0].k)))
    found = [_of_pairs(part, many[0], apart) for part in every.split(tile, dim=1)]
    means = TwoGroups(
        *(
            Jackknifed(*(torch.cat(field, -1) for field in zip(*part, strict=True)))
            for part in zip(*(shared for shared, _ in found), strict=True)
        )
    )
    jackknife = error(means.beyond, apart).square()
    residual = torch.cat([rest for _, rest in found]) / int(apart.sum())
    # Where runs have their noise in common, that of pairs is not independent: the jackknife is on the safe side.
    squared = _unbiased(jackknife, residual, many, values) if bool(apart.all()) else jackknife
    pooled = torch.maximum(local_mean(squared, LIKE), _FLOOR * local_mean(jackknife, LIKE))
    return Words(means, pooled.sqrt(), squared)


def _of_pairs(lists: Tensor, first: int, apart: Tensor) -> tuple[TwoGroups, Tensor]:
    share = shared_neighbours(lists, [lists.shape[2]])[0].double().cpu() / lists.shape[2]
    return two_groups(share, first, apart), residual_variance(share[:, :first, first:], apart)


def _unbiased(jackknife: Tensor, residual: Tensor, many: Sequence[int], values: Sequence[WordValues]) -> Tensor:
    """Return squared errors of ``beyond`` that count the noise of pairs once.

    The jackknife over runs counts what is of a pair of runs alone twice between groups, and within one
    2(R − 1)/(R − 2) times. Where both groups expect the same nothing else is left, so that it is too large by 2 to 4.
    """
    if min(many) < LEAST:
        return torch.full_like(jackknife, torch.nan)
    squared = jackknife - residual
    for r, own in zip(many, values, strict=True):
        squared -= parts(own.sd, own.se, r).pair * (4 / (r * (r - 2)) - 2 / (r * (r - 1))) / 4
    return squared


def by_neighbours(words: Words, n: int, vocabulary: int, runs: int, apart: Tensor) -> Agreement:
    """Return how far lists of n neighbours agree, mean over the words."""
    chance = n / (vocabulary - 1)
    mean = words.shared.mean
    less = TwoGroups(*(each(lambda x: x - chance, part) for part in mean))
    return _row(f"p@{n}", mean, less.agreement, runs, apart, chance)


class Cosines(NamedTuple):
    """What the cosines of all words say of two groups.

    Attributes:
        agreement: None of rows that have no cosines.
        losses: the words' reduced PIP losses in the first group, in the second, and between them: roots of mean
            squares, ``(v,)`` each.
    """

    agreement: Agreement | None
    losses: tuple[Tensor, Tensor, Tensor]


def of_cosines(both: Runs, first: int, apart: Tensor, compute: Compute) -> Cosines:
    """Return how far the cosines of all pairs of words agree, and how far those of every word.

    A pass over all runs and one over each group have the sums of the words' squares of all pairs, and of those within;
    what pairs that share noise have is taken off.

    Args:
        both: the runs of both groups side by side.
        first: how many of them are the first group.
        apart: see :func:`drawn_apart`.
        compute: how to compute.
    """
    runs = len(both)
    pip = engine.pip_pass(both, compute, wordwise=True)
    every = list(range(runs))
    within = [_squares(both.take(some), compute) for some in (every[:first], every[first:])]
    between = _squares(both, compute, pip) - sum(within)
    for i, j in (~apart).nonzero().tolist():
        between -= _squares(both.take([i, first + j]), compute)
    pairs = (math.comb(first, 2), math.comb(runs - first, 2), int(apart.sum()))
    one, other, across = (
        (square.clamp(min=0) / count).sqrt() for square, count in zip((*within, between), pairs, strict=True)
    )
    return Cosines(_agreement(pip, first, apart), (one, other, across))


def _squares(runs: Runs, compute: Compute, pip: engine.PipPass | None = None) -> Tensor:
    """Sums of the words' squared losses over the pairs of runs, ``(v,)``."""
    pip = pip or engine.pip_pass(runs, compute, wordwise=True)
    return engine.wordwise_pass(runs, pip.basis, compute).square.double().cpu() * math.comb(len(runs), 2)


def _agreement(pip: engine.PipPass, first: int, apart: Tensor) -> Agreement | None:
    if pip.scale is None:
        return None
    runs = first + apart.shape[1]
    losses, chances = (pair_matrix(x.double().cpu(), runs)[None] for x in (pip.reduced, pip.scale.chance))
    of_chance = two_groups(losses / chances.clamp(min=torch.finfo(torch.float64).tiny), first, apart)
    agreement = two_groups(chances.square() - losses.square(), first, apart).agreement
    return _row(COSINES, of_chance, agreement, min(apart.shape), apart, 1.0)


def _row(measure: str, numbers: TwoGroups, agreement: Jackknifed, runs: int, apart: Tensor, chance: float) -> Agreement:
    named = {**numbers._asdict(), "agreement": agreement}
    values = {name: float(part.value[0]) for name, part in named.items()}
    errors = {f"{name}_se": float(error(part, apart)[0]) for name, part in named.items()}
    return Agreement(measure=measure, runs=runs, chance=chance, **values, **errors)


def unlike_words(
    runs: Runs, targets: Tensor, words: Words, lists: Sequence[engine.NeighbourPass], named: Tensor, sure: Tensor
) -> Iterator[Unlike]:
    """Yield the words that the groups surely see differently, with the neighbours that more runs of one group list."""
    counts = runs.counts_in_a_run()
    beyond = words.shared.beyond.value
    for k in named.tolist():
        row, shared = int(targets[k]), words.shared
        near = [Counter(one.indices[:, k].flatten().tolist()) for one in lists]
        shares = [{w: hits / len(one.indices) for w, hits in own.items()} for own, one in zip(near, lists, strict=True)]
        yield Unlike(
            word=runs.vocabulary.text(row),
            times=counts[row],
            first=float(shared.first.value[k]),
            second=float(shared.second.value[k]),
            between=float(shared.between.value[k]),
            beyond=float(beyond[k]),
            se=float(words.se[k]),
            sure=float(sure[k]),
            in_first=", ".join(map(runs.vocabulary.text, _more(shares[0], shares[1]))),
            in_second=", ".join(map(runs.vocabulary.text, _more(shares[1], shares[0]))),
        )


def _more(own: dict[int, float], other: dict[int, float]) -> list[int]:
    """The words that a group's runs list more often than the other's, the largest difference first."""
    more = {word: share - other.get(word, 0.0) for word, share in own.items()}
    ranked = sorted((-by, word) for word, by in more.items() if by > 0)
    return [word for _, word in ranked[:NEAREST]]
