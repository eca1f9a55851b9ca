"""Sums of context vectors: a sparse matrix of counts times the words' vectors."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import full_precision

__all__ = ["context_sums"]


def context_sums(
    samples: Tensor, words: Tensor, counts: Tensor, rows: Callable[[Tensor], Tensor], shape: tuple[int, int]
) -> Tensor:
    """Return ``Σ counts · vector`` of every sample, ``(P, d)`` float64.

    Args:
        samples: ``(n,)`` sample of every entry.
        words: ``(n,)`` word of every entry.
        counts: ``(n,)`` float64.
        rows: gives the vectors ``(k, d)`` of some words.
        shape: P and d.

    Example:
        >>> one = torch.ones(2, dtype=torch.long)
        >>> context_sums(0 * one, one, one.double(), lambda words: torch.eye(3)[words], (1, 3)).tolist()
        [[0.0, 2.0, 0.0]]
    """
    used, column = words.unique(return_inverse=True)
    matrix = torch.sparse_coo_tensor(
        torch.stack([samples, column]),
        counts.double(),
        (shape[0], len(used)),
        check_invariants=True,
        device=counts.device,
    )
    if not len(used):
        return torch.zeros(shape, dtype=torch.float64, device=counts.device)
    with full_precision(counts.device):
        found: Tensor = torch.sparse.mm(matrix.coalesce(), rows(used).double())
    return found
