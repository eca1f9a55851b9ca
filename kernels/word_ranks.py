"""The place of a vector among all words of a space, by cosine to another vector (Bloem et al. 2019, §3)."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

_BLOCK = 1 << 24
"""Cosines at once."""

_ROUNDING = 1e-12
"""One cosine by two ways differs by so much: without the margin a word could be nearer than itself."""


def word_ranks(unit: Tensor, words: Tensor, cosines: Tensor, own: Tensor | None = None) -> Tensor:
    """Return how many words are nearer to each vector than a given cosine, plus one: 1 is the nearest.

    A word exactly as near, up to rounding, is not nearer: copies of a vector do not push it back.

    Args:
        unit: ``(P, d)`` unit vectors.
        words: ``(v, d)`` unit vectors of the words; zero rows have cosine 0.
        cosines: ``(P, k)`` cosine to beat.
        own: ``(P,)`` row of a word that is left out for each vector, −1 for none.

    Returns:
        ``(P, k)`` int64.

    Example:
        >>> word_ranks(torch.eye(2), torch.eye(2), torch.tensor([[0.5], [0.5]])).tolist()
        [[2], [2]]
    """
    unit, words, cosines = unit.double(), words.double(), cosines.double() + _ROUNDING
    nearer = torch.zeros(cosines.shape, dtype=torch.long, device=unit.device)
    size = max(1, _BLOCK // max(len(unit), 1))
    for start in range(0, len(words), size):
        found = product(unit, words[start : start + size].T)
        for column in range(cosines.shape[1]):  # a few: sorting the block would take ten times as long
            nearer[:, column] += (found > cosines[:, column, None]).sum(1)
    if own is not None:
        has = own >= 0
        mine = product(unit[:, None], words[own.clamp(min=0)][:, :, None])[:, 0]
        nearer -= ((mine > cosines) & has[:, None]).long()
    return nearer + 1
