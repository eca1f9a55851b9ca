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

__all__ = ["ListTables", "list_groups"]

_INNER = {"cpu": 2**21, "cuda": 2**26}
"""Cosines that are sorted at a time."""

_GRAIN = 44
"""Cosines are told apart to 2⁻⁴⁴ = 6e-14, above their rounding errors."""


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
    v, words, levels = len(unit), len(known), len(values)
    inner = max(1, _INNER[unit.device.type] // v)
    has = ~values.isnan()
    weights = (has.double(), values.masked_fill(~has, 0))
    # Place 0, a word's own, has a row of every table that is cut off in the end: no pair need be picked out.
    window = torch.cat([window.new_zeros(1), window + 1])
    windows = int(window.max()) + 1
    counts = torch.zeros(v * levels, dtype=torch.int64, device=unit.device)
    by_word = torch.zeros(2, words * windows, dtype=torch.float64, device=unit.device)
    last = torch.zeros(v, dtype=torch.int64, device=unit.device)
    column = torch.arange(words, device=unit.device) * windows
    for start in range(0, words, rows):
        level = block(start, min(start + rows, words)).clamp(max=levels - 1)
        for low in range(0, len(level), inner):
            own = torch.arange(start + low, start + min(low + inner, len(level)), device=unit.device)
            place, furthest = _places(unit, known[own])
            last += torch.bincount(furthest, minlength=v)
            at, found = place[:, known], level[low : low + inner].long()
            counts.scatter_add_(0, (at * levels + found).flatten(), counts.new_ones(1).expand(at.numel()))
            cell = window.index_select(0, at.flatten()).view_as(at)
            for word in (column[own][:, None], column):  # whose list it is, and the neighbour
                key = (cell + word).flatten()
                for table, weight in zip(by_word, weights, strict=True):
                    table.scatter_add_(0, key, weight.index_select(0, found.flatten()))
        if told:
            told(min(start + rows, words) / words)
    word_counts, word_sums = by_word.view(2, words, windows)[..., 1:]
    return ListTables(counts.view(v, levels)[1:], word_counts.long(), word_sums.contiguous(), last)


def _places(unit: Tensor, queries: Tensor) -> tuple[Tensor, Tensor]:
    """Return the place of every word in the lists of some, ``(q, v)`` from 1, own ones 0; and the last of each list.

    A key holds 1 − cosine in its upper bits, the row number in its lower ones, so that one sort of whole numbers orders
    the list and breaks its ties. On a CPU with AVX-512 NumPy sorts such keys 13 times as fast as torch does, and 19
    times as fast as torch finds the order of the cosines.
    """
    v, device = len(unit), unit.device
    bits = (v - 1).bit_length()
    cosines = product(unit[queries], unit.mT).double()
    grain = min(_GRAIN, 61 - bits)  # coarser beyond 131,072 words: a key has 63 bits
    key = cosines.neg_().add_(1).clamp_(0, 2).mul_(2.0**grain).round_().long().bitwise_left_shift_(bits)
    key.bitwise_or_(torch.arange(v, device=device))
    key[torch.arange(len(queries), device=device), queries] = -1  # itself stands first, by its index
    if device.type == "cpu":
        key.numpy().sort(axis=1)
    else:
        key = key.sort(dim=1).values
    order = key[:, 1:].bitwise_and_((1 << bits) - 1)
    place = torch.zeros_like(key).scatter_(1, order, torch.arange(1, v, device=device).expand_as(order))
    return place, order[:, -1]
