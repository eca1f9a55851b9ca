"""Learned vectors among the background's words: the term's own vector (table 6), and the nearest words (table 7)."""

from __future__ import annotations

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
from gpustab.studies.consistency.measures import unit
from gpustab.studies.consistency.prepare import Prepared

Array = NDArray[np.float64]

_TERMS, _NEAREST = 10, 4
"""Terms that are shown with so many nearest words."""


class Own(NamedTuple):
    """How near each term's samples are to its own background vector, NaN for a term that the background lacks.

    Attributes:
        cosine: ``(T,)`` mean cosine.
        place: ``(T,)`` mean place of that vector among all words by cosine to the sample, 1 the nearest.
    """

    cosine: Array
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
    n = np.bincount(term)
    with np.errstate(invalid="ignore"):
        means = [
            np.bincount(term, value.cpu().numpy()) / np.where(np.bincount(term, has) > 0, n, np.nan)
            for value in (cosine, place)
        ]
    return Own(*means)


def own_row(model: str, found: Sequence[Own]) -> dict[str, Any]:
    """Return a row of table 6: means over the terms that the background has, and over its runs."""
    cosine, place = (np.mean([one[k] for one in found], axis=0) for k in range(2))
    has = ~np.isnan(cosine)
    means = [float(values[has].mean()) if has.any() else None for values in (cosine, place)]
    return {"model": model, "terms": int(has.sum()), "cosine": means[0], "place": means[1]}


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
            term = show(text.words[samples.terms[k]])
            found.append({"term": term, "sample": number, "cosine": between, "nearest": near})
    return found
