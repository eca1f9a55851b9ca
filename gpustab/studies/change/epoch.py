"""The runs of one epoch, read and averaged, and how far words moved between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.displacement import (
    Averages,
    Displacement,
    Jackknifed,
    average_displacement,
    averages,
    displacement,
    halves_displacement,
    left_out,
    moved,
)
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.studies.shared.frame import Answer, without_copies
from gpustab.studies.shared.spaces import COLLAPSED

Level = Iterator[tuple[int, list[Tensor]]]


@dataclass(frozen=True, eq=False)
class Epoch:
    """One epoch's runs.

    Attributes:
        name: of the epoch.
        runs: the runs, on the device.
        averages: of their prepared rows.
        mean_cosine: of two different words, mean over the runs.
    """

    name: str
    runs: Runs
    averages: Averages
    mean_cosine: float

    def counts(self, rows: Tensor) -> Tensor | None:
        """Return occurrences of some words per run, ``(n,)`` float64; ``None`` if the files have no counts."""
        counts = self.runs.counts
        return None if counts is None else counts.cpu()[rows.cpu()].double() / len(self.runs)

    @property
    def tokens(self) -> float:
        """Occurrences of all words per run."""
        return float("nan") if self.runs.counts is None else float(self.runs.counts.sum()) / len(self.runs)


def read(name: str, group: Runs | Group, answer: Answer, part: float) -> Epoch:
    """Read an epoch, without copies among its runs; a collapsed space sets off an alarm."""
    runs = without_copies(engine.place(answer.take(group, part), answer.compute), answer, "the changes")
    found = Epoch(name, runs, averages([runs.run(r) for r in range(len(runs))], runs.present), _mean_cosine(runs))
    answer.notes[runs.name] = list(runs.notes)
    if found.mean_cosine > COLLAPSED:
        answer.result.alarms.append(
            f"{runs.name} is collapsed: all words point one way (mean cosine {found.mean_cosine:.2f}), so that none "
            "can be seen to move. Train it longer."
        )
    return found


class Between(NamedTuple):
    """Two epochs over the words that all runs of both have.

    Attributes:
        first: the earlier epoch.
        second: the later one.
        rows: these words' rows in each.
        words: the words.
        moves: between the runs.
        averaged: between the averages.
        halves: between the averages of the halves of each epoch's runs, mean of both epochs.
        tested: ``(v,)`` bool, words that are frequent enough in both.
        counts: occurrences per run in each; ``None`` where the files have none.
    """

    first: Epoch
    second: Epoch
    rows: tuple[Tensor, Tensor]
    words: list[str]
    moves: Displacement
    averaged: Jackknifed
    halves: Tensor
    tested: Tensor
    counts: tuple[Tensor | None, Tensor | None]

    def by_size(self) -> Iterator[tuple[int, list[Tensor], list[Tensor]]]:
        """Yield how many runs are averaged, changes ``(v,)`` between disjoint averages of so many, and without a run.

        What is third are the changes between the same averages, each without its first run, its second, and so on:
        of each average as many as it has runs, in their order; none of single runs.
        """
        both = list(_both(self.first, self.second, self.rows))
        levels = [own.averages.levels for own, _ in both]

        def changes(one: list[Tensor], two: list[Tensor]) -> list[Tensor]:
            return [moved(x[both[0][1]], y[both[1][1]]).cpu() for x, y in zip(one, two, strict=False)]

        yield 1, changes(levels[0][1], levels[1][1]), []
        for n, one, two in _together(*(left_out(own.averages.tree) for own, _ in both)):
            yield n, changes(levels[0][n], levels[1][n]), changes(one, two)


def between(first: Epoch, second: Epoch, min_count: int) -> Between:
    """Measure two epochs.

    Raises:
        InputError: if they have fewer than two words in common, or other numbers of dimensions.
    """
    sizes = [own.runs.dimension for own in (first, second)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"'{first.runs.name}' has {sizes[0]} dimensions and '{second.runs.name}' {sizes[1]}: no turn takes the one "
            "onto the other"
        )
    rows = common_rows(first.runs, second.runs)
    if len(rows[0]) < 2:
        raise InputError(f"'{first.runs.name}' and '{second.runs.name}' have {len(rows[0])} words in common")
    parts = [
        [own.runs.select(r, own_rows) for r in range(len(own.runs))] for own, own_rows in _both(first, second, rows)
    ]
    averaged = [own.averages.rows(own_rows) for own, own_rows in _both(first, second, rows)]
    counts = first.counts(rows[0]), second.counts(rows[1])
    tested = torch.ones(len(rows[0]), dtype=torch.bool)
    for own in counts:
        tested &= tested if own is None else own >= min_count
    return Between(
        first,
        second,
        rows,
        [first.runs.vocabulary.text(row) for row in rows[0].tolist()],
        _moves_here(displacement(*parts)),
        _here(average_displacement(*averaged)),
        (halves_displacement(averaged[0]) + halves_displacement(averaged[1])).cpu() / 2,
        tested,
        counts,
    )


def aligned(found: Between) -> Tensor:
    """Return the change of every word between every run of the first epoch and every run of the second.

    Returns:
        ``(R₁, R₂, v)`` float64, on the CPU.
    """
    (first, one), (second, two) = _both(found.first, found.second, found.rows)
    return torch.stack(
        [
            torch.stack(
                [moved(first.runs.select(i, one), second.runs.select(j, two)).cpu() for j in range(len(second.runs))]
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
    return torch.tensor([a for a, _ in both], dtype=torch.long), torch.tensor([b for _, b in both], dtype=torch.long)


def _both(first: Epoch, second: Epoch, rows: tuple[Tensor, Tensor]) -> Iterator[tuple[Epoch, Tensor]]:
    return zip((first, second), (own.to(first.runs.device) for own in rows), strict=True)


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


def _here(part: Jackknifed) -> Jackknifed:
    """The same on the CPU."""
    return Jackknifed(*(own.cpu() for own in part))


def _moves_here(moves: Displacement) -> Displacement:
    return Displacement(_here(moves.change), _here(moves.corrected), moves.pairs.cpu(), _here(moves.within))


def _mean_cosine(runs: Runs) -> float:
    """Mean cosine of two different joint words, mean over the runs: ``(‖Σ rows‖² − v)/(v(v − 1))``."""
    rows = runs.joint.nonzero().flatten()
    if len(rows) < 2:
        return float("nan")
    unit = (torch.nn.functional.normalize(runs.select(r, rows), dim=1) for r in range(len(runs)))
    sizes = [float(own.sum(0).square().sum()) for own in unit]
    return (sum(sizes) / len(sizes) - len(rows)) / (len(rows) * (len(rows) - 1))
