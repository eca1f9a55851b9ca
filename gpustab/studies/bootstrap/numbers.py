"""The numbers of one group, as rows: how much cosines, lists and ranks vary, and how far groups lie apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_statistics
from gpustab.machine.device import Compute
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.bootstrap import spread
from gpustab.studies.bootstrap.measure import Measured
from gpustab.studies.bootstrap.tables import AVERAGED, Distance, PairSpread, RankChanges, Setting


class Numbers(NamedTuple):
    """One group over its query words, each number with its error over runs; see :func:`numbers`."""

    log_spread: Estimate
    relative: Estimate
    mean: Estimate
    j2: Estimate
    jn: Estimate
    p: Estimate
    rank_change: Estimate
    recurring: Estimate
    rise: Estimate


def numbers(own: Measured, compute: Compute) -> Numbers:
    """Return the numbers of one group.

    ``log_spread``: ln √(mean variance) of the cosines with the 10 closest words; ``relative``: the same in units of the
    query's cosines' SD over all words; ``mean``: mean cosine; ``j2``, ``jn``: mean Jaccard of two runs' lists (sets);
    ``p``: share of the list; ``rank_change``: mean |rank − median|; ``recurring``: share of the lists by mean cosine
    that two disjoint halves of the runs have in common; ``rise``: see :func:`spread.rise_left`.
    """
    near = own.pairs([row[:AVERAGED] for row in own.closest])
    values, ranks = own.listed.cosines[near], own.listed.ranks[near]
    scale = own.spread_over_words()[own.listed.query[near]]
    overlap = engine.overlap_pass(own.lists, [min(2, own.n), own.n], compute)
    twenty = own.listed.cosines[own.pairs(own.closest)]
    enough = len(own.runs) > 3
    j2, jn, p = (_of_pairs(matrix) for matrix in (overlap.j[0], overlap.j[-1], overlap.p[-1]))
    return Numbers(
        spread.log_spread(values, torch.ones_like(scale)),
        spread.log_spread(values, scale),
        spread.mean_cosine(values),
        j2,
        jn,
        p,
        spread.rank_change(ranks),
        spread.recurring(*own.halves) if enough else Estimate(math.nan, math.nan, 0),
        spread.rise_left(twenty) if enough else Estimate(math.nan, math.nan, 0),
    )


def _of_pairs(matrix: Tensor) -> Estimate:
    found = pair_statistics(matrix.cpu())
    return Estimate.of_runs(found.mean, found.se, len(matrix))


def setting(own: Measured, compute: Compute) -> Setting:
    """Return the row of one group in the table of settings."""
    key, estimates = own.key, numbers(own, compute)
    near = own.pairs([row[:AVERAGED] for row in own.closest])
    values = own.listed.cosines[near]
    lists = spread.list_agreement(own.lists.indices[:, :, : own.n].cpu(), own.lists.present.cpu())
    scalars = (
        own.name,
        key.technique,
        key.sampling,
        key.unit,
        key.fraction,
        ", ".join(f"{name}={value}" for name, value in key.part),
        len(own.runs),
        len(own.queries),
        len(own.words),
        spread.mean_sd(values),
        math.exp(estimates.log_spread.value),
        math.exp(estimates.relative.value),
        lists.disjoint,
        lists.everywhere,
        int(values.isnan().any(1).sum()),
        _within(own) / max(len(own.queries), 1),
    )
    return Setting._make((*scalars, *(part for estimate in estimates for part in estimate)))


def _within(own: Measured) -> int:
    """How many words have a mean rank of at most n: what figure 3 of the paper draws, which may be none."""
    return int((own.mean_rank <= own.n).sum())


def pairs(own: Measured) -> Iterator[PairSpread]:
    """Yield the SD of every query with each of its closest words: what figures 4 and 5 are drawn of."""
    scale = own.spread_over_words()
    for q, query in enumerate(own.queries):
        for place, k in enumerate(own.closest[q][:AVERAGED], 1):
            sd = float(own.statistics.sd[q, k])
            yield PairSpread(own.name, show(query), place, show(own.words[k]), sd, sd / float(scale[q]))


def rank_changes(own: Measured) -> Iterator[RankChanges]:
    """Yield the quantiles of rank − median of the closest words (figure 3); nothing where no rank is known."""
    ranks = own.listed.ranks[own.pairs([row[: own.n] for row in own.closest])]
    change = (ranks - ranks.nanquantile(0.5, 1, keepdim=True)).flatten()
    change = change[~change.isnan()]
    if not len(change):
        return
    p05, p25, p50, p75, p95 = change.quantile(torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95], dtype=torch.float64)).tolist()
    whisker = 1.5 * (p75 - p25)
    outside = ((change < p25 - whisker) | (change > p75 + whisker)).double().mean()
    yield RankChanges(own.name, p05, p25, p50, p75, p95, float(change.min()), float(change.max()), float(outside))


def distance(first: Measured, second: Measured) -> Distance:
    """Return how far the mean cosines of two settings lie apart, beside how far two runs of one do.

    ``D² = mean (μ_a − μ_b)² − mean (s_a²/R_a + s_b²/R_b)`` over all cosines of the queries, so that noise gives 0.
    A comparison of SDs does not see it: chronological and shuffled runs may vary alike around different means.
    """
    queries = [word for word in first.queries if word in second.queries]
    common = {word: k for k, word in enumerate(second.words)}
    both = [(k, common[word]) for k, word in enumerate(first.words) if word in common]
    columns = torch.tensor(both, dtype=torch.long).reshape(-1, 2)
    a, b = (
        [field[[own.queries.index(w) for w in queries]][:, columns[:, side]] for field in own.statistics]
        for side, own in enumerate((first, second))
    )
    noise = a[1].square() / a[2] + b[1].square() / b[2]
    square = float(((a[0] - b[0]).square() - noise).nanmean())
    within = (float(a[1].square().nanmean()) + float(b[1].square().nanmean())) / 2
    apart = max(square, 0.0)
    return Distance(
        first.name, second.name, square, math.sqrt(apart), math.sqrt(2 * within), math.sqrt(2 * within + apart)
    )
