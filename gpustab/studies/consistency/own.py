"""Learned vectors among the background's words: the term's own vector (table 6), and the nearest words (table 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.word_ranks import word_ranks
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.measures import unit
from gpustab.studies.consistency.prepare import Prepared
from gpustab.studies.consistency.text import Ids

Array = NDArray[np.float64]

_TERMS, _NEAREST = 10, 4
"""Terms that are shown with so many nearest words."""


class Own(NamedTuple):
    """How near each term's samples are to its own background vector, NaN for a term that the background lacks.

    Attributes:
        cosine: ``(T,)`` mean cosine.
        null: ``(T,)`` mean cosine to the own vectors of the other terms.
        place: ``(T,)`` mean place of the term's vector among all words by cosine to the sample, 1 the nearest.
    """

    cosine: Array
    null: Array
    place: Array


def own_vector(vectors: Tensor, prepared: Prepared, words: Tensor) -> Own:
    """Return how near samples are to their terms' own vectors.

    Args:
        vectors: ``(P, d)``.
        prepared: the samples.
        words: ``(v, d)`` unit vectors of the background.
    """
    x, own = unit(vectors), prepared.own
    cosine = row_dot(x, words[own.clamp(min=0)].double())
    place = word_ranks(x, words, cosine[:, None])[:, 0].double()
    has, term = (own >= 0).cpu().numpy(), prepared.samples.term
    first = np.searchsorted(term, np.arange(len(prepared.samples.terms)))
    others = words[own[torch.from_numpy(first[has[first]]).to(own.device)]].double()
    null = (product(x, others.sum(0)[:, None])[:, 0] - cosine) / max(len(others) - 1, 1)
    means = (_by_term(values, term, has) for values in (cosine, null if len(others) > 1 else null * np.nan, place))
    return Own(*means)


def _by_term(values: Tensor, term: Ids, has: NDArray[np.bool_]) -> Array:
    """Means over the samples of every term that the background has."""
    with np.errstate(invalid="ignore"):
        found: Array = np.bincount(term, values.cpu().numpy()) / np.where(np.bincount(term, has) > 0, 1.0, np.nan)
    return found / np.bincount(term)


def own_row(model: str, found: Sequence[Own]) -> dict[str, Any]:
    """Return a row of table 6: means over the terms that the background has, and over its runs.

    The interval is of the mean excess over the null level, over terms.
    """
    cosine, null, place = (np.mean([one[k] for one in found], axis=0) for k in range(3))
    has = ~np.isnan(cosine)
    n = int(has.sum())
    row: dict[str, Any] = {"model": model, "terms": n}
    for name, values in (("cosine", cosine), ("null", null), ("excess", cosine - null)):
        row[name] = float(values[has].mean()) if n else None
    excess = (cosine - null)[has]
    se = float(excess.std(ddof=1) / math.sqrt(n)) if n > 2 else math.nan
    row["excess_low"], row["excess_high"] = Estimate.of_runs(row["excess"], se, n).interval
    return row | {"place": float(place[has].mean()) if n else None}


def nearest(vectors: Tensor, prepared: Prepared, words: Tensor, vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Return the nearest words of the first two samples of the ten most frequent terms (table 7)."""
    samples, text = prepared.samples, prepared.text
    terms = np.argsort(-text.counts[samples.terms], kind="stable")[:_TERMS]
    found = []
    for k in terms.tolist():
        places = np.flatnonzero(samples.term == k)[:2]
        x = unit(vectors[torch.from_numpy(places).to(vectors.device)])
        top = product(x, words.double().T).topk(min(_NEAREST, len(words)), 1).indices.tolist()
        between = float((x[0] * x[1]).sum())
        for number, best in enumerate(top, 1):
            near = ", ".join(vocabulary.text(w) for w in best)
            shared = len(set(top[0]) & set(top[-1]))
            term = show(text.words[samples.terms[k]])
            found.append({"term": term, "sample": number, "cosine": between, "shared": shared, "nearest": near})
    return found
