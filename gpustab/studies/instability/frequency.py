"""Instability against word frequency: slopes with intervals, and 20 batches. Rettenmeier 2020, §2.3.1.

All words are measured by the same runs, which may move them together: a trend has an error over words, and one over
runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.arithmetic import product
from gpustab.machine.device import Compute
from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import ratio, t_quantile
from gpustab.statistics.ranks import rank_correlation
from gpustab.studies.instability.losses import gram_of_words, word_matrices
from gpustab.studies.instability.technique import Technique


class TrendRow(NamedTuple):
    """The trend of one quantity over word frequency, §2.3.1."""

    technique: str
    quantity: Annotated[str, Column(about="intrinsic, or extrinsic squared")]
    least_frequency: Annotated[int, Column(about="words of at least so many occurrences")]
    words: int
    slope: Annotated[float, Column(about="per decade of frequency, least squares")]
    slope_se: Annotated[float, Column(about="heteroscedasticity-robust (White 1980), the words taken for a sample")]
    change: Annotated[
        float,
        Column(about="fitted, from the rarest to the most frequent batch, as a part of the mean; NaN of a mean 0"),
    ]
    change_se: Annotated[float, Column(about="over words")]
    change_runs_se: Annotated[float, Column(about="by the jackknife over runs; NaN where these are not at hand")]
    low: Annotated[float, Column(about="95 % interval of the change: both errors, that over runs with t(R − 1)")]
    high: float
    correlation: Annotated[float, Column(about="Spearman's ρ over the words")]
    batch_correlation: Annotated[float, Column(about="over the means of the batches")]
    batch_p: Annotated[float, Column(about="p-value of that")]
    batch_deviation: Annotated[
        float, Column(about="how far some batch is off the mean at least, as a part of it: a hump that no line sees")
    ]


class Batch(NamedTuple):
    """The mean of a quantity over words of like frequency."""

    technique: str
    quantity: str
    frequency: Annotated[float, Column(about="geometric mean of the words'")]
    mean: float
    se: float


TRENDS = Sheet("frequency", TrendRow, "one row a technique, quantity and least frequency")
BATCHES = Sheet("batches", Batch, "one row a technique, quantity and batch of words, by rising frequency", long=True)

BATCHES_OF_WORDS = 20
QUANTITIES = {"intrinsic": "intrinsic", "extrinsic squared": "extrinsic_square"}
"""What is looked at, and its column of the table ``words``."""
LEAST = (0, 100)
"""Words of at least so many occurrences: rare words may follow another law, which one slope over all would hide."""
_BATCH_ERRORS = 3.0
"""So many errors a batch must be off the mean to count: by chance one of 20 is in one case of 20."""
_WORDS = 2048
"""Words whose pair matrices are held at once."""


def frequency_tables(words: Table, technique: Technique | None = None) -> dict[str, Table]:
    """Return the trends and the batches of one technique's table ``words``; empty tables without counts.

    Args:
        words: of :func:`gpustab.studies.instability.losses.instability_tables`.
        technique: whose words they are, for errors over runs; without it intervals are of the words alone.

    Returns:
        ``frequency`` (one row per quantity and least frequency) and ``batches`` (means by batch, for the figure).
    """
    parts = list(_parts(words))
    errors = _runs_errors(parts, words.height, technique) if technique and parts else [(math.nan, 0)] * len(parts)
    trends = []
    for part, (error, runs) in zip(parts, errors, strict=True):
        whose = (words["technique"][0], part.quantity, part.least)
        trends.append(trend(part.frequency, part.values, error, runs, whose))
    batches = []
    for part in (part for part in parts if not part.least):
        for x, y in zip(*(_batches(part.frequency, values) for values in (part.frequency, part.values)), strict=True):
            numbers = (float(x.log().mean().exp()), float(y.mean()), float(y.std()) / math.sqrt(len(y)))
            batches.append(Batch(words["technique"][0], part.quantity, *numbers))
    return TRENDS.named(trends) | BATCHES.named(batches)


class _Part(NamedTuple):
    """The words of one trend: what is looked at, from which frequency on, and their rows of the table ``words``."""

    quantity: str
    least: int
    rows: list[int]
    frequency: Tensor
    values: Tensor


def _parts(words: Table) -> Iterator[_Part]:
    """Yield the words of every trend that has enough of them."""
    for quantity, column in QUANTITIES.items():
        known = [
            (row, count, value)
            for row, (count, value) in enumerate(zip(words["frequency"], words[column], strict=True))
            if count and value is not None and not math.isnan(value)
        ]
        for least in LEAST:
            kept = [x for x in known if x[1] >= least]
            if len(kept) >= 2 * BATCHES_OF_WORDS:
                rows, *numbers = zip(*kept, strict=True)
                yield _Part(quantity, least, list(rows), *torch.tensor(numbers, dtype=torch.float64, device="cpu"))


def trend(
    frequency: Tensor,
    values: Tensor,
    runs_se: float = math.nan,
    runs: int = 0,
    whose: tuple[str, str, int] = ("", "", 0),
) -> TrendRow:
    """Return the trend of ``(v,)`` values over ``(v,)`` frequencies above 0.

    Args:
        frequency: ``(v,)``.
        values: ``(v,)``.
        runs_se: error over runs of ``change``; where it is not known the interval is of the words alone.
        runs: how many there are behind that error.
        whose: technique, quantity and least frequency of the words.

    Raises:
        InputError: for fewer words than twice the batches, or a frequency that is not above 0.
    """
    if len(values) < 2 * BATCHES_OF_WORDS or not bool((frequency > 0).all()):
        raise InputError(
            f"{len(values)} words in {BATCHES_OF_WORDS} batches; wanted 2 a batch, and frequencies above 0"
        )
    x, y = frequency.double().log10(), values.double()
    centred = x - x.mean()
    spread = float(centred.square().sum())
    slope = ratio(float((centred * y).sum()), spread)
    residuals = y - y.mean() - slope * centred
    se = ratio(float((centred.square() * residuals.square()).sum().sqrt()), spread)
    decades = ratio(_decades(x), float(y.mean()))
    change, change_se = slope * decades, se * abs(decades)
    of_words, of_runs = t_quantile(len(values) - 2) * change_se, t_quantile(runs - 1) * runs_se if runs > 1 else 0.0
    half = math.hypot(of_words, of_runs)
    parts = _batches(x, x), _batches(x, y)
    rho, p = rank_correlation(*(torch.stack([part.mean() for part in each]) for each in parts))
    interval = (change - half, change + half)
    correlation = rank_correlation(x, y)[0]
    off = _deviation(parts[1], float(y.mean()))
    return TrendRow(*whose, len(values), slope, se, change, change_se, runs_se, *interval, correlation, rho, p, off)


def _decades(x: Tensor) -> float:
    """Decades of frequency between the first and the last batch."""
    means = [part.mean() for part in _batches(x, x)]
    return float(means[-1] - means[0])


def _deviation(batches: tuple[Tensor, ...], mean: float) -> float:
    """By how much the batch that is farthest off the mean is so at least, as a part of it."""
    least = [
        abs(float(part.mean()) - mean) - _BATCH_ERRORS * float(part.std()) / math.sqrt(len(part)) for part in batches
    ]
    return ratio(max(0.0, *least), abs(mean))


def _batches(x: Tensor, values: Tensor) -> tuple[Tensor, ...]:
    """Values in batches of equally many words (to one), by rising x."""
    return values[x.argsort(stable=True)].tensor_split(BATCHES_OF_WORDS)


def _runs_errors(parts: Sequence[_Part], words: int, technique: Technique) -> list[tuple[float, int]]:
    """Errors over runs of the changes, in one pass over the words: ``change = Σ a·y / Σ b·y``, each y over pairs."""
    weights = torch.zeros(len(parts), 2, words, dtype=torch.float64, device="cpu")
    for k, part in enumerate(parts):
        x = part.frequency.log10()
        centred = x - x.mean()
        weights[k, 0, part.rows] = centred * ratio(_decades(x), float(centred.square().sum()))
        weights[k, 1, part.rows] = 1 / len(x)
    alone = technique.of_words if len(technique.groups) == 1 else None
    sums = pair_sums(technique.groups, weights.flatten(0, 1), technique.compute, alone)
    errors = []
    for k, part in enumerate(parts):
        both = slice(2 * k, 2 * k + 2)
        if part.quantity == "intrinsic":
            errors.append(change_error({"shuffled": sums["shuffled"].losses[both]}))
        else:
            signs = {"shuffled": -1, "bootstrap": 1}
            errors.append(change_error({group: sign * sums[group].squares[both] for group, sign in signs.items()}))
    return errors


class Sums(NamedTuple):
    """Weighted sums over words of the reduced PIP losses of pairs of runs, and of their squares, each ``(m, R, R)``."""

    losses: Tensor
    squares: Tensor


def pair_sums(
    groups: Mapping[str, Runs], weights: Tensor, compute: Compute, basis: engine.GramPass | None = None
) -> dict[str, Sums]:
    """Return the weighted sums of every group.

    Args:
        groups: the runs by sampling.
        weights: ``(m, w)`` of the words that all runs of all groups have, in the order of
            :func:`gpustab.runs.families.over_common_words`.
        compute: how to compute.
        basis: of the one group that there is, where it is at hand, see :func:`word_matrices`.
    """
    restricted, rows = over_common_words(list(groups.values()))
    sums = {}
    for sampling, runs, words in zip(groups, restricted, rows, strict=True):
        total = torch.zeros(2, len(weights), len(runs), len(runs), dtype=torch.float64, device="cpu")
        own = basis or gram_of_words(runs, compute)
        for part, weight in zip(words.split(_WORDS), weights.split(_WORDS, dim=1), strict=True):
            losses = word_matrices(runs, part, compute, own)
            both = torch.stack([losses, losses.square()])
            total += product(weight, both.flatten(2)).unflatten(2, losses.shape[1:])
        sums[sampling] = Sums(*total)
    return sums


def change_error(parts: Mapping[str, Tensor]) -> tuple[float, int]:
    """Return the jackknife error over runs of a ratio of two weighted sums over words, and the runs it rests on.

    The sums of all groups are added up; each group's runs are left out one after the other.

    Args:
        parts: of every group ``(2, R, R)``, above and below the line, with the sign that it counts with.

    Returns:
        The error, NaN where the sum below is 0, and the number of runs of the smallest group.
    """
    means = {group: _mean(matrices) for group, matrices in parts.items()}
    variance = 0.0
    for group, matrices in parts.items():
        others = torch.stack(
            [mean for other, mean in means.items() if other != group] or [torch.zeros(2, device="cpu").double()]
        )
        runs = matrices.shape[1]
        above, below = torch.stack([_mean(_without(matrices, r)) for r in range(runs)]).mT + others.sum(0)[:, None]
        variance += float((runs - 1) * (above / below).var(correction=0))
    return variance**0.5, min(matrices.shape[1] for matrices in parts.values())


def _mean(matrices: Tensor) -> Tensor:
    """Mean over the pairs of ``(2, R, R)`` matrices, zero diagonal."""
    runs = matrices.shape[1]
    return matrices.sum((1, 2)) / (runs * (runs - 1))


def _without(matrices: Tensor, run: int) -> Tensor:
    keep = [r for r in range(matrices.shape[1]) if r != run]
    return matrices[:, keep][:, :, keep]
