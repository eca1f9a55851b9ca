"""Learned vectors among the background's words: the term's own vector (table 6), and the nearest words (table 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.spaces.vocabulary import Vocabulary
from gpustab.spaces.words import show
from gpustab.statistics.intervals import Estimate
from gpustab.studies.consistency.measures import unit
from gpustab.studies.consistency.places import Own
from gpustab.studies.consistency.prepare import Prepared

_TERMS, _NEAREST = 10, 4
"""Terms that are shown with so many nearest words."""


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
