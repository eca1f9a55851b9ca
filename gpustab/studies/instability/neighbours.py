"""Shared nearest neighbours: how many, whether different n agree, whether they go with the loss; and those of one word.

Rettenmeier 2020, §2.2.2 and A.1, tables 2.2, 2.4 and 3.5, eq. 3.8. Table 2.3 takes Spearman's ρ of p@2 and p@50 as
measured. Noise alone brings that to 0.30, 0.46 and 0.64 at 6, 8 and 16 runs where the true ρ is 1. One half of the runs
knows nothing of the other's noise: p@2 of one half with p@50 of the other, divided by how well each agrees with itself
over halves, is free of it (Spearman 1904). So is the correlation of p@n with the word's PIP loss. The thesis takes that
for none, since p@n is nearly its structure factor, which knows no distance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels import prediction
from gpustab.kernels.arithmetic import product
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import Overlap, chance_overlap, mean_over_measured, shared_neighbours
from gpustab.machine.device import Compute, with_smaller_tiles
from gpustab.options import LENGTHS
from gpustab.results import Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_word, show
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.ranks import rank_correlation, rank_correlations, spearman
from gpustab.studies.instability.tables import (
    CONSISTENCY,
    FARTHEST,
    HALVES,
    IN_AVERAGES,
    IN_RUNS,
    LISTS_SHARED,
    NEAREST,
    OVER_LENGTHS,
    PAIR_COSINES,
    SHARED,
    WORD_BATCHES,
    Beside,
    Consistency,
    Halves,
    ListShared,
    Nearest,
    OverLengths,
    PairCosine,
    Shared,
    WithDistance,
)
from gpustab.studies.instability.technique import Technique
from gpustab.studies.instability.trees import as_runs, top_of

BESIDE_LOSS = (1, 10)
"""The values of n beside the PIP loss."""
SPLITS = 10
"""Splits into halves that are averaged; of many runs one is like the other."""
_MANY_RUNS = 32
LISTED = 15
"""Neighbours of the tables 2.2 and 3.5."""
RANKS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
"""Places that table 2.4 shows."""
_LISTS_SHARED = (10, 15)
_EPSILON = 1e-6
"""What leaving out far words may change of a probability in table 2.4."""


class Lists(NamedTuple):
    """Neighbour lists, their overlap, and the list lengths that the vocabulary allows."""

    lists: engine.NeighbourPass
    overlap: Overlap
    lengths: list[int]


def measure(runs: Runs, compute: Compute, targets: Tensor) -> Lists:
    """Return p@n and j@n of all pairs of runs over some targets."""
    lists = engine.neighbour_pass(runs, targets, max(LENGTHS), compute)
    lengths = [n for n in LENGTHS if n <= lists.k]
    return Lists(lists, engine.overlap_pass(lists, lengths, compute), lengths)


def overlap_tables(technique: Technique) -> dict[str, Table]:
    """Measure p@n and j@n in every group, and the consistency over n in the shuffled one, all over the same words.

    Returns:
        ``neighbours`` (every group and n), ``table_2_3`` (Spearman's ρ over words between different n),
        ``consistency`` (of p@2 and p@50, freed of the noise of few runs) and ``table_a_1`` (the same n between two
        halves of the runs).

    Raises:
        InputError: if fewer than two words are in all runs of all samplings.
    """
    name, compute, seed = technique.name, technique.compute, technique.seed
    there = _over_common_words(technique.groups, seed)
    measured = {sampling: measure(runs, compute, targets) for sampling, (runs, targets) in there.items()}
    shared = []
    for sampling, (lists, overlap, lengths) in measured.items():
        chance = mean_over_measured(chance_overlap(there[sampling][0].present), overlap.targets)
        for m, n in enumerate(lengths):
            p, j = pair_statistics(overlap.p[m]), pair_statistics(overlap.j[m])
            shared.append(Shared(name, sampling, n, len(lists.targets), p.mean, p.se, j.mean, j.se, n * chance))
    shuffled = measured["shuffled"]
    return {
        SHARED.name: SHARED.table(shared),
        OVER_LENGTHS.name: OVER_LENGTHS.table(over_lengths(name, shuffled)),
        CONSISTENCY.name: CONSISTENCY.table(consistency_over_n(name, shuffled.lists, compute, seed)),
        HALVES.name: HALVES.table(halves(name, shuffled, compute)),
    }


def _over_common_words(groups: Mapping[str, Runs], seed: int) -> dict[str, tuple[Runs, Tensor]]:
    """Runs and target rows of every group; of several groups only the words that all runs of all of them have."""
    if len(groups) == 1:
        return {sampling: (runs, engine.draw_targets(runs, seed=seed)) for sampling, runs in groups.items()}
    restricted, rows = over_common_words(list(groups.values()))
    if len(rows[0]) < 2:
        raise InputError(f"{len(rows[0])} words are in all runs of all samplings")
    drawn = torch.searchsorted(rows[0], engine.draw_targets(restricted[0], seed=seed))  # entries of `rows`
    targets = (words[drawn] for words in rows)
    return dict(zip(groups, zip(restricted, targets, strict=True), strict=True))


def over_lengths(name: str, measured: Lists) -> list[OverLengths]:
    """Return Spearman's ρ over target words between p@n (and j@n) at different n, table 2.3."""
    _, overlap, lengths = measured
    rows = []
    for metric, by_word in (("p", overlap.p_word), ("j", overlap.j_word)):
        correlations = rank_correlations(_tied(by_word).mT)
        for m, n in enumerate(lengths):
            known = dict(zip(lengths, correlations[m].tolist(), strict=True))
            rows.append(OverLengths(name, metric, n, {str(k): known.get(k) for k in LENGTHS}))
    return rows


def halves(name: str, measured: Lists, compute: Compute) -> list[Halves]:
    """Return Spearman's ρ over target words between two halves of the runs, table A.1; nothing below 4 runs."""
    lists, _, lengths = measured
    half = len(lists.indices) // 2
    if half < 2:
        return []
    first, second = (
        engine.overlap_pass(_of_runs(lists, part), lengths, compute) for part in (slice(half), slice(half, 2 * half))
    )
    rows = []
    for m, n in enumerate(lengths):
        p = rank_correlation(_tied(first.p_word[m]), _tied(second.p_word[m]))[0]
        j = rank_correlation(_tied(first.j_word[m]), _tied(second.j_word[m]))[0]
        rows.append(Halves(name, n, half, p, j))
    return rows


def _tied(shares: Tensor) -> Tensor:
    """Free shares of rounding errors: words of equally many shared neighbours are tied."""
    return shares.round(decimals=10)


def _of_runs(lists: engine.NeighbourPass, part: slice) -> engine.NeighbourPass:
    fields = ("indices", "cosines", "tied", "present")
    return lists._replace(**{field: getattr(lists, field)[part] for field in fields})


def consistency_over_n(
    name: str, lists: engine.NeighbourPass, compute: Compute, seed: int, pair: tuple[int, int] = FARTHEST
) -> list[Consistency]:
    """Return the correlation of p@n between two n, freed of noise; nothing below 4 runs or for shorter lists.

    Args:
        name: of the technique.
        lists: neighbours of the targets; those that a run lacks are left out.
        compute: how to compute.
        seed: of the splits and of the batches of words.
        pair: the two n.
    """
    runs = len(lists.indices)
    if runs < 4 or max(pair) > lists.k:
        return []
    splits = halves_of(runs, seed)
    p = _tied(mean_overlap(_everywhere(lists), pair, subsets_of(runs, splits), compute))
    return [Consistency(name, pair[0], pair[1], *freed_of_noise(p, splits, seed))]


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
    subsets = subsets_of(runs, splits)
    p = _tied(mean_overlap(_everywhere(lists), lengths, subsets, compute))
    losses = losses[lists.present.all(0).to(losses.device)].cpu()
    distance = product(pair_weights(subsets, runs), losses.flatten(1).mT)  # (subsets, t)
    return [
        WithDistance(name, n, *freed_of_noise(torch.stack([shares, distance]), splits, seed))
        for n, shares in zip(lengths, p, strict=True)
    ]


Split = tuple[tuple[int, ...], tuple[int, ...]]


class Freed(NamedTuple):
    """A correlation over words of two quantities, as measured and freed of noise; fields as in the tables."""

    words: int
    runs_each: int
    splits: int
    measured: float
    reliability: float
    other_reliability: float
    correlation: float
    se: float


def freed_of_noise(values: Tensor, splits: list[Split], seed: int) -> Freed:
    """Return the correlation over words of two quantities, freed of the noise of few runs.

    Args:
        values: ``(2, 1 + 2S, w)``: both quantities, of all runs and of the halves of S splits, as of
            :func:`subsets_of`.
        splits: into halves.
        seed: of the batches of words that are left out for the error.
    """
    measured = float(spearman(values[0, :1], values[1, :1])[0])
    parts = values[:, 1:].unflatten(1, (len(splits), 2))  # (2, splits, 2 halves, words)
    correlation, first, second = corrected(parts)
    se = corrected_error(parts, seed)
    return Freed(parts.shape[3], len(splits[0][0]), len(splits), measured, first, second, correlation, se)


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
    order = torch.randperm(words, generator=torch.Generator().manual_seed(seed))
    batch = torch.empty(words, dtype=torch.long)
    batch[order] = torch.arange(words) % WORD_BATCHES
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
        return [every[k] for k in torch.randperm(len(every), generator=generator)[:wanted].tolist()]
    orders = [torch.randperm(runs, generator=generator).tolist() for _ in range(wanted)]
    return [(tuple(order[:half]), tuple(order[half : 2 * half])) for order in orders]


def subsets_of(runs: int, splits: list[Split]) -> list[tuple[int, ...]]:
    """Return all runs together, and the halves of every split."""
    return [tuple(range(runs)), *(half for split in splits for half in split)]


def pair_weights(subsets: list[tuple[int, ...]], runs: int) -> Tensor:
    """Return what every pair of runs weighs in the means over the pairs of some subsets, ``(subsets, R²)``."""
    weights = torch.zeros(len(subsets), runs, runs, dtype=torch.float64)
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


def _everywhere(lists: engine.NeighbourPass) -> engine.NeighbourPass:
    """The lists of the targets that all runs have."""
    return lists._replace(indices=lists.indices[:, lists.present.all(0)])


def list_tables(technique: Technique) -> tuple[dict[str, Table], list[str]]:
    """List the neighbours of a word in the first two runs, in the averages of either half of the runs, and by means.

    Args:
        technique: of 3 runs or more; its options name the word, and the one whose cosine with it is given run by run
            (default: the nearest by mean cosine).

    Returns:
        ``table_2_2``, ``table_3_5`` (empty below 4 runs: an average is of two or more), ``lists_shared`` (p@n and j@n
        of both), ``table_2_4`` and ``figure_2_2`` (one row per run); and sentences on what could not be listed.
    """
    name, runs, options = technique.name, technique.runs, technique.options
    if options.word is None:
        return {}, []
    target, half = _row_of(runs, options.word), len(runs) // 2
    if target is None:
        return {}, [f"{name}: no lists of neighbours, the word '{show(as_word(options.word))}' is not in all runs."]
    notes = []
    in_runs, shared = _beside(name, runs.take([0, 1]), target, 1)
    in_averages: list[Beside] = []
    if half > 1:
        # Disjoint trees: no run is beneath both.
        averages = [top_of(runs.take(part)) for part in (list(range(half)), list(range(half, 2 * half)))]
        in_averages, more = _beside(name, as_runs(runs.take([0, 1]), averages), target, half)
        shared += more
    else:
        notes.append(f"{name}: no lists of averages (table 3.5), two averages of two want 4 runs.")
    nearest = list(_nearest(name, runs, target, technique.compute))
    second = _row_of(runs, nearest[0].neighbour if options.other is None else options.other)
    if second is None:
        other = show(as_word(str(options.other)))
        notes.append(f"{name}: no cosines with '{other}' (figure 2.2), it is not in all runs.")
    pair = [] if second is None else _pair(name, runs, target, second, technique.compute)
    return {
        IN_RUNS.name: IN_RUNS.table(in_runs),
        IN_AVERAGES.name: IN_AVERAGES.table(in_averages),
        LISTS_SHARED.name: LISTS_SHARED.table(shared),
        NEAREST.name: NEAREST.table(nearest),
        PAIR_COSINES.name: PAIR_COSINES.table(pair),
    }, notes


def _row_of(runs: Runs, word: str) -> int | None:
    """The row of a word that all runs have."""
    if as_word(word) not in runs.vocabulary:
        return None
    row = runs.vocabulary.index_of(word)
    return row if runs.joint[row] else None


def _pair(name: str, runs: Runs, first: int, second: int, compute: Compute) -> Iterator[PairCosine]:
    values = engine.pair_values(runs, torch.tensor([first]), torch.tensor([second]), compute)[0].tolist()
    for run, value in zip(runs.names, values, strict=True):
        yield PairCosine(name, runs.vocabulary.text(first), runs.vocabulary.text(second), run, value)


def _beside(name: str, two: Runs, target: int, beneath: int) -> tuple[list[Beside], list[ListShared]]:
    """Compare the neighbours of a target in two spaces.

    Args:
        name: of the technique.
        two: the spaces as runs.
        target: row number.
        beneath: runs that each space is made of.

    Returns:
        The 15 nearest words of the first space, then those that only the second has among its 15; and the shares of
        common neighbours.
    """
    cosines = [_cosines(two, r, target) for r in range(2)]
    (first, second), others = map(_ranks, cosines), int(two.joint.sum()) - 1
    text = two.vocabulary.text
    either = ((first <= LISTED) | (second <= LISTED)).nonzero().flatten().tolist()
    either.sort(key=lambda k: int(first[k]) if first[k] <= LISTED else LISTED + int(second[k]))
    x, y = cosines
    listed = [
        Beside(name, text(target), beneath, text(k), int(first[k]), float(x[k]), int(second[k]), float(y[k]))
        for k in either
    ]
    shared = []
    for n in sorted({min(n, others) for n in _LISTS_SHARED}):
        common = int(((first <= n) & (second <= n)).sum())
        shared.append(ListShared(name, text(target), beneath, n, common / n, common / (2 * n - common)))
    return listed, shared


def _cosines(runs: Runs, r: int, target: int) -> Tensor:
    """Cosines of a target with all words in one run, ``(v,)`` float64; −∞ for itself and words that a run lacks."""
    values = engine.query_cosines(runs.take([r]), torch.tensor([target], device=runs.device)).mean[0]
    values[target] = -torch.inf
    return values.masked_fill(~runs.joint, -torch.inf).cpu()


def _ranks(cosines: Tensor) -> Tensor:
    """Places by falling cosine from 1, equal ones by row number; beyond the last for a word without a cosine."""
    order = cosines.argsort(descending=True, stable=True)
    ranks = torch.empty_like(order)
    ranks[order] = torch.arange(1, len(order) + 1)
    return ranks.masked_fill(cosines == -torch.inf, 2**62)


def _nearest(name: str, runs: Runs, target: int, compute: Compute) -> Iterator[Nearest]:
    """Means, SDs and probabilities at the places of :data:`RANKS`.

    Words that are neither shown nor near enough to matter are left out, which changes no probability by more than
    1e-6; probabilities below 1e-12 are 0.
    """
    statistics = engine.query_cosines(runs, torch.tensor([target], device=runs.device))
    mean = statistics.mean.masked_fill(~runs.joint, -torch.inf)
    mean[:, target] = -torch.inf
    sd = statistics.sd.nan_to_num(0.0)
    others = int(runs.joint.sum()) - 1
    order = mean[0].argsort(descending=True, stable=True)[:others]
    ranks = [rank for rank in RANKS if rank <= others]
    lengths = [n for n in (1, 2) if n <= others]
    limit = prediction.top_n_threshold(mean, sd, max(lengths), _EPSILON)
    near = prediction.reaches(mean, sd, limit, _EPSILON / (2 * others))[0]
    near[order[[rank - 1 for rank in ranks]]] = True
    kept = near.nonzero().flatten()
    probabilities = engine.top_n_probabilities(mean[:, kept], sd[:, kept], lengths, numbers=compute.tile(16, 2**32))
    places = {k: column for column, k in enumerate(kept.tolist())}
    text = runs.vocabulary.text
    for rank in ranks:
        k = int(order[rank - 1])
        p = [float(probabilities[m, 0, places[k]]) if m < len(lengths) else 1.0 for m in range(2)]
        yield Nearest(name, text(target), rank, text(k), float(mean[0, k]), float(sd[0, k]), *p)
