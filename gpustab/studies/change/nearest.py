"""Change without alignment: how few of its nearest words a word keeps between two periods (Gonen et al. 2020).

Only words that are frequent enough in both periods are looked at, and only these count as neighbours: the neighbours of
rare words are noise. What two runs of one period share, and two bootstrap runs, is what training and the sampling of
documents leave of a word's neighbours where nothing changed.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.kept import Kept as KeptWords
from gpustab.kernels.kept import kept_neighbours
from gpustab.statistics.curves import residuals
from gpustab.statistics.ranks import spearman
from gpustab.studies.change.claims import BARELY
from gpustab.studies.change.periods import Between
from gpustab.studies.change.series import Series
from gpustab.studies.change.tables import Kept

PART, FEWEST, MOST = 10, 10, 1000
"""A tenth of the words are neighbours of a word, unless that is fewer or more than these; the paper takes 1,000."""


def length_of(words: int, wanted: int | None = None) -> int:
    """Return how many neighbours of a word are looked at among so many words.

    >>> length_of(60), length_of(2_000), length_of(50_000), length_of(2_000, 50)
    (10, 200, 1000, 50)
    """
    return wanted or min(max(words // PART, FEWEST), MOST)


Samplings = tuple[float, float, float]
"""Part that two samplings of one period share, mean over the words, its error over runs, and that of the rest."""


_UNKNOWN: tuple[float | None, float | None, float | None] = (None, None, None)


def kept_words(both: Between, wanted: int | None = None) -> KeptWords | None:
    """Return what every tested word keeps; ``None`` where they are hardly more than the neighbours of one."""
    k = length_of(len(both.tested_words), wanted)
    if len(both.tested_words) < 2 * k:
        return None
    first, second = (
        [period.runs.select(r, rows[both.tested].to(period.runs.device)) for r in range(len(period.runs))]
        for period, rows in zip((both.first, both.second), both.rows, strict=True)
    )
    return kept_neighbours(first, second, k)


def kept_row(series: Series, both: Between, kept: KeptWords, samplings: Samplings | None) -> Kept:
    """Return the row of a pair of periods, beside what two samplings of one share, if that is known."""
    every = torch.ones(len(both.tested_words), dtype=torch.bool, device="cpu")
    lost = kept.mean.lost(BARELY)
    return Kept(
        series.name,
        series.of,
        series.control,
        series.key.sampling == "bootstrap",
        both.first.name,
        both.second.name,
        kept.k,
        len(both.tested_words),
        min(len(both.first.runs), len(both.second.runs)),
        kept.chance,
        *kept.shared.mean(every)[:2],
        *kept.within.mean(every)[:2],
        *(samplings or _UNKNOWN),
        float(lost.value),
        float(lost.se),
        agreement(kept.lost(BARELY).value, both.averaged.value[both.tested], _frequency(both)),
    )


def _frequency(both: Between) -> Tensor | None:
    """How often the tested words occur in both periods; ``None`` without counts."""
    one, two = both.counts
    return None if one is None or two is None else (one + two)[both.tested]


def agreement(lost: Tensor, change: Tensor, frequency: Tensor | None = None) -> float:
    """Return Spearman's ρ of two measures, over the words that have both; NaN of fewer than four.

    Of both, what a curve over the logarithm of frequency explains is taken out: that of rare words is noise in both.

    Args:
        lost: ``(t,)`` neighbours lost.
        change: ``(t,)``.
        frequency: ``(t,)``, above 0; default: nothing is taken out.
    """
    known = lost.isfinite() & change.isfinite()
    if int(known.sum()) < 4:
        return math.nan
    columns = [part[known].numpy() for part in (lost, change)]
    if frequency is not None:
        columns = [residuals(column, np.log(frequency[known].numpy())) for column in columns]
    one, two = (torch.from_numpy(column)[None] for column in columns)
    return float(spearman(one, two))
