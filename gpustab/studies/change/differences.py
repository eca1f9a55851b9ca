"""Changes and shares beside what sampled documents and training come to: differences with the intervals that decide."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from gpustab.results.page import number, percent
from gpustab.statistics.intervals import Estimate, t_quantile
from gpustab.studies.change.tables import Kept, Law, Pair, beside_splits
from gpustab.studies.shared.wording import difference_span, number_span, signed_span

Interval = tuple[float, float]


def beyond(pair: Pair) -> Interval:
    """Return the 95 % interval, over runs and words, of the change less what :func:`expected` makes of the floor."""
    return _over_words(pair, pair.estimate(pair.change, pair.change_se).minus(expected(pair)))


def beyond_margin(pair: Pair, margin: float) -> Interval:
    """Return the same interval of the change less the floor and a margin.

    The margin is a part of what sampled documents add to training: of the whole floor, most of which is training where
    runs are noisy, it would swallow any change.
    """
    change = pair.estimate(pair.change, pair.change_se)
    floor = pair.estimate(pair.sampling_floor, pair.sampling_se)
    value = change.value - floor.value - margin * (floor.value - pair.training_floor)
    error = math.hypot(change.se, (1 + margin) * floor.se, margin * pair.training_se)
    return _over_words(pair, Estimate(value, error, change.freedom))


def noise(pair: Pair) -> float:
    """Return how far two runs of one period lie apart, as a part of how far two different words do."""
    return pair.training_floor / pair.unlike if pair.unlike > 0 else math.inf


def expected(pair: Pair) -> Estimate:
    """Return the change that sampled documents alone can come to between two periods.

    A bootstrap run draws from a period's own documents, so that noise of sampling is in its rows twice and they are
    longer: of one training noise t, sampling noise s and unit signal, cosines are ``(1 + s)/(1 + 2s + t)`` between
    bootstrap runs, ``(1 + s)/(1 + s + t)`` between shuffled runs of one period, and ``1/(1 + s + t)`` between runs of
    two periods in which nothing changed. From the first two, as changes b and a, the last is
    ``1 − (1 − a) b / (1 − b)``: the floor is too low by ``(1 − a)/(1 − b)``. On speeches dealt out at random it was
    less so, which keeps this on the safe side.
    """
    floor = pair.estimate(pair.sampling_floor, pair.sampling_se)
    by_floor = (1 - pair.training_floor) / (1 - floor.value) ** 2
    by_training = floor.value / (1 - floor.value)
    error = math.hypot(by_floor * floor.se, by_training * pair.training_se)
    return Estimate(floor.value * (1 - pair.training_floor) / (1 - floor.value), error, floor.freedom)


def _over_words(pair: Pair, difference: Estimate) -> Interval:
    half = Estimate.of_runs(0.0, pair.beyond_se_words, pair.tested).half
    low, high = difference.interval
    return low - half, high + half


def with_interval(change: Estimate) -> str:
    """Return a change and its 95 % interval over runs, without one where there is no error.

    >>> with_interval(Estimate(0.2, 0.005, 3)), with_interval(Estimate(0.2, math.nan, 3))
    ('0.20 (0.18–0.22)', '0.20')
    """
    return spanned(change.value, change.half)


def spanned(value: float, half: float) -> str:
    """Return a number with an interval about it, in as many digits as its ends have, so that it lies between them.

    >>> spanned(0.2175, 0.0007), spanned(-0.031, 0.01), spanned(0.0312, math.nan)
    ('0.217 (0.217–0.218)', '−0.03 (−0.04 to −0.02)', '0.031')
    """
    if math.isnan(half):
        return number(value, 2)
    span = number_span(value - half, value + half)
    digits = max(len(part) for part in re.findall(r"\.(\d+)", span))
    return f"{value:.{digits}f} ({span})".replace("-", "−")


def at_random(row: Pair, splits: Sequence[Pair]) -> tuple[float, float]:
    """Return the mean change of splits at random with half its 95 % interval, over runs and, of several, over splits.

    NaN where it, or its error, is unknown; one split says nothing of others.
    """
    name = beside_splits(row)
    each = [split.estimate(getattr(split, name), getattr(split, f"{name}_se")) for split in splits]
    values = [one.value for one in each] or [math.nan]
    over_splits = Estimate.of_runs(0.0, stdev(values) / math.sqrt(len(values)), len(values)).half if splits[1:] else 0.0
    return fmean(values), math.hypot(over_splits, max((one.half for one in each), default=math.nan))


class AtRandom(NamedTuple):
    """How far periods differ beyond documents dealt out at random, without the noise of training.

    Attributes:
        value: mean over the pairs of periods that have splits; NaN without any.
        half: half of its interval; NaN for fewer than two splits.
        pairs: how many those are.
        splits: how many each of them has at least.
        noise: of the noisiest pair of periods, see :func:`noise`.
    """

    value: float
    half: float
    pairs: int
    splits: int
    noise: float

    @property
    def span(self) -> str:
        """The interval, for a sentence."""
        return signed_span(self.value - self.half, self.value + self.half)

    @property
    def mean_over(self) -> str:
        """What the value is a mean of, for a bracket; empty where it is none."""
        return f"mean of {self.pairs} pairs of periods" if self.pairs > 1 else ""


def control_difference(rows: Sequence[Pair]) -> AtRandom:
    """Return how much farther words moved between periods than between splits at random, without training noise."""
    noisiest = max((noise(row) for row in rows if not row.control), default=0.0)
    return _beside_splits([(row, row.estimate(row.corrected, row.corrected_se)) for row in rows], noisiest)


def neighbours_difference(rows: Sequence[Kept]) -> AtRandom:
    """Return how many more of their neighbours words lost between periods than between splits at random."""
    noisy = any(math.isfinite(row.two_runs) and math.isnan(row.lost) for row in rows)
    return _beside_splits([(row, row.estimate(row.lost, row.lost_se)) for row in rows], math.inf if noisy else 0.0)


def _beside_splits(rows: Sequence[tuple[Pair | Kept, Estimate]], noisiest: float) -> AtRandom:
    """Return the mean difference between periods and splits at random.

    The splits' numbers vary about their mean, pair of periods by pair, with a pooled SD s; where nothing changed the
    periods are one split more: half the interval is ``t s √(1 + 1/k)`` for k splits, and errors over runs. Pairs share
    periods, so the mean over them is given no smaller error.
    """
    changes: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for row, estimate in rows:
        changes.setdefault((row.first, row.second), ([], []))[row.control].append(estimate.value)
    pairs = [(fmean(genuine), splits) for genuine, splits in changes.values() if genuine and splits]
    if not pairs:
        return AtRandom(math.nan, math.nan, 0, 0, noisiest)
    fewest = min(len(splits) for _, splits in pairs)
    value = fmean(genuine - fmean(splits) for genuine, splits in pairs)
    freedom = sum(len(splits) - 1 for _, splits in pairs)
    if not freedom or not all(math.isfinite(x) for genuine, splits in pairs for x in (genuine, *splits)):
        return AtRandom(value, math.nan, len(pairs), fewest, noisiest)
    spread = math.sqrt(sum((x - fmean(splits)) ** 2 for _, splits in pairs for x in splits) / freedom)
    runs = max(estimate.half for _, estimate in rows)
    half = math.hypot(t_quantile(freedom) * spread * math.sqrt(1 + 1 / fewest), runs)
    return AtRandom(value, half, len(pairs), fewest, noisiest)


class Explained(NamedTuple):
    """What frequency explains of change between the averages of most runs, and in splits, where nothing changed."""

    genuine: Law
    splits: Sequence[Law]

    @property
    def at_random(self) -> float:
        """R² of frequency where nothing changed, mean over the splits."""
        return fmean(law.r2_marginal for law in self.splits)

    @property
    def difference(self) -> Estimate:
        """R² of frequency beyond that of the splits.

        Errors are those over words and over runs together; several splits are averaged, and their spread counts if it
        is larger. The interval has the degrees of freedom of the error over runs, of the law that has fewest: R − 1 of
        the average of R runs. One run has no error over runs: then the error is that over words alone, which says
        nothing of other trainings, and its freedom are the words less one, since it was found by drawing words.
        """
        values = [law.r2_marginal for law in self.splits]
        spread = math.sqrt(sum((x - fmean(values)) ** 2 for x in values) / max(len(values) - 1, 1) / len(values))
        error = math.hypot(_r2_error(self.genuine), max(spread, fmean(map(_r2_error, self.splits))))
        freedom = min(map(_r2_freedom, (self.genuine, *self.splits)))
        return Estimate(self.genuine.r2_marginal - fmean(values), error, freedom)

    @property
    def span(self) -> str:
        """The interval of the difference in points of percent."""
        low, high = self.difference.interval
        return difference_span(100 * low, 100 * high, 0)

    @property
    def share(self) -> str:
        """What frequency explains, as the beginning of a sentence."""
        share = f"{percent(self.genuine.r2_marginal)} of the differences between words (R² of the logarithm of change)"
        return f"Frequency explains {share}" + (
            f", and {percent(self.at_random)} where nothing changed" if self.splits else ""
        )


def _r2_error(law: Law) -> float:
    """Of R², over words and over runs; one run has none of the latter."""
    return math.hypot(law.r2_se, law.r2_se_runs) if math.isfinite(law.r2_se_runs) else law.r2_se


def _r2_freedom(law: Law) -> int:
    return law.freedom if math.isfinite(law.r2_se_runs) else law.words - 1
