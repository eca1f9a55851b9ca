"""Instability against word frequency: slopes with intervals, and 20 batches. Rettenmeier 2020, §2.3.1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.results import Table
from gpustab.statistics.ranks import rank_correlation

BATCHES = 20
QUANTITIES = {"intrinsic": "intrinsic", "extrinsic squared": "extrinsic_square"}
"""What is looked at, and its column of the table ``words``."""
LEAST = (0, 100)
"""Words of at least so many occurrences: rare words may follow another law, which one slope over all would hide."""
_Z = 1.959964


class Trend(NamedTuple):
    """How values depend on frequency.

    Attributes:
        slope: per decade of frequency, least squares.
        slope_se: heteroscedasticity-robust (White 1980), the words taken for a sample.
        change: fitted change from the rarest to the most frequent batch, as a part of the mean.
        low, high: 95 % interval of the change.
        correlation: Spearman's ρ over the words.
        batch_correlation: over the means of the batches.
        batch_p: p-value of that.
    """

    slope: float
    slope_se: float
    change: float
    low: float
    high: float
    correlation: float
    batch_correlation: float
    batch_p: float


class Batch(NamedTuple):
    """The mean of a quantity over words of like frequency."""

    technique: str
    quantity: str
    frequency: float
    mean: float
    se: float


def trend(frequency: Tensor, values: Tensor, batches: int = BATCHES) -> Trend:
    """Return the trend of ``(v,)`` values over ``(v,)`` frequencies above 0.

    Raises:
        InputError: for fewer words than twice the batches, or a frequency that is not above 0.
    """
    if len(values) < 2 * batches or not bool((frequency > 0).all()):
        raise InputError(f"{len(values)} words in {batches} batches; wanted 2 a batch, and frequencies above 0")
    x, y = frequency.double().log10(), values.double()
    centred = x - x.mean()
    spread = centred.square().sum()
    slope = float((centred * y).sum() / spread)
    rest = y - y.mean() - slope * centred
    se = float((centred.square() * rest.square()).sum().sqrt() / spread)
    mean_x, mean_y = (torch.stack([part.mean() for part in _batches(x, z, batches)]) for z in (x, y))
    decades = float(mean_x[-1] - mean_x[0]) / float(y.mean())
    change, half = slope * decades, _Z * se * abs(decades)
    rho, p = rank_correlation(mean_x, mean_y)
    return Trend(slope, se, change, change - half, change + half, rank_correlation(x, y)[0], rho, p)


def frequency_tables(words: Table) -> dict[str, Table]:
    """Return the trends and the batches of one technique's table ``words``; empty tables without counts.

    Returns:
        ``frequency`` (one row per quantity and least frequency) and ``batches`` (means by batch, for the figure).
    """
    trends: list[dict[str, Any]] = []
    batches: list[Batch] = []
    for quantity, column in QUANTITIES.items():
        pairs = [
            (count, value)
            for count, value in zip(words["frequency"], words[column], strict=True)
            if count and value is not None and not math.isnan(value)
        ]
        if len(pairs) < 2 * BATCHES:
            continue
        frequency, values = torch.tensor(pairs, dtype=torch.float64).T
        name = words["technique"][0]
        for least in LEAST:
            kept = frequency >= least
            if int(kept.sum()) >= 2 * BATCHES:
                what = {"technique": name, "quantity": quantity, "least_frequency": least, "words": int(kept.sum())}
                trends.append(what | trend(frequency[kept], values[kept])._asdict())
        for x, y in zip(_batches(frequency, frequency, BATCHES), _batches(frequency, values, BATCHES), strict=True):
            error = float(y.std()) / math.sqrt(len(y))
            geometric = float(x.log().mean().exp())
            batches.append(Batch(name, quantity, geometric, float(y.mean()), error))
    columns = ("technique", "quantity", "least_frequency", "words", *Trend._fields)
    return {"frequency": Table.of(trends, columns), "batches": Table.of(batches, Batch._fields, long=True)}


def _batches(x: Tensor, values: Tensor, batches: int) -> tuple[Tensor, ...]:
    """Values in batches of equally many words (to one), by rising x."""
    return values[x.argsort(stable=True)].tensor_split(batches)
