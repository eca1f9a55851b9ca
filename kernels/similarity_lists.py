"""Word pairs by their place in the list of the most similar words, and what a baseline says of every place.

Place j of a word's list holds the j-th most similar of all other words of the dictionary (Elekes et al. 2018, §4.2.2).
Words that the baseline does not know keep their places; only their pairs leave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want
from gpustab.kernels.similarity_groups import Block

_INNER = {"cpu": 2**20, "cuda": 2**26}
"""Cosines that are sorted at a time."""


class ListTables(NamedTuple):
    """Pairs of a word and its j-th neighbour by place and level.

    Attributes:
        counts: ``(v − 1, K)`` int64.
        word_counts: ``(w, W)`` int64, pairs of every word in every window of places, as the one whose list it is or as
            neighbour, with a level that has a value.
        word_sums: ``(w, W)`` float64, sums of their values.
        last: ``(v,)`` int64, for how many lists a word is the last.
    """

    counts: Tensor
    word_counts: Tensor
    word_sums: Tensor
    last: Tensor


def list_groups(
    unit: Tensor,
    known: Tensor,
    block: Block,
    values: Tensor,
    window: Tensor,
    rows: int = 256,
    told: Callable[[float], None] | None = None,
) -> ListTables:
    """Return the tables of the lists of all words that the baseline knows; equal cosines rank by row number.

    Args:
        unit: ``(v, d)`` rows of unit length, the whole dictionary.
        known: ``(w,)`` row numbers of the words that the baseline knows, in its order.
        block: levels of the baseline's words, see :data:`gpustab.kernels.similarity_groups.Block`.
        values: ``(K,)`` float64 value of every level; NaN for one that has none.
        window: ``(v − 1,)`` number of the window of every place, 0 .. W − 1.
        rows: words whose levels are held at a time.
        told: called with the finished part.
    """
    want("unit", unit, "(v, d)")
    v, words, levels, windows = len(unit), len(known), len(values), int(window.max()) + 1
    place = torch.full((v,), -1, dtype=torch.long, device=unit.device)
    place[known] = torch.arange(words, device=unit.device)
    inner = max(1, _INNER[unit.device.type] // v)
    counts = torch.zeros((v - 1) * levels, dtype=torch.int64, device=unit.device)
    word_counts = torch.zeros(words * windows, dtype=torch.int64, device=unit.device)
    word_sums = torch.zeros(words * windows, dtype=torch.float64, device=unit.device)
    last = torch.zeros(v, dtype=torch.int64, device=unit.device)
    for start in range(0, words, rows):
        level = block(start, min(start + rows, words)).clamp(max=levels - 1)
        for low in range(0, len(level), inner):
            own = torch.arange(start + low, start + min(low + inner, len(level)), device=unit.device)
            order = _lists(unit, known[own])
            last += torch.bincount(order[:, -1], minlength=v)
            query, at = (place[order] >= 0).nonzero(as_tuple=True)
            other = place[order[query, at]]
            found = level[low + query, other].long()
            counts += torch.bincount(at * levels + found, minlength=len(counts))
            worth = values[found]
            here = ~worth.isnan()
            for word in (own[query], other):
                key = (word * windows + window[at])[here]
                word_counts += torch.bincount(key, minlength=len(word_counts))
                word_sums.index_add_(0, key, worth[here])
        if told:
            told(min(start + rows, words) / words)
    shape = (words, windows)
    return ListTables(counts.view(v - 1, levels), word_counts.view(shape), word_sums.view(shape), last)


def _lists(unit: Tensor, queries: Tensor) -> Tensor:
    """All other words of every query, most similar first, ``(q, v − 1)``."""
    cosines = product(unit[queries], unit.mT)
    cosines[torch.arange(len(queries), device=unit.device), queries] = torch.inf  # itself stands first, by its index
    return cosines.argsort(dim=1, descending=True, stable=True)[:, 1:]
