"""Scores of runs and of averages on word similarity and analogies. Rettenmeier 2020, tables 2.1, 2.10, 3.6, figure 3.6.

And how far those of runs lie apart that differ in seeds and draws alone.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from gpustab.evaluation import RunScores
from gpustab.evaluation.usual import usual_scores
from gpustab.results import Column, Sheet, Table
from gpustab.statistics.intervals import Estimate, sd_interval
from gpustab.studies.instability.technique import Technique
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
    """Table 3.6: mean score of averages less that of the runs beneath them; or of the averages of half as many."""

    technique: str
    test: str
    runs_beneath: int
    averages: Annotated[int, Column(about="of disjoint runs, behind the mean and its error")]
    gain: Annotated[float, Column(about="mean over the averages")]
    se: Annotated[float, Column(about="SD over them by √averages; NaN for one")]

    @property
    def points(self) -> Estimate:
        """The gain in points, with its error."""
        return Estimate.of_runs(100 * self.gain, 100 * self.se, self.averages)


class Extremes(NamedTuple):
    """Table 2.1: lowest and highest score of runs made alike, the difference in percent of the lowest.

    The difference grows with the number of runs, and extremes have no jackknife error; the relative SD does not grow.
    """

    technique: str
    test: str
    runs: int
    lowest: float
    highest: float
    relative_difference: float
    relative_sd: Annotated[float, Column(about="in percent of the mean")]
    low: Annotated[float, Column(about="its 95 % interval: χ² of R − 1, without the mean's own error")]
    high: float


class Scored(NamedTuple):
    """Table 2.10: mean and SD of scores over runs."""

    technique: str
    test: str
    runs: int
    mean: float
    sd: float
    low: Annotated[float, Column(about="the mean's 95 % interval, Student's t of R − 1")]
    high: float


SCORES = Sheet("scores", Score, "one row a technique, test and level of the tree")
GAINS = Sheet("table_3_6", Gain, "one row a technique, test and level of the tree")
DOUBLINGS = Sheet("doublings", Gain, "one row a technique, test and level of the tree: on the level beneath")
EXTREMES = Sheet("table_2_1", Extremes, "one row a technique and test")
SCORED = Sheet("table_2_10", Scored, "one row a technique and test")


def quality_tables(technique: Technique) -> dict[str, Table]:
    """Score runs and averages of n runs on word similarity (Spearman's ρ) and analogies (part of right answers).

    Returns:
        ``scores`` (one row per test and level: mean, SD, best and worst), ``table_3_6`` (for every level, scores of
        averages less the mean ones of the runs beneath) and ``doublings`` (less those of the level beneath). Tests that
        could not be done are noted.
    """
    name, runs = technique.name, technique.runs
    scores, gains, doublings = [], [], []
    single: dict[str, RunScores] = {}
    beneath: dict[str, RunScores] = {}
    before: list[list[int]] = []
    for level in levels_of(runs, list(range(len(runs))), renormalise=False):
        spaces = runs if level.beneath == 1 else as_runs(runs, level.averages)
        for test, used, total, by_space in usual_scores(spaces, technique.compute, technique.notes):
            if by_space.mean is None:
                continue
            numbers = by_space.mean, by_space.sd, by_space.best, by_space.worst
            scores.append(Score(name, test, level.beneath, by_space.n, used, total, *numbers))
            if level.beneath == 1:
                single[test] = by_space
            elif test in single:
                gains.append(Gain(name, test, level.beneath, *gain(single[test], by_space, level.runs)))
                if test in beneath:
                    halves = [[k for k, runs in enumerate(before) if set(runs) <= set(above)] for above in level.runs]
                    doublings.append(Gain(name, test, level.beneath, *gain(beneath[test], by_space, halves)))
            beneath[test] = by_space
        before = level.runs
    return SCORES.named(scores) | GAINS.named(gains) | DOUBLINGS.named(doublings)


def gain(single: RunScores, averaged: RunScores, beneath: Sequence[Sequence[int]]) -> tuple[int, float, float]:
    """Return how many averages have a gain, its mean, and the standard error of that; NaN where there are too few.

    An average is compared with its own runs: what makes these good makes it good too, and is no error of the gain.

    Args:
        single: scores of the runs.
        averaged: scores of the averages.
        beneath: the numbers of the runs beneath each average.

    Example:
        >>> gained = gain(RunScores((0.4, 0.5, 0.6, 0.8)), RunScores((0.6, 0.9)), [[0, 1], [2, 3]])
        >>> [round(x, 3) for x in gained]
        [2, 0.175, 0.025]
    """
    differences = []
    for score, runs in zip(averaged.values, beneath, strict=True):
        known = [x for r in runs if (x := single.values[r]) is not None]
        if score is not None and len(known) == len(runs):
            differences.append(score - statistics.fmean(known))
    k = len(differences)
    mean = statistics.fmean(differences) if k else math.nan
    return k, mean, statistics.stdev(differences) / math.sqrt(k) if k > 1 else math.nan


def extremes_of(row: Score) -> Extremes:
    """Return how far the scores of single runs lie apart."""
    lowest, highest, sd = _number(row.worst), _number(row.best), _number(row.sd)
    # Percent of what is not above 0 means nothing.
    difference = 100 * (highest / lowest - 1) if lowest > 0 else math.nan
    relative = 100 * sd / row.mean if row.mean > 0 else math.nan
    interval = sd_interval(relative, row.spaces)
    return Extremes(row.technique, row.test, row.spaces, lowest, highest, difference, relative, *interval)


def scored(row: Score) -> Scored:
    """Return the mean score of single runs with its interval."""
    runs, sd = row.spaces, _number(row.sd)
    interval = Estimate.of_runs(row.mean, sd / math.sqrt(runs), runs).interval
    return Scored(row.technique, row.test, runs, row.mean, sd, *interval)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
