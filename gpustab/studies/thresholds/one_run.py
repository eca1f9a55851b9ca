"""What one run says: its groups by similarity and by place, and the thresholds of both, ours and the paper's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gpustab.kernels.similarity_groups import GROUPS
from gpustab.machine.device import Compute
from gpustab.runs.runs import Runs
from gpustab.studies.thresholds import welch
from gpustab.studies.thresholds.baselines import Baseline, Levels
from gpustab.studies.thresholds.distributions import Law
from gpustab.studies.thresholds.groups import Lists, list_sums, value_sums
from gpustab.studies.thresholds.ladder import RULES, Rungs, cuts, estimate, rungs
from gpustab.studies.thresholds.options import ThresholdsOptions
from gpustab.studies.thresholds.sums import Sums, adjusted_mean, against, merged
from gpustab.studies.thresholds.tables import Kind

LEAST_SCORED = 30
"""Pairs of a rung where only some pairs have a value."""


class Threshold(NamedTuple):
    """One of our thresholds in one run; see :class:`gpustab.studies.thresholds.tables.ByRun`."""

    run: str
    kind: Kind
    rule: str
    estimate: float | None
    proven: float | None
    not_before: float | None
    below: float | None
    level: float


class GroupRow(NamedTuple):
    """One group by similarity value; see :class:`gpustab.studies.thresholds.tables.Group`."""

    similarity: float
    pairs: float
    mean: float
    sd: float
    se: float
    adjusted: float
    next_different: float | None


class WindowRow(NamedTuple):
    """Places of the lists together; see :class:`gpustab.studies.thresholds.tables.Window`."""

    first: int
    last: int
    pairs: float
    mean: float
    se: float


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
        mean: of the baseline over all pairs.
        sd: its standard deviation.
        pairs: that have a baseline value.
        law: the distribution of the baseline.
    """

    groups: list[GroupRow]
    thresholds: list[Threshold]
    paper: welch.ValueThreshold
    sizes: list[welch.ValueThreshold]
    question: float | None
    windows: list[WindowRow]
    place_means: np.ndarray
    place_pairs: np.ndarray
    paper_lists: welch.ListThreshold | None
    mean: float
    sd: float
    pairs: float
    law: Law


def find(
    runs: Runs,
    r: int,
    baseline: Baseline,
    options: ThresholdsOptions,
    compute: Compute,
    told: Callable[[str, float], None],
) -> RunNumbers:
    """Measure one run; ``told`` is called with what is being done and its finished part.

    Raises:
        InputError: if the baseline has no value for any pair.
    """
    sums, law = value_sums(runs, r, baseline, compute, lambda part: told("similarity values", part / 2))
    least = 1 if isinstance(baseline, Levels) else LEAST_SCORED
    thresholds = list(_of_values(runs.names[r], sums, least, options.confidence))
    everything = sums.overall
    lists = None
    if isinstance(baseline, Levels):
        lists = list_sums(runs, r, baseline, compute, lambda part: told("places in lists", 0.5 + part / 2))
        thresholds += _of_places(runs.names[r], lists, options.confidence)
    size = welch.default_size(sums, options.min_pairs)
    return RunNumbers(
        list(_group_rows(sums, size, options.confidence)),
        thresholds,
        welch.value_threshold(sums, size, options.confidence),
        welch.by_group_size(sums, options.confidence),
        welch.question(sums),
        list(_window_rows(lists)) if lists else [],
        lists.places.mean.numpy() if lists else np.empty(0),
        lists.places.n.numpy() if lists else np.empty(0),
        welch.list_threshold(lists.places, lists.last, options.confidence) if lists else None,
        float(everything.mean),
        float(everything.variance.sqrt()),
        float(everything.n),
        law,
    )


def _of_values(run: str, sums: Sums, least: int, confidence: float) -> Iterator[Threshold]:
    ladder = rungs(sums, least)

    def edge(rung: int) -> float:
        return welch.lower_edge(int(ladder.first[rung]))

    yield from _thresholds(run, "value", ladder, confidence, edge)
    adjusted = rungs(sums, least, adjusted_mean(sums))
    for rule in RULES:
        rung = estimate(adjusted, rule)
        at, below = (None, None) if rung is None else (edge(rung), float(ladder.below[rung]))
        yield Threshold(run, "value", f"{rule} adjusted", at, None, None, below, float("nan"))


def _of_places(run: str, lists: Lists, confidence: float) -> Iterator[Threshold]:
    ladder = rungs(lists.windows)
    yield from _thresholds(run, "place", ladder, confidence, lambda rung: float(lists.to[ladder.first[rung]]))


def _thresholds(
    run: str, kind: Kind, ladder: Rungs, confidence: float, edge: Callable[[int], float]
) -> Iterator[Threshold]:
    for cut in cuts(ladder, confidence):
        proven = None if cut.proven is None else edge(cut.proven)
        last = len(ladder.first) - 1
        not_before = edge(min(cut.not_below, last))
        if cut.rung is None:
            yield Threshold(run, kind, cut.rule, None, proven, not_before, None, cut.level)
        else:
            below = float(ladder.below[cut.rung])
            yield Threshold(run, kind, cut.rule, edge(cut.rung), proven, not_before, below, cut.level)


def _group_rows(sums: Sums, size: int, confidence: float) -> Iterator[GroupRow]:
    ladder = rungs(sums)
    lowest = merged(sums, (ladder.pool == 0).long() - 1)
    se = against(sums, lowest).se
    following = welch.next_different(welch.significantly_higher(sums, confidence), sums.n.numpy() >= size)
    adjusted = adjusted_mean(sums)
    for k in range(GROUPS):
        if sums.n[k] > 0:
            after = following[k]
            yield GroupRow(
                welch.upper_edge(k),
                float(sums.n[k]),
                float(sums.mean[k]),
                float(sums.variance[k].sqrt()),
                float(se[k]),
                float(adjusted[k]),
                None if after is None else welch.upper_edge(after),
            )


def _window_rows(lists: Lists) -> Iterator[WindowRow]:
    """From the first places to the last."""
    windows = lists.windows
    lowest = merged(windows, (rungs(windows).pool == 0).long() - 1)
    se = against(windows, lowest).se
    first = 1
    for k in reversed(range(len(windows.n))):
        last = int(lists.to[k])
        yield WindowRow(first, last, float(windows.n[k]), float(windows.mean[k]), float(se[k]))
        first = last + 1
