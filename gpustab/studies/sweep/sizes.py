"""How large must a space be? Dimensions and bits a number against stability (Leszczynski et al. 2020).

Spaces are trained in several dimensions and written in few bits a number. Of every size it is measured how often two
runs make a classifier on top tell another class of a word, and by which measures of the spaces themselves that could
have been known. Two runs are turned to the frame of one of them before they are rounded, as in the paper. Each run
gives its frame to some pairs: a frame for all would be an accident that no error over runs knows of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.evaluation.labels import Labels, labels_of
from gpustab.kernels.arithmetic import product
from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.neighbours import top_k
from gpustab.kernels.pip_loss import pip_from_gram, scale
from gpustab.kernels.probe import predicted
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.quantise import in_bits
from gpustab.kernels.similarity import anchored_instability
from gpustab.machine.device import Compute
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.studies.sweep.measure import NEIGHBOURS

_NUMBERS = 1 << 26
"""Numbers of vectors that probes read at once."""
WORDS, ASKED = 10_000, 1_000
"""The most frequent words that are measured, and how many of them are asked for their neighbours, as in the paper."""
DISAGREEMENT = "disagreement"
MEASURES = {
    "eigenspace": "eigenspace instability",
    "neighbours": f"neighbours lost (1 − p@{NEIGHBOURS})",
    "pip": "PIP loss (share of chance)",
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


class Compared(NamedTuple):
    """What was measured of one size.

    Attributes:
        pairs: by measure ``(R, R)``.
        own: ``(R,)`` share of words of which one run and two seeds of the probe tell another class.
        right: ``(R, m)`` whose class is told.
        chance: share of words that two unrelated probes would tell another class of, which tell each as often.
    """

    pairs: Mapping[str, Tensor]
    own: Tensor
    right: Tensor
    chance: float


class Sizes(NamedTuple):
    """What was measured of one sampling.

    Attributes:
        sizes: S of them.
        pairs: by measure ``(S, R, R)``.
        own: ``(S, R)``, see :class:`Compared`.
        right: ``(S, R, m)``.
        chance: ``(S,)``.
        usual: ``(m,)``, which words are of the most frequent class.
    """

    sizes: Sequence[Size]
    pairs: Mapping[str, Tensor]
    own: Tensor
    right: Tensor
    chance: Tensor
    usual: Tensor

    @property
    def runs(self) -> int:
        """R."""
        return self.own.shape[1]

    @property
    def most(self) -> float:
        """Share of the most frequent class."""
        return float(self.usual.double().mean())


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
    spaces = {d: raw_rows(x, own[:WORDS], compute) for (d, x), own in zip(groups.items(), rows, strict=True)}
    made = sizes_of(spaces, bits, task, report)
    said = (
        f"The probe learned {len(found.classes)} classes ({found.name}) from {len(task.learned):,} words and was asked "
        f"for {len(task.asked):,} others; {made.most:.0%} of these are of the most frequent class."
    )
    return made, said


def raw_rows(runs: Runs, rows: Tensor, compute: Compute) -> Tensor:
    """Return the vectors of some words as they were trained, ``(R, n, d)`` float64."""
    return torch.stack([x[0 : runs.words][rows].to(compute.device, torch.float64) for x in runs.rows])


def sizes_of(
    spaces: Mapping[int, Tensor],
    bits: Sequence[int],
    task: Task,
    report: Callable[[float], None] = lambda _: None,
    measures: Collection[str] = tuple(MEASURES),
) -> Sizes:
    """Return what is measured of runs ``(R, n, d)`` by dimension, in several numbers of bits.

    Beside the disagreement of probes that are some of :data:`MEASURES`.
    """
    sizes = [Size(dim, each) for dim in sorted(spaces) for each in sorted(bits)]
    anchors = spaces[max(spaces)]
    each = []
    for k, size in enumerate(sizes):
        each.append(compared(spaces[size.dim], anchors, size.bits, task, measures))
        report((k + 1) / len(sizes))
    return Sizes(
        sizes,
        {name: torch.stack([one.pairs[name] for one in each]) for name in (DISAGREEMENT, *measures)},
        torch.stack([one.own for one in each]),
        torch.stack([one.right for one in each]),
        torch.tensor([one.chance for one in each], dtype=torch.float64, device="cpu"),
        task.wanted == task.wanted.bincount().argmax(),
    )


def compared(
    runs: Tensor, anchors: Tensor, bits: int, task: Task, measures: Collection[str] = tuple(MEASURES)
) -> Compared:
    """Return what is measured of runs ``(R, n, d)`` in so many bits.

    Every run gives its frame and its threshold to itself and those after it.
    """
    pairs: dict[str, list[Tensor]] = {name: [] for name in (DISAGREEMENT, *measures)}
    own, told = [], []  # each run in its own frame, and the classes that it tells there
    for some in torch.arange(len(runs), device="cpu").split(max(1, _NUMBERS // runs.numel())):
        stacks = [in_bits(framed(runs[k:]), bits) for k in some.tolist()]
        units = [torch.nn.functional.normalize(stack, dim=2) for stack in stacks]
        classes = probed(torch.cat(units), task, task.seed).split([len(stack) for stack in stacks])
        for k, stack, unit, of in zip(some.tolist(), stacks, units, classes, strict=True):
            own.append(unit[0])
            told.append(of[0])
            pairs[DISAGREEMENT].append((of[1:] != of[0]).double().mean(1))
            for name in measures:
                pairs[name].append(_APART[name](stack, unit, anchors[k:], task.seed))
    whose = torch.stack(told)
    again = probed(torch.stack(own), task, task.seed + 1)
    shares = torch.nn.functional.one_hot(whose, int(task.classes.max()) + 1).double().mean((0, 1))
    return Compared(
        {name: pair_matrix(torch.cat(values).cpu(), len(runs)) for name, values in pairs.items()},
        (whose != again).double().mean(1),
        whose == task.wanted,
        1 - float(shares.square().sum()),
    )


def framed(runs: Tensor) -> Tensor:
    """Return runs turned to the frame of the first one: rounding depends on the frame."""
    cross = torch.stack([product(x.mT, runs[0]) for x in runs])
    return product(runs, procrustes(cross).maps)


def probed(unit: Tensor, task: Task, seed: int) -> Tensor:
    """Return which class a probe tells of every word that is asked for, ``(R, m)``."""
    return predicted(unit[:, task.learned], task.classes.to(unit.device), unit[:, task.asked], seed).cpu()


def eigenspaces_apart(stack: Tensor, anchors: Tensor) -> Tensor:
    """Return the eigenspace instability of the first run and each other; their anchors are the same two runs."""
    x, of_anchor = stack[0], [product(a.mT, a) for a in anchors]
    values = [x.new_zeros(0)]
    for j in range(1, len(stack)):
        y = stack[j]
        to = [(product(x.mT, anchors[a]), product(y.mT, anchors[a]), of_anchor[a]) for a in (0, j)]
        values.append(anchored_instability(product(x.mT, x), product(x.mT, y), product(y.mT, y), to)[None])
    return torch.cat(values)


def neighbours_apart(unit: Tensor, seed: int) -> Tensor:
    """Return 1 − p@10 of the first run and each other.

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
    first, *others = lists
    shared = [(first[:, :, None] == other[:, None]).sum((1, 2)).double().mean() for other in others]
    return 1 - torch.tensor([float(own) / k for own in shared], dtype=torch.float64, device=unit.device)


def pip_apart(unit: Tensor) -> Tensor:
    """Return PIP losses of the first run and each other as shares of those of unrelated spaces."""
    words = unit.shape[1]
    losses = [unit.new_zeros(0)]
    for j in range(1, len(unit)):
        two = block_gram(unit[[0, j]])
        losses.append(pip_from_gram(two).total / (2 * words) / scale(two, unit[[0, j]].sum(1), words).chance)
    return torch.cat(losses)


_APART: Mapping[str, Callable[[Tensor, Tensor, Tensor, int], Tensor]] = {
    "eigenspace": lambda stack, _unit, anchors, _seed: eigenspaces_apart(stack, anchors),
    "neighbours": lambda _stack, unit, _anchors, seed: neighbours_apart(unit, seed),
    "pip": lambda _stack, unit, _anchors, _seed: pip_apart(unit),
}
"""Measures by name, of the rounded runs, the same of unit length, their anchors and a seed."""
