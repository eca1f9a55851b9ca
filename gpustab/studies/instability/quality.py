"""Scores on usual tests: their spread over runs, and what averaging does to them. Rettenmeier 2020, 2.10 and 3.6."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpustab.errors import InputError
from gpustab.evaluation import (
    ANALOGY_TESTS,
    SIMILARITY_TESTS,
    RunScores,
    read_analogies,
    read_similarity,
    score_analogies,
    score_similarity,
)
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs import Runs
from gpustab.studies.instability.rows import add_row
from gpustab.studies.instability.trees import as_runs, levels_of


def quality_tables(name: str, runs: Runs, compute: Compute) -> tuple[dict[str, Table], list[str]]:
    """Score runs and averages of n runs on word similarity (Spearman's ρ) and analogies (part of right answers).

    Returns:
        ``scores`` (one row per test and level: mean, SD, best and worst), ``table_3_6`` (mean score of the highest
        level with several averages less that of the runs); and sentences on tests that could not be done.
    """
    levels = levels_of(runs, list(range(len(runs))), renormalise=False)
    scores: Table = {column: [] for column in _SCORE_COLUMNS}
    gains: Table = {column: [] for column in _GAIN_COLUMNS}
    notes: list[str] = []
    found: dict[str, list[tuple[int, RunScores]]] = {}
    for level in levels:
        spaces = runs if level.beneath == 1 else as_runs(runs, level.averages)
        for test, used, total, by_space in scores_of(spaces, compute, notes):
            if by_space.mean is None:
                continue
            statistics = (by_space.mean, by_space.sd, by_space.best, by_space.worst)
            row = (name, test, level.beneath, by_space.n, used, total, *statistics)
            add_row(scores, row)
            found.setdefault(test, []).append((level.beneath, by_space))
    for test, by_level in found.items():
        difference = gain(by_level[0][1], by_level[-1][1])
        add_row(gains, (name, test, by_level[-1][0], *difference))
    return {"scores": scores, "table_3_6": gains}, list(dict.fromkeys(notes))


_SCORE_COLUMNS = (
    "technique",
    "test",
    "runs_beneath",
    "spaces",
    "used",
    "total",
    "mean",
    "sd",
    "best",
    "worst",
)
_GAIN_COLUMNS = ("technique", "test", "runs_beneath", "gain", "se")


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


def scores_of(runs: Runs, compute: Compute, notes: list[str]) -> Iterator[tuple[str, int, int, RunScores]]:
    """Yield every test that is installed: its name, questions used and asked, and the score of every run."""
    for test in SIMILARITY_TESTS:
        try:
            similarity = score_similarity(runs, read_similarity(test), ignore_case=True)
        except InputError as error:
            notes.append(f"Not scored: {error}")
            continue
        yield test, similarity.used, similarity.total, similarity.rho
    for test in ANALOGY_TESTS:
        try:
            analogies = score_analogies(runs, read_analogies(test), ignore_case=True, compute=compute)
        except InputError as error:
            notes.append(f"Not scored: {error}")
            continue
        yield test, analogies.total.answered, analogies.total.questions, analogies.total.accuracy
