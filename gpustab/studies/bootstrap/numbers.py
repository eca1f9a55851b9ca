"""The numbers of one group, as rows: how much cosines, lists and ranks vary, and what runs say of single neighbours.

Errors are the jackknife over runs: a number is found again without each run. They say how far other runs of the same
documents would move it for *these* query words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, count

import torch
from scipy.special import bdtr
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_statistics
from gpustab.machine.device import Compute
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate, expected_sd, jackknife_error, wilson
from gpustab.studies.bootstrap import tables
from gpustab.studies.bootstrap.measure import Measured
from gpustab.studies.neighbours.claims import margin, verdict

_UNKNOWN = Estimate(math.nan, math.nan, 0)


def setting(own: Measured, compute: Compute) -> tables.Setting:
    """Return the row of one group in the table of settings; its numbers have errors over runs.

    ``log_spread``: ln √(mean variance) of the cosines with the 10 closest words; ``relative``: the same in units of the
    query's cosines' SD over all words; ``mean``: mean cosine; ``j2``, ``jn``: mean Jaccard of two runs' lists (sets);
    ``p``: share of the list; ``rank_change``: mean |rank − median|; ``recurring``: share of the lists by mean cosine
    that two disjoint halves of the runs have in common; ``rise``: see :func:`rise_left`.
    """
    key, enough = own.key, len(own.runs) > 3
    near = own.pairs([row[: tables.AVERAGED] for row in own.closest])
    values, ranks = own.listed.cosines[near], own.listed.ranks[near]
    queries = own.listed.query[near]
    spread = log_spread(values, values.new_ones(len(values)), torch.ones_like(values))
    relative = log_spread(values, own.spread_over_words()[queries], own.spreads_without[queries])
    overlap = engine.overlap_pass(own.lists, [min(2, own.n), own.n], compute)
    agreement = [pair_statistics(matrix.cpu()) for matrix in (overlap.j[0], overlap.j[-1], overlap.p[-1])]
    estimates = (
        spread,
        relative,
        jackknifed(values, lambda part: float(part.nanmean(1).nanmean())),
        *(Estimate.of_runs(of.mean, of.se, len(own.runs)) for of in agreement),
        jackknifed(ranks, lambda part: float((part - part.nanquantile(0.5, 1, keepdim=True)).abs().nanmean())),
        recurring(*own.halves) if enough else _UNKNOWN,
        rise_left(own.listed.cosines[own.pairs(own.closest)]) if enough else _UNKNOWN,
    )
    part = ", ".join(f"{name}={value}" for name, value in key.part)
    what = (own.name, key.technique, key.sampling, key.unit, key.fraction, part)
    sizes = (len(own.runs), len(own.queries), len(own.words))
    spreads = (mean_sd(values), math.exp(spread.value), math.exp(relative.value))
    shared = list_agreement(own.lists.indices[:, :, : own.n].cpu(), own.lists.present.cpu())
    # A mean rank of at most n is what figure 3 of the paper draws: there may be none.
    within = int((own.mean_rank <= own.n).sum()) / max(len(own.queries), 1)
    scalars = (*what, *sizes, *spreads, *shared, int(own.listed.cosines.isnan().any(1).sum()), within)
    return tables.Setting._make((*scalars, *(number for estimate in estimates for number in estimate), False, False))


def jackknifed(values: Tensor, number: Callable[[Tensor], float]) -> Estimate:
    """Return a number of values ``(p, R)`` with its error by leaving out one run after the other."""
    runs = values.shape[1]
    left_out = [number(values[:, [k for k in range(runs) if k != r]]) for r in range(runs)] if runs > 2 else []
    return Estimate.of_runs(number(values), jackknife_error(left_out), runs)


def variances(values: Tensor) -> Tensor:
    """Return the ``ddof = 1`` variance over the runs that have a value, ``(p,)``; NaN for fewer than two."""
    known = ~values.isnan()
    runs = known.sum(1)
    mean = torch.where(known, values, 0).sum(1) / runs
    squares = torch.where(known, values - mean[:, None], 0).square().sum(1)
    return (squares / (runs - 1)).where(runs > 1, torch.nan)


def log_spread(values: Tensor, scale: Tensor, without: Tensor) -> Estimate:
    """Return ``ln √(mean variance / scale²)``: differences of two of them are ratios of spreads.

    The mean of variances is unbiased for any number of runs; the mean of SDs is 0.80 of its limit at two runs.

    Args:
        values: ``(p, R)`` cosines.
        scale: ``(p,)``; ones for the spread itself, the SD of the query's cosines over all words for one that does not
            depend on how far apart the words of a space are.
        without: ``(p, R)``, the scale without each run. A scale of the same runs errs too: taken for exact, it let
            one of six pairs of groups of one law differ (bootstrap runs of LSA, 16 a group).
    """

    def number(part: Tensor, scale: Tensor) -> float:
        mean = float((variances(part) / scale.square()).nanmean())
        return 0.5 * math.log(mean) if mean > 0 else math.nan

    runs = values.shape[1]
    others = [[k for k in range(runs) if k != r] for r in range(runs)] if runs > 2 else []
    left_out = [number(values[:, kept], without[:, r]) for r, kept in enumerate(others)]
    return Estimate.of_runs(number(values, scale), jackknife_error(left_out), runs)


def mean_sd(values: Tensor) -> float:
    """Return the mean SD (``ddof = 1``) of word pairs, as in figure 1."""
    return float(variances(values).sqrt().nanmean())


def by_runs(group: str, values: Tensor) -> list[tables.ByRuns]:
    """Return figure 6: the SD of cosines by number of runs, over all stretches of so many runs in a ring.

    Args:
        group: its name.
        values: ``(p, R)``.
    """
    total = values.shape[1]
    rows = []
    for runs in range(2, total + 1):
        stretches = range(total if runs < total else 1)
        own = torch.stack([variances(values[:, [(s + k) % total for k in range(runs)]]) for s in stretches])
        paper = float((own * (runs - 1) / runs).sqrt().nanmean())
        unbiased = float(own.nanmean().sqrt())
        rows.append(tables.ByRuns(group, runs, paper, expected_sd(runs, 0), unbiased, 1 / math.sqrt(2 * (runs - 1))))
    return rows


def rise_left(values: Tensor) -> Estimate:
    """Return how much the mean SD rises from 2 runs to all beyond its bias, as a logarithm; 0 where all is bias.

    The SD of two runs is ``|a − b| / √2``. What two runs add to the mean over all pairs of runs is summed once, so that
    leaving out a run takes its pairs off.

    Args:
        values: ``(p, R)``, NaN where a run lacks a word.
    """
    runs = values.shape[1]
    apart = [(values - values[:, r, None]).abs() / math.sqrt(2) for r in range(runs)]
    sums, counts = torch.stack([x.nansum(0) for x in apart]), torch.stack([(~x.isnan()).sum(0) for x in apart])

    def number(kept: list[int]) -> float:
        pairs = counts[kept][:, kept].fill_diagonal_(0).sum()
        two = float(sums[kept][:, kept].sum() / pairs)
        everything = mean_sd(values[:, kept])
        # Mean ddof-1 SDs: their bias is that of the population SD without the factor √((R − 1) / R).
        shares = [expected_sd(k, 0) * math.sqrt(k / (k - 1)) for k in (2, len(kept))]
        return math.log(everything / shares[1]) - math.log(two / shares[0]) if two > 0 else math.nan

    everyone = list(range(runs))
    left_out = [number(everyone[:r] + everyone[r + 1 :]) for r in everyone]
    return Estimate.of_runs(number(everyone), jackknife_error(left_out), runs)


def list_agreement(lists: Tensor, present: Tensor) -> tuple[float, float, float]:
    """Return what lists ``(R, q, n)`` share, where ``present`` ``(R, q)`` tells which runs have the query.

    Returns:
        The share of (query, pair of runs) without a common word; how many words of a query are in the lists of all
        runs that have the query, mean over queries; and the first share without the runs that have most of these
        pairs, as many as chance may make odd where one in ten is: an odd run shares no word with any.
    """
    runs = len(lists)
    apart, pairs = (torch.zeros(runs, runs, dtype=torch.long, device="cpu") for _ in range(2))
    everywhere = list[int]()
    for q in range(lists.shape[1]):
        own = {r: set(lists[r, q].tolist()) for r in present[:, q].nonzero().flatten().tolist()}
        for i, j in combinations(own, 2):
            pairs[i, j] += 1
            apart[i, j] += not own[i] & own[j]
        everywhere += [len(set.intersection(*own.values()))] if own else []
    odd = next(k for k in count() if bdtr(k, runs, 0.1) >= 0.95)
    rest = (apart + apart.T).sum(1).argsort(stable=True)[: runs - odd].sort().values
    shares = [
        float(apart[some][:, some].sum() / total) if (total := pairs[some][:, some].sum()) else math.nan
        for some in (torch.arange(runs, device="cpu"), rest)
    ]
    return shares[0], sum(everywhere) / max(len(everywhere), 1), shares[1]


def recurring(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> Estimate:
    """Return the share of averaged lists that two disjoint halves of the runs have in common, error over queries."""
    shares = torch.tensor(
        [len({*a} & {*b}) / len(a) for a, b in zip(first, second, strict=True) if a], dtype=torch.float64, device="cpu"
    )
    mean, sd = _mean_sd(shares)
    return Estimate(mean, sd / math.sqrt(len(shares)), len(shares) - 1) if len(shares) else _UNKNOWN


def pairs(own: Measured) -> Iterator[tables.PairSpread]:
    """Yield the SD of every query with each of its closest words: what figures 4 and 5 are drawn of."""
    scale = own.spread_over_words()
    for q, query in enumerate(own.queries):
        for place, k in enumerate(own.closest[q][: tables.AVERAGED], 1):
            sd = float(own.statistics.sd[q, k])
            yield tables.PairSpread(own.name, show(query), place, show(own.words[k]), sd, sd / float(scale[q]))


def rank_changes(own: Measured) -> Iterator[tables.RankChanges]:
    """Yield the quantiles of rank − median of the closest words (figure 3); nothing where no rank is known."""
    ranks = own.listed.ranks[own.pairs([row[: own.n] for row in own.closest])]
    change = (ranks - ranks.nanquantile(0.5, 1, keepdim=True)).flatten()
    change = change[~change.isnan()]
    if not len(change):
        return
    p05, p25, p50, p75, p95 = change.quantile(
        torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95], dtype=torch.float64, device="cpu")
    ).tolist()
    whisker = 1.5 * (p75 - p25)
    outside = ((change < p25 - whisker) | (change > p75 + whisker)).double().mean()
    yield tables.RankChanges(
        own.name, p05, p25, p50, p75, p95, float(change.min()), float(change.max()), float(outside)
    )


def distance(first: Measured, second: Measured) -> tables.Distance:
    """Return how far the mean cosines of two settings lie apart, beside how far two runs of one do.

    ``D² = mean (μ_a − μ_b)² − mean (s_a²/R_a + s_b²/R_b)`` over all cosines of the queries, so that noise gives 0.
    A comparison of SDs does not see it: chronological and shuffled runs may vary alike around different means.
    """
    queries = [word for word in first.queries if word in second.queries]
    common = {word: k for k, word in enumerate(second.words)}
    both = [(k, common[word]) for k, word in enumerate(first.words) if word in common]
    columns = torch.tensor(both, dtype=torch.long, device="cpu").reshape(-1, 2)
    a, b = (
        [field[[own.queries.index(w) for w in queries]][:, columns[:, side]] for field in own.statistics]
        for side, own in enumerate((first, second))
    )
    noise = a[1].square() / a[2] + b[1].square() / b[2]
    square = float(((a[0] - b[0]).square() - noise).nanmean())
    within = (float(a[1].square().nanmean()) + float(b[1].square().nanmean())) / 2
    apart = max(square, 0.0)
    return tables.Distance(
        first.name, second.name, square, math.sqrt(apart), math.sqrt(2 * within), math.sqrt(2 * within + apart)
    )


def neighbours(own: Measured, chooser: Measured, *, judges: bool) -> Iterator[tables.Neighbour]:
    """Yield the words that a group chose by mean cosine, as another (or the same) group sees them (table 4)."""
    rows = {word: k for k, word in enumerate(own.words)}
    for q, query in enumerate(own.queries):
        if query not in chooser.queries:
            continue
        at = chooser.queries.index(query)
        near = [(place, k) for place, k in enumerate(chooser.closest[at][: own.n], 1) if chooser.words[k] in rows]
        words = [rows[chooser.words[k]] for _, k in near]
        pairs = own.pairs([words if k == q else [] for k in range(len(own.queries))])
        p = _shared(own, q)
        for (place, k), pair in zip(near, pairs.tolist(), strict=True):
            chosen = (chooser.name, place, float(chooser.statistics.mean[at, k]))
            yield _neighbour(own, q, pair, chosen, p if judges else None)


def _shared(own: Measured, q: int) -> float:
    """p@n of a query, mean over the pairs of runs that have it."""
    lists = [{*row} for row in own.lists.indices[own.lists.present[:, q], q, : own.n].tolist()]
    common = [len(a & b) for a, b in combinations(lists, 2)]
    return sum(common) / (own.n * len(common)) if common else math.nan


def _neighbour(own: Measured, q: int, pair: int, chosen: tuple[str, int, float], p: float | None) -> tables.Neighbour:
    """A word near the q-th query; it was chosen by a group, at a place, with a mean cosine. Judged where p is there."""
    known, word = ~own.listed.cosines[pair].isnan(), int(own.listed.word[pair])
    cosines, ranks = own.listed.cosines[pair][known], own.listed.ranks[pair][known]
    mean, sd = _mean_sd(cosines)
    ends = (float(cosines.min()), float(cosines.max())) if len(cosines) else (math.nan,) * 2
    middle = (float(ranks.quantile(0.5)), float(ranks.min()), float(ranks.max())) if len(ranks) else (math.nan,) * 3
    hits = int((own.lists.indices[:, q, : own.n].cpu() == word).sum())
    of = int(own.lists.present[:, q].cpu().sum())
    share = (hits / of, *wilson(hits, of)) if of else (math.nan,) * 3
    ahead = 1.0
    if own.lists.k > own.n:
        ahead = margin(*_mean_sd(cosines - own.lists.cosines[:, q, own.n].cpu()[known]))
    by, place, mean_there = chosen
    what = (own.name, show(own.queries[q]), by, place, show(own.words[word]))
    judged = "" if p is None or not of else verdict(hits, of, ahead, p)
    near = (len(cosines), mean, sd, *ends, mean - mean_there)
    return tables.Neighbour._make((*what, *near, *middle, hits, of, *share, ahead, judged))


def _mean_sd(values: Tensor) -> tuple[float, float]:
    if not len(values):
        return math.nan, math.nan
    return float(values.mean()), float(values.std()) if len(values) > 1 else math.nan


def lists(own: Measured) -> Iterator[tables.Listed]:
    """Yield every run's nearest words with how far each is from its median rank (tables 5 and 6)."""
    pairs = zip(own.listed.query.tolist(), own.listed.word.tolist(), strict=True)
    medians = dict(zip(pairs, own.listed.ranks.nanquantile(0.5, 1).tolist(), strict=True))
    indices, cosines = own.lists.indices[:, :, : own.n].tolist(), own.lists.cosines[:, :, : own.n].tolist()
    for r, run in enumerate(own.runs):
        for q, query in enumerate(own.queries):
            for rank, (k, value) in enumerate(zip(indices[r][q], cosines[r][q], strict=True), 1):
                if k >= 0:
                    change = rank - medians.get((q, k), math.nan)
                    yield tables.Listed(own.name, run, show(query), rank, show(own.words[k]), value, change)
