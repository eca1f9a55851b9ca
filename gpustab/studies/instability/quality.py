"""Scores on usual tests: their spread over runs, and what averaging does to them. Rettenmeier 2020, 2.10 and 3.6."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from gpustab.evaluation import RunScores
from gpustab.evaluation.usual import usual_scores
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.instability.trees import as_runs, levels_of


class Score(NamedTuple):
    """Table 2.10 and figure 3.6: scores of runs, or of averages of n runs, on one test."""

    technique: str
    test: str
    runs_beneath: int
    spaces: int
    used: int
    total: int
    mean: float
    sd: float | None
    best: float | None
    worst: float | None


class Gain(NamedTuple):
    """Table 3.6: mean score of averages less that of the runs beneath them.

    Attributes:
        averages: of disjoint runs, behind the mean and its error.
        gain: mean over the averages.
        se: SD over them by √averages; NaN for one.
    """

    technique: str
    test: str
    runs_beneath: int
    averages: int
    gain: float
    se: float


class Doubling(NamedTuple):
    """Mean score of averages of n runs less that of the two averages of n/2 runs beneath each; fields of `Gain`."""

    technique: str
    test: str
    runs_beneath: int
    averages: int
    gain: float
    se: float


def quality_tables(name: str, runs: Runs, compute: Compute) -> tuple[dict[str, Table], list[str]]:
    """Score runs and averages of n runs on word similarity (Spearman's ρ) and analogies (part of right answers).

    Returns:
        ``scores`` (one row per test and level: mean, SD, best and worst), ``table_3_6`` (for every level, scores of
        averages less the mean ones of the runs beneath), ``doublings`` (less those of the level beneath); and sentences
        on tests that could not be done.
    """
    scores: list[Score] = []
    notes: list[str] = []
    gains: list[Gain] = []
    doublings: list[Doubling] = []
    single: dict[str, RunScores] = {}
    beneath: dict[str, RunScores] = {}
    before: list[list[int]] = []
    for level in levels_of(runs, list(range(len(runs))), renormalise=False):
        spaces = runs if level.beneath == 1 else as_runs(runs, level.averages)
        for test, used, total, by_space in usual_scores(spaces, compute, notes):
            if by_space.mean is None:
                continue
            numbers = (by_space.mean, by_space.sd, by_space.best, by_space.worst)
            scores.append(Score(name, test, level.beneath, by_space.n, used, total, *numbers))
            if level.beneath == 1:
                single[test] = by_space
            elif test in single:
                gains.append(Gain(name, test, level.beneath, *gain(single[test], by_space, level.runs)))
                if test in beneath:
                    halves = _halves(before, level.runs)
                    doublings.append(Doubling(name, test, level.beneath, *gain(beneath[test], by_space, halves)))
            beneath[test] = by_space
        before = level.runs
    tables: dict[str, Table] = {"scores": Table.of(scores, Score._fields), "table_3_6": Table.of(gains, Gain._fields)}
    tables["doublings"] = Table.of(doublings, Doubling._fields)
    return tables, list(dict.fromkeys(notes))


def _halves(before: list[list[int]], now: list[list[int]]) -> list[list[int]]:
    """Which averages of the level before are beneath each of a level; of both the runs beneath."""
    return [[k for k, runs in enumerate(before) if set(runs) <= set(own)] for own in now]


def gain(single: RunScores, averaged: RunScores, beneath: Sequence[Sequence[int]]) -> tuple[int, float, float]:
    """Return how many averages have a gain, its mean, and the standard error of that; NaN where there are too few.

    An average is compared with its own runs: what makes these good makes it good too, and is no error of the gain.

    Args:
        single: scores of the runs.
        averaged: scores of the averages.
        beneath: the numbers of the runs beneath each average.

    Example:
        >>> found = gain(RunScores((0.4, 0.5, 0.6, 0.8)), RunScores((0.6, 0.9)), [[0, 1], [2, 3]])
        >>> [round(x, 3) for x in found]
        [2, 0.175, 0.025]
    """
    differences = []
    for score, runs in zip(averaged.values, beneath, strict=True):
        own = [single.values[r] for r in runs]
        known = [x for x in own if x is not None]
        if score is not None and len(known) == len(own):
            differences.append(score - statistics.fmean(known))
    k = len(differences)
    mean = statistics.fmean(differences) if k else math.nan
    return k, mean, statistics.stdev(differences) / math.sqrt(k) if k > 1 else math.nan
