"""The place of a vector among all words of a space, by cosine to another vector (Bloem et al. 2019, §3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

__all__ = ["ROUNDING", "word_ranks"]

_BLOCK = 1 << 24
"""Cosines at once."""

ROUNDING = 1e-12
"""One cosine by two ways differs by so much: without the margin a word could be nearer than itself."""


def word_ranks(unit: Tensor, words: Tensor, cosines: Tensor) -> Tensor:
    """Return how many words are nearer to each vector than a given cosine, plus one: 1 is the nearest.

    A word exactly as near, up to rounding, is not nearer: copies of a vector do not push it back.

    Args:
        unit: ``(P, d)`` unit vectors.
        words: ``(v, d)`` unit vectors of the words; zero rows have cosine 0.
        cosines: ``(P, k)`` cosines to beat.

    Returns:
        ``(P, k)`` int64.

    Example:
        >>> word_ranks(torch.eye(2), torch.eye(2), torch.tensor([[0.5], [0.5]])).tolist()
        [[2], [2]]
    """
    unit, words, cosines = unit.double(), words.double(), cosines.double() + ROUNDING
    nearer = torch.zeros(cosines.shape, dtype=torch.long, device=unit.device)
    size = max(1, _BLOCK // max(len(unit), 1))
    for start in range(0, len(words), size):
        found = product(unit, words[start : start + size].T)
        for column in range(cosines.shape[1]):  # a few: sorting the block would take ten times as long
            nearer[:, column] += _counted(found > cosines[:, column, None])
    return nearer + 1


def _counted(mask: Tensor) -> Tensor:
    """Return how many of each row are true; on a CPU row by row in NumPy, in a tenth of the time of a sum."""
    if mask.device.type != "cpu":
        return mask.sum(1)
    return torch.tensor([int(np.count_nonzero(row)) for row in mask.numpy()], dtype=torch.long, device="cpu")
