"""Shared nearest neighbours: p@n and j@n, and whether different n agree. Rettenmeier 2020, §2.2.2 and A.1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels.jackknife import pair_statistics
from gpustab.kernels.overlap import Overlap, chance_overlap, mean_over_measured
from gpustab.machine.device import Compute
from gpustab.options import LENGTHS
from gpustab.results import Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.statistics.ranks import rank_correlation, rank_correlations
from gpustab.studies.instability.consistency import Consistency, consistency_over_n


class Lists(NamedTuple):
    """Neighbour lists, their overlap, and the list lengths that the vocabulary allows."""

    found: engine.NeighbourPass
    overlap: Overlap
    lengths: list[int]


def measure(runs: Runs, compute: Compute, targets: Tensor) -> Lists:
    """Return p@n and j@n of all pairs of runs over some targets."""
    found = engine.neighbour_pass(runs, targets, max(LENGTHS), compute)
    lengths = [n for n in LENGTHS if n <= found.k]
    return Lists(found, engine.overlap_pass(found, lengths, compute), lengths)


def overlap_tables(name: str, groups: Mapping[str, Runs], seed: int, compute: Compute) -> dict[str, Table]:
    """Measure p@n and j@n in every group, and the consistency over n in the shuffled one, all over the same words.

    Returns:
        ``neighbours`` (every group and n), ``table_2_3`` (Spearman's ρ over words between different n),
        ``consistency`` (of p@2 and p@50, freed of the noise of few runs) and ``table_a_1`` (the same n between two
        halves of the runs).

    Raises:
        InputError: if fewer than two words are in all runs of all samplings.
    """
    there = _over_common_words(groups, seed)
    measured = {sampling: measure(runs, compute, targets) for sampling, (runs, targets) in there.items()}
    neighbours = []
    for sampling, (found, overlap, lengths) in measured.items():
        chance = mean_over_measured(chance_overlap(there[sampling][0].present), overlap.targets)
        for m, n in enumerate(lengths):
            p, j = pair_statistics(overlap.p[m]), pair_statistics(overlap.j[m])
            shares = (p.mean, p.se, j.mean, j.se, n * chance)
            neighbours.append(Shared(name, sampling, n, len(found.targets), *shares))
    shuffled = measured["shuffled"]
    return {
        "neighbours": Table.of(neighbours),
        "table_2_3": consistency(name, shuffled),
        "consistency": Table.of(consistency_over_n(name, shuffled.found, compute, seed), Consistency._fields),
        "table_a_1": halves(name, shuffled, compute),
    }


def _over_common_words(groups: Mapping[str, Runs], seed: int) -> dict[str, tuple[Runs, Tensor]]:
    """Runs and target rows of every group; of several groups only the words that all runs of all of them have."""
    if len(groups) == 1:
        return {sampling: (runs, engine.draw_targets(runs, seed=seed)) for sampling, runs in groups.items()}
    restricted, rows = over_common_words(list(groups.values()))
    if len(rows[0]) < 2:
        raise InputError(f"{len(rows[0])} words are in all runs of all samplings")
    drawn = torch.searchsorted(rows[0], engine.draw_targets(restricted[0], seed=seed))  # entries of `rows`
    targets = (own[drawn] for own in rows)
    return dict(zip(groups, zip(restricted, targets, strict=True), strict=True))


class Shared(NamedTuple):
    """Shared neighbours of one group at one list length."""

    technique: str
    sampling: str
    n: int
    targets: int
    p: float
    p_se: float
    j: float
    j_se: float
    chance_p: float


def consistency(name: str, measured: Lists) -> Table:
    """Return Spearman's ρ over target words between p@n (and j@n) at different n, table 2.3."""
    _, overlap, lengths = measured
    rows = []
    for metric, by_word in (("p", overlap.p_word), ("j", overlap.j_word)):
        correlations = rank_correlations(_tied(by_word).mT)
        for m, n in enumerate(lengths):
            found = dict(zip(lengths, correlations[m].tolist(), strict=True))
            rows.append({"technique": name, "metric": metric, "n": n} | {f"@{k}": found.get(k) for k in LENGTHS})
    return Table.of(rows)


class Halves(NamedTuple):
    """Table A.1: Spearman's ρ over words between two halves of the runs."""

    technique: str
    n: int
    runs_each: int
    p: float
    j: float


def halves(name: str, measured: Lists, compute: Compute) -> Table:
    """Return Spearman's ρ over target words between two halves of the runs, table A.1; empty below 4 runs."""
    found, _, lengths = measured
    half = len(found.indices) // 2
    if half < 2:
        return Table.of([], Halves._fields)
    first, second = (
        engine.overlap_pass(_of_runs(found, part), lengths, compute) for part in (slice(half), slice(half, 2 * half))
    )
    rows = []
    for m, n in enumerate(lengths):
        p = rank_correlation(_tied(first.p_word[m]), _tied(second.p_word[m]))[0]
        j = rank_correlation(_tied(first.j_word[m]), _tied(second.j_word[m]))[0]
        rows.append(Halves(name, n, half, p, j))
    return Table.of(rows)


def _tied(shares: Tensor) -> Tensor:
    """Free shares of rounding errors: words of equally many shared neighbours are tied."""
    return shares.round(decimals=10)


def _of_runs(found: engine.NeighbourPass, part: slice) -> engine.NeighbourPass:
    fields = ("indices", "cosines", "tied", "present")
    return found._replace(**{field: getattr(found, field)[part] for field in fields})
