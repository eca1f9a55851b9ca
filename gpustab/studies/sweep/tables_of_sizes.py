"""Tables of sizes: every number of every size, and what more bits, dimensions and memory do.

The same runs are in all sizes, or such as read the same draw of documents: errors are found by leaving out one run
after the other everywhere at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.jackknife import pair_means
from gpustab.results import Column, Sheet, Table
from gpustab.statistics.intervals import Estimate, jackknife_error
from gpustab.statistics.ranks import spearman
from gpustab.studies.sweep.sizes import DISAGREEMENT, MEASURES, Sizes

ACCURACY, OWN = "accuracy", "own_noise"


class SizeRow(NamedTuple):
    """One number of one size."""

    sampling: str
    dim: int
    bits: Annotated[int, Column(about="of a number")]
    memory: Annotated[int, Column(about="bits a word")]
    measure: Annotated[
        str,
        Column(
            about="disagreement: share of the words of which two runs make the probe tell another class; own_noise: "
            "the same of two seeds of the probe on one run; accuracy: share of its classes that are right; eigenspace, "
            "neighbours (1 − p@10), pip (share of chance)"
        ),
    ]
    mean: float
    se: Annotated[float, Column(about="jackknife over runs")]
    runs: int
    chance: Annotated[float, Column(about="of two unrelated probes; of accuracy: share of the most frequent class")]

    @property
    def estimate(self) -> Estimate:
        """The number with its error."""
        return Estimate.of_runs(self.mean, self.se, self.runs)


SIZES = Sheet("sizes", SizeRow, "one row a sampling, size and measure")


class Effect(NamedTuple):
    """What more memory does to the disagreement of probes; the rule of a claim judges it.

    Attributes:
        sampling: of the runs.
        what: bits, dim, or memory: per doubling.
        low: its least value.
        high: its largest.
        before: disagreement at the least, mean over the sizes that have it.
        after: at the largest.
        change: after less before; of memory: per doubling.
        se: its error.
        runs: R.
        beyond: how many more words the probe has right than the most frequent class is of, mean over the sizes.
        beyond_half: half of its interval.
        worst: the same at the worst size.
    """

    sampling: str
    what: str
    low: int
    high: int
    before: float
    after: float
    change: Annotated[float, Column(about="after less before; of memory: per doubling, by least squares")]
    se: Annotated[float, Column(about="jackknife over runs, left out of all sizes at once")]
    runs: int
    beyond: Annotated[float, Column(about="accuracy less the share of the most frequent class, mean over sizes")]
    beyond_half: Annotated[float, Column(about="half of its 95 % interval, over runs and words")]
    worst: Annotated[float, Column(about="the same at the worst size")]

    @property
    def estimate(self) -> Estimate:
        """The change with its error."""
        return Estimate.of_runs(self.change, self.se, self.runs)


EFFECTS = Sheet("size_effects", Effect, "one row a sampling and what varies")


class Ordered(NamedTuple):
    """How far a measure of spaces orders sizes as the disagreement of probes does."""

    sampling: str
    measure: str
    rho: Annotated[float, Column(about="Spearman's ρ over the sizes")]
    se: Annotated[float, Column(about="jackknife over runs")]
    sizes: int
    runs: int


ORDERS = Sheet("size_orders", Ordered, "one row a sampling and measure of spaces")


def left_out(pairs: Tensor) -> Tensor:
    """Return means over pairs ``(R + 1, S)`` of ``(S, R, R)``: of all runs, and without each.

    >>> from gpustab.kernels.jackknife import pair_matrix
    >>> left_out(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3)[None]).flatten().tolist()
    [2.0, 3.0, 2.0, 1.0]
    """
    mean, without = pair_means(pairs)
    return torch.cat([mean[None], without])


def size_rows(sampling: str, found: Sizes) -> Iterator[SizeRow]:
    """Yield every number of every size; an error of 0 comes of equal counts of few words, and is none."""
    numbers = {name: _with_errors(left_out(pairs)) for name, pairs in found.pairs.items()}
    for name, values in ((OWN, found.own), (ACCURACY, found.right.double().mean(2))):
        numbers[name] = [(float(x.mean()), float(x.std()) / len(x) ** 0.5) for x in values]
    for name, each in numbers.items():
        for k, (size, (mean, se)) in enumerate(zip(found.sizes, each, strict=True)):
            known = {DISAGREEMENT: float(found.chance[k]), OWN: float(found.chance[k]), ACCURACY: found.most}
            chance = known.get(name, math.nan)
            yield SizeRow(sampling, *size, size.memory, name, mean, se or math.nan, found.runs, chance)


def _with_errors(replicates: Tensor) -> list[tuple[float, float]]:
    return [(own[0], jackknife_error(own[1:])) for own in replicates.T.tolist()]


def effects(sampling: str, found: Sizes) -> Iterator[Effect]:
    """Yield what more bits, more dimensions and more memory do, each where it varies."""
    disagreement = left_out(found.pairs[DISAGREEMENT])
    known = beyond_a_guess(found)
    for what in ("bits", "dim"):
        values = torch.tensor([getattr(size, what) for size in found.sizes], device="cpu")
        low, high = int(values.min()), int(values.max())
        if low < high:
            before, after = (disagreement[:, values == end].mean(1).tolist() for end in (low, high))
            change = [y - x for x, y in zip(before, after, strict=True)]
            numbers = (before[0], after[0], change[0], jackknife_error(change[1:]))
            yield Effect(sampling, what, low, high, *numbers, found.runs, *known)
    memory = [size.memory for size in found.sizes]
    if len(set(memory)) > 1:
        log = np.log2(memory)
        slopes = np.polyfit(log, disagreement.T.numpy(), 1)[0].tolist()
        at = [disagreement[0, memory.index(end)].item() for end in (min(memory), max(memory))]
        numbers = (*at, slopes[0], jackknife_error(slopes[1:]))
        yield Effect(sampling, "memory", min(memory), max(memory), *numbers, found.runs, *known)


def beyond_a_guess(found: Sizes) -> tuple[float, float, float]:
    """Return how many more words a probe has right than the most frequent class is of, and how surely.

    The mean over the sizes, half of its 95 % interval (the probe was asked for some words, and of some runs), and the
    worst size.
    """
    spare = found.right.double() - found.usual.double()  # (S, R, m)
    mean = spare.mean(0)
    of_runs = Estimate.of_runs(float(mean.mean()), float(mean.mean(1).std()) / found.runs**0.5, found.runs)
    of_words = Estimate.of_runs(of_runs.value, float(mean.mean(0).std()) / mean.shape[1] ** 0.5, mean.shape[1])
    return of_runs.value, math.hypot(of_runs.half, of_words.half), float(spare.mean((1, 2)).min())


def orders(sampling: str, found: Sizes) -> Iterator[Ordered]:
    """Yield how far every measure of spaces orders the sizes as the disagreement of probes does."""
    wanted = left_out(found.pairs[DISAGREEMENT])
    for name in (name for name in MEASURES if name in found.pairs):
        rho = spearman(left_out(found.pairs[name]), wanted).tolist()
        yield Ordered(sampling, name, rho[0], jackknife_error(rho[1:]), len(found.sizes), found.runs)


def size_tables(found: Mapping[str, Sizes]) -> dict[str, Table[Any]]:
    """Return the tables of all samplings."""
    each = found.items()
    return {
        SIZES.name: SIZES.table([row for name, own in each for row in size_rows(name, own)]),
        EFFECTS.name: EFFECTS.table([row for name, own in each for row in effects(name, own)]),
        ORDERS.name: ORDERS.table([row for name, own in each for row in orders(name, own)]),
    }
