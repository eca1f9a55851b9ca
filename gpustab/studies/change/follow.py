"""The way of a word through the epochs, and its neighbours in each; an epoch without the word has no row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import cross_gram
from gpustab.kernels.displacement import average_displacement
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import Compute
from gpustab.studies.change.epoch import Epoch, common_rows


class Step(NamedTuple):
    """How far a word is from where it was in the reference epoch.

    Attributes:
        series: name.
        word: the word.
        epoch: where it is looked at.
        reference: what it is compared with.
        change: between the averages, each epoch aligned to the reference.
        se: jackknife error over the runs of both.
        freedom: of that error: runs of the epoch that has fewer, less one.
        chained: change with each epoch aligned to the next, map after map.
        occurrences: per run; ``None`` where the files have none.
    """

    series: str
    word: str
    epoch: str
    reference: str
    change: float
    se: float
    freedom: int
    chained: float
    occurrences: float | None


class Near(NamedTuple):
    """A neighbour of a word in one epoch.

    Attributes:
        series: name.
        word: the word.
        epoch: where.
        neighbour: a word among its n nearest in some run.
        runs: in how many.
        of: runs that have the word.
        cosine: mean over the runs in which it is among them.
    """

    series: str
    word: str
    epoch: str
    neighbour: str
    runs: int
    of: int
    cosine: float


def steps(series: str, epochs: Sequence[Epoch], reference: int, word: str) -> Iterator[Step]:
    """Yield a word's steps, one for every epoch that has it; none if the reference lacks it."""
    there = _row(epochs[reference], word)
    if there is None:
        return
    maps = _chain(epochs, reference)
    base = epochs[reference]
    for k, epoch in enumerate(epochs):
        row = _row(epoch, word)
        if row is None:
            continue
        rows = common_rows(epoch.runs, base.runs)
        found = average_displacement(epoch.averages.rows(rows[0]), base.averages.rows(rows[1]))
        place = int((rows[0] == row).nonzero()[0])
        turned = product(epoch.averages.top[row][None].double(), maps[k])[0]
        cosine = torch.nn.functional.cosine_similarity(turned, base.averages.top[there].double(), dim=0)
        counts = epoch.counts(torch.tensor([row]))
        yield Step(
            series,
            word,
            epoch.name,
            base.name,
            max(0.0, float(found.value[place])),
            float(found.se[place]),
            min(len(epoch.runs), len(base.runs)) - 1,
            max(0.0, 1 - float(cosine)),
            None if counts is None else float(counts[0]),
        )


def _chain(epochs: Sequence[Epoch], reference: int) -> list[Tensor]:
    """The map of every epoch onto the reference, as a product of maps between neighbours."""
    ahead = []
    for one, two in pairwise(epochs):
        rows = common_rows(one.runs, two.runs)
        ahead.append(procrustes(cross_gram(one.averages.top[rows[0]], two.averages.top[rows[1]])[None]).maps[0])
    maps = [torch.eye(epochs[reference].runs.dimension, dtype=torch.float64, device=epochs[0].runs.device)]
    for k in range(reference - 1, -1, -1):
        maps.insert(0, product(ahead[k], maps[0]))
    for k in range(reference, len(ahead)):
        maps.append(product(ahead[k].mT, maps[-1]))
    return maps


def neighbours(series: str, epoch: Epoch, word: str, n: int, compute: Compute) -> Iterator[Near]:
    """Yield the words that are among the n nearest in some run, those of most runs first, at most n."""
    row = _row(epoch, word)
    if row is None:
        return
    found = engine.neighbour_pass(epoch.runs, torch.tensor([row]), n, compute)
    seen: dict[int, list[float]] = {}
    for own, cosines in zip(found.indices[:, 0].tolist(), found.cosines[:, 0].tolist(), strict=True):
        for k, cosine in zip(own, cosines, strict=True):
            if k >= 0:
                seen.setdefault(k, []).append(cosine)
    order = sorted(seen, key=lambda k: (-len(seen[k]), -sum(seen[k]) / len(seen[k]), k))[:n]
    for k in order:
        cosine = sum(seen[k]) / len(seen[k])
        yield Near(series, word, epoch.name, epoch.runs.vocabulary.text(k), len(seen[k]), len(epoch.runs), cosine)


def _row(epoch: Epoch, word: str) -> int | None:
    """The row of a word that all runs of an epoch have."""
    known = word.encode()
    if known not in epoch.runs.vocabulary:
        return None
    row = epoch.runs.vocabulary.index_of(known)
    return row if bool(epoch.runs.joint[row]) else None
