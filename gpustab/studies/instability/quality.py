"""Scores on usual tests: their spread over runs, and what averaging does to them. Rettenmeier 2020, 2.10 and 3.6."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpustab.evaluation import RunScores
from gpustab.evaluation.usual import usual_scores
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs import Runs
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
    """Table 3.6: mean score of averages less that of runs."""

    technique: str
    test: str
    runs_beneath: int
    gain: float
    se: float


def quality_tables(name: str, runs: Runs, compute: Compute) -> tuple[dict[str, Table], list[str]]:
    """Score runs and averages of n runs on word similarity (Spearman's ρ) and analogies (part of right answers).

    Returns:
        ``scores`` (one row per test and level: mean, SD, best and worst), ``table_3_6`` (mean score of the highest
        level with several averages less that of the runs); and sentences on tests that could not be done.
    """
    levels = levels_of(runs, list(range(len(runs))), renormalise=False)
    scores: list[Score] = []
    notes: list[str] = []
    found: dict[str, list[tuple[int, RunScores]]] = {}
    for level in levels:
        spaces = runs if level.beneath == 1 else as_runs(runs, level.averages)
        for test, used, total, by_space in usual_scores(spaces, compute, notes):
            if by_space.mean is None:
                continue
            statistics = (by_space.mean, by_space.sd, by_space.best, by_space.worst)
            scores.append(Score(name, test, level.beneath, by_space.n, used, total, *statistics))
            found.setdefault(test, []).append((level.beneath, by_space))
    gains = [
        Gain(name, test, by_level[-1][0], *gain(by_level[0][1], by_level[-1][1])) for test, by_level in found.items()
    ]
    tables = {"scores": Table.of(scores, Score._fields), "table_3_6": Table.of(gains, Gain._fields)}
    return tables, list(dict.fromkeys(notes))


def gain(single: RunScores, averaged: RunScores) -> tuple[float, float]:
    """Return the difference of mean scores and its standard error; NaN for an error that too few scores give.

    The averages are made of the same runs; taking them for independent makes the error too large, if anything.

    >>> [round(x, 3) for x in gain(RunScores((0.4, 0.5, 0.6)), RunScores((0.6, 0.7)))]
    [0.15, 0.076]
    """
    if single.mean is None or averaged.mean is None:
        return math.nan, math.nan
    sds = [math.nan if scores.sd is None else scores.sd / math.sqrt(scores.n) for scores in (single, averaged)]
    return averaged.mean - single.mean, math.hypot(*sds)
