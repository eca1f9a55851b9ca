"""SemEval-2020 task 1 on two periods: classes and ranks of the targets, from runs, average and ensemble (table 4.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
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
from gpustab.studies.change.periods import Between, aligned
from gpustab.studies.change.tables import Cell, Score

Both = tuple[float, float]
"""Accuracy of some classes and Spearman's ρ of some changes."""


class Judged(NamedTuple):
    """The scores of one way, with those that their spread is from.

    Attributes:
        technique: of the series.
        sampling: of the series.
        way: IR, AA or EA.
        size: runs of each period behind one score.
        accuracy: of the classes.
        spearman: of the ranks.
        accuracy_draws: of each pair of runs (IR), or of each half of the runs.
        spearman_draws: likewise.
        accuracy_without: without the k-th runs of both periods.
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
    """The targets that both periods have, and the rule by which they changed."""

    words: list[str]
    rows: Tensor
    task: ChangeTask
    spread: float

    def classes(self, changes: Tensor) -> Tensor:
        """A target changed if its Δ exceeds ``τ = μ + spread · σ`` over all joint words (ddof 0, as the program)."""
        return changes[self.rows] > changes.mean() + self.spread * changes.std(correction=0)

    def score(self, classes: Tensor, changes: Tensor) -> Both:
        """Return accuracy of some classes and Spearman's ρ of some changes, of all words."""
        return _accuracy(classes, self), _correlation(changes[self.rows], self)


def judge(key: Key, both: Between, task: ChangeTask, spread: float) -> Iterator[Judged]:
    """Yield the scores of the three ways.

    Raises:
        InputError: if no target is in both periods; where their stems are, the message says what is wrong.
    """
    place = {word: k for k, word in enumerate(both.words)}
    known = [word for word in task.targets if word in place]
    if not known:
        raise InputError(_why(task, place))
    targets = _Targets(known, torch.tensor([place[word] for word in known]), task, spread)
    changes = aligned(both)
    runs = min(changes.shape[:2])
    size, several = runs // 2, range(runs if runs > 1 else 0)
    halves = [slice(0, size), slice(size, 2 * size)] if size else []
    without = [[k for k in range(runs) if k != left] for left in several]
    pairs = [targets.score(targets.classes(pair), pair) for pair in changes.flatten(0, 1)]
    grid = torch.tensor(pairs, dtype=torch.float64).reshape(*changes.shape[:2], 2)
    single = [tuple(grid[kept][:, kept].mean((0, 1)).tolist()) for kept in without]
    ensembles = [_ensemble(targets, changes[half, half]) for half in halves]
    left = [_ensemble(targets, changes[kept][:, kept]) for kept in without]
    yield _judged(key, task, "IR", 1, tuple(grid.mean((0, 1)).tolist()), pairs, single)
    yield _judged(key, task, "AA", runs, *_averages(targets, both))
    yield _judged(key, task, "EA", runs, _ensemble(targets, changes), ensembles, left)


def score_of(series: str, task: ChangeTask, known: int, way: Judged) -> Score:
    """Return the row of one language, of whose targets so many are known."""
    accuracy = way.accuracy, sd(way.accuracy_draws), jackknife_error(way.accuracy_without)
    ranks = way.spearman, sd(way.spearman_draws), jackknife_error(way.spearman_without)
    return Score(series, task.name, way.way, *accuracy, *ranks, known, len(task.targets), task.majority)


def sd(values: Sequence[float]) -> float:
    """Return the SD (ddof 1); NaN for fewer than two values, or where one is NaN."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def missing(both: Between, task: ChangeTask) -> list[str]:
    """Return the targets that one of the periods lacks."""
    known = set(both.words)
    return [word for word in task.targets if word not in known]


def cells(judged: Sequence[Judged]) -> Iterator[Cell]:
    """Yield the rows of table 4.3 from the scores of the series of all languages; those without truth are left out."""
    places = dict.fromkeys((x.technique, x.sampling, x.way) for x in judged)
    for place in places:
        ways = [x for x in judged if (x.technique, x.sampling, x.way) == place and not math.isnan(x.majority)]
        if ways:
            accuracy, ranks = _over_languages(ways, "accuracy"), _over_languages(ways, "spearman")
            size, majority = min(x.size for x in ways), fmean(x.majority for x in ways)
            yield Cell(*place, size, len(ways), *accuracy, *ranks, majority)


def _over_languages(ways: Sequence[Judged], name: str) -> tuple[float, float, float]:
    """Mean over the languages, its SD over draws and its jackknife error; NaN where languages have other numbers."""
    draws, left = ([getattr(x, f"{name}_{kind}") for x in ways] for kind in ("draws", "without"))
    return fmean(getattr(x, name) for x in ways), _spread(draws, sd), _spread(left, jackknife_error)


def _spread(lists: Sequence[Sequence[float]], measure: Callable[[Sequence[float]], float]) -> float:
    if len({len(values) for values in lists}) > 1:
        return math.nan
    return float(measure([fmean(values) for values in zip(*lists, strict=True)]))


def _judged(
    key: Key,
    task: ChangeTask,
    way: str,
    size: int,
    value: Sequence[float],
    draws: Sequence[Sequence[float]],
    left: Sequence[Sequence[float]],
) -> Judged:
    accuracies, ranks = ([[scores[which] for scores in part] for part in (draws, left)] for which in (0, 1))
    lists = accuracies[0], ranks[0], accuracies[1], ranks[1]
    return Judged(key.technique, key.sampling, way, size, value[0], value[1], *lists, task.majority)


def _averages(targets: _Targets, both: Between) -> tuple[Both, list[Both], list[Both]]:
    """Scores of the averages of all runs, of both halves, and without the k-th runs."""
    first, second = (
        period.averages.rows(rows.to(period.runs.device))
        for period, rows in zip((both.first, both.second), both.rows, strict=True)
    )

    def scored(one: Sequence[Tensor], two: Sequence[Tensor]) -> list[Both]:
        each = [moved(x, y).cpu() for x, y in zip(one, two, strict=False)]
        return [targets.score(targets.classes(changes), changes) for changes in each]

    return (
        scored([first.top], [second.top])[0],
        scored(first.half, second.half),
        scored(first.without, second.without),
    )


def _ensemble(targets: _Targets, changes: Tensor) -> Both:
    """Scores of some pairs of runs together, ``(R₁, R₂, v)``: the majority of their classes, and their mean change."""
    each = changes.flatten(0, 1)
    votes = torch.stack([targets.classes(pair) for pair in each]).double().mean(0) > 0.5
    return targets.score(votes, each.mean(0))


def _accuracy(classes: Tensor, targets: _Targets) -> float:
    truth = targets.task.binary
    pairs = [(is_so, truth[word]) for word, is_so in zip(targets.words, classes.tolist(), strict=True) if word in truth]
    return fmean(float(is_so == true) for is_so, true in pairs) if pairs else math.nan


def _correlation(values: Tensor, targets: _Targets) -> float:
    kept = [k for k, word in enumerate(targets.words) if word in targets.task.graded]
    if len(kept) < 3:
        return math.nan
    truth = torch.tensor([targets.task.graded[targets.words[k]] for k in kept], dtype=torch.float64)
    return float(spearman(values[kept][None], truth[None])[0])


def _why(task: ChangeTask, place: dict[str, int]) -> str:
    none = f"none of the {len(task.targets)} targets of {task.name} is in both periods"
    stems = [word for word in task.targets if word.rpartition("_")[0] in place]
    if stems:
        return f"{none}, but '{stems[0].rpartition('_')[0]}' is: this text lacks the suffix, train on the lemma version"
    return none
