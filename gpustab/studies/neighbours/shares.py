"""How sure each neighbour of a word is: chosen by some runs, judged by the same or by others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.results import Column, Sheet
from gpustab.runs.runs import Runs
from gpustab.statistics.intervals import wilson
from gpustab.studies.neighbours.claims import HOLDS, Hits, margin


class Share(NamedTuple):
    """How sure one neighbour is."""

    group: Annotated[str, Column(about="whose runs judge")]
    neighbour: str
    place: Annotated[
        int | None, Column(about="among the nearest by mean cosine; none for a word that is a neighbour in some run")
    ]
    runs: Annotated[int, Column(about="in how many runs it is a neighbour")]
    of: Annotated[int, Column(about="how many runs have the query; one that lacks the neighbour does not list it")]
    share: Annotated[float, Column(digits=2, about="of these runs, 0 to 1")]
    low: Annotated[float, Column(about="lower end of the share's 95 % Wilson interval")]
    high: Annotated[float, Column(about="its upper end")]
    margin: Annotated[float, Column(about="probability by the cosines to be nearer than the first word outside")]
    cosine: Annotated[float, Column(digits=3, about="mean over runs")]
    cosine_sd: Annotated[float, Column("SD", 2, "of the cosine over runs, ddof = 1")]
    verdict: Annotated[str, Column(about="firm, passing or open")]


class Listed(NamedTuple):
    """One neighbour of one run."""

    group: str
    run: str
    rank: int
    neighbour: str
    cosine: float


SHARES = Sheet("shares", Share, "one row a group and word that is a neighbour in some run")
LISTS = Sheet("lists", Listed, "one row a group, run and rank", long=True)


def nearest_by_mean(runs: Runs, query: int, n: int) -> list[int]:
    """Return the n words of highest mean cosine to the query, nearest first; those that half of the runs have."""
    statistics = engine.query_cosines(runs, torch.tensor([query], device=runs.device))
    mean = statistics.mean[0].clone()
    mean[(statistics.runs[0] * 2 < len(runs)) | mean.isnan()] = -torch.inf
    mean[query] = -torch.inf
    order = mean.cpu().argsort(descending=True, stable=True)[:n].tolist()
    return [k for k in order if mean[k] > -torch.inf]


def shares(
    runs: Runs, query: int, nearest: engine.NeighbourPass, n: int, chosen: Sequence[int], p: float
) -> list[Share]:
    """Return the chosen words in their order, then all others that are neighbours in some run, the surest first.

    Sure is what has a high lower end of its interval: 9 of 10 runs (0.60) come before 2 of 2 (0.34), which is a higher
    share but says less.

    Args:
        runs: the runs that judge.
        query: the word.
        nearest: their lists, one word longer than n where they can be.
        n: length of the lists.
        chosen: the words that are judged, in order.
        p: p@n of the query.
    """
    lists = nearest.indices[:, 0, :n].cpu()  # (R, n)
    others = [k for k in lists.unique().tolist() if k >= 0 and k not in chosen]
    words = torch.tensor([*chosen, *others], dtype=torch.long)
    cosines = engine.pair_values(runs, torch.full_like(words, query), words).cpu()  # (w, R)
    if nearest.k > n:
        beyond = cosines - nearest.cosines[:, 0, n].cpu()
    else:
        beyond = torch.where(cosines.isnan(), torch.nan, torch.ones_like(cosines))  # no word is outside the list
    of, rows = int(nearest.present[:, 0].sum()), []
    for k, values, margins in zip(words.tolist(), cosines, beyond, strict=True):
        if not bool(values.isnan().all()):
            place = chosen.index(k) + 1 if k in chosen else None
            rows.append(
                _share(runs, k, place, Hits(int((lists == k).sum()), of, margin(*_mean_sd(margins)), p), values)
            )
    listed = len([row for row in rows if row.place])
    return rows[:listed] + sorted(rows[listed:], key=lambda x: (-x.low, -x.cosine))


def _share(runs: Runs, k: int, place: int | None, hits: Hits, values: Tensor) -> Share:
    (low, high), (cosine, sd), share = wilson(hits.hits, hits.runs), _mean_sd(values), hits.hits / hits.runs
    what = (runs.name, runs.vocabulary.text(k), place, hits.hits, hits.runs)
    return Share(*what, share, low, high, hits.margin, cosine, sd, HOLDS.judge(hits))


def _mean_sd(values: Tensor) -> tuple[float, float]:
    known = values[~values.isnan()]
    return float(known.mean()), float(known.std()) if len(known) > 1 else math.nan
