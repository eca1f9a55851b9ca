"""SemEval-2020 task 1 on two epochs: classes and ranks of the targets, from runs, average and ensemble (table 4.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.evaluation.semeval import ChangeTask
from gpustab.kernels.displacement import moved
from gpustab.runs.key import Key
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.ranks import spearman
from gpustab.studies.change.epoch import Between, aligned


class Score(NamedTuple):
    """How well one way of measuring change answers both tasks.

    Attributes:
        series: name.
        task: of the language.
        way: ``"IR"``: every pair of a run of each epoch by itself; ``"AA"``: the aligned averages; ``"EA"``: mean
            change over the pairs, and their majority for the classes (a draw counts as no change).
        accuracy: of the classes; mean over pairs of IR. NaN without truth.
        accuracy_sd: over the pairs of IR, over the two halves of the runs of AA and EA: an upper limit, as there.
        accuracy_se: jackknife error over the runs, the k-th of both epochs left out together.
        spearman: of change and the truth's grades, likewise.
        spearman_sd: likewise.
        spearman_se: likewise.
        found: targets that both epochs have.
        targets: all of them.
        majority: accuracy of calling all what most are.
    """

    series: str
    task: str
    way: str
    accuracy: float
    accuracy_sd: float
    accuracy_se: float
    spearman: float
    spearman_sd: float
    spearman_se: float
    found: int
    targets: int
    majority: float


class Judged(NamedTuple):
    """The scores of one way, with those that their spread is from.

    Attributes:
        technique: of the series.
        sampling: of the series.
        way: IR, AA or EA.
        size: runs of each epoch behind one score.
        accuracy: of the classes.
        spearman: of the ranks.
        accuracy_draws: of each pair of runs (IR), or of each half of the runs.
        spearman_draws: likewise.
        accuracy_without: without the k-th runs of both epochs.
        spearman_without: likewise.
        majority: accuracy of calling all what most are.
    """

    technique: str
    sampling: str
    way: str
    size: int
    accuracy: float
    spearman: float
    accuracy_draws: list[float]
    spearman_draws: list[float]
    accuracy_without: list[float]
    spearman_without: list[float]
    majority: float


class _Targets(NamedTuple):
    """The targets that both epochs have, and the rule by which they changed."""

    words: list[str]
    rows: Tensor
    task: ChangeTask
    spread: float

    def classes(self, changes: Tensor) -> Tensor:
        """A target changed if its Δ exceeds ``τ = μ + spread · σ`` over all joint words (ddof 0, as the program)."""
        return changes[self.rows] > changes.mean() + self.spread * changes.std(correction=0)

    def score(self, classes: Tensor, changes: Tensor) -> tuple[float, float]:
        """Return accuracy of some classes and Spearman's ρ of some changes, of all words."""
        return _accuracy(classes, self), _correlation(changes[self.rows], self)


def judge(key: Key, found: Between, task: ChangeTask, spread: float) -> Iterator[Judged]:
    """Yield the scores of the three ways.

    Raises:
        InputError: if no target is in both epochs; where their stems are, the message says what is wrong.
    """
    place = {word: k for k, word in enumerate(found.words)}
    known = [word for word in task.targets if word in place]
    if not known:
        raise InputError(_why(task, place))
    targets = _Targets(known, torch.tensor([place[word] for word in known]), task, spread)
    changes = aligned(found)
    runs = min(changes.shape[:2])
    size, several = runs // 2, range(runs if runs > 1 else 0)
    halves = [slice(0, size), slice(size, 2 * size)] if size else []
    rest = [[k for k in range(runs) if k != left] for left in several]
    pairs = [targets.score(targets.classes(own), own) for own in changes.flatten(0, 1)]
    grid = torch.tensor(pairs, dtype=torch.float64).reshape(*changes.shape[:2], 2)
    single = [tuple(grid[own][:, own].mean((0, 1)).tolist()) for own in rest]
    ensembles = [_ensemble(targets, changes[own, own]) for own in halves]
    left = [_ensemble(targets, changes[own][:, own]) for own in rest]
    yield _judged(key, task, "IR", 1, tuple(grid.mean((0, 1)).tolist()), pairs, single)
    yield _judged(key, task, "AA", runs, *_averages(targets, found))
    yield _judged(key, task, "EA", runs, _ensemble(targets, changes), ensembles, left)


def score_of(series: str, task: ChangeTask, found: int, own: Judged) -> Score:
    """Return the row of one language."""
    accuracy = own.accuracy, sd(own.accuracy_draws), jackknife_error(own.accuracy_without)
    ranks = own.spearman, sd(own.spearman_draws), jackknife_error(own.spearman_without)
    return Score(series, task.name, own.way, *accuracy, *ranks, found, len(task.targets), task.majority)


def sd(values: Sequence[float]) -> float:
    """Return the SD (ddof 1); NaN for fewer than two values, or where one is NaN."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def missing(found: Between, task: ChangeTask) -> list[str]:
    """Return the targets that one of the epochs lacks."""
    known = set(found.words)
    return [word for word in task.targets if word not in known]


Both = tuple[float, float]


def _judged(
    key: Key,
    task: ChangeTask,
    way: str,
    size: int,
    value: Sequence[float],
    draws: Sequence[Sequence[float]],
    left: Sequence[Sequence[float]],
) -> Judged:
    accuracies, ranks = ([[own[which] for own in part] for part in (draws, left)] for which in (0, 1))
    lists = accuracies[0], ranks[0], accuracies[1], ranks[1]
    return Judged(key.technique, key.sampling, way, size, value[0], value[1], *lists, task.majority)


def _averages(targets: _Targets, found: Between) -> tuple[Both, list[Both], list[Both]]:
    """Scores of the averages of all runs, of both halves, and without the k-th runs."""
    own = [
        epoch.averages.rows(rows.to(epoch.runs.device))
        for epoch, rows in zip((found.first, found.second), found.rows, strict=True)
    ]

    def scored(one: Sequence[Tensor], two: Sequence[Tensor]) -> list[Both]:
        each = [moved(x, y).cpu() for x, y in zip(one, two, strict=False)]
        return [targets.score(targets.classes(changes), changes) for changes in each]

    return (
        scored([own[0].top], [own[1].top])[0],
        scored(own[0].half, own[1].half),
        scored(own[0].without, own[1].without),
    )


def _ensemble(targets: _Targets, changes: Tensor) -> Both:
    """Scores of some pairs of runs together, ``(R₁, R₂, v)``: the majority of their classes, and their mean change."""
    each = changes.flatten(0, 1)
    votes = torch.stack([targets.classes(own) for own in each]).double().mean(0) > 0.5
    return targets.score(votes, each.mean(0))


def _accuracy(classes: Tensor, targets: _Targets) -> float:
    truth = targets.task.binary
    pairs = [(said, truth[word]) for word, said in zip(targets.words, classes.tolist(), strict=True) if word in truth]
    return fmean(float(said == true) for said, true in pairs) if pairs else math.nan


def _correlation(values: Tensor, targets: _Targets) -> float:
    kept = [k for k, word in enumerate(targets.words) if word in targets.task.graded]
    if len(kept) < 3:
        return math.nan
    truth = torch.tensor([targets.task.graded[targets.words[k]] for k in kept], dtype=torch.float64)
    return float(spearman(values[kept][None], truth[None])[0])


def _why(task: ChangeTask, place: dict[str, int]) -> str:
    said = f"none of the {len(task.targets)} targets of {task.name} is in both periods"
    stems = [word for word in task.targets if word.rpartition("_")[0] in place]
    if stems:
        return f"{said}, but '{stems[0].rpartition('_')[0]}' is: this text lacks the suffix, train on the lemma version"
    return said
