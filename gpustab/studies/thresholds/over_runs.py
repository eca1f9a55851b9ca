"""What the runs of a group say, as rows: thresholds over runs, groups, places, distributions and scores.

What training again changes stands beside what another choice of words would change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean, stdev
from typing import Any, TypeVar

import numpy as np

from gpustab.kernels.similarity_groups import GROUPS as ALL_GROUPS
from gpustab.kernels.similarity_groups import STEPS
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds.baselines import Baseline
from gpustab.studies.thresholds.distributions import Distribution
from gpustab.studies.thresholds.groups import WINDOW
from gpustab.studies.thresholds.one_run import RunNumbers, Threshold
from gpustab.studies.thresholds.tables import (
    BY_RUN,
    GROUPS,
    MOMENTS,
    PAPER_LISTS,
    PLACES,
    SCORES,
    SCORES_BY_RUN,
    SIMILARITIES,
    SIMILARITY_BY_PLACE,
    SIZES,
    THRESHOLDS,
    WINDOWS,
    ByRun,
    Group,
    MomentsRow,
    OverRuns,
    PaperLists,
    Place,
    Score,
    ScoreOverRuns,
    SimilarityByPlace,
    SimilarityShare,
    Size,
    Window,
    error_of,
)
from gpustab.studies.thresholds.welch import upper_edge

T = TypeVar("T")
Tables = dict[str, Table]


def add(
    tables: Tables, group: str, names: Sequence[str], distributions: Sequence[Distribution], runs: Sequence[RunNumbers]
) -> None:
    """Add one group of runs to all tables but those of scores and shapes; without a baseline ``runs`` are none."""
    if runs:
        _add_numbers(tables, group, names, runs)
    moments = [_moments(group, name, own) for name, own in zip(names, distributions, strict=True)]
    MOMENTS.add(tables, moments)
    SIMILARITIES.add(tables, _similarities(group, distributions))
    SIMILARITY_BY_PLACE.add(tables, _by_place(group, distributions))


def _add_numbers(tables: Tables, group: str, names: Sequence[str], runs: Sequence[RunNumbers]) -> None:
    """Add what the baseline says."""
    THRESHOLDS.add(tables, over_runs(group, runs))
    BY_RUN.add(tables, [ByRun(group, *row) for run in runs for row in run.thresholds])
    SIZES.add(tables, size_rows(group, runs))
    pairs = list(zip(names, runs, strict=True))
    PAPER_LISTS.add(tables, [PaperLists(group, n, *run.paper_lists) for n, run in pairs if run.paper_lists])
    for name, run in pairs:
        GROUPS.add(tables, [Group(group, name, *row) for row in run.groups])
        WINDOWS.add(tables, [Window(group, name, *row) for row in run.windows])
        places = zip(run.place_means.tolist(), run.place_pairs.tolist(), strict=True)
        PLACES.add(tables, [Place(group, name, k, n, mean) for k, (mean, n) in enumerate(places, 1)])


def _moments(group: str, run: str, own: Distribution) -> MomentsRow:
    return MomentsRow._make((group, run, *own.law.moments, own.lowest, own.highest, own.words))


def _similarities(group: str, distributions: Sequence[Distribution]) -> Iterator[SimilarityShare]:
    """Share of the similarities in each interval of 0.01: mean, least and largest over runs."""
    shares = np.stack([own.counts / own.counts.sum() for own in distributions])
    for k in range(ALL_GROUPS):
        column = shares[:, k]
        if column.any():
            yield SimilarityShare(group, upper_edge(k), float(column.mean()), float(column.min()), float(column.max()))


def _by_place(group: str, distributions: Sequence[Distribution]) -> Iterator[SimilarityByPlace]:
    """Mean similarity to the j-th most similar word (avg_sim(j)): mean, least and largest over runs."""
    values = np.stack([own.by_place for own in distributions])
    for j in range(values.shape[1]):
        column = values[:, j]
        yield SimilarityByPlace(group, j + 1, float(column.mean()), float(column.min()), float(column.max()))


def over_runs(group: str, runs: Sequence[RunNumbers]) -> list[OverRuns]:
    """Return every threshold of a group over its runs, the paper's last."""
    by_rule: dict[tuple[str, str], list[Threshold]] = {}
    for run in runs:
        for threshold in run.thresholds:
            by_rule.setdefault((threshold.kind, threshold.rule), []).append(threshold)
    ours = [_ours(group, kind, rule, own) for (kind, rule), own in by_rule.items()]
    paper = [run.paper for run in runs]
    rows = [*ours, row_of(group, "value", "paper", [x.cut for x in paper], [x.below for x in paper])]
    lists = [run.paper_lists for run in runs if run.paper_lists is not None]
    if lists:
        rows.append(row_of(group, "place", "paper, last different", [x.last_different for x in lists], [], 1.0))
        rows.append(row_of(group, "place", "paper, first equal", [x.first_equal for x in lists], [], 1.0))
    return rows


def _ours(group: str, kind: str, rule: str, own: Sequence[Threshold]) -> OverRuns:
    values = [x.estimate for x in own]
    row = row_of(group, kind, rule, values, [x.below for x in own], _step(kind, values))
    proven = [x.proven for x in own]
    whole = None if None in proven else _mean(proven)
    return row._replace(proven_from=_mean(x.not_before for x in own), proven_to=whole)


def _step(kind: str, values: Sequence[float | None]) -> float:
    return 1 / STEPS if kind == "value" else WINDOW * (_mean(values) or 0.0)


def row_of(
    group: str,
    kind: str,
    rule: str,
    values: Sequence[float | None],
    shares: Iterable[float | None],
    step: float = 1 / STEPS,
) -> OverRuns:
    """Return a threshold over runs; ``shares`` are of the pairs below it, ``step`` is that in which it is told."""
    there = [float(value) for value in values if value is not None]
    sd = stdev(there) if len(there) > 1 else None
    error = error_of(sd, len(there), step)
    row = OverRuns(
        group,
        kind,
        rule,
        _mean(there),
        sd,
        error,
        None,
        min(there, default=None),
        max(there, default=None),
        None,
        None,
        _mean(shares),
        len(there),
        len(values),
    )
    half = row.estimate.half
    return row._replace(half=None if math.isnan(half) else half)


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None and not math.isnan(value)]
    return fmean(there) if there else None


def size_rows(group: str, runs: Sequence[RunNumbers]) -> list[Size]:
    """Return the paper's value threshold at every least group size, over the runs."""
    sizes = sorted({row.min_pairs for run in runs for row in run.sizes})
    rows = []
    for size in sizes:
        own = [row for run in runs for row in run.sizes if row.min_pairs == size]
        named = row_of(group, "value", "paper", [row.group for row in own], [])
        start = _mean(row.reference for row in own)
        rows.append(Size(group, size, start, named.mean, named.sd, named.lowest, named.highest, named.found, len(own)))
    return rows


def add_scores(tables: Tables, rows: Sequence[Score]) -> None:
    """Add the scores of one group, run by run and over the runs (tables 2 to 7)."""
    SCORES_BY_RUN.add(tables, rows)
    kinds = dict.fromkeys((row.group, row.test, row.rule) for row in rows)
    for kind in kinds:
        SCORES.add(tables, [score_row([row for row in rows if (row.group, row.test, row.rule) == kind])])


def score_row(rows: Sequence[Score]) -> ScoreOverRuns:
    """Return the scores of one test and rule over runs."""
    first = rows[0]
    draws = [row.dropped_sd for row in rows if row.dropped_sd is not None]
    means: list[float | None] = []
    for name in ("rho", "above", "tied", "dropped"):
        values = [value for row in rows if (value := getattr(row, name)) is not None]
        means += [fmean(values) if values else None, stdev(values) if len(values) > 1 else None]
    counts = (first.total, first.unknown, fmean(row.below for row in rows), fmean(row.used for row in rows), len(rows))
    draw_sd = fmean(draws) if draws else None
    return ScoreOverRuns._make((first.group, first.test, first.rule, *counts, *means, draw_sd))


def summary(runs: Runs, base: Baseline | None, tables: Tables, numbers: Sequence[RunNumbers]) -> dict[str, Any]:
    """Return the group's entry in the JSON."""
    rows = THRESHOLDS.rows(tables, group=runs.name) if numbers else iter(())
    return {
        "name": runs.name,
        "runs": list(runs.names),
        "words": int(runs.joint.sum()),
        "dimension": runs.dimension,
        "baseline": None if base is None else _of_baseline(base, numbers),
        "thresholds": {f"{row.kind}: {row.rule}": row.mean for row in rows},
    }


def _of_baseline(base: Baseline, numbers: Sequence[RunNumbers]) -> dict[str, Any]:
    first, known = numbers[0], {"name": base.name, "words": len(base.rows)}
    p = [run.question for run in numbers if run.question is not None]
    return known | {"pairs": first.pairs, "mean": first.mean, "sd": first.sd, "question_2": max(p, default=None)}
