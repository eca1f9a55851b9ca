"""Where samples lie among the background's words: beside each other (tables 1 and 3), and beside their own word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.word_ranks import ROUNDING, word_ranks
from gpustab.studies.consistency.measures import Array, unit
from gpustab.studies.consistency.samples import Samples
from gpustab.studies.consistency.text import Ids


class Ranks(NamedTuple):
    """Places among the background's words by cosine to a sample, 1 the nearest, over all pairs of a term's samples.

    Attributes:
        forward: mean place of the later sample among the neighbours of the earlier.
        back: of the earlier among those of the later.
        both: mean of the two.
        without_own: the same where the term's own background word is left out of the words.
        first: share of all of these places (own word kept) that are 1.
    """

    forward: float
    back: float
    both: float
    without_own: float
    first: float


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


def places(vectors: Tensor, samples: Samples, words: Tensor, own: Tensor) -> tuple[Ranks, Own]:
    """Return the places of samples among words, and how near they are to their terms' own vectors; words are read once.

    Args:
        vectors: ``(P, d)``.
        samples: P of them.
        words: ``(v, d)`` unit vectors.
        own: ``(P,)`` row of the term, −1 where the background lacks it.
    """
    x = unit(vectors)
    other, valid, later = _others(samples)
    cosines = (x[:, None] * x[torch.from_numpy(other).to(x.device)]).sum(-1)
    mine = row_dot(x, words[own.clamp(min=0)].double())
    found = word_ranks(x, words, torch.cat([cosines, mine[:, None]], 1))
    kept = found[:, :-1]
    # The own word is no nearer than itself, whatever rounding says: word_ranks has the same margin.
    left = kept - ((mine[:, None] > cosines + ROUNDING) & (own >= 0)[:, None]).long()
    ranks = _ranks(kept.cpu().numpy(), left.cpu().numpy(), valid, later)
    return ranks, _own(x, samples, words, own, mine, found[:, -1])


def _ranks(kept: Ids, left: Ids, valid: NDArray[np.bool_], later: NDArray[np.bool_]) -> Ranks:
    return Ranks(
        float(kept[later].mean()),
        float(kept[valid & ~later].mean()),
        float(kept[valid].mean()),
        float(left[valid].mean()),
        float((kept[valid] == 1).mean()),
    )


def _others(samples: Samples) -> tuple[Ids, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return all samples of every sample's term, ``(P, most)``, which of them are others, and which are later ones."""
    term, starts = samples.term, np.searchsorted(samples.term, np.arange(len(samples.terms)))
    sizes = np.bincount(term)
    most = int(sizes.max())
    place = np.arange(len(term)) - starts[term]
    other = np.minimum(starts[term][:, None] + np.arange(most), len(term) - 1)
    valid = (np.arange(most) < sizes[term][:, None]) & (np.arange(most) != place[:, None])
    return other, valid, valid & (np.arange(most) > place[:, None])


def _own(x: Tensor, samples: Samples, words: Tensor, own: Tensor, cosine: Tensor, place: Tensor) -> Own:
    has, term = (own >= 0).cpu().numpy(), samples.term
    first = np.searchsorted(term, np.arange(len(samples.terms)))
    others = words[own[torch.from_numpy(first[has[first]]).to(own.device)]].double()
    null = (product(x, others.sum(0)[:, None])[:, 0] - cosine) / max(len(others) - 1, 1)
    null = null if len(others) > 1 else null * torch.nan
    return Own(*(_by_term(values.double(), term, has) for values in (cosine, null, place)))


def _by_term(values: Tensor, term: Ids, has: NDArray[np.bool_]) -> Array:
    """Means over the samples of every term that the background has."""
    with np.errstate(invalid="ignore"):
        found: Array = np.bincount(term, values.cpu().numpy()) / np.where(np.bincount(term, has) > 0, 1.0, np.nan)
    return found / np.bincount(term)
