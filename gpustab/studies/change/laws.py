"""Does change follow frequency? The law of conformity by a mixed model (Rettenmeier 2020, §4.2, eq. 4.3).

``log Δ(w, t)`` over ``log f(w, t)``, both standardised, with a random intercept per word; f is the relative frequency
in the earlier period, as in the thesis' program. Noise of sampled documents follows frequency too, and averaging
runs does not take it away: only the difference to a control, whose periods are documents dealt out at random, says
anything. What a word changed beyond words of its frequency is what a curve leaves, not this line; the control's change
of the same word is what its documents' sampling and training come to.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import repeat
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.statistics.curves import residuals
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.mixed import fit_random_intercept
from gpustab.studies.change.claims import WORDS_OF_A_LAW
from gpustab.studies.change.options import ChangeOptions
from gpustab.studies.change.periods import Between
from gpustab.studies.change.tables import Excess, FrequencyClass, Law

Floats = NDArray[np.float64]

CLASSES = 4
"""Words are shown in as many classes of frequency, equally many words in each."""


class Rows(NamedTuple):
    """Words of one pair of periods.

    Attributes:
        first: the earlier period.
        second: the later one.
        words: ``(v,)`` what they are.
        frequency: ``(v,)`` relative, in the earlier period.
        changes: by number n of runs that were averaged, ``(k, v)`` of k disjoint averages.
        without: the same without each run of an average, ``(k, n, v)``; nothing for n = 1.
        training: mean change of the words between two runs of one period; NaN where a period has one run.
    """

    first: str
    second: str
    words: list[str]
    frequency: Floats
    changes: dict[int, Floats]
    without: dict[int, Floats]
    training: float = math.nan


class Fitted(NamedTuple):
    """One fit: the effect β of log frequency on log change, both standardised, with its standard error over words.

    R² marginal is the variance that frequency explains, conditional with the word's own.
    """

    beta: float
    beta_se: float
    r2_marginal: float
    r2_conditional: float


def rows_of(both: Between) -> Rows | None:
    """Return what the laws need of a pair of periods; ``None`` without counts or tested words."""
    first = both.counts[0]
    if first is None or both.counts[1] is None or not both.tested.any():
        return None
    tested = both.tested.numpy()
    words = both.tested_words
    changes, without = {}, {}
    for n, level, lacking in both.by_size():
        changes[n] = np.stack([values.numpy()[tested] for values in level])
        if lacking:
            without[n] = np.stack([values.numpy()[tested] for values in lacking]).reshape(len(level), n, len(words))
    frequency = first.numpy()[tested] / both.first.tokens
    training = float(both.moves.within.value.numpy()[tested].mean())
    return Rows(both.first.name, both.second.name, words, frequency, changes, without, training)


class Laws:
    """The fits of one series, change and frequency standardised in every pair of its periods, or over all.

    Raises:
        InputError: for fewer than 20 words, if no word stands in two pairs of periods, or nothing varies.
    """

    def __init__(self, parts: Sequence[Rows], per_pair: bool) -> None:
        self.parts, self.per_pair = list(parts), per_pair
        names = [np.array(part.words, dtype=object).astype(str) for part in parts]
        self.groups = np.unique(np.concatenate(names), return_inverse=True)[1]
        if (many := int(self.groups.max()) + 1) < WORDS_OF_A_LAW:
            raise InputError(f"{many} words, wanted {WORDS_OF_A_LAW:g} or more")
        if np.bincount(self.groups).max() < 2:
            few = "; give three periods or more" if len(self.parts) < 2 else ", which share no word"
            raise InputError(f"no word stands in two pairs of periods{few}")
        self.x = standardised([np.log(part.frequency) for part in parts], per_pair)
        self.sizes = sorted(n for n in parts[0].changes if all(n in part.changes for part in parts))

    def blocks(self, n: int) -> list[Fitted]:
        """Return the fit of every disjoint average of n runs."""
        many = min(len(part.changes[n]) for part in self.parts)
        return [self.fit([part.changes[n][k] for part in self.parts]) for k in range(many)]

    def without(self, n: int) -> list[list[Fitted]]:
        """Return the fits without each run of every average of n runs; none of single runs."""
        if not all(n in part.without for part in self.parts):
            return []
        many = min(len(part.without[n]) for part in self.parts)
        return [[self.fit([part.without[n][k, left] for part in self.parts]) for left in range(n)] for k in range(many)]

    def fit(self, changes: Sequence[Floats]) -> Fitted:
        """Fit the law to the changes of all pairs of periods."""
        fit = fit_random_intercept(self.response(changes), self.x, self.groups)
        return Fitted(float(fit.beta[1]), float(fit.beta_se[1]), fit.r2_marginal, fit.r2_conditional)

    def response(self, changes: Sequence[Floats]) -> Floats:
        """Log changes, standardised."""
        return standardised([_log(values) for values in changes], self.per_pair)


def standardised(parts: Sequence[Floats], per_part: bool) -> Floats:
    """Return values of all parts one after the other, of mean 0 and SD 1 (ddof 1): in each part, or over all.

    Raises:
        InputError: if they do not vary.

    >>> standardised([np.array([1.0, 3.0]), np.array([10.0, 30.0])], True).round(3).tolist()
    [-0.707, 0.707, -0.707, 0.707]
    """
    groups = _groups(parts, per_part)
    for values in groups:
        if len(values) < 2 or not np.std(values) > 0:
            raise InputError("change or frequency does not vary between words")
    return np.concatenate([(values - values.mean()) / values.std(ddof=1) for values in groups])


def _groups(parts: Sequence[Floats], per_part: bool) -> list[Floats]:
    return list(parts) if per_part else [np.concatenate(list(parts))]


def _log(change: Floats) -> Floats:
    """Logarithms; a word that did not move at all counts as moved by rounding noise."""
    return np.log(np.maximum(change, np.finfo(np.float64).eps))


def law_rows(series: str, control: bool, laws: Laws, options: ChangeOptions) -> Iterator[Law]:
    """Yield the law of a series for every number of averaged runs, with its errors over runs and over words."""
    for n in laws.sizes:
        fits, left = laws.blocks(n), laws.without(n)

        def error(name: str, fits: list[Fitted] = fits, left: list[list[Fitted]] = left) -> float:
            return run_error([getattr(x, name) for x in fits], [[getattr(x, name) for x in block] for block in left])

        y = laws.response([part.changes[n][0] for part in laws.parts])
        yield Law(
            series,
            control,
            n,
            len(fits),
            len(np.unique(laws.groups)),
            len(laws.groups),
            fmean(fit.beta for fit in fits),
            fmean(fit.beta_se for fit in fits),
            error("beta"),
            fmean(fit.r2_marginal for fit in fits),
            fmean(fit.r2_conditional for fit in fits),
            bootstrap_error(y, laws.x, laws.groups, options) if n == max(laws.sizes) else math.nan,
            error("r2_marginal"),
            error("r2_conditional"),
        )


def run_error(values: Sequence[float], left_out: Sequence[Sequence[float]]) -> float:
    """Return the error over runs of a mean over k disjoint averages; NaN for one run.

    Of single runs it is ``SD/√k``. Averages of more are independent of each other, and each has a jackknife error of
    its own, from what it is without each of its runs: ``SE² = Σ SE²(average) / k²``. The k-th runs of all periods are
    left out together.
    """
    if left_out:
        return math.sqrt(sum(jackknife_error(values) ** 2 for values in left_out)) / len(left_out)
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def bootstrap_error(y: Floats, x: Floats, groups: NDArray[np.int64], options: ChangeOptions) -> float:
    """Return the standard error of the marginal R² over draws of words, each with all its rows; NaN without draws."""
    if options.resamples < 2:
        return float("nan")
    rng = np.random.default_rng(options.seed)
    order = np.argsort(groups, kind="stable")
    places = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    shares: list[float] = []
    for _ in range(options.resamples):
        drawn = [places[k] for k in rng.integers(len(places), size=len(places))]
        names = np.repeat(np.arange(len(drawn)), [len(part) for part in drawn])
        rows = np.concatenate(drawn)
        with suppress(InputError):  # the few words that were drawn may not determine it
            shares.append(fit_random_intercept(y[rows], x[rows], names).r2_marginal)
    return float(np.std(shares, ddof=1)) if len(shares) > 1 else float("nan")


def excesses(series: str, laws: Laws, splits: Sequence[Laws]) -> list[Excess]:
    """Return every word's excess over words of its frequency, largest first in every pair of periods.

    Excess is what a curve over log frequency leaves of log change, of the words of one pair of periods: the line of the
    law left a hump, since words of middle frequency lie above it or below.

    Args:
        series: its name.
        laws: of its periods.
        splits: of the same periods, documents dealt out at random.
    """
    n = max(laws.sizes)
    own, others = _of_words(laws), [_of_words(split) for split in splits]
    rows: list[Excess] = []
    for part in laws.parts:
        keys = [(part.first, part.second, word) for word in part.words]
        excess = np.array([own[key][1] for key in keys])
        held = [[split[key][1] if key in split else math.nan for key in keys] for split in others]
        rates = beyond_splits(excess, np.array(held).reshape(len(others), len(keys))).tolist()
        unlike = unlike_noise(part, [other for split in splits for other in split.parts])
        left = [_beyond(part, values) for values in part.without[n][0]] if n > 1 else []
        errors = (jackknife_error(values) for values in np.stack(left).T.tolist()) if left else repeat(math.nan)
        of_part = []
        for key, frequency, error, rate in zip(keys, part.frequency.tolist(), errors, rates, strict=False):
            change, beyond = own[key]
            noise = [split[key][0] for split in others if key in split]
            expected, at_random = change / math.exp(beyond), fmean(noise or [math.nan])
            of_word = (series, *key, frequency, change, expected, beyond, error)
            of_part.append(Excess(*of_word, n - 1, rate, at_random, unlike))
        rows += sorted(of_part, key=lambda row: (-row.excess, row.word))
    return rows


def unlike_noise(part: Rows, others: Sequence[Rows]) -> float:
    """Return how many times as large the training noise of a pair of periods is as that of a split, or that as it.

    Of several splits that which is unlike the most; NaN where training noise is not known.
    """
    same = [other.training for other in others if (other.first, other.second) == (part.first, part.second)]
    ratios = [noise / part.training for noise in same if noise > 0 and part.training > 0]
    return max((max(ratio, 1 / ratio) for ratio in ratios), default=math.nan)


def _beyond(part: Rows, change: Floats) -> Floats:
    """The logarithm of change that a curve over that of frequency leaves, over the words of a pair of periods."""
    return residuals(_log(change), np.log(part.frequency))


def _of_words(laws: Laws) -> dict[tuple[str, str, str], tuple[float, float]]:
    """The change of every word between the averages of most runs, and its excess, by periods and word."""
    found = {}
    for part in laws.parts:
        change = part.changes[max(laws.sizes)][0]
        for word, *numbers in zip(part.words, change.tolist(), _beyond(part, change).tolist(), strict=True):
            found[part.first, part.second, word] = (numbers[0], numbers[1])
    return found


def beyond_splits(excess: Floats, splits: Floats) -> Floats:
    """Return the least rate of false discoveries at which each word leads its excess in splits at random.

    A word whose documents are few, and unlike each other, lies above the law however they are dealt out. Its *lead* is
    its excess less the mean over splits. Where periods are no more than another split, every split leads the others
    as often, but for the factor by which means over S and over S − 1 scatter: so the leads of splits tell how many of
    the words that lead by so much are false, and one more is counted, since there are few.

    Args:
        excess: ``(W,)``.
        splits: ``(S, W)`` the same where documents were dealt out at random; NaN where a word is not there.

    Returns:
        ``(W,)`` in [0, 1]; 1 for fewer than two splits, and for words that are not in two of them.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> splits, moved = rng.normal(size=(4, 100)), np.arange(100) < 20
        >>> found = beyond_splits(rng.normal(size=100) + 9 * moved, splits) <= 0.05
        >>> bool(found[moved].all()), int(found.sum())  # one in twenty is false, or a few more
        (True, 22)
    """
    rates, there = np.ones(len(excess)), np.isfinite(splits)
    known = there.sum(0) >= 2
    if not known.any():
        return rates
    held, there = splits[:, known], there[:, known]
    count, total = there.sum(0), np.where(there, held, 0.0).sum(0)
    lead = excess[known] - total / count
    scale = np.sqrt((1 + 1 / count) / (1 + 1 / (count - 1)))
    of_splits = np.sort((scale * (held - (total - held) / (count - 1)))[there])
    order = np.argsort(-lead, kind="stable")
    reached = 1 + len(of_splits) - np.searchsorted(of_splits, lead[order])
    rate = reached * len(lead) / len(of_splits) / np.arange(1, len(lead) + 1)
    least = np.minimum.accumulate(np.minimum(rate, 1.0)[::-1])[::-1]
    rates[np.flatnonzero(known)[order]] = least
    return rates


def by_frequency(rows: Sequence[Excess]) -> Iterator[FrequencyClass]:
    """Yield the classes of frequency of every pair of periods of one series; none without a control."""
    pairs = dict.fromkeys((row.first, row.second) for row in rows)
    for pair in pairs:
        known = [row for row in rows if (row.first, row.second) == pair and math.isfinite(row.noise)]
        known.sort(key=lambda row: row.frequency)
        if len(known) < 2 * CLASSES:
            continue
        for part in np.array_split(np.arange(len(known)), CLASSES):
            some = [known[k] for k in part]
            beyond = np.array([row.change - row.noise for row in some])
            yield FrequencyClass(
                some[0].series,
                *pair,
                some[0].frequency,
                some[-1].frequency,
                len(some),
                fmean(row.change for row in some),
                fmean(row.noise for row in some),
                float(beyond.mean()),
                float(beyond.std(ddof=1) / math.sqrt(len(some))),
            )
