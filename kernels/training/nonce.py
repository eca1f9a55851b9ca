"""Nonce2Vec for many problems at once: one vector each, trained into a given space (Herbelot & Baroni 2017)."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product

__all__ = ["train_nonce"]

_CACHED = 256
"""Problems at once on a CPU: the rows of a step, 1 MB at d = 100, stay in its cache; 10,000 take twice as long."""


def train_nonce(start: Tensor, output: Tensor, ids: Tensor, rates: Tensor, *, update_output: bool = False) -> Tensor:
    """Train the vector of every problem by its own list of steps, and return them.

    A step has a context word and K negatives: with y = (1, 0, ..., 0) and g = α (y − σ(O x)), ``x ← x + gᵀ O``. The
    output rows O stay as they are (Bloem et al. 2019, §5), or ``O ← O + g xᵀ`` too, with the x before the step, as the
    public code has it; then each problem has rows of its own, and a row twice in one step takes both changes.

    Args:
        start: ``(P, d)`` the vectors before.
        output: ``(v, d)`` output vectors, of the same dtype.
        ids: ``(P, S, K + 1)`` rows of the output vectors of each step: the context word, then the negatives.
        rates: ``(P, S)`` learning rate of each step; 0 where a problem has no step.
        update_output: whether the output rows are trained too.

    Returns:
        ``(P, d)``; steps go in order, problems do not touch each other.

    Example:
        >>> one = torch.ones(1, 1, dtype=torch.float64)
        >>> train_nonce(0 * one, one, torch.zeros(1, 1, 1, dtype=torch.long), one).tolist()
        [[0.5]]
    """
    at_once = _CACHED if start.device.type == "cpu" else max(len(start), 1)
    parts = zip(start.split(at_once), ids.split(at_once), rates.split(at_once), strict=True)
    return torch.cat([_train(x, output, own, alpha, update_output) for x, own, alpha in parts])


def _train(start: Tensor, output: Tensor, ids: Tensor, rates: Tensor, update_output: bool) -> Tensor:
    x = start.clone()
    table, places = _tables(output, ids) if update_output else (output, ids)
    for step in range(ids.shape[1]):
        flat = places[:, step].reshape(-1)
        rows = table.index_select(0, flat).view(*ids[:, step].shape, -1)  # twice as fast as table[...] on a CPU
        g = -torch.sigmoid(product(rows, x[:, :, None])[..., 0])
        g[:, 0] += 1
        g = g * rates[:, step, None].to(x.dtype)
        change = product(g[:, None], rows)[:, 0]
        if update_output:
            table.index_add_(0, flat, (g[..., None] * x[:, None]).flatten(0, 1))
        x = x + change
    return x


def _tables(output: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return a copy of the output rows that each problem touches, and the places of ``ids`` among them."""
    problem = torch.arange(len(ids), device=ids.device)[:, None, None]
    keys, places = (problem * len(output) + ids).unique(return_inverse=True)
    return output[keys % len(output)].clone(), places.view(ids.shape)
