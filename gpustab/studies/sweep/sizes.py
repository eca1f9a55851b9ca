"""How large must a space be? Dimensions and bits a number against stability (Leszczynski et al. 2020).

Spaces are trained in several dimensions and written in few bits a number. Of every size it is measured how often two
runs make a classifier on top tell another class of a word, and by which measures of the spaces themselves that could
have been known. The same runs are in all sizes, or such as read the same draw of documents: errors are found by leaving
out one run after the other everywhere at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab import engine
from gpustab.evaluation.labels import Labels, labels_of
from gpustab.kernels.arithmetic import product
from gpustab.kernels.jackknife import pair_matrix, pair_means
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.overlap import shared_neighbours
from gpustab.kernels.probe import predicted
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.quantise import in_bits
from gpustab.kernels.similarity import anchored_instability
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import Estimate, jackknife_error
from gpustab.statistics.ranks import spearman
from gpustab.studies.sweep.measure import NEIGHBOURS

WORDS, ASKED = 10_000, 1_000
"""The most frequent words that are measured, and how many of them are asked for their neighbours, as in the paper."""
DISAGREEMENT, ACCURACY, OWN = "disagreement", "accuracy", "own_noise"
MEASURES = {
    "eigenspace": "eigenspace instability",
    "neighbours": f"1 − p@{NEIGHBOURS}",
    "pip": "PIP loss, share of chance",
}
"""Measures of spaces, by name: what they are called."""


class Size(NamedTuple):
    """Dimensions, and bits a number."""

    dim: int
    bits: int

    @property
    def memory(self) -> int:
        """Bits a word."""
        return self.dim * self.bits


class Probed(NamedTuple):
    """What a probe told of one size.

    Attributes:
        differ: ``(R, R)`` share of words of which two runs tell another class.
        own: ``(R,)`` the same of one run and two seeds of the probe.
        right: ``(R,)`` share of words whose class is told.
        chance: share of words that two unrelated probes would tell another class of, which tell each as often.
    """

    differ: Tensor
    own: Tensor
    right: Tensor
    chance: float


class Sizes(NamedTuple):
    """What was measured of one sampling.

    Attributes:
        sizes: S of them.
        pairs: by measure ``(S, R, R)``.
        own: ``(S, R)``, see :class:`Probed`.
        right: ``(S, R)``.
        chance: ``(S,)``.
        most: share of the most frequent class.
        asked: how many words the probe was asked for.
    """

    sizes: Sequence[Size]
    pairs: Mapping[str, Tensor]
    own: Tensor
    right: Tensor
    chance: Tensor
    most: float
    asked: int

    @property
    def runs(self) -> int:
        """R."""
        return self.own.shape[1]


class Task(NamedTuple):
    """What a probe learns and what it is asked for: the same words at every size.

    Attributes:
        learned: ``(n,)`` rows of the words.
        classes: ``(n,)`` their classes.
        asked: ``(m,)``.
        wanted: ``(m,)``.
        seed: of the probe.
    """

    learned: Tensor
    classes: Tensor
    asked: Tensor
    wanted: Tensor
    seed: int


def task_of(words: Sequence[bytes], labels: Labels, seed: int) -> Task | None:
    """Return half of the words with a class to learn from and half to be asked for; ``None`` without two classes."""
    rows = torch.tensor([k for k, word in enumerate(words) if word in labels.of], dtype=torch.long, device="cpu")
    if len(labels.classes) < 2:
        return None
    classes = torch.tensor([labels.of[words[k]] for k in rows.tolist()], device="cpu")
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(rows)))
    learned, asked = order[: len(order) // 2], order[len(order) // 2 :]
    return Task(rows[learned], classes[learned], rows[asked], classes[asked], seed)


def measured_sizes(
    groups: Mapping[int, Runs],
    bits: Sequence[int],
    labels: str | Path | None,
    seed: int,
    compute: Compute,
    report: Callable[[float], None] = lambda _: None,
) -> tuple[Sizes | None, str]:
    """Measure the runs of several dimensions in several numbers of bits.

    Args:
        groups: by dimension R runs each; run r of each read the same documents.
        bits: of a number; 32 are left as they are.
        labels: see :func:`~gpustab.evaluation.labels.labels_of`.
        seed: of the probe, its words and the words whose neighbours are compared.
        compute: device, precision, back end.
        report: called with the finished part.

    Returns:
        the numbers, ``None`` without a task to learn; and a sentence on what was learned, or why not.
    """
    _, rows = over_common_words(list(groups.values()))
    first = next(iter(groups.values()))
    words = [first.vocabulary[k] for k in rows[0][:WORDS].tolist()]
    found = labels_of(words, labels)
    task = task_of(words, found, seed)
    if task is None:
        return None, (
            f"Sizes are not measured: of {len(words):,} words too few have one of two classes of {found.name}, each "
            "with 20 words."
        )
    spaces = {d: framed(raw_rows(x, own[:WORDS], compute)) for (d, x), own in zip(groups.items(), rows, strict=True)}
    made = sizes_of(spaces, bits, task, words, compute, report)
    said = (
        f"The probe learned {len(found.classes)} classes ({found.name}) from {len(task.learned):,} words and was asked "
        f"for {len(task.asked):,} others; {made.most:.0%} of these are of the most frequent class."
    )
    return made, said


def raw_rows(runs: Runs, rows: Tensor, compute: Compute) -> Tensor:
    """Return the vectors of some words as they were trained, ``(R, n, d)`` float64."""
    return torch.stack([x[0 : runs.words][rows].to(compute.device, torch.float64) for x in runs.rows])


def framed(stack: Tensor) -> Tensor:
    """Return runs turned to the frame of the first one: rounding depends on the frame."""
    cross = torch.stack([product(x.mT, stack[0]) for x in stack])
    return product(stack, procrustes(cross).maps)


def sizes_of(
    spaces: Mapping[int, Tensor],
    bits: Sequence[int],
    task: Task,
    words: Sequence[bytes],
    compute: Compute,
    report: Callable[[float], None] = lambda _: None,
) -> Sizes:
    """Return what is measured of runs ``(R, n, d)`` by dimension, each of one frame, in several numbers of bits."""
    sizes = [Size(dim, each) for dim in sorted(spaces) for each in sorted(bits)]
    anchors = spaces[max(spaces)]
    pairs: dict[str, list[Tensor]] = {name: [] for name in (DISAGREEMENT, *MEASURES)}
    probed = []
    for k, size in enumerate(sizes):
        stack = in_bits(spaces[size.dim], size.bits)
        unit = torch.nn.functional.normalize(stack, dim=2)
        probed.append(probed_by(unit, task))
        pairs[DISAGREEMENT].append(probed[-1].differ)
        pairs["eigenspace"].append(eigenspace_pairs(stack, anchors))
        pairs["neighbours"].append(neighbour_pairs(unit, task.seed))
        pairs["pip"].append(pip_pairs(stack, words, compute))
        report((k + 1) / len(sizes))
    return Sizes(
        sizes,
        {name: torch.stack(own).cpu() for name, own in pairs.items()},
        torch.stack([one.own for one in probed]),
        torch.stack([one.right for one in probed]),
        torch.tensor([one.chance for one in probed], dtype=torch.float64, device="cpu"),
        float(task.wanted.bincount().max() / len(task.wanted)),
        len(task.asked),
    )


def probed_by(unit: Tensor, task: Task) -> Probed:
    """Return what a probe tells of runs ``(R, n, d)``, and what another seed of it does."""
    learned, asked = unit[:, task.learned], unit[:, task.asked]
    first, second = (predicted(learned, task.classes.to(unit.device), asked, task.seed + k).cpu() for k in (0, 1))
    differ = (first[:, None] != first[None]).double().mean(2)
    shares = torch.nn.functional.one_hot(first, int(task.classes.max()) + 1).double().mean((0, 1))
    return Probed(
        differ,
        (first != second).double().mean(1),
        (first == task.wanted).double().mean(1),
        1 - float(shares.square().sum()),
    )


def eigenspace_pairs(stack: Tensor, anchors: Tensor) -> Tensor:
    """Return the eigenspace instability of all pairs, ``(R, R)``; their anchors are the same two runs elsewhere."""
    own, of_anchors = product(stack.mT, stack), product(anchors.mT, anchors)
    values = []
    for i, j in combinations(range(len(stack)), 2):
        to = [(product(stack[i].mT, anchors[a]), product(stack[j].mT, anchors[a]), of_anchors[a]) for a in (i, j)]
        values.append(anchored_instability(own[i], product(stack[i].mT, stack[j]), own[j], to))
    return pair_matrix(torch.stack(values), len(stack))


def neighbour_pairs(unit: Tensor, seed: int) -> Tensor:
    """Return 1 − p@10 of all pairs, ``(R, R)``.

    Numbers of few bits have many equal cosines. Ranked by the order of the words, as elsewhere, equal ones would be
    shared for no other reason: here each run ranks them in an order of its own.
    """
    rng = np.random.default_rng(seed)
    words = unit.shape[1]
    k = min(NEIGHBOURS, words - 1)
    asked = torch.from_numpy(rng.permutation(words)[:ASKED]).to(unit.device)
    lists = []
    for run in unit:
        order = torch.from_numpy(rng.permutation(words)).to(unit.device)
        places = torch.argsort(order)
        lists.append(order[top_k(run[order], places[asked], k).indices])
    shared = shared_neighbours(torch.stack(lists), [k])[0].double().mean(0) / k
    return (1 - shared).fill_diagonal_(0)


def pip_pairs(stack: Tensor, words: Sequence[bytes], compute: Compute) -> Tensor:
    """Return PIP losses of all pairs as shares of those of unrelated spaces, ``(R, R)``."""
    from gpustab.runs.load import load_runs

    found = engine.pip_pass(engine.place(load_runs([(words, run.cpu()) for run in stack]), compute), compute)
    assert found.scale is not None  # noqa: S101  # unit rows have one
    return pair_matrix(found.reduced.cpu() / found.scale.chance.cpu(), len(stack))


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
        beyond: how many more words the probe has right than the most frequent class is of, at the worst size.
        beyond_se: its error.
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
    beyond: Annotated[float, Column(about="accuracy less the share of the most frequent class, at the worst size")]
    beyond_se: float

    @property
    def estimate(self) -> Estimate:
        """The change with its error."""
        return Estimate.of_runs(self.change, self.se, self.runs)

    @property
    def knowledge(self) -> Estimate:
        """What the probe knows at the worst size."""
        return Estimate.of_runs(self.beyond, self.beyond_se, self.runs)


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

    >>> left_out(pair_matrix(torch.tensor([1.0, 2.0, 3.0]), 3)[None]).flatten().tolist()
    [2.0, 3.0, 2.0, 1.0]
    """
    mean, without = pair_means(pairs)
    return torch.cat([mean[None], without])


def size_rows(sampling: str, found: Sizes) -> Iterator[SizeRow]:
    """Yield every number of every size."""
    errors = {name: _with_error(left_out(pairs)) for name, pairs in found.pairs.items()}
    for name, values in ((OWN, found.own), (ACCURACY, found.right)):
        errors[name] = [(float(x.mean()), float(x.std()) / len(x) ** 0.5) for x in values]
    for name, numbers in errors.items():
        for k, (size, (mean, se)) in enumerate(zip(found.sizes, numbers, strict=True)):
            known = {DISAGREEMENT: float(found.chance[k]), OWN: float(found.chance[k]), ACCURACY: found.most}
            chance = known.get(name, math.nan)
            yield SizeRow(sampling, *size, size.memory, name, mean, se, found.runs, chance)


def _with_error(replicates: Tensor) -> list[tuple[float, float]]:
    return [(own[0], jackknife_error(own[1:])) for own in replicates.T.tolist()]


def effects(sampling: str, found: Sizes) -> Iterator[Effect]:
    """Yield what more bits, more dimensions and more memory do, each where it varies."""
    disagreement = left_out(found.pairs[DISAGREEMENT])
    spare = found.right.mean(1) - found.most
    worst = int(spare.argmin())
    knowledge = float(spare[worst]), float(found.right[worst].std()) / found.runs**0.5
    for what in ("bits", "dim"):
        values = torch.tensor([getattr(size, what) for size in found.sizes], device="cpu")
        low, high = int(values.min()), int(values.max())
        if low < high:
            before, after = (disagreement[:, values == end].mean(1).tolist() for end in (low, high))
            change = [y - x for x, y in zip(before, after, strict=True)]
            numbers = (before[0], after[0], change[0], jackknife_error(change[1:]))
            yield Effect(sampling, what, low, high, *numbers, found.runs, *knowledge)
    memory = [size.memory for size in found.sizes]
    if len(set(memory)) > 1:
        log = np.log2(memory)
        slopes = np.polyfit(log, disagreement.T.numpy(), 1)[0].tolist()
        at = [disagreement[0, memory.index(end)].item() for end in (min(memory), max(memory))]
        numbers = (*at, slopes[0], jackknife_error(slopes[1:]))
        yield Effect(sampling, "memory", min(memory), max(memory), *numbers, found.runs, *knowledge)


def orders(sampling: str, found: Sizes) -> Iterator[Ordered]:
    """Yield how far every measure of spaces orders the sizes as the disagreement of probes does."""
    wanted = left_out(found.pairs[DISAGREEMENT])
    for name in MEASURES:
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
