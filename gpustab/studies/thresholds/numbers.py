"""What one run says, and the runs of a group together, as rows: ours and the paper's thresholds, and what they rest on.

What training again changes stands beside what another choice of words would change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from torch import Tensor

from gpustab.kernels.similarity_groups import GROUPS as ALL_GROUPS
from gpustab.kernels.similarity_groups import STEPS
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds import rules
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Distribution, Law, Moments
from gpustab.studies.thresholds.groups import WINDOW, Lists, Sums, adjusted_mean, against, list_sums, merged, value_sums
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.tables import (
    BY_RUN,
    GROUPS,
    MOMENTS,
    NEXT_PLACES,
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
    Kind,
    MomentsRow,
    NextPlace,
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

Tables = dict[str, Table]

_FEWEST = 3
"""Runs with a threshold from which it has an interval: by two, Student's t gives one that is wider than all cosines."""
LEAST_SCORED = 30
"""Pairs of a rung where only some pairs have a value."""


class RunNumbers(NamedTuple):
    """One run's groups and thresholds.

    Attributes:
        groups: by similarity value.
        thresholds: ours, of values and of places.
        paper: the paper's value threshold at the study's least group size.
        sizes: the same at many sizes.
        question: p-value of the groups 0.10 and 0.20.
        windows: by place; none for scored pairs.
        place_means: ``(v − 1,)`` mean of the baseline at every place.
        place_pairs: ``(v − 1,)`` pairs of every place.
        paper_lists: the paper's list thresholds.
        next_places: that differ from those of :func:`~gpustab.studies.thresholds.rules.shown_places`.
        mean: of the baseline over all pairs.
        sd: its standard deviation.
        pairs: that have a baseline value.
        law: the distribution of the baseline.
    """

    groups: list[Group]
    thresholds: list[ByRun]
    paper: rules.ValueThreshold
    sizes: list[rules.ValueThreshold]
    question: float | None
    windows: list[Window]
    place_means: np.ndarray
    place_pairs: np.ndarray
    paper_lists: PaperLists | None
    next_places: list[int | None]
    mean: float
    sd: float
    pairs: float
    law: Law


KEPT = (ByRun, Distribution, Group, Law, Moments, PaperLists, RunNumbers, Window, rules.ValueThreshold)
"""What is kept of a run, see :class:`~gpustab.studies.shared.finished.Finished`."""

Who = tuple[str, str]
"""Names of a group and of a run of it."""


def find(
    runs: Runs,
    r: int,
    baseline: Baseline,
    options: ThresholdsOptions,
    compute: Compute,
    told: Callable[[str, float], None],
) -> RunNumbers:
    """Measure one run; ``told`` is called with what is being done and the finished part, of which 0.2 lie before.

    Raises:
        InputError: if the baseline has no value for any pair.
    """
    who, confidence = (runs.name, runs.names[r]), options.confidence
    sums, law = value_sums(runs, r, baseline, compute, lambda part: told("similarity values", 0.2 + 0.4 * part))
    everything = sums.overall
    thresholds, lists = list(_of_values(who, sums, isinstance(baseline, Levels), confidence)), None
    if isinstance(baseline, Levels):
        lists = list_sums(runs, r, baseline, compute, lambda part: told("places in lists", 0.6 + 0.4 * part))
        ladder, last_places = rules.rungs(lists.windows), lists.to
        thresholds += _thresholds(who, "place", ladder, confidence, last_places[ladder.first].double().tolist())
    size, higher = rules.default_size(sums, options.min_pairs), rules.significantly_higher(sums, confidence)
    return RunNumbers(
        list(_groups(who, sums, rules.next_different(higher, sums.n.numpy() >= size))),
        thresholds,
        rules.value_threshold(sums, size, higher),
        rules.by_group_size(sums, higher),
        rules.question(sums),
        list(_windows(who, lists)) if lists else [],
        lists.places.mean.numpy() if lists else np.empty(0),
        lists.places.n.numpy() if lists else np.empty(0),
        PaperLists._make((*who, *rules.list_threshold(lists.places, lists.last, confidence))) if lists else None,
        rules.next_places(lists.places, rules.shown_places(len(lists.places.n)), confidence) if lists else [],
        float(everything.mean),
        float(everything.variance.sqrt()),
        float(everything.n),
        law,
    )


def _of_values(who: Who, sums: Sums, all_pairs: bool, confidence: float) -> Iterator[ByRun]:
    least = 1 if all_pairs else LEAST_SCORED
    ladder, adjusted = rules.rungs(sums, least), rules.rungs(sums, least, adjusted_mean(sums))
    edges = [rules.lower_edge(group) for group in ladder.first.tolist()]
    yield from _thresholds(who, "value", ladder, confidence, edges)
    for rule in rules.RULES:
        at = _at(ladder, edges, rules.estimate(adjusted, rule))
        yield ByRun(*who, "value", f"{rule} adjusted", at[0], None, None, at[1], float("nan"))


def _thresholds(
    who: Who, kind: Kind, ladder: rules.Rungs, confidence: float, edges: Sequence[float]
) -> Iterator[ByRun]:
    for cut in rules.cuts(ladder, confidence):
        at, below = _at(ladder, edges, cut.rung)
        proven, not_before = _at(ladder, edges, cut.proven)[0], edges[min(cut.not_below, len(edges) - 1)]
        yield ByRun(*who, kind, cut.rule, at, proven, not_before, below, cut.level)


def _at(ladder: rules.Rungs, edges: Sequence[float], rung: int | None) -> tuple[float | None, float | None]:
    """Where a rung begins, and the share of the pairs below it."""
    return (None, None) if rung is None else (float(edges[rung]), float(ladder.below[rung]))


def _groups(who: Who, sums: Sums, following: Sequence[int | None]) -> Iterator[Group]:
    columns = (sums.n, sums.mean, sums.variance.sqrt(), _errors(sums), adjusted_mean(sums))
    for k in range(ALL_GROUPS):
        if sums.n[k] > 0:
            numbers, after = (float(column[k]) for column in columns), following[k]
            yield Group._make((*who, rules.upper_edge(k), *numbers, None if after is None else rules.upper_edge(after)))


def _windows(who: Who, lists: Lists) -> Iterator[Window]:
    """From the first places to the last."""
    windows, se = lists.windows, _errors(lists.windows)
    first = 1
    for k in reversed(range(len(windows.n))):
        last = int(lists.to[k])
        yield Window(*who, first, last, float(windows.n[k]), float(windows.mean[k]), float(se[k]))
        first = last + 1


def _errors(sums: Sums) -> Tensor:
    """Standard errors of the groups' means less that of the lowest rung."""
    return against(sums, merged(sums, (rules.rungs(sums).pool == 0).long() - 1)).se


def add(
    tables: Tables, group: str, names: Sequence[str], distributions: Sequence[Distribution], runs: Sequence[RunNumbers]
) -> None:
    """Add one group of runs to all tables but those of scores and shapes; without a baseline ``runs`` are none."""
    if runs:
        _add_numbers(tables, group, names, runs)
    for name, own in zip(names, distributions, strict=True):
        MOMENTS.add(tables, [MomentsRow(group, name, *own.law.moments, own.lowest, own.highest, own.words)])
    SIMILARITIES.add(tables, _similarities(group, distributions))
    SIMILARITY_BY_PLACE.add(tables, _by_place(group, distributions))


def _add_numbers(tables: Tables, group: str, names: Sequence[str], runs: Sequence[RunNumbers]) -> None:
    """Add what the baseline says."""
    THRESHOLDS.add(tables, over_runs(group, runs))
    BY_RUN.add(tables, [row for run in runs for row in run.thresholds])
    SIZES.add(tables, size_rows(group, runs))
    NEXT_PLACES.add(tables, _next_places(group, runs))
    PAPER_LISTS.add(tables, [run.paper_lists for run in runs if run.paper_lists])
    for name, run in zip(names, runs, strict=True):
        GROUPS.add(tables, run.groups)
        WINDOWS.add(tables, run.windows)
        places = zip(run.place_means.tolist(), run.place_pairs.tolist(), strict=True)
        PLACES.add(tables, [Place(group, name, k, n, mean) for k, (mean, n) in enumerate(places, 1)])


def _next_places(group: str, runs: Sequence[RunNumbers]) -> Iterator[NextPlace]:
    by_run = zip(*(run.next_places for run in runs), strict=True)
    for place, own in zip(rules.shown_places(len(runs[0].place_means)), by_run, strict=True):
        row = row_of(group, "place", "", own, [], 1.0)
        yield NextPlace(group, place, row.mean, row.sd, row.lowest, row.highest, row.found, row.runs)


def _similarities(group: str, distributions: Sequence[Distribution]) -> Iterator[SimilarityShare]:
    """Share of the similarities in each interval of 0.01: mean, least and largest over runs."""
    shares = np.stack([own.counts / own.counts.sum() for own in distributions], 1)
    return (SimilarityShare(group, rules.upper_edge(k), *_span(row)) for k, row in enumerate(shares) if row.any())


def _by_place(group: str, distributions: Sequence[Distribution]) -> Iterator[SimilarityByPlace]:
    """Mean similarity to the j-th most similar word (avg_sim(j)): mean, least and largest over runs."""
    values = np.stack([own.by_place for own in distributions], 1)
    return (SimilarityByPlace(group, place, *_span(row)) for place, row in enumerate(values, 1))


def _span(values: np.ndarray) -> tuple[float, float, float]:
    return float(values.mean()), float(values.min()), float(values.max())


def over_runs(group: str, runs: Sequence[RunNumbers]) -> list[OverRuns]:
    """Return every threshold of a group over its runs, the paper's last."""
    by_rule: dict[tuple[str, str], list[ByRun]] = {}
    for run in runs:
        for threshold in run.thresholds:
            by_rule.setdefault((threshold.kind, threshold.rule), []).append(threshold)
    rows = [_ours(group, kind, rule, own) for (kind, rule), own in by_rule.items()]
    paper = [run.paper for run in runs]
    rows.append(row_of(group, "value", "paper", [x.cut for x in paper], [x.below for x in paper]))
    if lists := [run.paper_lists for run in runs if run.paper_lists is not None]:
        rows.append(row_of(group, "place", "paper, last different", [x.last_different for x in lists], [], 1.0))
        rows.append(row_of(group, "place", "paper, first equal", [x.first_equal for x in lists], [], 1.0))
    return rows


def _ours(group: str, kind: str, rule: str, own: Sequence[ByRun]) -> OverRuns:
    values, proven = [x.estimate for x in own], [x.proven for x in own]
    step = 1 / STEPS if kind == "value" else WINDOW * (_mean(values) or 0.0)
    row = row_of(group, kind, rule, values, [x.below for x in own], step)
    whole = None if None in proven else _mean(proven)
    return row._replace(proven_from=_mean(x.not_before for x in own), proven_to=whole)


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
    ends, counts = (min(there, default=None), max(there, default=None)), (len(there), len(values))
    mean, error = _mean(there), error_of(sd, len(there), step)
    row = OverRuns(group, kind, rule, mean, sd, error, None, *ends, None, None, _mean(shares), *counts)
    return row._replace(half=row.estimate.half if len(there) >= _FEWEST else None)


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None and not math.isnan(value)]
    return fmean(there) if there else None


def size_rows(group: str, runs: Sequence[RunNumbers]) -> list[Size]:
    """Return the paper's value threshold at every least group size, over the runs."""
    rows = []
    for size in sorted({row.min_pairs for run in runs for row in run.sizes}):
        own = [row for run in runs for row in run.sizes if row.min_pairs == size]
        named = row_of(group, "value", "paper", [row.group for row in own], [])
        start = _mean(row.reference for row in own)
        rows.append(Size(group, size, start, named.mean, named.sd, named.lowest, named.highest, named.found, len(own)))
    return rows


def add_scores(tables: Tables, rows: Sequence[Score]) -> None:
    """Add the scores of one group, run by run and over the runs (tables 2 to 7)."""
    SCORES_BY_RUN.add(tables, rows)
    for kind in dict.fromkeys((row.group, row.test, row.rule) for row in rows):
        SCORES.add(tables, [score_row([row for row in rows if (row.group, row.test, row.rule) == kind])])


def score_row(rows: Sequence[Score]) -> ScoreOverRuns:
    """Return the scores of one test and rule over runs."""
    first = rows[0]
    means: list[float | None] = []
    for name in ("rho", "above", "tied", "dropped"):
        values = [value for row in rows if (value := getattr(row, name)) is not None]
        means += [fmean(values) if values else None, stdev(values) if len(values) > 1 else None]
    counts = (first.total, first.unknown, fmean(row.below for row in rows), fmean(row.used for row in rows), len(rows))
    sds = _mean(row.dropped_sd for row in rows), _mean(row.change_sd for row in rows)
    return ScoreOverRuns._make((first.group, first.test, first.rule, *counts, *means, *sds))


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
