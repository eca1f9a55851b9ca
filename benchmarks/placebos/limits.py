"""What is true of runs of a law, found from many of them: the number that a rule judges, and on which side it lies.

A rule judges a number with its interval. The same number of all runs of a pool, or the mean over many sets of R runs
where it is one of R runs, lies on one side of the rule's margin for certain, or the rule is not asked there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.placebos.cells import NEITHER, Said, Truth, recorded, should
from gpustab.statistics.intervals import Estimate
from gpustab.studies.instability import claims, claims_of_averages, claims_of_losses
from gpustab.studies.instability.frequency import TrendRow
from gpustab.studies.instability.subsets import freed

SURE = 2.5
"""Errors by which a number is off a margin, so that its side is known."""
LIMIT = 40
"""Runs that a limit is found from."""


class Bound(NamedTuple):
    """A number, its error, and within what it is where the claim holds."""

    value: float
    error: float
    low: float
    high: float


Bounds = Callable[[Any], list[Bound]]


def _estimate(low: float, high: float, of: Callable[[Any], Estimate] = lambda x: x) -> Bounds:
    return lambda x: [Bound(of(x).value, of(x).se, low, high)]


def _trend(row: TrendRow, low: float, high: float) -> list[Bound]:
    return [Bound(row.change, (row.high - row.low) / 4, low, high)]


def _spread(high: float) -> Bounds:
    return lambda x: [Bound(x.sd, x.sd / math.sqrt(2 * (x.runs - 1)), 0, high)]


def _term(row: Any) -> list[Bound]:
    no_mean = claims_of_averages.NO_MEAN
    sides = ((-no_mean, no_mean), (-math.inf, no_mean), (-math.inf, 1.0))
    return [Bound(part.value, part.se, *side) for part, side in zip(row.parts, sides, strict=True)]


def _predicted(x: claims.Predicted) -> list[Bound]:
    low, high = x.interval
    return [Bound(x.pearson, (high - low) / 4, claims.AGREES, math.inf)]


_INF, _NEAR = math.inf, claims_of_averages.NEAR
_FLAT, _SQUARED = claims_of_losses.FLAT_INTRINSIC, claims_of_losses.FLAT_EXTRINSIC
OF_MANY: Mapping[str, Bounds] = {
    "instability.independent-cosines": _estimate(-claims.INDEPENDENT, claims.INDEPENDENT, lambda x: x.mean_correlation),
    "instability.inconsistent-over-n": _estimate(-1, claims.CONSISTENT, lambda x: freed(x)),
    "instability.unrelated-to-distance": _estimate(-claims.UNRELATED, claims.UNRELATED, lambda x: freed(x)),
    "instability.predicted-by-normals": _predicted,
    "instability.structure-factor": _predicted,
    "instability.averages-vary-less": _estimate(-_INF, claims_of_averages.SMALLER),
    "instability.averages-have-larger-means": _estimate(claims_of_averages.LARGER, _INF),
    "instability.second-term": _term,
    "instability.losses-hardly-vary": _spread(claims_of_losses.VARIES),
    "instability.two-runs-suffice": _spread(claims_of_losses.ONE_PAIR),
    "instability.intrinsic-flat": lambda x: _trend(x, -_FLAT, _FLAT),
    "instability.extrinsic-flat": lambda x: _trend(x, -_SQUARED, _SQUARED),
    "instability.extrinsic-falls": lambda x: _trend(x, -_INF, 0),
}
"""What is the same however few runs are judged: the number of all runs is the truth."""
OF_R: Mapping[str, Bounds] = {
    "instability.normal-cosines": lambda x: [
        Bound(
            x.distance, (claims.NORMAL - claims.NOT_NORMAL) / 2 / SURE, -_INF, (claims.NORMAL + claims.NOT_NORMAL) / 2
        )
    ],
    "instability.consistent-over-proxies": lambda x: [Bound(x.rho, 0.0, claims.AGREES, 1)],
    "instability.losses-fall-as-root-n": _estimate(1 - _NEAR, 1 + _NEAR, lambda x: x.fall),
    "instability.averaging-helps": _estimate(-_INF, 1, lambda x: Estimate(x.ratio_cosine, x.cosine_sd, x.orders - 1)),
    "instability.reference-matters": _estimate(0, _INF, lambda x: x.reference.minus(x.order)),
    "instability.reference-adds-variation": _estimate(1, _INF, lambda x: x.of_halves),
}
"""What depends on R: the mean over many sets of R runs is the truth."""
_NAMES = {"instability.averaging-helps": ("helps", "harms")}
_FLAT_ONES = {"instability.intrinsic-flat": _FLAT, "instability.extrinsic-flat": _SQUARED}


def truths_of_many(judged: Mapping[str, Sequence[Any]]) -> dict[str, Truth]:
    """Return the truths on what was judged of all runs, by id of the claim; none where its side is not known."""
    truths = {}
    for name, bounds in OF_MANY.items():
        for x in judged.get(name, ())[:1]:
            if x is not None and (truth := _truth(name, bounds(x))):
                truths[name] = _humped(truth, x.batch_deviation, _FLAT_ONES[name]) if name in _FLAT_ONES else truth
    return truths


def truths_of_sets(said: Sequence[Said]) -> dict[str, Truth]:
    """Return the truths on what was judged of many sets of R runs."""
    truths = {}
    for name, bounds in OF_R.items():
        found = [bounds(of_set[name][0][0])[0] for of_set in said if of_set.get(name)]
        values = [bound.value for bound in found if math.isfinite(bound.value)]
        if len(values) > 2:
            error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
            error = max(error, found[0].error) if name == "instability.normal-cosines" else error
            if truth := _truth(name, [found[0]._replace(value=float(np.mean(values)), error=error)]):
                truths[name] = truth
    return truths


def _truth(name: str, bounds: Sequence[Bound]) -> Truth | None:
    yes, no = _NAMES.get(name, ("yes", "no"))
    if any(math.isnan(bound.value) for bound in bounds):
        return NEITHER
    off = [SURE * bound.error for bound in bounds]
    if any(b.value < b.low - sure or b.value > b.high + sure for b, sure in zip(bounds, off, strict=True)):
        return should(no, yes)
    if all(b.low + sure <= b.value <= b.high - sure for b, sure in zip(bounds, off, strict=True)):
        return should(yes, no)
    return None


def _humped(truth: Truth, deviation: float, margin: float) -> Truth:
    """Neither flat nor rising nor falling is what a line sees no change in, but single batches do."""
    return NEITHER if "no" in truth.wrong and deviation > margin else truth


def judged_by(ask: Callable[[], object]) -> dict[str, list[Any]]:
    """Return what was judged, by id of the claim, when a study was asked."""
    with recorded() as said:
        ask()
    found: dict[str, list[Any]] = defaultdict(list)
    for name, verdicts in said.items():
        found[name] += [x for x, _ in verdicts]
    return found
