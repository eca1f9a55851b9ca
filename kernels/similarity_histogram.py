"""How the similarities of words are distributed: counts in bins, sums of powers, and the similarity at every place.

Streamed in tiles of words against all words; the v × v matrix never exists (Elekes et al. 2018, §3.2).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want
from gpustab.kernels.similarity_groups import group_numbers

__all__ = ["BINS", "POWERS", "Histogram", "similarity_histogram"]

BINS = 10_000
"""Bins in a unit of similarity: a hundred in each of the paper's."""

POWERS = 4

_INNER = {"cpu": 2**20, "cuda": 2**26}
"""Cosines in one step."""


class Histogram(NamedTuple):
    """Similarities of some words to all others.

    Attributes:
        counts: ``(2 · BINS + 1,)`` int64; bin k holds ``(k − 1)/BINS − 1 < cosine ≤ k/BINS − 1``.
        powers: ``(4,)`` float64, sums of the first four powers.
        by_place: ``(n,)`` float64, sums over the words of the similarity to their j-th most similar word.
        words: how many words, each against all others.
    """

    counts: Tensor
    powers: Tensor
    by_place: Tensor
    words: int


def similarity_histogram(
    unit: Tensor, queries: Tensor, places: int, told: Callable[[float], None] | None = None
) -> Histogram:
    """Return the distribution of the similarities of the queries to every other word.

    Args:
        unit: ``(v, d)`` rows of unit length.
        queries: ``(q,)`` row numbers.
        places: length of the lists of the most similar words; cut to ``v − 1``.
        told: called with the finished part.
    """
    want("unit", unit, "(v, d)")
    v, places = len(unit), min(places, len(unit) - 1)
    counts = torch.zeros(2 * BINS + 1, dtype=torch.int64, device=unit.device)
    powers = torch.zeros(POWERS, dtype=torch.float64, device=unit.device)
    by_place = torch.zeros(places, dtype=torch.float64, device=unit.device)
    done = 0
    for own in queries.split(max(1, _INNER[unit.device.type] // v)):
        cosines = product(unit[own], unit.mT).clamp_(-1, 1)
        others = torch.ones_like(cosines, dtype=torch.bool)
        others[torch.arange(len(own), device=unit.device), own] = False
        cosines = cosines[others].view(len(own), v - 1)  # the word itself out by its index
        counts += torch.bincount(group_numbers(cosines, BINS).flatten(), minlength=len(counts))
        by_place += cosines.topk(places, dim=1).values.sum(0, dtype=torch.float64)
        power = torch.ones_like(cosines)
        for k in range(POWERS):
            powers[k] += power.mul_(cosines).sum(dtype=torch.float64)
        done += len(own)
        if told:
            told(done / len(queries))
    return Histogram(counts, powers, by_place, len(queries))
