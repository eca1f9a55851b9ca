"""The effect of one test over runs: its size and p, how often another run turns it, and what it is without a word."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from gpustab.results import Column, Sheet
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate, jackknife_error, t_quantile
from gpustab.statistics.splits import Floats, split_test
from gpustab.studies.association.claims import CHANCE, Tested
from gpustab.studies.association.sets import Sets

_ONE = 1 - 1e-12
"""A correlation of 1 has no z."""
_FAR = 1e3
"""Beyond so many standard errors nobody asks for the share of runs of another sign."""


class RunRow(NamedTuple):
    """One test in one run."""

    group: str
    test: str
    run: str
    effect: Annotated[float, Column("d", 3, "effect size")]
    difference: Annotated[float, Column(about="of association, in cosine")]
    p: Annotated[float, Column(digits=2, about="two-sided, by splits of the words")]


class WordRow(NamedTuple):
    """One word of a test, and what the test is without it."""

    group: str
    test: str
    set: Annotated[str, Column(about="that the word is of")]
    word: str
    association: Annotated[float | None, Column(about="of a target with A less B, in cosine; mean over runs")]
    association_se: Annotated[float | None, Column(about="its error over runs")]
    without: Annotated[float, Column("d without it", 3, "effect size without the word, likewise over runs")]
    p_without: Annotated[float, Column("p without it", 2)]


RUN_ROWS = Sheet("runs", RunRow, "one row a group, test and run", long=True)
WORD_ROWS = Sheet("words", WordRow, "one row a group, test and word")


class Measured(NamedTuple):
    """A test over runs.

    Attributes:
        associations: ``(R, t)`` of the targets.
        difference: ``(R,)`` of the means of X and Y.
        effect: ``(R,)`` d, that difference by the SD over all targets.
        z: ``(R,)`` Fisher's z of the correlation of association and set, which for sets of one size is about d/2. It
            has no bound, near which d is skewed: by d 6 % of intervals of the share of turning runs lay below it.
        most: the largest d that sets of these sizes can have, at a correlation of 1.
    """

    associations: Floats
    difference: Floats
    effect: Floats
    z: Floats
    most: float

    @property
    def middle(self) -> float:
        """The effect at the mean of z over runs."""
        return self.span(0.0)[0] if len(self.z) > 1 else float(self.effect[0])

    def span(self, reach: float) -> tuple[float, float]:
        """Return d so many standard deviations of z below and above its mean; NaN of one run."""
        sd = float(self.z.std(ddof=1)) if len(self.z) > 1 else math.nan
        low, high = (self.most * math.tanh(float(self.z.mean()) + sign * reach * sd) for sign in (-1, 1))
        return low, high


def measure(cosines: Floats, sizes: Sequence[int]) -> Measured:
    """Return the effect of every run; NaN where all targets are associated alike.

    Args:
        cosines: ``(R, t, a)`` of targets and attributes.
        sizes: of X, Y, A and B.
    """
    x, y, a, _ = sizes
    own = cosines[:, :, :a].mean(2) - cosines[:, :, a:].mean(2)
    difference, spread = own[:, :x].mean(1) - own[:, x:].mean(1), own.std(1, ddof=1)
    effect = np.divide(difference, spread, out=np.full(len(own), math.nan), where=spread > 0)
    most = math.sqrt((x + y) * (x + y - 1) / (x * y))
    return Measured(own, difference, effect, np.arctanh(np.clip(effect / most, -_ONE, _ONE)), most)


def turning(effects: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the share of runs of another sign than most; NaN of one run.

    Of a normal law over runs the share is Φ(−|δ|), δ = mean/SD, and ``√R`` times their ratio in R runs follows a
    noncentral t: the limits of δ are those at which it would be exceeded, or not reached, in 2.5 % of cases.

    >>> low, high = turning(np.array([0.5, -0.4, 0.1, 0.6]))
    >>> low < 0.25 < high
    True
    """
    from scipy.special import nctdtrinc, ndtr

    runs, sd = len(effects), float(effects.std(ddof=1)) if len(effects) > 1 else math.nan
    mean = float(effects.mean())
    if math.isnan(mean + sd):
        return math.nan, math.nan
    t = min(abs(mean) * math.sqrt(runs) / sd, _FAR) if sd else _FAR * (mean != 0)
    low, high = (float(nctdtrinc(runs - 1, p, t)) / math.sqrt(runs) for p in (0.975, 0.025))
    nearest = 0.0 if low < 0 < high else min(abs(low), abs(high))
    return float(ndtr(-max(abs(low), abs(high)))), float(ndtr(-nearest))


def numbers_of(
    cosines: Floats, sets: Sets, seed: int, whose: tuple[str, str], *, silent: bool = False
) -> tuple[Tested, list[tuple[float, float, float]], list[WordRow]]:
    """Return the row of a test; the effect, difference and p of every run; and a row for every word.

    Args:
        cosines: ``(R, t, a)``.
        sets: the test.
        seed: of the draw of splits.
        whose: name of the group, and what its runs differ by; see :data:`OTHERS`.
        silent: whether nothing may be judged.
    """
    found, sizes, runs = measure(cosines, sets.sizes), sets.sizes, len(cosines)
    by_mean = found.associations.mean(0)
    splits = split_test(np.vstack([by_mean, found.associations]), sizes[0], seed)
    words = list(_words(cosines, sets, seed, whose[0], found))
    strata = [[row.without for row in words if row.set == name] for name in sets.names]
    effect, difference = found.middle, _mean(found.difference)
    sd = float(found.effect.std(ddof=1)) if runs > 1 else math.nan
    reach = t_quantile(runs - 1) if runs > 1 else math.nan
    row = Tested(
        whose[0],
        sets.name,
        *sets.names,
        *sizes,
        whose[1],
        0 if silent else runs,
        effect,
        *found.span(reach / math.sqrt(runs)),
        sd,
        *found.span(reach * math.sqrt(1 + 1 / runs)),
        float(found.effect.min()),
        float(found.effect.max()),
        math.sqrt(sum(jackknife_error(own) ** 2 for own in strata)),
        difference.value,
        difference.se,
        float(splits.p[0]),
        float(splits.error[0]),
        splits.splits,
        float((np.sign(found.effect) != np.sign(effect)).mean()),
        float(((splits.p[1:] <= CHANCE) != (splits.p[0] <= CHANCE)).mean()),
        *turning(found.z),
    )
    of_runs = list(zip(found.effect.tolist(), found.difference.tolist(), splits.p[1:].tolist(), strict=True))
    return row, of_runs, words


def _mean(values: Floats) -> Estimate:
    se = float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Estimate.of_runs(float(values.mean()), se, len(values))


def _words(cosines: Floats, sets: Sets, seed: int, group: str, found: Measured) -> Iterator[WordRow]:
    """Every word with the effect without it; those of one set are tested at once."""
    targets = len(sets.targets)
    own = [_mean(found.associations[:, k]) for k in range(targets)]
    start = 0
    for s, (name, words) in enumerate(zip(sets.names, sets.words, strict=True)):
        sizes = [size - (k == s) for k, size in enumerate(sets.sizes)]
        axis, first = (1, start) if s < 2 else (2, start - targets)
        less = [measure(np.delete(cosines, first + k, axis), sizes) for k in range(len(words))]
        p = split_test(np.array([one.associations.mean(0) for one in less]), sizes[0], seed).p
        for k, word in enumerate(words):
            value, se = own[start + k][:2] if s < 2 else (None, None)
            yield WordRow(group, sets.name, name, show(word), value, se, less[k].middle, float(p[k]))
        start += len(words)
