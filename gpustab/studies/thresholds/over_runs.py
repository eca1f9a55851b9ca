"""Thresholds over runs: what training again changes, beside what another choice of words would change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from gpustab.kernels.similarity_groups import STEPS
from gpustab.statistics.intervals import Estimate
from gpustab.studies.thresholds.lists import WINDOW
from gpustab.studies.thresholds.one_run import RunFound, Threshold


class OverRuns(NamedTuple):
    """A threshold over the runs of a group.

    Attributes:
        group: name of the group.
        kind: ``"value"`` or ``"place"``.
        rule: which threshold, the paper's too.
        mean: over the runs that have it; ``None`` if none has.
        sd: over these runs, ``ddof = 1``.
        error: standard error of the mean over runs: training noise, and the step in which thresholds are told, 0.01 of
            a value and a window of places, which equal values of all runs hide.
        half: half the 95 % interval of the mean, by Student's t.
        lowest: least value over runs.
        highest: largest.
        proven_from: mean over runs of where it surely lies not before, by the words; ``None`` for the paper's.
        proven_to: mean over runs of what is proven; ``None`` if some run proves none.
        below: mean share of the pairs below it.
        found: runs that have it.
        runs: how many there are.
    """

    group: str
    kind: str
    rule: str
    mean: float | None
    sd: float | None
    error: float | None
    half: float | None
    lowest: float | None
    highest: float | None
    proven_from: float | None
    proven_to: float | None
    below: float | None
    found: int
    runs: int

    @property
    def estimate(self) -> Estimate:
        """The mean with its error over runs."""
        return Estimate.of_runs(self.mean, self.error, self.found)


def over_runs(group: str, found: Sequence[RunFound]) -> list[OverRuns]:
    """Return every threshold of a group over its runs, the paper's last."""
    by_rule: dict[tuple[str, str], list[Threshold]] = {}
    for run in found:
        for threshold in run.thresholds:
            by_rule.setdefault((threshold.kind, threshold.rule), []).append(threshold)
    ours = [_ours(group, kind, rule, own) for (kind, rule), own in by_rule.items()]
    paper = [run.paper for run in found]
    rows = [*ours, _row(group, "value", "paper", [x.cut for x in paper], [x.below for x in paper])]
    lists = [run.paper_lists for run in found if run.paper_lists is not None]
    if lists:
        rows.append(_row(group, "place", "paper, last different", [x.last_different for x in lists], [], 1.0))
        rows.append(_row(group, "place", "paper, first equal", [x.first_equal for x in lists], [], 1.0))
    return rows


def _ours(group: str, kind: str, rule: str, own: Sequence[Threshold]) -> OverRuns:
    values = [x.estimate for x in own]
    row = _row(group, kind, rule, values, [x.below for x in own], _step(kind, values))
    proven = [x.proven for x in own]
    whole = None if None in proven else _mean(proven)
    return row._replace(proven_from=_mean(x.not_before for x in own), proven_to=whole)


def _step(kind: str, values: Sequence[float | None]) -> float:
    return 1 / STEPS if kind == "value" else WINDOW * (_mean(values) or 0.0)


def _row(
    group: str,
    kind: str,
    rule: str,
    values: Sequence[float | None],
    shares: Iterable[float | None],
    step: float = 1 / STEPS,
) -> OverRuns:
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


def error_of(sd: float | None, runs: int, step: float = 1 / STEPS) -> float | None:
    """Return the standard error of a mean over runs of what is told in steps; ``None`` of one run."""
    return None if sd is None else math.hypot(sd / math.sqrt(runs), step / math.sqrt(12))


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None and not math.isnan(value)]
    return fmean(there) if there else None


def size_rows(group: str, found: Sequence[RunFound]) -> list[dict[str, Any]]:
    """Return the paper's value threshold at every least group size, over the runs."""
    sizes = sorted({row.min_pairs for run in found for row in run.sizes})
    rows = []
    for size in sizes:
        own = [row for run in found for row in run.sizes if row.min_pairs == size]
        named = _row(group, "value", "paper", [row.group for row in own], [])
        start = _mean(row.reference for row in own)
        rows.append(
            {
                "group": group,
                "min_pairs": size,
                "lowest_group": start,
                "next_higher": named.mean,
                "sd": named.sd,
                "lowest": named.lowest,
                "highest": named.highest,
                "runs_with_one": named.found,
                "runs": len(own),
            }
        )
    return rows
