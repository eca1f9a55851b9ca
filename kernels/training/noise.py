"""Noise words of word2vec: drawn with a probability in proportion to a weight, with one look-up."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

__all__ = ["Noise", "draw_noise", "noise_tables"]


class Noise(NamedTuple):
    """Tables from which a noise word is drawn with one look-up (Walker 1977).

    Attributes:
        threshold: ``(R, v)`` int32, in units of 2⁻³¹: the part of a cell that is the cell's own word.
        alias: ``(R, v)`` int32: the word of the rest of the cell.
    """

    threshold: Tensor
    alias: Tensor


def noise_tables(weights: Tensor) -> Noise:
    """Return the tables of one run, ``(v,)`` each, that draw words in proportion to weights.

    Every cell holds ``1/v`` of the probability: words with less are filled up by those with more, in order.

    >>> noise_tables(torch.tensor([1.0, 0.0, 3.0, 0.0])).alias.tolist()
    [2, 2, 2, 2]
    """
    share = weights.double() * (len(weights) / weights.double().sum())
    enough = share >= share.max().clamp(max=1)  # rounding may leave none at 1
    light, heavy = (~enough).nonzero().flatten(), enough.nonzero().flatten()
    lack, surplus = pad((1 - share[light]).cumsum(0), (1, 0)), (share[heavy] - 1).clamp(min=0).cumsum(0)
    own, alias = share.clone(), torch.arange(len(share), device=share.device)
    # A word with less is filled by the first with more whose surplus those before it have not used up ...
    alias[light] = heavy[torch.searchsorted(surplus, lack[:-1], right=True).clamp(max=len(heavy) - 1)]
    # ... and what a word with more lacks itself once it is used up comes from the next.
    end = torch.searchsorted(lack, surplus).clamp(max=len(light))
    own[heavy] = 1 + surplus - lack[end]
    alias[heavy] = torch.cat([heavy[1:], heavy[-1:]])
    return Noise((own * 2**31).round().clamp(0, 2**31 - 1).int(), alias.int())


def draw_noise(tables: Noise, random: Tensor) -> Tensor:
    """Return the words that random words draw from one run's tables: high bits choose a cell, low bits a part of it."""
    product = random * len(tables.alias)
    cell, part = product >> 32, (product & 0xFFFFFFFF) >> 1
    return torch.where(part < tables.threshold[cell], cell, tables.alias[cell].long())
