"""Instability against word frequency: slopes with intervals, and 20 batches. Rettenmeier 2020, §2.3.1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.machine.device import DEFAULT, Compute
from gpustab.results import Table
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import ratio, t_quantile
from gpustab.statistics.ranks import rank_correlation
from gpustab.studies.instability.trend_errors import change_error, pair_sums

BATCHES = 20
QUANTITIES = {"intrinsic": "intrinsic", "extrinsic squared": "extrinsic_square"}
"""What is looked at, and its column of the table ``words``."""
LEAST = (0, 100)
"""Words of at least so many occurrences: rare words may follow another law, which one slope over all would hide."""
_BATCH_ERRORS = 3.0
"""So many errors a batch must be off the mean to count: by chance one of 20 is in one case of 20."""


class Trend(NamedTuple):
    """How values depend on frequency.

    Attributes:
        slope: per decade of frequency, least squares.
        slope_se: heteroscedasticity-robust (White 1980), the words taken for a sample.
        change: fitted change from the rarest to the most frequent batch, as a part of the mean; NaN of a mean of 0.
        change_se: its error over words; ``change_runs_se``: by the jackknife over runs, NaN where these are not given.
        low, high: 95 % interval of the change: both errors together, that over runs with t(R − 1).
        correlation: Spearman's ρ over the words.
        batch_correlation: over the means of the batches.
        batch_p: p-value of that.
        batch_deviation: how far some batch is off the mean at least, as a part of it: a hump that a line does not see.
    """

    slope: float
    slope_se: float
    change: float
    change_se: float
    change_runs_se: float
    low: float
    high: float
    correlation: float
    batch_correlation: float
    batch_p: float
    batch_deviation: float


class Batch(NamedTuple):
    """The mean of a quantity over words of like frequency."""

    technique: str
    quantity: str
    frequency: float
    mean: float
    se: float


class TrendRow(NamedTuple):
    """Whose trend it is, over which words."""

    technique: str
    quantity: str
    least_frequency: int
    words: int


def trend(frequency: Tensor, values: Tensor, batches: int = BATCHES, runs_se: float = math.nan, runs: int = 0) -> Trend:
    """Return the trend of ``(v,)`` values over ``(v,)`` frequencies above 0.

    Args:
        frequency: ``(v,)``.
        values: ``(v,)``.
        batches: how many there are.
        runs_se: error over runs of ``change``; where it is not known the interval is of the words alone.
        runs: how many there are behind that error.

    Raises:
        InputError: for fewer words than twice the batches, or a frequency that is not above 0.
    """
    if len(values) < 2 * batches or not bool((frequency > 0).all()):
        raise InputError(f"{len(values)} words in {batches} batches; wanted 2 a batch, and frequencies above 0")
    x, y = frequency.double().log10(), values.double()
    centred = x - x.mean()
    spread = float(centred.square().sum())
    slope = ratio(float((centred * y).sum()), spread)
    rest = y - y.mean() - slope * centred
    se = ratio(float((centred.square() * rest.square()).sum().sqrt()), spread)
    decades = ratio(_decades(x, batches), float(y.mean()))
    change, change_se = slope * decades, se * abs(decades)
    of_words, of_runs = t_quantile(len(values) - 2) * change_se, t_quantile(runs - 1) * runs_se if runs > 1 else 0.0
    half = math.hypot(of_words, of_runs)
    parts = _batches(x, x, batches), _batches(x, y, batches)
    rho, p = rank_correlation(*(torch.stack([part.mean() for part in each]) for each in parts))
    interval = (change - half, change + half)
    correlation = rank_correlation(x, y)[0]
    off = _deviation(parts[1], float(y.mean()))
    return Trend(slope, se, change, change_se, runs_se, *interval, correlation, rho, p, off)


class _Some(NamedTuple):
    """The words of one trend: what is looked at, from which frequency on, and their rows of the table ``words``."""

    quantity: str
    least: int
    rows: list[int]
    frequency: Tensor
    values: Tensor


def frequency_tables(
    words: Table, groups: Mapping[str, Runs] | None = None, compute: Compute = DEFAULT
) -> dict[str, Table]:
    """Return the trends and the batches of one technique's table ``words``; empty tables without counts.

    Args:
        words: of :func:`gpustab.studies.instability.extrinsic.instability_tables`.
        groups: the runs by sampling that it was made of, for errors over runs; without them intervals are of the words
            alone.
        compute: how to compute.

    Returns:
        ``frequency`` (one row per quantity and least frequency) and ``batches`` (means by batch, for the figure).
    """
    found = list(_some(words))
    errors = _runs_errors(found, words.height, groups, compute) if groups and found else [(math.nan, 0)] * len(found)
    trends = [
        TrendRow(words["technique"][0], some.quantity, some.least, len(some.rows))._asdict()
        | trend(some.frequency, some.values, runs_se=error, runs=runs)._asdict()
        for some, (error, runs) in zip(found, errors, strict=True)
    ]
    batches = [batch for some in found if not some.least for batch in _batch_rows(words["technique"][0], some)]
    columns = (*TrendRow._fields, *Trend._fields)
    return {"frequency": Table.of(trends, columns), "batches": Table.of(batches, Batch._fields, long=True)}


def _some(words: Table) -> Iterator[_Some]:
    """Yield the words of every trend that has enough of them."""
    for quantity, column in QUANTITIES.items():
        known = [
            (row, count, value)
            for row, (count, value) in enumerate(zip(words["frequency"], words[column], strict=True))
            if count and value is not None and not math.isnan(value)
        ]
        for least in LEAST:
            kept = [x for x in known if x[1] >= least]
            if len(kept) >= 2 * BATCHES:
                rows, *numbers = zip(*kept, strict=True)
                yield _Some(quantity, least, list(rows), *torch.tensor(numbers, dtype=torch.float64))


def _runs_errors(
    found: Sequence[_Some], words: int, groups: Mapping[str, Runs], compute: Compute
) -> list[tuple[float, int]]:
    """Errors over runs of the changes, in one pass over the words: ``change = Σ a·y / Σ b·y``, each y over pairs."""
    weights = torch.zeros(len(found), 2, words, dtype=torch.float64)
    for k, some in enumerate(found):
        x = some.frequency.log10()
        centred = x - x.mean()
        spread = float(centred.square().sum())
        weights[k, 0, some.rows] = centred * ratio(_decades(x, BATCHES), spread)
        weights[k, 1, some.rows] = 1 / len(x)
    sums = pair_sums(groups, weights.flatten(0, 1), compute)
    errors = []
    for k, some in enumerate(found):
        own = slice(2 * k, 2 * k + 2)
        if some.quantity == "intrinsic":
            errors.append(change_error({"shuffled": sums["shuffled"].losses[own]}))
        else:
            errors.append(change_error({g: s * sums[g].squares[own] for g, s in (("shuffled", -1), ("bootstrap", 1))}))
    return errors


def _batch_rows(name: str, some: _Some) -> Iterator[Batch]:
    x, y = some.frequency, some.values
    for frequencies, values in zip(_batches(x, x, BATCHES), _batches(x, y, BATCHES), strict=True):
        error = float(values.std()) / math.sqrt(len(values))
        yield Batch(name, some.quantity, float(frequencies.log().mean().exp()), float(values.mean()), error)


def _decades(x: Tensor, batches: int) -> float:
    """Decades of frequency between the first and the last batch."""
    means = [part.mean() for part in _batches(x, x, batches)]
    return float(means[-1] - means[0])


def _deviation(batches: tuple[Tensor, ...], mean: float) -> float:
    """By how much the batch that is farthest off the mean is so at least, as a part of it."""
    least = [
        abs(float(part.mean()) - mean) - _BATCH_ERRORS * float(part.std()) / math.sqrt(len(part)) for part in batches
    ]
    return ratio(max(0.0, *least), abs(mean))


def _batches(x: Tensor, values: Tensor, batches: int) -> tuple[Tensor, ...]:
    """Values in batches of equally many words (to one), by rising x."""
    return values[x.argsort(stable=True)].tensor_split(batches)
