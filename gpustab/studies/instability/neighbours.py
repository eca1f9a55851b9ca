"""Shared nearest neighbours: how many, whether different n agree, whether they go with the loss; and those of one word.

Rettenmeier 2020, §2.2.2 and A.1, tables 2.2, 2.4 and 3.5, eq. 3.8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.errors import InputError
from gpustab.kernels import prediction
from gpustab.kernels.jackknife import pair_matrix, pair_statistics
from gpustab.kernels.overlap import chance_overlap, mean_over_measured
from gpustab.machine.device import Compute
from gpustab.options import LENGTHS
from gpustab.results import Column, Sheet, Table
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.spaces.words import as_word, show
from gpustab.statistics.ranks import rank_correlation, rank_correlations
from gpustab.studies.instability.subsets import CONSISTENCY, consistency_over_n, tied
from gpustab.studies.instability.technique import Lists, Technique, Wide, measure
from gpustab.studies.instability.trees import as_runs, top_of
from gpustab.studies.shared.wording import groups_in_words


class Shared(NamedTuple):
    """Shared neighbours of one sampling at one length of lists, §2.2.2."""

    technique: str
    sampling: str
    n: int
    targets: int
    p: Annotated[float, Column(about="share of its n neighbours that two runs share")]
    p_se: float
    j: Annotated[float, Column(about="those shared, as a part of those in either list")]
    j_se: float
    chance_p: Annotated[float, Column(about="p@n of unrelated spaces")]


class OverLengths(NamedTuple):
    """Table 2.3: Spearman's ρ over words of p@n (or j@n) with that at other lengths."""

    technique: str
    metric: Annotated[str, Column(about="p or j")]
    n: int
    rho: Annotated[Mapping[str, float | None], Column(about="by the other length")]


class Halves(NamedTuple):
    """Table A.1: Spearman's ρ over words between two halves of the runs."""

    technique: str
    n: int
    runs_each: int
    p: Annotated[float, Column(about="of p@n")]
    j: Annotated[float, Column(about="of j@n")]


class Beside(NamedTuple):
    """Tables 2.2 and 3.5: a neighbour of one word in two spaces, with its places there."""

    technique: str
    target: str
    runs_beneath: Annotated[int, Column(about="of each space: 1 of runs, more of averages")]
    neighbour: str
    first_rank: int
    first_cosine: float
    second_rank: int
    second_cosine: float


class ListShared(NamedTuple):
    """Eq. 3.8: the neighbours of one word that two spaces share."""

    technique: str
    target: str
    runs_beneath: int
    n: int
    p: float
    j: float


class Nearest(NamedTuple):
    """Table 2.4: one word's cosine with another over the runs."""

    technique: str
    target: str
    rank: Annotated[int, Column(about="by mean cosine")]
    neighbour: str
    mean: float
    sd: Annotated[float, Column(about="over runs, ddof = 1")]
    p_1: Annotated[float, Column(about="probability to be its nearest")]
    p_2: Annotated[float, Column(about="probability to be of its two nearest")]


class PairCosine(NamedTuple):
    """Figure 2.2: the cosine of two words in one run."""

    technique: str
    first: str
    second: str
    run: str
    cosine: float


SHARED = Sheet("neighbours", Shared, "one row a technique, sampling and length of lists")
OVER_LENGTHS = Wide("table_2_3", OverLengths, "one row a technique, metric and length of lists", sign="@")
HALVES = Sheet("table_a_1", Halves, "one row a technique and length of lists")
IN_RUNS = Sheet("table_2_2", Beside, "one row a technique and neighbour in either of two runs")
IN_AVERAGES = Sheet("table_3_5", Beside, "one row a technique and neighbour in either of two averages")
LISTS_SHARED = Sheet("lists_shared", ListShared, "one row a technique, kind of spaces and length of lists")
NEAREST = Sheet("table_2_4", Nearest, "one row a technique and place")
PAIR_COSINES = Sheet("figure_2_2", PairCosine, "one row a technique and run", long=True)

LISTED = 15
"""Neighbours of the tables 2.2 and 3.5."""
RANKS = (1, 2, 3, 4, 5, 10, 50, 100, 500, 1000)
"""Places that table 2.4 shows."""
_LISTS_SHARED = (10, 15)
_EPSILON = 1e-6
"""What leaving out far words may change of a probability in table 2.4."""


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
    measured = _measured(technique)
    shared = []
    for sampling, (present, (lists, overlap, lengths)) in measured.items():
        chance = mean_over_measured(chance_overlap(present), overlap.targets)
        for m, n in enumerate(lengths):
            p, j = (pair_statistics(pair_matrix(of[m], len(present))) for of in (overlap.p_pairs, overlap.j_pairs))
            shared.append(Shared(name, sampling, n, len(lists.targets), p.mean, p.se, j.mean, j.se, n * chance))
    shuffled = measured["shuffled"][1]
    consistency = CONSISTENCY.named(consistency_over_n(name, shuffled.lists, compute, seed))
    over_n = OVER_LENGTHS.named(over_lengths(name, shuffled)) | consistency
    return SHARED.named(shared) | over_n | HALVES.named(halves(name, shuffled, compute))


def _measured(technique: Technique) -> dict[str, tuple[Tensor, Lists]]:
    """Which run has which word, and the lists of every group; of several groups over the words that all runs have."""
    if len(technique.groups) == 1:
        return {"shuffled": (technique.runs.present, technique.neighbours)}
    restricted, rows = over_common_words(list(technique.groups.values()))
    if len(rows[0]) < 2:
        raise InputError(f"{len(rows[0])} words are in all runs of all samplings")
    drawn = torch.searchsorted(rows[0], engine.draw_targets(restricted[0], seed=technique.seed))  # entries of `rows`
    return {
        sampling: (runs.present, measure(runs, technique.compute, words[drawn]))
        for sampling, runs, words in zip(technique.groups, restricted, rows, strict=True)
    }


def over_lengths(name: str, measured: Lists) -> list[OverLengths]:
    """Return Spearman's ρ over target words between p@n (and j@n) at different n, table 2.3."""
    _, overlap, lengths = measured
    rows = []
    for metric, by_word in (("p", overlap.p_word), ("j", overlap.j_word)):
        correlations = rank_correlations(tied(by_word).mT)
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
    parts = []
    for part in (slice(half), slice(half, 2 * half)):
        of_half = {field: getattr(lists, field)[part] for field in ("indices", "cosines", "tied", "present")}
        overlap = engine.overlap_pass(lists._replace(**of_half), lengths, compute)
        parts.append([tied(overlap.p_word), tied(overlap.j_word)])
    rho = [[rank_correlation(*words)[0] for words in zip(*both, strict=True)] for both in zip(*parts, strict=True)]
    return [Halves(name, n, half, p, j) for n, p, j in zip(lengths, *rho, strict=True)]


def list_tables(technique: Technique) -> dict[str, Table]:
    """List the neighbours of a word in the first two runs, in the averages of either half of the runs, and by means.

    Args:
        technique: of 3 runs or more; its options name the word, and the one whose cosine with it is given run by run
            (default: the nearest by mean cosine).

    Returns:
        ``table_2_2``, ``table_3_5`` (empty below 4 runs: an average is of two or more), ``lists_shared`` (p@n and j@n
        of both), ``table_2_4`` and ``figure_2_2`` (one row per run). What could not be listed is noted.
    """
    name, runs, options, notes = technique.name, technique.runs, technique.options, technique.notes
    if options.word is None:
        return {}
    target, half = _row_of(runs, options.word), len(runs) // 2
    if target is None:
        notes.append(
            f"{groups_in_words([name])}: no lists of neighbours, because '{show(as_word(options.word))}' is not in all "
            "runs."
        )
        return {}
    in_runs, shared = _beside(name, runs.take([0, 1]), target, 1)
    in_averages: list[Beside] = []
    if half > 1:
        # Disjoint trees: no run is beneath both.
        averages = [top_of(runs.take(part)) for part in (list(range(half)), list(range(half, 2 * half)))]
        in_averages, more = _beside(name, as_runs(runs.take([0, 1]), averages), target, half)
        shared += more
    else:
        notes.append(
            f"{groups_in_words([name])}: no lists of averages (table 3.5), because two averages of two need 4 runs."
        )
    nearest = list(_nearest(name, runs, target, technique.compute))
    second = _row_of(runs, nearest[0].neighbour if options.other is None else options.other)
    if second is None:
        other = show(as_word(str(options.other)))
        notes.append(
            f"{groups_in_words([name])}: no cosines with '{other}' (figure 2.2), because it is not in all runs."
        )
    pair = [] if second is None else _pair(name, runs, target, second, technique.compute)
    lists = IN_RUNS.named(in_runs) | IN_AVERAGES.named(in_averages) | LISTS_SHARED.named(shared)
    return lists | NEAREST.named(nearest) | PAIR_COSINES.named(pair)


def _row_of(runs: Runs, word: str) -> int | None:
    """The row of a word that all runs have."""
    if (own := runs.vocabulary.meant(word)) not in runs.vocabulary:
        return None
    row = runs.vocabulary.index_of(own)
    return row if runs.joint[row] else None


def _pair(name: str, runs: Runs, first: int, second: int, compute: Compute) -> Iterator[PairCosine]:
    values = engine.pair_values(
        runs, torch.tensor([first], device="cpu"), torch.tensor([second], device="cpu"), compute
    )[0].tolist()
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
    ranks[order] = torch.arange(1, len(order) + 1, device="cpu")
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
