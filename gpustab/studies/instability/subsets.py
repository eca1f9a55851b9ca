"""What some of the runs tell: correlations freed of noise by halves of the runs, and errors of fewer runs.

Table 2.3 takes Spearman's ρ of p@2 and p@50 as measured. Noise alone brings that to 0.30, 0.46 and 0.64 at 6, 8 and 16
runs where the true ρ is 1. One half of the runs knows nothing of the other's noise: p@2 of one half with p@50 of the
other, divided by how well each agrees with itself over halves, is free of it (Spearman 1904). So is the correlation of
p@n with the word's PIP loss. The thesis takes that for none, since p@n is nearly its structure factor, which knows no
distance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.kernels.jackknife import pair_errors, pair_matrix, pair_statistics
from gpustab.kernels.overlap import shared_neighbours
from gpustab.machine.device import Compute
from gpustab.machine.out_of_memory import with_smaller_tiles
from gpustab.results import Column, Sheet, Table
from gpustab.statistics.intervals import Estimate, jackknife_error, ratio
from gpustab.statistics.ranks import spearman
from gpustab.studies.instability.losses import word_matrices
from gpustab.studies.instability.technique import Technique


class Consistency(NamedTuple):
    """Table 2.3 freed of the noise of few runs: p@n at two n, by halves of the runs."""

    technique: str
    n: int
    other_n: int
    words: int
    runs_each: int
    splits: int
    measured: Annotated[float, Column(about="Spearman's ρ over words, of all runs, noise and all")]
    reliability: Annotated[float, Column(about="of p@n between two halves of the runs")]
    other_reliability: Annotated[float, Column(about="of p at the other n")]
    correlation: Annotated[float, Column(about="between the two n, freed of noise; NaN of a reliability not above 0")]
    se: Annotated[float, Column(about="its error, by the jackknife over batches of words")]


class WithDistance(NamedTuple):
    """p@n beside the word's PIP loss: Spearman's ρ over words, freed of the noise of few runs."""

    technique: str
    n: int
    words: int
    runs_each: int
    splits: int
    measured: Annotated[float, Column(about="of all runs, noise and all")]
    reliability: Annotated[float, Column(about="of p@n between two halves of the runs")]
    pip_reliability: Annotated[float, Column(about="of the loss")]
    correlation: Annotated[float, Column(about="freed of noise; NaN of a reliability not above 0")]
    se: Annotated[float, Column(about="its error, by the jackknife over batches of words")]


class ErrorOfRuns(NamedTuple):
    """The relative standard error of a quantity from so many runs."""

    technique: str
    quantity: str
    runs: int
    jackknife: Annotated[float, Column(about="root mean square of what subsets of so many runs state themselves")]
    subsampling: Annotated[float, Column(about="SD of the estimates of these subsets, freed of the runs they share")]
    for_1_percent: Annotated[int | None, Column(about="runs for an error of 1 %, by 1/√R")]


FARTHEST = (2, 50)
"""The lengths of lists that are farthest apart in table 2.3, and stand in the next one."""
WORD_BATCHES = 20
"""Batches of words behind the errors of these two tables."""
CONSISTENCY = Sheet("consistency", Consistency, "one row a technique")
DISTANCE = Sheet("distance", WithDistance, "one row a technique and length of lists")
REDUCED_PIP = "reduced PIP loss"
"""The first quantity of this table."""
HOW_MANY = Sheet("how_many", ErrorOfRuns, "one row a technique, quantity and number of runs")

BESIDE_LOSS = (1, 10)
"""The values of n beside the PIP loss."""
SPLITS = 10
"""Splits into halves that are averaged; of many runs one is like the other."""
_MANY_RUNS = 32
SUBSETS = 300
HOW_MANY_WORDS = 20
LENGTH = 10


Split = tuple[tuple[int, ...], tuple[int, ...]]


def freed(row: Consistency | WithDistance) -> Estimate:
    """Return the correlation freed of noise, with its error."""
    return Estimate(row.correlation, row.se, WORD_BATCHES - 1)


def tied(shares: Tensor) -> Tensor:
    """Return shares without rounding errors: words of equally many shared neighbours are tied."""
    return shares.round(decimals=10)


def consistency_over_n(name: str, lists: engine.NeighbourPass, compute: Compute, seed: int) -> list[Consistency]:
    """Return the correlation of p@n between the farthest n, freed of noise; nothing below 4 runs or for shorter lists.

    Args:
        name: of the technique.
        lists: neighbours of the targets; those that a run lacks are left out.
        compute: how to compute.
        seed: of the splits and of the batches of words.
    """
    runs = len(lists.indices)
    if runs < 4 or max(FARTHEST) > lists.k:
        return []
    splits = halves_of(runs, seed)
    freed = freed_of_noise(_overlaps(lists, FARTHEST, splits, compute), splits, seed)
    return [Consistency(name, FARTHEST[0], FARTHEST[1], *freed)]


def with_distance(
    name: str, lists: engine.NeighbourPass, losses: Tensor, compute: Compute, seed: int
) -> list[WithDistance]:
    """Return the correlation of p@n with the PIP loss for every list length that there is; nothing below 4 runs.

    Args:
        name: of the technique.
        lists: neighbours of the targets; those that a run lacks are left out.
        losses: ``(t, R, R)`` word-wise PIP losses of the targets.
        compute: how to compute.
        seed: of the splits and of the batches of words.
    """
    runs = len(lists.indices)
    lengths = tuple(n for n in BESIDE_LOSS if n <= lists.k)
    if runs < 4 or not lengths:
        return []
    splits = halves_of(runs, seed)
    losses = losses[lists.present.all(0).to(losses.device)].cpu()
    distance = product(pair_weights(subsets_of(runs, splits), runs), losses.flatten(1).mT)  # (subsets, t)
    return [
        WithDistance(name, n, *freed_of_noise(torch.stack([p, distance]), splits, seed))
        for n, p in zip(lengths, _overlaps(lists, lengths, splits, compute), strict=True)
    ]


def _overlaps(lists: engine.NeighbourPass, lengths: tuple[int, ...], splits: list[Split], compute: Compute) -> Tensor:
    """p@n of the targets that all runs have, of all runs and of the halves of S splits: ``(N, 1 + 2S, t)``."""
    everywhere = lists._replace(indices=lists.indices[:, lists.present.all(0)])
    return tied(mean_overlap(everywhere, lengths, subsets_of(len(lists.indices), splits), compute))


def freed_of_noise(
    values: Tensor, splits: list[Split], seed: int
) -> tuple[int, int, int, float, float, float, float, float]:
    """Return the correlation over words of two quantities, freed of the noise of few runs.

    Args:
        values: ``(2, 1 + 2S, w)``: both quantities, of all runs and of the halves of S splits, as of
            :func:`subsets_of`.
        splits: into halves.
        seed: of the batches of words that are left out for the error.

    Returns:
        What both tables hold from ``words`` on.
    """
    measured = float(spearman(values[0, :1], values[1, :1])[0])
    parts = values[:, 1:].unflatten(1, (len(splits), 2))  # (2, splits, 2 halves, words)
    correlation, first, second = corrected(parts)
    error = corrected_error(parts, seed)
    return parts.shape[3], len(splits[0][0]), len(splits), measured, first, second, correlation, error


def corrected(values: Tensor) -> tuple[float, float, float]:
    """Return the correlation between two quantities that is free of noise, and the reliabilities of both.

    ``ρ(x_a, y_b) / √(ρ(x_a, x_b) ρ(y_a, y_b))``, each mean over splits into halves a, b.

    Args:
        values: ``(2, S, 2, w)``: two quantities in both halves of S splits, of w words.
    """
    (xa, xb), (ya, yb) = (quantity.unbind(1) for quantity in values)
    cross = (spearman(xa, yb) + spearman(xb, ya)).mean().item() / 2
    x, y = spearman(xa, xb).mean().item(), spearman(ya, yb).mean().item()
    return (cross / math.sqrt(x * y) if min(x, y) > 0 else math.nan), x, y


def corrected_error(values: Tensor, seed: int) -> float:
    """Return the error of the first number of :func:`corrected`, by leaving out one batch of words after the other."""
    words = values.shape[3]
    if words < 2 * WORD_BATCHES:
        return math.nan
    order = torch.randperm(words, generator=torch.Generator().manual_seed(seed), device="cpu")
    batch = torch.empty(words, dtype=torch.long, device="cpu")
    batch[order] = torch.arange(words, device="cpu") % WORD_BATCHES
    return jackknife_error([corrected(values[..., batch != b])[0] for b in range(WORD_BATCHES)])


def halves_of(runs: int, seed: int) -> list[Split]:
    """Return different splits of the runs into halves, all there are or some drawn ones; an odd run is left out."""
    half, wanted = runs // 2, SPLITS if runs <= _MANY_RUNS else 2
    generator = torch.Generator().manual_seed(seed)
    if math.comb(runs, half) <= 1000:
        every = [
            (first, second)
            for first in itertools.combinations(range(runs), half)
            for second in itertools.combinations([r for r in range(runs) if r not in first], half)
            if first < second
        ]
        return [every[k] for k in torch.randperm(len(every), generator=generator, device="cpu")[:wanted].tolist()]
    orders = [torch.randperm(runs, generator=generator, device="cpu").tolist() for _ in range(wanted)]
    return [(tuple(order[:half]), tuple(order[half : 2 * half])) for order in orders]


def subsets_of(runs: int, splits: list[Split]) -> list[tuple[int, ...]]:
    """Return all runs together, and the halves of every split."""
    return [tuple(range(runs)), *(half for split in splits for half in split)]


def pair_weights(subsets: list[tuple[int, ...]], runs: int) -> Tensor:
    """Return what every pair of runs weighs in the means over the pairs of some subsets, ``(subsets, R²)``."""
    weights = torch.zeros(len(subsets), runs, runs, dtype=torch.float64, device="cpu")
    for s, subset in enumerate(subsets):
        for i, j in itertools.combinations(sorted(subset), 2):
            weights[s, i, j] = 1 / math.comb(len(subset), 2)
    return weights.flatten(1)


def mean_overlap(
    lists: engine.NeighbourPass, lengths: tuple[int, ...], subsets: list[tuple[int, ...]], compute: Compute
) -> Tensor:
    """Return p@n of every target, mean over the pairs of some subsets of the runs: ``(N, subsets, t)``, in one pass."""
    runs, targets, k = lists.indices.shape
    weights = pair_weights(subsets, runs).to(lists.indices.device)
    n = torch.tensor(lengths, dtype=torch.float64, device=lists.indices.device)[:, None, None]

    def work(tile: int) -> Tensor:
        parts = [
            product(weights, shared_neighbours(part, lengths).double().flatten(2).mT)  # (N, subsets, t)
            for part in lists.indices.split(tile, dim=1)
        ]
        return (torch.cat(parts, 2) / n).cpu()

    bytes_per_target = 8 * runs * (4 * len(lengths) * runs + 4 * k) + 4 * runs * runs * k
    return with_smaller_tiles(work, compute.tile(bytes_per_target, max(targets, 1)))


def how_many_table(technique: Technique) -> dict[str, Table]:
    """Return the standard error of the mean over pairs of R runs, for every R up to what there are.

    For the reduced PIP loss, p@10, and the PIP loss of single words (root mean square error over 20 drawn words).
    ``jackknife`` is the root mean square over subsets of R runs of what these runs would state themselves;
    ``subsampling`` is the SD of the estimates of all the subsets (or 300 drawn ones), divided by √(1 − R/runs) for
    runs that subsets share; both as a part of the value, and undefined where that is 0. ``for_1_percent`` extrapolates
    by 1/√R.
    """
    runs = technique.runs
    rows = []
    for quantity, matrices in _quantities(technique):
        for size in range(2, len(runs) + 1):
            each = zip(*(errors(matrix, size, technique.seed) for matrix in matrices), strict=True)
            jackknife, subsampling = (_rms(x) for x in each)
            last = size == len(runs) and not math.isnan(jackknife)
            needed = max(2, math.ceil(size * (jackknife / 0.01) ** 2)) if last else None
            rows.append(ErrorOfRuns(technique.name, quantity, size, jackknife, subsampling, needed))
    return HOW_MANY.named(rows)


def _quantities(technique: Technique) -> Iterator[tuple[str, list[Tensor]]]:
    """What the errors are of, with its pair matrices: one, or one for every drawn word."""
    runs, compute = technique.runs, technique.compute
    yield REDUCED_PIP, [technique.without_copies(pair_matrix(technique.reduced.cpu(), len(runs)))]
    lists, overlap, lengths = technique.neighbours
    k = min(LENGTH, lists.k)
    shared = overlap.p[lengths.index(k)] if k in lengths else engine.overlap_pass(lists, [k], compute).p[0]
    yield f"p@{k}", [shared.cpu()]
    of_words = word_matrices(runs, technique.draw(HOW_MANY_WORDS), compute, technique.of_words)
    yield "one word's PIP loss", list(technique.without_copies(of_words))


def errors(matrix: Tensor, size: int, seed: int) -> tuple[float, float]:
    """Return the relative standard error at so many of R runs, by the jackknife and by subsampling.

    Args:
        matrix: ``(R, R)`` pair matrix, zero diagonal.
        size: of the subsets, 2 to R; the jackknife wants 3, subsampling fewer than R, and are NaN otherwise.
        seed: of the drawn subsets.
    """
    runs = len(matrix)
    value = pair_statistics(matrix).mean
    means, ses = pair_errors(matrix, _subsets(runs, size, seed).to(matrix.device))
    jackknife = _rms(ses.tolist())
    if size == runs:
        return ratio(jackknife, value), math.nan
    # All subsets of a finite set of runs scatter about its mean by 1 − size/runs of the variance of new runs.
    return ratio(jackknife, value), ratio(float(means.std(correction=0)) / math.sqrt(1 - size / runs), value)


@lru_cache(256)
def _subsets(runs: int, size: int, seed: int) -> Tensor:
    """Return which runs are in each of some subsets, ``(S, R)`` bool: all there are, or some drawn ones."""
    if math.comb(runs, size) <= SUBSETS:
        rows = torch.tensor(list(itertools.combinations(range(runs), size)), device="cpu")
    else:
        generator = torch.Generator().manual_seed(seed)
        rows = torch.stack([torch.randperm(runs, generator=generator, device="cpu")[:size] for _ in range(SUBSETS)])
    return torch.zeros(len(rows), runs, dtype=torch.bool, device="cpu").scatter_(1, rows, True)


def _rms(values: Sequence[float]) -> float:
    return math.sqrt(sum(value**2 for value in values) / len(values))
