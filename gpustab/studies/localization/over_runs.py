"""Scores of several runs of one model: their mean, how far runs differ, and intervals that hold both errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpustab.studies.localization.bootstrap import bootstrap_weights, interval_over_runs
from gpustab.studies.localization.comparisons import Distances, cases, hits_of


class OverRuns(NamedTuple):
    """One comparison over all runs of a model, see :class:`~gpustab.studies.localization.scores.Score`.

    Attributes:
        model: its name.
        subset: ``all`` or ``known``.
        comparison: its name.
        k: changed words.
        runs: how many.
        n: sentences of which every run has distances.
        share: mean over runs.
        share_sd: standard deviation over runs.
        low: 95 % interval of the share, for other sentences and other trainings.
        high: its upper end.
        half: mean over runs of P(farther) + 1/2 P(equal).
        half_sd: standard deviation over runs.
        half_low: its 95 % interval.
        half_high: its upper end.
        equal_share: mean over runs.
        components: that hold these sentences.
    """

    model: str
    subset: str
    comparison: str
    k: int
    runs: int
    n: int
    share: float
    share_sd: float
    low: float
    high: float
    half: float
    half_sd: float
    half_low: float
    half_high: float
    equal_share: float
    components: int


def over_runs(
    model: str, runs: Sequence[Distances], component: Sequence[int], draws: int, seed: int, open_: bool
) -> list[OverRuns]:
    """Return all comparisons of a model over its runs; none for a model of one run.

    Args:
        model: its name.
        runs: distances of every run.
        component: ``(B,)`` of every base.
        draws: bootstrap samples.
        seed: of them.
        open_: whether the model lacks words.
    """
    if len(runs) < 2:
        return []
    numbers = np.asarray(component)
    weights = bootstrap_weights(int(numbers.max(initial=-1)) + 1, draws, seed)
    found = []
    for case in cases(runs, open_):
        own = numbers[case.there]
        share, half = hits_of(case.comparison, case.far, case.near)
        share_sd, low, high = _of_share(interval_over_runs(share, own, weights))
        half_sd, half_low, half_high = _of_share(interval_over_runs(half, own, weights))
        found.append(
            OverRuns(
                model, case.subset, case.comparison.name, case.k, len(runs), share.shape[1],
                float(share.mean()), share_sd, low, high,
                float(half.mean()), half_sd, half_low, half_high,
                float((case.far == case.near).mean()), len(np.unique(own)),
            )
        )  # fmt: skip
    return found


def _of_share(found: tuple[float, float, float]) -> tuple[float, float, float]:
    """The interval of a share within 0 to 1, which t of few runs can leave."""
    sd, low, high = found
    return sd, max(low, 0.0) if low == low else low, min(high, 1.0) if high == high else high
