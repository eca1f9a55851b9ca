"""The rules of the verdicts, each with the interval that decides it, by what sampled documents and training come to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.change.named import fewest_runs

MARGIN = 0.1
"""A change within a tenth of the sampling floor is no more than it."""

Row = Mapping[str, Any]
Interval = tuple[float, float]


def against_floor(row: Row) -> str:
    """Return ``"more"``, ``"no more"`` or ``"open"``: is the change beyond that of two samplings of one epoch?

    ``"more"`` if :func:`beyond` lies above 0, ``"no more"`` if :func:`beyond_margin` lies below. Between the two nobody
    can tell, with however many runs. In 120 sets each of 200 words at 3, 4, 6, 8 and 16 runs
    ``benchmarks/change_verdicts.py`` counts no false verdict where nothing moved, none of ``"no more"`` where all words
    did, and ``"more"`` in 83, 96, 100, 100 and 100 % for steps of 0.6 word lengths' SD, in 6, 15, 38, 50 and 75 % for
    steps of 0.3.
    """
    if row["sampling_floor"] is None:
        return "open"
    return "more" if beyond(row)[0] > 0 else "no more" if beyond_margin(row)[1] < 0 else "open"


def beyond(row: Row) -> Interval:
    """Return the 95 % interval, over runs and words, of the change less what :func:`expected` makes of the floor."""
    return _over_words(row, change_of(row).minus(expected(row)))


def beyond_margin(row: Row) -> Interval:
    """Return the interval of the change less 1.1 times the floor."""
    floor = Estimate(row["sampling_floor"], row["sampling_se"], _freedom(row))
    return _over_words(row, change_of(row).minus(floor.over(1 / (1 + MARGIN))))


def _over_words(row: Row, difference: Estimate) -> Interval:
    half = Estimate(0.0, row["beyond_se_words"], int(row["tested"]) - 1).half
    low, high = difference.interval
    return low - half, high + half


def expected(row: Row) -> Estimate:
    """Return the change that sampled documents alone can come to between two epochs.

    A bootstrap run draws from an epoch's own documents, so that noise of sampling is in its rows twice and they are
    longer: of one training noise t, sampling noise s and unit signal, cosines are ``(1 + s)/(1 + 2s + t)`` between
    bootstrap runs, ``(1 + s)/(1 + s + t)`` between shuffled runs of one epoch, and ``1/(1 + s + t)`` between runs of
    two epochs in which nothing changed. From the first two, as changes b and a, the last is
    ``1 − (1 − a) b / (1 − b)``: the floor is too low by ``(1 − a)/(1 − b)``. On speeches dealt out at random it was
    less so, which keeps this on the safe side.
    """
    floor, training = row["sampling_floor"], row["training_floor"]
    by_floor, by_training = (1 - training) / (1 - floor) ** 2, floor / (1 - floor)
    error = math.hypot(by_floor * row["sampling_se"], by_training * row["training_se"])
    return Estimate(floor * (1 - training) / (1 - floor), error, _freedom(row))


class Difference(NamedTuple):
    """How far epochs differ beyond documents dealt out at random, without the noise of training.

    Attributes:
        value: mean over the pairs of epochs that have splits.
        half: half of its interval; NaN for fewer than two splits.
        pairs: how many those are.
    """

    value: float
    half: float
    pairs: int


def control_difference(rows: Sequence[Row]) -> Difference | None:
    """Return the mean difference between epochs and splits at random, ``None`` without a control.

    The splits' corrected changes vary about their mean, pair of epochs by pair, with a pooled SD s; where nothing
    changed the epochs are one split more: half the interval is ``t s √(1 + 1/k)`` for k splits, and errors over runs.
    Pairs share epochs, so the mean over them is given no smaller error.
    """
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row in rows:
        found.setdefault((row["first"], row["second"]), ([], []))[bool(row["control"])].append(row["corrected"])
    pairs = [(fmean(own), splits) for own, splits in found.values() if own and splits]
    if not pairs:
        return None
    value = fmean(own - fmean(splits) for own, splits in pairs)
    freedom = sum(len(splits) - 1 for _, splits in pairs)
    if not freedom or not all(math.isfinite(x) for own, splits in pairs for x in (own, *splits)):
        return Difference(value, math.nan, len(pairs))
    spread = math.sqrt(sum((x - fmean(splits)) ** 2 for _, splits in pairs for x in splits) / freedom)
    fewest = min(len(splits) for _, splits in pairs)
    runs = max(corrected_of(row).half for row in rows)
    return Difference(value, math.hypot(t_quantile(freedom) * spread * math.sqrt(1 + 1 / fewest), runs), len(pairs))


def against_control(rows: Sequence[Row]) -> str:
    """Return ``"more"``, ``"open"`` or ``"unknown"``: do epochs differ more than documents dealt out at random?

    ``"more"`` if :func:`control_difference` lies above 0, one-sided at 2.5 %. ``"unknown"`` for fewer than two splits.
    Of 120 sets each at 3 runs and 2, 3 splits, and 8 runs and 2, 3 splits ``benchmarks/change_verdicts.py`` counts 0,
    0, 3 and 1 false ones, and sees steps of 0.3 word lengths' SD in 61, 100, 64 and 100 %.
    """
    found = control_difference(rows)
    if found is None or math.isnan(found.half):
        return "unknown"
    return "more" if found.value > found.half else "open"


def law_verdict(genuine: Row, control: Sequence[Row]) -> str:
    """Return ``"more"``, ``"less"`` or ``"open"``: does frequency explain more than in the control?

    By :func:`law_difference`. Of 120 sets of 300 words in two pairs of epochs ``benchmarks/change_verdicts.py`` counts
    3 false verdicts under one law and sees β of −0.5, −0.6, −0.7 against −0.4 in 26, 71 and 98 %.
    """
    low, high = law_difference(genuine, control)
    return "more" if low > 0 else "less" if high < 0 else "open"


def law_difference(genuine: Row, control: Sequence[Row]) -> Interval:
    """Return the 95 % interval of the difference of R² to the control.

    Errors are those over words and over runs together; several control splits are averaged, and their spread counts if
    it is larger.
    """
    values = [row["r2_marginal"] for row in control]
    spread = (
        math.sqrt(sum((x - fmean(values)) ** 2 for x in values) / (len(values) - 1) / len(values))
        if len(values) > 1
        else 0.0
    )
    error = max(spread, fmean(_error(row) for row in control))
    difference = genuine["r2_marginal"] - fmean(values)
    half = 1.96 * math.hypot(_error(genuine), error)
    return difference - half, difference + half


def _error(row: Row) -> float:
    """Of R², over words and over runs; one run has none of the latter."""
    runs = row["r2_se_runs"]
    return math.hypot(row["r2_se"], runs) if math.isfinite(runs) else float(row["r2_se"])


def change_of(row: Row) -> Estimate:
    """Return the change between single runs with its error over the runs of both epochs."""
    return Estimate(row["change"], row["change_se"], _freedom(row))


def corrected_of(row: Row) -> Estimate:
    """Return the change without the noise of training."""
    return Estimate(row["corrected"], row["corrected_se"], _freedom(row))


def _freedom(row: Row) -> int:
    """Of the jackknife over the runs of two epochs."""
    return fewest_runs(row) - 1
