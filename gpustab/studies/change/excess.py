"""Which words changed more than words of their frequency do, and than where nothing changed?

The law of frequency (:mod:`gpustab.studies.change.laws`) says what change to expect of a word; what is beyond is its
residual. The control's change of the same word is what its documents' sampling and training come to.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gpustab.statistics.intervals import jackknife_error
from gpustab.studies.change.laws import Laws

CLASSES = 4
"""Words are told of in as many classes of frequency, equally many words in each."""

Noise = Mapping[tuple[str, str, str], Sequence[float]]
"""Change in each control split, by epochs and word."""


class Excess(NamedTuple):
    """A word's change beside what is expected of it, between the averages of most runs.

    Attributes:
        series: name.
        first: the earlier epoch.
        second: the later one.
        word: the word.
        frequency: relative, in the earlier epoch.
        change: its change.
        expected: that of a word of its frequency, by the law.
        excess: ``ln(change / expected)``.
        excess_se: its jackknife error over runs; NaN for one run.
        freedom: of that error.
        noise: its change where documents were dealt out at random, mean over the splits; NaN without a control.
    """

    series: str
    first: str
    second: str
    word: str
    frequency: float
    change: float
    expected: float
    excess: float
    excess_se: float
    freedom: int
    noise: float


class FrequencyClass(NamedTuple):
    """Words of like frequency, between two epochs.

    Attributes:
        series: name.
        first: the earlier epoch.
        second: the later one.
        low: least relative frequency.
        high: greatest.
        words: how many that the control has too.
        change: their mean change.
        noise: their mean change where nothing changed.
        beyond: the difference.
        beyond_se: its error over words.
    """

    series: str
    first: str
    second: str
    low: float
    high: float
    words: int
    change: float
    noise: float
    beyond: float
    beyond_se: float


def excesses(series: str, own: Laws, noise: Noise) -> list[Excess]:
    """Return every word's excess over the law, largest first in every pair of epochs."""
    n = max(own.sizes)
    residuals = own.blocks(n)[0].residuals
    left = [fit.residuals for fit in own.without(n)[0]] if n > 1 else []
    errors = [jackknife_error(values) for values in np.stack(left).T.tolist()] if left else [math.nan] * len(residuals)
    rows, start = [], 0
    for part in own.parts:
        stop = start + len(part.words)
        found = [
            Excess(
                series,
                part.first,
                part.second,
                word,
                frequency,
                change,
                change / math.exp(residual),
                residual,
                error,
                n - 1,
                _mean(noise.get((part.first, part.second, word), ())),
            )
            for word, frequency, change, residual, error in zip(
                part.words,
                part.frequency.tolist(),
                part.changes[n][0].tolist(),
                residuals[start:stop].tolist(),
                errors[start:stop],
                strict=True,
            )
        ]
        rows += sorted(found, key=lambda row: (-row.excess, row.word))
        start = stop
    return rows


def changes_of(own: Laws) -> dict[tuple[str, str, str], float]:
    """Return the change of every word between the averages of most runs, by epochs and word."""
    n = max(own.sizes)
    return {
        (part.first, part.second, word): change
        for part in own.parts
        for word, change in zip(part.words, part.changes[n][0].tolist(), strict=True)
    }


def by_frequency(rows: Sequence[Excess]) -> Iterator[FrequencyClass]:
    """Yield the classes of frequency of every pair of epochs of one series; none without a control."""
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


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else math.nan
