"""SemEval-2020 task 1 on two epochs: classes and ranks of the targets, from runs, average and ensemble (table 4.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.evaluation.semeval import ChangeTask
from gpustab.kernels.displacement import moved
from gpustab.statistics.ranks import spearman
from gpustab.studies.change.epoch import Between


class Score(NamedTuple):
    """How well one way of measuring change answers both tasks.

    Attributes:
        series: name.
        task: of the language.
        way: ``"IR"``: every pair of a run of each epoch by itself; ``"AA"``: the aligned averages; ``"EA"``: mean
            change over the pairs, and their majority for the classes (a draw counts as no change).
        accuracy: of the classes; mean over pairs of IR. NaN without truth.
        accuracy_sd: over the pairs of IR.
        spearman: of change and the truth's grades, likewise.
        spearman_sd: over the pairs of IR.
        found: targets that both epochs have.
        targets: all of them.
        majority: accuracy of calling all what most are.
    """

    series: str
    task: str
    way: str
    accuracy: float
    accuracy_sd: float
    spearman: float
    spearman_sd: float
    found: int
    targets: int
    majority: float


def scores(series: str, found: Between, task: ChangeTask, spread: float) -> Iterator[Score]:
    """Yield the scores of the three ways.

    A target changed if its Δ exceeds ``τ = μ + spread · σ`` over all joint words (ddof 0, as the thesis' program).

    Raises:
        InputError: if no target is in both epochs; where their stems are, the message says what is wrong.
    """
    place = {word: k for k, word in enumerate(found.words)}
    known = [word for word in task.targets if word in place]
    if not known:
        raise InputError(_why(task, place))
    rows = torch.tensor([place[word] for word in known])
    changes = torch.stack(list(_pairs(found)))
    single = [(_classes(own, rows, spread), own[rows]) for own in changes]
    votes = torch.stack([classes for classes, _ in single]).double().mean(0) > 0.5
    averaged = found.averaged.value
    ways = {
        "IR": single,
        "AA": [(_classes(averaged, rows, spread), averaged[rows])],
        "EA": [(votes, changes.mean(0)[rows])],
    }
    for way, answers in ways.items():
        accuracies = [_accuracy(classes, known, task) for classes, _ in answers]
        correlations = [_correlation(values, known, task) for _, values in answers]
        yield Score(
            series,
            task.name,
            way,
            *_mean_sd(accuracies),
            *_mean_sd(correlations),
            len(known),
            len(task.targets),
            task.majority,
        )


def missing(found: Between, task: ChangeTask) -> list[str]:
    """Return the targets that one of the epochs lacks."""
    return [word for word in task.targets if word not in set(found.words)]


def _pairs(found: Between) -> Iterator[Tensor]:
    (one, rows), (two, other) = zip((found.first, found.second), found.rows, strict=True)
    for i in range(len(one.runs)):
        x = one.runs.select(i, rows.to(one.runs.device))
        for j in range(len(two.runs)):
            yield moved(x, two.runs.select(j, other.to(two.runs.device))).cpu()


def _classes(changes: Tensor, rows: Tensor, spread: float) -> Tensor:
    return changes[rows] > changes.mean() + spread * changes.std(correction=0)


def _accuracy(classes: Tensor, words: Sequence[str], task: ChangeTask) -> float:
    pairs = [
        (said, task.binary[word]) for word, said in zip(words, classes.tolist(), strict=True) if word in task.binary
    ]
    return fmean(float(said == truth) for said, truth in pairs) if pairs else math.nan


def _correlation(values: Tensor, words: Sequence[str], task: ChangeTask) -> float:
    kept = [k for k, word in enumerate(words) if word in task.graded]
    if len(kept) < 3:
        return math.nan
    truth = torch.tensor([task.graded[words[k]] for k in kept], dtype=torch.float64)
    return float(spearman(values[kept][None], truth[None])[0])


def _mean_sd(values: Sequence[float]) -> tuple[float, float]:
    return fmean(values), stdev(values) if len(values) > 1 else math.nan


def _why(task: ChangeTask, place: dict[str, int]) -> str:
    said = f"none of the {len(task.targets)} targets of {task.name} is in both epochs"
    stems = [word for word in task.targets if word.rpartition("_")[0] in place]
    if stems:
        return f"{said}, but '{stems[0].rpartition('_')[0]}' is: this text lacks the suffix, train on the lemma version"
    return said
