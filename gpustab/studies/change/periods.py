"""The runs of one period, read and averaged; how far words moved between two, and single words through all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError, option, some_of
from gpustab.kernels.arithmetic import product
from gpustab.kernels.averaging import cross_gram
from gpustab.kernels.displacement import (
    Averages,
    Displacement,
    Frames,
    Jackknifed,
    Residual,
    average_displacement,
    averages,
    displacement,
    halves_displacement,
    left_out,
    moved,
    residual,
    turn,
    two_frames,
)
from gpustab.kernels.procrustes import procrustes
from gpustab.machine.device import Compute
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import meant, readings
from gpustab.studies.change.options import Align, ChangeOptions
from gpustab.studies.change.tables import Near, Step
from gpustab.studies.shared.frame import Answer, without_copies

Level = Iterator[tuple[int, list[Tensor]]]


@dataclass(frozen=True, eq=False)
class Period:
    """One period's runs, on the device, with the averages of their prepared rows.

    Attributes:
        mean_cosine: of two words.
        without_noise: one run stands for all, since the technique gives the same vectors each time.
    """

    name: str
    runs: Runs
    averages: Averages
    mean_cosine: float
    without_noise: bool = False

    def counts(self, rows: Tensor) -> Tensor | None:
        """Return occurrences of some words per run, ``(n,)`` float64; ``None`` if the files have no counts."""
        counts = self.runs.counts
        return None if counts is None else counts.cpu()[rows.cpu()].double() / len(self.runs)

    @property
    def tokens(self) -> float:
        """Occurrences of all words per run."""
        return float("nan") if self.runs.counts is None else float(self.runs.counts.sum()) / len(self.runs)


def read(name: str, group: Runs | Group, answer: Answer, part: float, align: Align = "all") -> Period:
    """Read a period, without copies among its runs."""
    every_run = engine.place(answer.take(group, part), answer.compute)
    runs = without_copies(every_run, answer, "the changes")
    constant = len(runs) == 1 < len(every_run) and runs.name not in answer.copied
    answer.notes[runs.name] = list(runs.notes)
    every = [runs.run(r) for r in range(len(runs))]
    return Period(name, runs, averages(every, runs.present, turned=align != "none"), _mean_cosine(runs), constant)


class Alignment(NamedTuple):
    """By which words the spaces of two periods are turned onto each other.

    Attributes:
        how: see :class:`~gpustab.studies.change.options.ChangeOptions`.
        anchors: words, if by these.
    """

    how: Align = "all"
    anchors: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: ChangeOptions) -> Alignment:
        """Return what was chosen."""
        return cls(options.align, options.anchors)

    def over(self, first: Period, second: Period, rows: Tensor) -> Tensor | None:
        """Return which of the joint words, rows ``(v,)`` of the first period, these are; ``None``: all.

        Raises:
            InputError: if they are fewer than the dimensions, or do not determine a turn.
        """
        if self.how == "all":
            return None
        wanted = {own for word in self.anchors for own in readings(word)}
        over = torch.tensor(
            [first.runs.vocabulary[row] in wanted for row in rows.tolist()], dtype=torch.bool, device="cpu"
        )
        found, d = int(over.sum()), first.runs.dimension
        if self.how == "anchors" and found < d:
            lacking = some_of(sorted(self.lacking(first, second)), 5)
            raise InputError(
                f"{option('anchors')}: {counted(found, 'word', 'is/are', of=len(self.anchors))} in all runs of "
                f"{first.name} and {second.name}, fewer than the {d} dimensions, so that they leave the turn open; "
                f"name more{f' (not there: {lacking})' if lacking else ''}"
            )
        return over.to(first.runs.device)

    def lacking(self, first: Period, second: Period) -> list[str]:
        """Return the anchors that are not in all runs of both periods."""
        there = [set(period.runs.joint_words()) for period in (first, second)]
        known = there[0] & there[1]
        return [word for word in self.anchors if meant(word, known) not in known]


JOINT = Alignment()


class Between(NamedTuple):
    """Two periods over the words that all runs of both have.

    Attributes:
        first: the earlier period.
        second: the later one.
        rows: these words' rows in each.
        words: the words.
        moves: between the runs.
        averaged: between the averages.
        halves: between the averages of the halves of each period's runs, mean of both periods.
        tested: ``(v,)`` bool, words that are frequent enough in both.
        counts: occurrences per run in each; ``None`` where the files have none.
        frames: whether the averages need two turns.
        alignment: by which words the one is turned onto the other.
        over: ``(v,)`` bool, which these are; ``None``: all.
        residual: how well that turn fits.
    """

    first: Period
    second: Period
    rows: tuple[Tensor, Tensor]
    words: list[str]
    moves: Displacement
    averaged: Jackknifed
    halves: Tensor
    tested: Tensor
    counts: tuple[Tensor | None, Tensor | None]
    frames: Frames
    alignment: Alignment
    over: Tensor | None
    residual: Residual

    @property
    def tested_words(self) -> list[str]:
        """The words that are frequent enough in both."""
        return [word for word, kept in zip(self.words, self.tested.tolist(), strict=True) if kept]

    def by_size(self) -> Iterator[tuple[int, list[Tensor], list[Tensor]]]:
        """Yield how many runs are averaged, changes ``(v,)`` between disjoint averages of so many, and without a run.

        What is third are the changes between the same averages, each without its first run, its second, and so on:
        of each average as many as it has runs, in their order; none of single runs.
        """
        both = list(_both(self.first, self.second, self.rows))
        levels = [period.averages.levels for period, _ in both]

        def changes(one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            return [moved(x[both[0][1]], y[both[1][1]], self.over).cpu() for x, y in zip(one, two, strict=False)]

        yield 1, changes(levels[0][1], levels[1][1]), []
        turned = self.alignment.how != "none"
        for n, one, two in _together(*(left_out(period.averages.tree, turned=turned) for period, _ in both)):
            yield n, changes(levels[0][n], levels[1][n]), changes(one, two)


def between(first: Period, second: Period, min_count: int, alignment: Alignment = JOINT) -> Between:
    """Measure two periods.

    Raises:
        InputError: if they have fewer than two words in common, other numbers of dimensions, or too few anchors.
    """
    sizes = [period.runs.dimension for period in (first, second)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"'{first.runs.name}' has {sizes[0]} dimensions and '{second.runs.name}' {sizes[1]}: no turn takes the one "
            "onto the other"
        )
    rows = common_rows(first.runs, second.runs)
    if len(rows[0]) < 2:
        raise InputError(f"'{first.runs.name}' and '{second.runs.name}' have {len(rows[0])} words in common")
    parts = [
        [period.runs.select(r, places) for r in range(len(period.runs))]
        for period, places in _both(first, second, rows)
    ]
    averaged = [period.averages.rows(places) for period, places in _both(first, second, rows)]
    over = alignment.over(first, second, rows[0])
    if over is not None and bool(over.any()):
        _want_determined(first, second, cross_gram(averaged[0].top[over], averaged[1].top[over]))
    own = over if alignment.how == "none" else None
    counts = first.counts(rows[0]), second.counts(rows[1])
    tested = torch.ones(len(rows[0]), dtype=torch.bool, device="cpu")
    for count in counts:
        tested &= tested if count is None else count >= min_count
    return Between(
        first,
        second,
        rows,
        [first.runs.vocabulary.text(row) for row in rows[0].tolist()],
        _moves_on_cpu(displacement(parts[0], parts[1], over)),
        _on_cpu(average_displacement(averaged[0], averaged[1], over)),
        (halves_displacement(averaged[0], own) + halves_displacement(averaged[1], own)).cpu() / 2,
        tested,
        counts,
        two_frames(averaged[0].top, averaged[1].top),
        alignment,
        over,
        residual(averaged[0].top, averaged[1].top, over),
    )


def _want_determined(first: Period, second: Period, cross: Tensor) -> None:
    if not bool(procrustes(cross[None]).unique[0]):
        raise InputError(
            f"{option('anchors')}: the words that {first.name} and {second.name} share do not span the {len(cross)} "
            "dimensions, so that they leave the turn open; name more"
        )


def aligned(both: Between) -> Tensor:
    """Return the change of every word between every run of the first period and every run of the second.

    Returns:
        ``(R₁, R₂, v)`` float64, on the CPU.
    """
    (first, one), (second, two) = _both(both.first, both.second, both.rows)
    return torch.stack(
        [
            torch.stack(
                [
                    moved(first.runs.select(i, one), second.runs.select(j, two), both.over).cpu()
                    for j in range(len(second.runs))
                ]
            )
            for i in range(len(first.runs))
        ]
    )


def common_rows(one: Runs, two: Runs) -> tuple[Tensor, Tensor]:
    """Return the rows of the words that all runs of both have, in the order of the first."""
    there = {two.vocabulary[row]: row for row in two.joint.nonzero().flatten().tolist()}
    both = [
        (row, there[word]) for row in one.joint.nonzero().flatten().tolist() if (word := one.vocabulary[row]) in there
    ]
    return torch.tensor([a for a, _ in both], dtype=torch.long, device="cpu"), torch.tensor(
        [b for _, b in both], dtype=torch.long, device="cpu"
    )


def _both(first: Period, second: Period, rows: tuple[Tensor, Tensor]) -> Iterator[tuple[Period, Tensor]]:
    return zip((first, second), (places.to(first.runs.device) for places in rows), strict=True)


def _together(*levels: Level) -> Iterator[tuple[int, list[Tensor], list[Tensor]]]:
    """Yield what two have of the same number of runs, one level of each at a time."""
    first, second = levels
    one, two = next(first, None), next(second, None)
    while one and two:
        sizes = one[0], two[0]
        if sizes[0] == sizes[1] > 1:
            yield sizes[0], one[1], two[1]
        one = next(first, None) if sizes[0] <= sizes[1] else one
        two = next(second, None) if sizes[1] <= sizes[0] else two


def _on_cpu(part: Jackknifed) -> Jackknifed:
    return Jackknifed(*(tensor.cpu() for tensor in part))


def _moves_on_cpu(moves: Displacement) -> Displacement:
    return Displacement(_on_cpu(moves.change), _on_cpu(moves.corrected), moves.pairs.cpu(), _on_cpu(moves.within))


def _mean_cosine(runs: Runs) -> float:
    """Mean cosine of two different joint words, mean over the runs: ``(‖Σ rows‖² − v)/(v(v − 1))``."""
    rows = runs.joint.nonzero().flatten()
    if len(rows) < 2:
        return float("nan")
    unit = (torch.nn.functional.normalize(runs.select(r, rows), dim=1) for r in range(len(runs)))
    squares = [float(run.sum(0).square().sum()) for run in unit]
    return (sum(squares) / len(squares) - len(rows)) / (len(rows) * (len(rows) - 1))


def steps(
    series: str, periods: Sequence[Period], reference: int, word: str, alignment: Alignment = JOINT
) -> Iterator[Step]:
    """Yield a word's steps, one for every period that has it; none if the reference lacks it."""
    there = _row(periods[reference], word)
    if there is None:
        return
    maps = _chain(periods, reference, alignment)
    base = periods[reference]
    for k, period in enumerate(periods):
        row = _row(period, word)
        if row is None:
            continue
        rows = common_rows(period.runs, base.runs)
        over = alignment.over(period, base, rows[0])
        moves = average_displacement(period.averages.rows(rows[0]), base.averages.rows(rows[1]), over)
        place = int((rows[0] == row).nonzero()[0])
        turned = product(period.averages.top[row][None].double(), maps[k])[0]
        cosine = torch.nn.functional.cosine_similarity(turned, base.averages.top[there].double(), dim=0)
        counts = period.counts(torch.tensor([row], device="cpu"))
        yield Step(
            series,
            period.runs.vocabulary.text(row),
            period.name,
            base.name,
            max(0.0, float(moves.value[place])),
            float(moves.se[place]),
            min(len(period.runs), len(base.runs)) - 1,
            max(0.0, 1 - float(cosine)),
            None if counts is None else float(counts[0]),
        )


def _chain(periods: Sequence[Period], reference: int, alignment: Alignment) -> list[Tensor]:
    """The map of every period onto the reference, as a product of maps between neighbours."""
    ahead = []
    for one, two in pairwise(periods):
        rows = common_rows(one.runs, two.runs)
        over = alignment.over(one, two, rows[0])
        ahead.append(turn(one.averages.top[rows[0]], two.averages.top[rows[1]], over))
    maps = [torch.eye(periods[reference].runs.dimension, dtype=torch.float64, device=periods[0].runs.device)]
    for k in range(reference - 1, -1, -1):
        maps.insert(0, product(ahead[k], maps[0]))
    for k in range(reference, len(ahead)):
        maps.append(product(ahead[k].mT, maps[-1]))
    return maps


def neighbours(series: str, period: Period, word: str, n: int, compute: Compute) -> Iterator[Near]:
    """Yield the words that are among the n nearest in some run, those of most runs first, at most n."""
    row = _row(period, word)
    if row is None:
        return
    lists = engine.neighbour_pass(period.runs, torch.tensor([row], device="cpu"), n, compute)
    near: dict[int, list[float]] = {}
    for places, cosines in zip(lists.indices[:, 0].tolist(), lists.cosines[:, 0].tolist(), strict=True):
        for k, cosine in zip(places, cosines, strict=True):
            if k >= 0:
                near.setdefault(k, []).append(cosine)
    order = sorted(near, key=lambda k: (-len(near[k]), -sum(near[k]) / len(near[k]), k))[:n]
    shown = period.runs.vocabulary.text(row)
    for k in order:
        cosine = sum(near[k]) / len(near[k])
        found = period.runs.vocabulary.text(k)
        yield Near(series, shown, period.name, found, len(near[k]), len(period.runs), cosine)


def _row(period: Period, word: str) -> int | None:
    """The row of a word that all runs of a period have."""
    known = period.runs.vocabulary.meant(word)
    if known not in period.runs.vocabulary:
        return None
    row = period.runs.vocabulary.index_of(known)
    return row if bool(period.runs.joint[row]) else None
