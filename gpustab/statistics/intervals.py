"""Intervals of means over few runs: Student's t, in one place, and numbers that know how sure they are.

A mean over pairs of runs has the jackknife error over runs, which rests on R values: ± 1.96 of them cover 0.85 to 0.92
at 4 runs, ± t(R − 1) of them 0.95 to 0.975.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

LEVEL = 0.95
"""Level of the intervals that are printed and that verdicts rest on."""


def t_quantile(freedom: int, level: float = LEVEL) -> float:
    """Return t such that Student's t with so many degrees of freedom lies within ±t with probability ``level``.

    >>> [round(t_quantile(freedom), 3) for freedom in (1, 2, 3, 7, 15)]
    [12.706, 4.303, 3.182, 2.365, 2.131]
    """
    from scipy.special import stdtrit

    if freedom < 1 or not 0 < level < 1:
        raise ValueError(f"freedom is {freedom}, level is {level}; wanted 1 or more, and a level between 0 and 1")
    return float(stdtrit(freedom, (1 + level) / 2))


def chi_square_quantile(freedom: int, probability: float) -> float:
    """Return the quantile of χ² with so many degrees of freedom.

    >>> [round(chi_square_quantile(freedom, 0.025), 4) for freedom in (2, 5)]
    [0.0506, 0.8312]
    """
    from scipy.special import chdtri

    if freedom < 1 or not 0 < probability < 1:
        raise ValueError(f"freedom is {freedom}, probability is {probability}; wanted 1 or more, and between 0 and 1")
    return float(chdtri(freedom, 1 - probability))


class Estimate(NamedTuple):
    """A number from runs, with its error.

    Attributes:
        value: the number; NaN where it is undefined.
        se: its standard error; NaN where none is defined.
        freedom: how many degrees of freedom the error has: R − 1 for a jackknife over R runs.

    Example:
        >>> loss = Estimate.of_runs(0.0197, 0.000084, 3)
        >>> [round(x, 5) for x in loss.interval]
        [0.01934, 0.02006]
    """

    value: float
    se: float
    freedom: int

    @classmethod
    def of_runs(cls, value: float | None, se: float | None, runs: int) -> Estimate:
        """Return a number whose error was found by leaving out one of R runs (or R values) after the other."""
        return cls(math.nan if value is None else value, math.nan if se is None else se, runs - 1)

    @property
    def half(self) -> float:
        """Half the width of the interval; NaN without an error."""
        if self.se == 0:
            return 0.0
        return math.nan if self.freedom < 1 else t_quantile(self.freedom) * self.se

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.value - self.half, self.value + self.half

    def among(self, count: int) -> tuple[float, float]:
        """Return the interval that holds together with those of others, of so many in all (Bonferroni): 95 % for all.

        >>> one = Estimate(1.0, 0.1, 7)
        >>> [round(x, 2) for x in one.among(4)], [round(x, 2) for x in one.interval]
        ([0.67, 1.33], [0.76, 1.24])
        """
        if count < 2 or self.freedom < 1:
            return self.interval
        half = t_quantile(self.freedom, 1 - (1 - LEVEL) / count) * self.se
        return self.value - half, self.value + half

    def minus(self, other: Estimate) -> Estimate:
        """Return the difference to an estimate from other runs.

        It has the fewer degrees of freedom of the two. That is on the safe side: two groups of one law get a false
        verdict in 1.5 to 3.9 % of the cases at 3 to 16 runs, by two standard errors in 5 to 11.6 %.
        """
        return Estimate(self.value - other.value, math.hypot(self.se, other.se), min(self.freedom, other.freedom))

    def over(self, scale: float) -> Estimate:
        """Return the estimate as a part of a number that is taken for exact; undefined as a part of 0.

        >>> Estimate(1.0, 0.5, 3).over(2.0)
        Estimate(value=0.5, se=0.25, freedom=3)
        """
        return Estimate(ratio(self.value, scale), ratio(self.se, abs(scale)), self.freedom)

    def text(self, form: str = ".3g") -> str:
        """Return ``value ± half`` of the 95 % interval.

        >>> Estimate.of_runs(0.0197, 0.000084, 3).text()
        '0.0197 ± 0.00036'
        >>> Estimate.of_runs(0.5, None, 2).text(), Estimate.of_runs(None, None, 3).text()
        ('0.5 ± ?', '–')
        """
        half = self.half
        if math.isnan(self.value):
            return "–"
        return f"{self.value:{form}} ± {'?' if math.isnan(half) else format(half, '.2g')}"


def ratio(part: float, whole: float) -> float:
    """Return a part of a whole; NaN, undefined, where the whole is 0: of equal runs many are.

    >>> ratio(1.0, 2.0), ratio(1.0, 0.0)
    (0.5, nan)
    """
    return part / whole if whole else math.nan


def ratio_interval(
    above: float, ends: tuple[float, float], below: float, ends_below: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of a ratio of two positive numbers by their intervals, as if their errors were independent.

    The number above may be 0. Relative errors are added as squares, on either side: the ratio is least where the number
    above is least and the one below is largest. NaN where an interval is NaN, or the number below is 0.

    >>> [round(end, 3) for end in ratio_interval(0.2, (0.14, 0.26), 1.0, (0.6, 1.4))]
    [0.1, 0.3]
    """
    if not (above >= 0 and below > 0):
        return math.nan, math.nan
    if above == 0:
        return 0.0, ends[1] / below
    value = above / below
    down = math.hypot((above - ends[0]) / above, (ends_below[1] - below) / below)
    up = math.hypot((ends[1] - above) / above, (below - ends_below[0]) / below)
    return max(value * (1 - down), 0.0), value * (1 + up)


def ratio_of(above: Estimate, below: Estimate) -> Estimate:
    """Return a ratio with its error, by propagation; it has the fewer degrees of freedom of the two."""
    if not below.value > 0:
        return Estimate(math.nan, math.nan, min(above.freedom, below.freedom))
    value = above.value / below.value
    relative = math.hypot(above.se / above.value if above.value else math.nan, below.se / below.value)
    return Estimate(value, value * relative, min(above.freedom, below.freedom))


def jackknife_error(left_out: Sequence[float]) -> float:
    """Return the jackknife error of a number from the values that it has without each of k parts; NaN for k < 2.

    Of a mean it is SD/√k: without each of 1, 2, 3, 4 their mean is 3, 8/3, 7/3, 2.

    >>> round(jackknife_error([3, 8 / 3, 7 / 3, 2]), 6), round(1.25**0.5 / 3**0.5, 6)
    (0.645497, 0.645497)
    """
    k = len(left_out)
    mean = sum(left_out) / k if k else math.nan
    return math.sqrt((k - 1) / k * sum((x - mean) ** 2 for x in left_out)) if k > 1 else math.nan


def correlation_interval(correlation: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a correlation over so many items, by Fisher's z; NaN for fewer than 4.

    >>> [round(x, 3) for x in correlation_interval(0.95, 300)]
    [0.938, 0.96]
    """
    if count < 4 or math.isnan(correlation):
        return math.nan, math.nan
    if abs(correlation) >= 1:
        return correlation, correlation
    half = t_quantile(count - 3) / math.sqrt(count - 3)
    low, high = (math.tanh(math.atanh(correlation) + x) for x in (-half, half))
    return low, high


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Pearson's ρ; NaN for fewer than 3 values, or where one side is constant."""
    x, y = (np.asarray(values, np.float64) for values in (first, second))
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return float(np.corrcoef(x, y)[0, 1])


def sd_interval(sd: float, runs: int) -> tuple[float, float]:
    """Return the 95 % interval of an SD over R runs, or over their pairs, by χ² with R − 1 degrees of freedom.

    Pairs share runs: where runs differ in their noise, R values stand behind the SD, however many pairs there are;
    where they do not, the interval is wider than it must be.

    >>> [round(x, 4) for x in sd_interval(0.01, 6)]
    [0.0062, 0.0245]
    """
    if runs < 2 or math.isnan(sd):
        return math.nan, math.nan
    freedom, rest = runs - 1, (1 - LEVEL) / 2
    low, high = (sd * math.sqrt(freedom / chi_square_quantile(freedom, p)) for p in (1 - rest, rest))
    return low, high


def expected_sd(n: int, ddof: int = 1) -> float:
    """Return E[SD]/σ of n normal values.

    >>> [round(expected_sd(n), 3) for n in (2, 8)], [round(expected_sd(n, ddof=0), 3) for n in (2, 5, 10, 25, 50)]
    ([0.798, 0.965], [0.564, 0.841, 0.923, 0.97, 0.985])
    """
    return math.sqrt(2 / (n - ddof)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))


@lru_cache(maxsize=1 << 12)  # a table of neighbours asks for few shares, often
def wilson(hits: float, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson score interval of a share (Wilson 1927), by default at 95 %.

    Args:
        hits: successes, 0 to ``trials``; half ones count as halves.
        trials: at least 1.
        z: normal quantile of the level.

    >>> [round(x, 2) for x in wilson(9, 10)]
    [0.6, 0.98]
    """
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)


class Extrinsic(NamedTuple):
    """What resampling these documents adds to training noise; for other documents it is a floor, no estimate.

    Attributes:
        signed_square: ``bootstrap² − intrinsic²``; negative where bootstrap runs differ less than shuffled ones.
        square_se: its standard error.
        value: root of the square; ``None`` if that is negative.
        se: standard error of the value, by propagation; ``None`` without a value.
    """

    signed_square: float
    square_se: float
    value: float | None
    se: float | None


def extrinsic(intrinsic: float, bootstrap: float, intrinsic_se: float = 0.0, bootstrap_se: float = 0.0) -> Extrinsic:
    """Return the extrinsic instability ``√(bootstrap² − intrinsic²)``; eq. 2.42 lacks the squares.

    Reproduces table 2.11 from table 2.8; eq. 2.44 lacks the squares too.

    >>> round(extrinsic(1.805, 3.417).value, 3)  # word2vec, Hindi: tables 2.8 and 2.11
    2.901
    """
    square = bootstrap**2 - intrinsic**2
    square_se = 2 * math.hypot(bootstrap * bootstrap_se, intrinsic * intrinsic_se)
    if square <= 0:
        return Extrinsic(square, square_se, None if square < 0 else 0.0, None)
    return Extrinsic(square, square_se, math.sqrt(square), square_se / (2 * math.sqrt(square)))
