"""Word pairs in groups of like similarity, and what a baseline says of each group: integer tables, in one pass.

Group k of a hundredth holds the pairs with ``k − 0.01 < cosine ≤ k``, k from −1 to 1 (Elekes et al. 2018, §4.2.2). A
baseline of levels (path lengths in a taxonomy) is counted, not summed: mean, variance and any other function of the
level follow without rounding, and no order of summing can change them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.kernels.shapes import want

__all__ = ["GROUPS", "STEPS", "Block", "GroupTables", "group_numbers", "value_groups"]

STEPS = 100
"""Groups in a unit of similarity."""

GROUPS = 2 * STEPS + 1
"""Groups from −1 to 1."""

_EDGE = 1e-9
"""A cosine that is above an edge by less than this part of a group lies on it: the cosine of two equal rows is 1."""

_INNER = {"cpu": 2**18, "cuda": 2**26}
"""Pairs in one step: what the caches of a CPU hold (half the time of a whole block at once), and what fills a GPU."""

Block = Callable[[int, int], Tensor]
"""Levels of the words ``start .. stop`` against all words, ``(b, w)`` uint8."""


class GroupTables(NamedTuple):
    """Pairs by group and level; every pair is counted from both its words.

    Attributes:
        counts: ``(G, K)`` int64; half of it are the unordered pairs.
        word_counts: ``(w, G)`` int64, pairs of every word with a level that has a value.
        word_sums: ``(w, G)`` float64, sums of their values.
    """

    counts: Tensor
    word_counts: Tensor
    word_sums: Tensor


def group_numbers(cosines: Tensor, steps: int = STEPS) -> Tensor:
    """Return the group of every cosine, 0 .. 2·steps, int32: ``ceil(steps · cosine) + steps``.

    >>> group_numbers(torch.tensor([-1.0, -0.995, 0.0, 0.05, 0.0501, 1.0], dtype=torch.float64)).tolist()
    [0, 1, 100, 105, 106, 200]
    """
    return (cosines * steps).sub_(_EDGE).ceil_().clamp_(-steps, steps).to(torch.int32).add_(steps)


def value_groups(
    unit: Tensor, block: Block, values: Tensor, rows: int = 256, told: Callable[[float], None] | None = None
) -> GroupTables:
    """Return the tables of all pairs of words.

    In float64 the groups are those of the cosines; in float32, without TF32, 8 of 100,000 pairs are one group off.

    Args:
        unit: ``(w, d)`` rows of unit length.
        block: gives levels 0 .. K − 1, or more, which counts as K − 1.
        values: ``(K,)`` float64 value of every level; NaN for a level that has none: its pairs are in ``counts`` only.
        rows: words whose levels are held at a time.
        told: called with the finished part.
    """
    want("unit", unit, "(w, d)")
    words, levels = len(unit), len(values)
    inner = max(1, _INNER[unit.device.type] // max(words, 1))
    known = ~values.isnan()
    worth = values.masked_fill(~known, 0)
    tables = GroupTables(
        torch.zeros(GROUPS, levels, dtype=torch.int64, device=unit.device),
        torch.empty(words, GROUPS, dtype=torch.int64, device=unit.device),
        torch.empty(words, GROUPS, dtype=torch.float64, device=unit.device),
    )
    for start in range(0, words, rows):
        stop = min(start + rows, words)
        level = block(start, stop)
        for low in range(start, stop, inner):
            high = min(low + inner, stop)
            joint = _joint(unit, low, high, level[low - start : high - start], levels)
            tables.counts.add_(joint.sum(0))
            tables.word_counts[low:high] = (joint * known).sum(2)
            tables.word_sums[low:high] = product(joint.double(), worth)
        if told:
            told(stop / words)
    return tables


def _joint(unit: Tensor, low: int, high: int, level: Tensor, levels: int) -> Tensor:
    """Count the pairs of the words ``low .. high`` by word, group and level, ``(b, G, K)``."""
    b = high - low
    each = torch.arange(b, device=unit.device, dtype=torch.int32)
    key = group_numbers(product(unit[low:high], unit.mT))
    key.add_(each[:, None], alpha=GROUPS).mul_(levels).add_(level.clamp(max=levels - 1))
    own = key[each.long(), torch.arange(low, high, device=unit.device)].long()
    counts = torch.bincount(key.flatten(), minlength=b * GROUPS * levels)
    counts[own] -= 1  # every word is a pair with itself
    return counts.view(b, GROUPS, levels)
