"""The words near a query: as the runs of a group see them, and the lists of every run (tables 4 to 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from torch import Tensor

from gpustab.spaces.words import show
from gpustab.statistics.intervals import wilson
from gpustab.studies.bootstrap.measure import Measured
from gpustab.studies.bootstrap.tables import Listed, Neighbour
from gpustab.studies.neighbours.claims import margin, verdict


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


def lists(own: Measured) -> Iterator[Listed]:
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
                    yield Listed(own.name, run, show(query), rank, show(own.words[k]), value, change)
