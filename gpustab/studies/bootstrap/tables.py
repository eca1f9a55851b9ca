"""The tables of the study, filled group by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.jackknife import pair_statistics
from gpustab.machine.device import Compute
from gpustab.results import Table
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate
from gpustab.statistics.shares import wilson
from gpustab.studies.bootstrap import spread
from gpustab.studies.bootstrap.measure import Measured
from gpustab.studies.neighbours.sentences import margin, verdict

Tables = dict[str, Table]
AVERAGED = 10
"""Figures 1 to 5 are means over so many closest words of a query, figure 6 over 20."""
LONG = ("neighbours", "lists", "pairs", "counted")


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


def setting_row(own: Measured, found: Numbers) -> dict[str, Any]:
    """Return the row of one group in the table of settings: figures 1 to 5 as numbers."""
    key = own.key
    near = own.pairs([row[:AVERAGED] for row in own.closest])
    values = own.listed.cosines[near]
    lists = spread.list_agreement(own.lists.indices[:, :, : own.n].cpu(), own.lists.present.cpu())
    row: dict[str, Any] = {
        "group": own.name,
        "technique": key.technique,
        "sampling": key.sampling,
        "unit": key.unit,
        "fraction": key.fraction,
        "part": ", ".join(f"{name}={value}" for name, value in key.part),
        "runs": len(own.runs),
        "queries": len(own.queries),
        "words": len(own.words),
        "sd": spread.mean_sd(values),
        "spread": math.exp(found.log_spread.value),
        "relative": math.exp(found.relative.value),
        "disjoint": lists.disjoint,
        "everywhere": lists.everywhere,
        "absent": int(values.isnan().any(1).sum()),
        "mean_rank_within": _within(own) / max(len(own.queries), 1),
    }
    for name, one in found._asdict().items():
        row |= {f"{name}_value": one.value, f"{name}_se": one.se, f"{name}_freedom": one.freedom}
    return row


def _within(own: Measured) -> int:
    """How many words have a mean rank of at most n: what figure 3 of the paper draws, which may be none."""
    return int((own.mean_rank <= own.n).sum())


def estimate(row: Mapping[str, Any], name: str) -> Estimate:
    """Return a number of a row of the table of settings, with its error."""
    return Estimate(row[f"{name}_value"], row[f"{name}_se"], row[f"{name}_freedom"])


class Neighbour(NamedTuple):
    """A word near a query, in the runs of one group.

    Attributes:
        group: the group.
        query: the query word.
        chosen_by: the group whose mean cosines chose it.
        place: its place there.
        word: the word.
        runs: in how many runs both words are: mean, SD, range and ranks are over these.
        mean: cosine.
        sd: of it, ``ddof = 1``.
        low, high: its least and largest; of bootstrap runs the *bootstrap range*, no confidence interval.
        bias: mean minus that of the group that chose it.
        rank, rank_low, rank_high: median, least and largest rank.
        hits: in how many runs it is among the nearest n,
        of: of how many that have the query; a run that lacks the word does not have it among the nearest.
        share: of these, with its 95 % Wilson interval ``share_low``, ``share_high``.
        margin: probability by the cosines that it is nearer than the first word outside the list.
        verdict: firm, passing or open; empty where these runs do not judge it.
    """

    group: str
    query: str
    chosen_by: str
    place: int
    word: str
    runs: int
    mean: float
    sd: float
    low: float
    high: float
    bias: float
    rank: float
    rank_low: float
    rank_high: float
    hits: int
    of: int
    share: float
    share_low: float
    share_high: float
    margin: float
    verdict: str


def neighbours(own: Measured, chooser: Measured, *, judges: bool) -> Iterator[Neighbour]:
    """Yield the words that a group chose by mean cosine, as another (or the same) group sees them (table 4)."""
    numbers = {word: k for k, word in enumerate(own.words)}
    chosen = chooser.closest_words(own.n)
    means = _means(chooser, own.n)
    for q, query in enumerate(own.queries):
        if query not in chosen:
            continue
        there = [(place, word) for place, word in enumerate(chosen[query], 1) if word in numbers]
        places = own.pairs([[numbers[w] for _, w in there] if k == q else [] for k in range(len(own.queries))])
        for (place, word), pair in zip(there, places.tolist(), strict=True):
            yield _neighbour(own, chooser.name, q, (place, word), pair, means[query, word], judges=judges)


def _means(chooser: Measured, n: int) -> dict[tuple[bytes, bytes], float]:
    return {
        (query, chooser.words[k]): float(chooser.statistics.mean[q, k])
        for q, query in enumerate(chooser.queries)
        for k in chooser.closest[q][:n]
    }


def _neighbour(
    own: Measured, chooser: str, q: int, listed: tuple[int, bytes], pair: int, mean: float, *, judges: bool
) -> Neighbour:
    values, ranks = own.listed.cosines[pair], own.listed.ranks[pair]
    known = ~values.isnan()
    there, number = int(known.sum()), int(own.listed.word[pair])
    here = own.lists.present[:, q].cpu()
    hits, of = int((own.lists.indices[:, q, : own.n].cpu() == number).sum()), int(here.sum())
    low, high = wilson(hits, of) if of else (math.nan, math.nan)
    if own.lists.k > own.n:
        beyond = (values - own.lists.cosines[:, q, own.n].cpu())[known]
        ahead = margin(*_mean_sd(beyond))
    else:
        ahead = 1.0
    some, rank = values[known], ranks[known]
    found, sd = _mean_sd(some)
    return Neighbour(
        own.name,
        show(own.queries[q]),
        chooser,
        listed[0],
        show(listed[1]),
        there,
        found,
        sd,
        *((float(some.min()), float(some.max())) if there else (math.nan, math.nan)),
        found - mean,
        *((float(rank.quantile(0.5)), float(rank.min()), float(rank.max())) if there else (math.nan,) * 3),
        hits,
        of,
        hits / of if of else math.nan,
        low,
        high,
        ahead,
        verdict(hits, of, ahead) if judges and of else "",
    )


def _mean_sd(values: Tensor) -> tuple[float, float]:
    if not len(values):
        return math.nan, math.nan
    return float(values.mean()), float(values.std()) if len(values) > 1 else math.nan


def lists(own: Measured) -> Iterator[dict[str, Any]]:
    """Yield every run's nearest words with how far each is from its median rank (tables 5 and 6)."""
    medians = {
        (q, k): float(row[~row.isnan()].quantile(0.5)) if (~row.isnan()).any() else math.nan
        for q, k, row in zip(own.listed.query.tolist(), own.listed.word.tolist(), own.listed.ranks, strict=True)
    }
    indices, cosines = own.lists.indices[:, :, : own.n].tolist(), own.lists.cosines[:, :, : own.n].tolist()
    for r, run in enumerate(own.runs):
        for q, query in enumerate(own.queries):
            for rank, (k, value) in enumerate(zip(indices[r][q], cosines[r][q], strict=True), 1):
                if k >= 0:
                    change = rank - medians.get((q, k), math.nan)
                    named = {"query": show(query), "rank": rank, "word": show(own.words[k])}
                    yield {"group": own.name, "run": run, **named, "cosine": value, "rank_change": change}


def pairs(own: Measured) -> Iterator[dict[str, Any]]:
    """Yield the SD of every query with each of its closest words: what figures 4 and 5 are drawn of."""
    scale = own.spread_over_words()
    for q, query in enumerate(own.queries):
        for place, k in enumerate(own.closest[q][:AVERAGED], 1):
            sd = float(own.statistics.sd[q, k])
            named = {"group": own.name, "query": show(query), "place": place, "word": show(own.words[k])}
            yield {**named, "sd": sd, "relative": sd / float(scale[q])}


def rank_changes(own: Measured) -> dict[str, Any]:
    """Return the quantiles of rank − median of the closest words (figure 3), and those of the paper's words."""
    ranks = own.listed.ranks[own.pairs([row[: own.n] for row in own.closest])]
    change = (ranks - ranks.nanquantile(0.5, 1, keepdim=True)).flatten()
    change = change[~change.isnan()]
    if not len(change):
        return {}
    points = change.quantile(torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95], dtype=torch.float64)).tolist()
    names = ("p05", "p25", "p50", "p75", "p95")
    whisker = 1.5 * (points[3] - points[1])
    outside = ((change < points[1] - whisker) | (change > points[3] + whisker)).double().mean()
    ends = {"least": float(change.min()), "largest": float(change.max())}
    return {"group": own.name, **dict(zip(names, points, strict=True)), **ends, "outliers": float(outside)}


def distance(first: Measured, second: Measured) -> dict[str, Any]:
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
    return {
        "first": first.name,
        "second": second.name,
        "squared_distance": square,
        "distance": math.sqrt(max(square, 0.0)),
        "within": math.sqrt(2 * within),
        "between": math.sqrt(2 * within + max(square, 0.0)),
    }


def add(tables: Tables, name: str, rows: Sequence[Any]) -> None:
    """Append rows to a table."""
    if rows:
        tables.setdefault(name, Table(long=name in LONG)).extend(Table.of(rows))
