"""PIP losses of a pair by the v × v differences that define them, in blocks; and of all pairs one after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from gpustab.kernels.gram import run_pairs

BLOCK = 2000
"""Rows of the v × v array that the naive method forms at once."""


def blockwise(x: Tensor, y: Tensor, words: bool = False) -> Tensor:
    """Reduced (or word-wise reduced) PIP loss of a pair by blocks of the v × v difference, on the rows' device."""
    rows = [
        torch.linalg.vector_norm(a @ x.mT - b @ y.mT, dim=1)
        for a, b in zip(x.split(BLOCK), y.split(BLOCK), strict=True)
    ]
    by_word = torch.cat(rows) / (2 * len(x) ** 0.5)
    return by_word if words else by_word.square().mean().sqrt()


def all_pairs(stack: Tensor, one: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    return torch.stack([torch.as_tensor(one(stack[i], stack[j])) for i, j in run_pairs(len(stack)).T.tolist()])


def by_identity(x: Tensor, y: Tensor) -> float:
    """Reduced PIP loss from d × d products in numpy: a second opinion where v × v takes too long."""
    x, y = x.cpu().numpy(), y.cpu().numpy()
    square = np.square(x.T @ x).sum() + np.square(y.T @ y).sum() - 2 * np.square(x.T @ y).sum()
    return float(np.sqrt(square) / (2 * len(x)))
