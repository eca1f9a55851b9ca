"""One group of runs: the cosines of the query words with every word, run by run, and what is kept of them.

Two passes over the runs, one run in memory at a time: the first finds mean and SD of all cosines and all ranks, the
second the cosine and the rank of the words that are listed. Everything is float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels import cosine
from gpustab.machine.device import Compute
from gpustab.runs.key import Key
from gpustab.runs.runs import Runs

CLOSEST = 20
"""So many closest words of a query are kept: figure 6 averages over 20, the other figures over 10 of them."""


class Listed(NamedTuple):
    """Word pairs in every run.

    Attributes:
        query: ``(p,)`` numbers of the query words.
        word: ``(p,)`` row numbers of the other words.
        cosines: ``(p, R)``; NaN where a run lacks one of both.
        ranks: ``(p, R)`` 1 for the nearest; NaN where a run lacks one of both. Equal cosines share the best rank.
    """

    query: Tensor
    word: Tensor
    cosines: Tensor
    ranks: Tensor


@dataclass(frozen=True, eq=False)
class Measured:
    """What one group says of the query words that it has.

    Attributes:
        key: of the group.
        runs: names of its R runs.
        words: its vocabulary, all words that any run has.
        queries: ``q`` of them.
        statistics: mean, SD and number of runs, ``(q, v)``.
        mean_rank: ``(q, v)`` over the runs that have both words; NaN where none has.
        lists: the nearest of every run, one more than n where there are so many.
        n: length of the lists.
        closest: ``q`` lists of at most 20 row numbers: highest mean cosine among the words of half the runs.
        halves: the same for the even runs alone and for the odd ones, of length n.
        listed: the closest words and those that were asked for.
        spreads_without: ``(q, R)``, :meth:`spread_over_words` without each run.
    """

    key: Key
    runs: tuple[str, ...]
    words: tuple[bytes, ...]
    queries: tuple[bytes, ...]
    statistics: cosine.CosineStatistics
    mean_rank: Tensor
    lists: engine.NeighbourPass
    n: int
    closest: list[list[int]]
    halves: tuple[list[list[int]], list[list[int]]]
    listed: Listed
    spreads_without: Tensor

    @property
    def name(self) -> str:
        """Of the group."""
        return str(self.key)

    def closest_words(self, n: int) -> dict[bytes, list[bytes]]:
        """Return the n closest words of every query."""
        rows = zip(self.queries, self.closest, strict=True)
        return {query: [self.words[k] for k in own[:n]] for query, own in rows}

    def pairs(self, queries: Sequence[Sequence[int]]) -> Tensor:
        """Return the numbers in :attr:`listed` of some words of each query, ``(p,)``."""
        places = {pair: k for k, pair in enumerate(zip(*(x.tolist() for x in self.listed[:2]), strict=True))}
        return torch.tensor(
            [places[q, k] for q, own in enumerate(queries) for k in own], dtype=torch.long, device="cpu"
        )

    def spread_over_words(self) -> Tensor:
        """Return the SD of every query's mean cosines over the vocabulary, ``(q,)``: the scale of an SD."""
        return _over_words(self.statistics.mean)


def measure(
    runs: Runs, queries: Sequence[bytes], n: int, asked: Mapping[bytes, Sequence[bytes]], compute: Compute
) -> Measured:
    """Measure the query words that a group has.

    Args:
        runs: the group, joined over all words of all runs.
        queries: words; those that no run has are left out.
        n: length of the lists.
        asked: by query, words that must be listed.
        compute: how to compute.
    """
    own = [word for word in queries if word in runs.vocabulary]
    rows = runs.rows_of(own)
    statistics, halves, mean_rank = _first_pass(runs, rows)
    lists = engine.neighbour_pass(runs, rows, n + 1, compute)
    n = min(n, lists.k)
    closest = nearest(statistics, rows, CLOSEST, len(runs))
    even, odd = (nearest(half, rows, n, len(runs) // 2) for half in halves)
    numbers = {word: k for k, word in enumerate(runs.vocabulary)}
    wanted = [
        dict.fromkeys([*near, *(numbers[w] for w in asked.get(query, ()) if w in numbers)])
        for query, near in zip(own, closest, strict=True)
    ]
    listed, without = _second_pass(runs, rows, wanted, statistics)
    what = (runs.key, runs.names, tuple(runs.vocabulary), tuple(own))
    return Measured(*what, statistics, mean_rank, lists, n, closest, (even, odd), listed, without)


def _first_pass(
    runs: Runs, rows: Tensor
) -> tuple[cosine.CosineStatistics, tuple[cosine.CosineStatistics, cosine.CosineStatistics], Tensor]:
    """Statistics over all runs, over the even and the odd ones, and mean ranks."""
    everyone, even, odd = (cosine.RunningStatistics() for _ in range(3))
    total = torch.zeros(len(rows), runs.words, dtype=torch.float64, device="cpu")
    for r, values in enumerate(_cosines(runs, rows)):
        everyone.add(values)
        (odd if r % 2 else even).add(values)
        order = values.nan_to_num(-2).argsort(dim=1, descending=True, stable=True)
        places = torch.arange(1, runs.words + 1, dtype=torch.float64, device="cpu").expand_as(values)
        total += torch.zeros_like(total).scatter_(1, order, places).where(~values.isnan(), 0)
    of_all = everyone.found()
    mean_rank = (total / of_all.runs).where(of_all.runs > 0, torch.nan)
    return of_all, (even.found(), odd.found()), mean_rank


def _cosines(runs: Runs, rows: Tensor) -> Iterator[Tensor]:
    """Yield every run's cosines of the queries with all words, ``(q, v)``; NaN where absent, and with itself."""
    for r in range(len(runs)):
        values = cosine.query_cosines(runs.run(r), rows.to(runs.device)).cpu()
        values[torch.arange(len(rows), device="cpu"), rows] = torch.nan
        yield values


def nearest(found: cosine.CosineStatistics, rows: Tensor, n: int, runs: int) -> list[list[int]]:
    """Return the n words of highest mean cosine to each query, among those that half of the runs have.

    The mean over few runs favours rare words: a word of one run in ten has the mean of its best draw.
    """
    mean = found.mean.masked_fill((found.runs * 2 < runs) | found.mean.isnan(), -torch.inf)
    order = mean.argsort(dim=1, descending=True, stable=True)[:, :n]
    return [
        [k for k in own if values[k] > -torch.inf and k != query]
        for own, values, query in zip(order.tolist(), mean, rows.tolist(), strict=True)
    ]


def _over_words(means: Tensor) -> Tensor:
    """The SD of mean cosines ``(q, v)`` over the words that have one, ``(q,)``."""
    return torch.stack([row[~row.isnan()].std() for row in means.unbind()]) if len(means) else means.new_zeros(0)


def _second_pass(
    runs: Runs, rows: Tensor, wanted: Sequence[Mapping[int, None]], statistics: cosine.CosineStatistics
) -> tuple[Listed, Tensor]:
    """The cosine and the rank of the wanted words in every run, and the spread over words without each run."""
    query = torch.tensor([q for q, own in enumerate(wanted) for _ in own], dtype=torch.long, device="cpu")
    word = torch.tensor([k for own in wanted for k in own], dtype=torch.long, device="cpu")
    place = torch.tensor([place for own in wanted for place in range(len(own))], dtype=torch.long, device="cpu")
    table = torch.full((len(wanted), max(map(len, wanted), default=0)), torch.nan, dtype=torch.float64, device="cpu")
    cosines = torch.full((len(query), len(runs)), torch.nan, dtype=torch.float64, device="cpu")
    ranks, without = cosines.clone(), []
    for r, values in enumerate(_cosines(runs, rows)):
        rest = (statistics.mean * statistics.runs - values) / (statistics.runs - 1)
        without.append(_over_words(torch.where(values.isnan(), statistics.mean, rest)))
        own = values[query, word]
        table[query, place] = -own
        ascending = (-values).nan_to_num(2).sort(dim=1).values  # nearest first
        better = torch.searchsorted(ascending, table)[query, place]
        cosines[:, r] = own
        ranks[:, r] = (better + 1).double().where(~own.isnan(), torch.nan)
    return Listed(query, word, cosines, ranks), torch.stack(without, 1)
