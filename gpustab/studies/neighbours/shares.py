"""How sure each neighbour of a word is: chosen by some runs, judged by the same or by others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.runs.runs import Runs
from gpustab.statistics.shares import wilson
from gpustab.studies.neighbours import sentences


class Share(NamedTuple):
    """How sure one neighbour is.

    Attributes:
        group: whose runs judge.
        neighbour: the word.
        place: its place among the nearest by mean cosine over the choosing runs; ``None`` for a word beyond them that
            is a neighbour in some run.
        runs: in how many runs it is one,
        of: of how many that have it and the query.
        share: of these runs, in [0, 1].
        low, high: 95 % Wilson interval of the share.
        margin: probability by the cosines that it is nearer than the first word outside the list.
        cosine: mean over runs.
        cosine_sd: over runs, ``ddof = 1``.
        verdict: firm, passing or open, see :func:`gpustab.studies.neighbours.sentences.verdict`.
    """

    group: str
    neighbour: str
    place: int | None
    runs: int
    of: int
    share: float
    low: float
    high: float
    margin: float
    cosine: float
    cosine_sd: float
    verdict: str


def nearest_by_mean(runs: Runs, query: int, n: int) -> list[int]:
    """Return the n words of highest mean cosine to the query, nearest first; those that half of the runs have."""
    statistics = engine.query_cosines(runs, torch.tensor([query], device=runs.device))
    mean = statistics.mean[0].clone()
    mean[(statistics.runs[0] * 2 < len(runs)) | mean.isnan()] = -torch.inf
    mean[query] = -torch.inf
    order = mean.cpu().argsort(descending=True, stable=True)[:n].tolist()
    return [k for k in order if mean[k] > -torch.inf]


def shares(runs: Runs, query: int, found: engine.NeighbourPass, n: int, chosen: Sequence[int]) -> list[Share]:
    """Return the chosen words in their order, then all others that are neighbours in some run, the surest first.

    Sure is what has a high lower end of its interval: 9 of 10 runs (0.60) come before 2 of 2 (0.34), which is a higher
    share but says less.

    Args:
        runs: the runs that judge.
        query: the word.
        found: their lists, one word longer than n where they can be.
        n: length of the lists.
        chosen: the words that are judged, in order.
    """
    lists = found.indices[:, 0, :n].cpu()  # (R, n)
    seen = [k for k in lists.unique().tolist() if k >= 0 and k not in chosen]
    words = torch.tensor([*chosen, *seen], dtype=torch.long)
    cosines = engine.pair_values(runs, torch.full_like(words, query), words).cpu()  # (w, R)
    if found.k > n:
        beyond = cosines - found.cosines[:, 0, n].cpu()
    else:
        beyond = torch.where(cosines.isnan(), torch.nan, torch.ones_like(cosines))  # no word is outside the list
    rows = []
    for k, values, margins in zip(words.tolist(), cosines, beyond, strict=True):
        of = int((~values.isnan()).sum())
        if of:  # a run that lacks the neighbour could not have it in its list: it says nothing of it
            place = chosen.index(k) + 1 if k in chosen else None
            rows.append(_share(runs, k, place, int((lists == k).sum()), of, values, margins))
    listed = len([row for row in rows if row.place])
    return rows[:listed] + sorted(rows[listed:], key=lambda x: (-x.low, -x.cosine))


def _share(runs: Runs, k: int, place: int | None, hits: int, of: int, values: Tensor, margins: Tensor) -> Share:
    low, high = wilson(hits, of)
    margin = sentences.margin(*_mean_sd(margins))
    verdict = sentences.verdict(hits, of, margin)
    word = runs.vocabulary.text(k)
    return Share(runs.name, word, place, hits, of, hits / of, low, high, margin, *_mean_sd(values), verdict)


def _mean_sd(values: Tensor) -> tuple[float, float]:
    known = values[~values.isnan()]
    return float(known.mean()), float(known.std()) if len(known) > 1 else math.nan
