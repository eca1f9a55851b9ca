"""The error over runs of a trend over words: all words are measured by the same runs, which may move them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.machine.device import Compute
from gpustab.runs.families import over_common_words
from gpustab.runs.runs import Runs
from gpustab.studies.instability.how_many import word_matrices

_WORDS = 2048
"""Words whose pair matrices are held at once."""


class Sums(NamedTuple):
    """Weighted sums over words of what one group's pairs of runs say, each ``(m, R, R)`` for m sets of weights.

    Attributes:
        losses: of the word-wise reduced PIP losses.
        squares: of their squares.
    """

    losses: Tensor
    squares: Tensor


def pair_sums(groups: Mapping[str, Runs], weights: Tensor, compute: Compute) -> dict[str, Sums]:
    """Return the weighted sums of every group.

    Args:
        groups: the runs by sampling.
        weights: ``(m, w)`` of the words that all runs of all groups have, in the order of
            :func:`gpustab.runs.families.over_common_words`.
        compute: how to compute.
    """
    restricted, rows = over_common_words(list(groups.values()))
    return {
        sampling: _sums(runs, own, weights, compute)
        for sampling, runs, own in zip(groups, restricted, rows, strict=True)
    }


def _sums(runs: Runs, rows: Tensor, weights: Tensor, compute: Compute) -> Sums:
    total = torch.zeros(2, len(weights), len(runs), len(runs), dtype=torch.float64)
    basis = engine.gram_pass(runs, compute, torch.float64)
    for part, own in zip(rows.split(_WORDS), weights.split(_WORDS, dim=1), strict=True):
        losses = word_matrices(runs, part, compute, basis)
        both = torch.stack([losses, losses.square()])
        total += product(own, both.flatten(2)).unflatten(2, losses.shape[1:])
    return Sums(*total)


def change_error(parts: Mapping[str, Tensor]) -> tuple[float, int]:
    """Return the jackknife error over runs of a ratio of two weighted sums over words, and the runs it rests on.

    The sums of all groups are added up; each group's runs are left out one after the other.

    Args:
        parts: of every group ``(2, R, R)``, above and below the line, with the sign that it counts with.

    Returns:
        The error, NaN where the sum below is 0, and the number of runs of the smallest group.
    """
    means = {group: _mean(matrices) for group, matrices in parts.items()}
    variance = 0.0
    for group, matrices in parts.items():
        others = torch.stack([mean for other, mean in means.items() if other != group] or [torch.zeros(2).double()])
        runs = matrices.shape[1]
        above, below = torch.stack([_mean(_without(matrices, r)) for r in range(runs)]).mT + others.sum(0)[:, None]
        variance += float((runs - 1) * (above / below).var(correction=0))
    return variance**0.5, min(matrices.shape[1] for matrices in parts.values())


def _mean(matrices: Tensor) -> Tensor:
    """Mean over the pairs of ``(2, R, R)`` matrices, zero diagonal."""
    runs = matrices.shape[1]
    return matrices.sum((1, 2)) / (runs * (runs - 1))


def _without(matrices: Tensor, run: int) -> Tensor:
    keep = [r for r in range(matrices.shape[1]) if r != run]
    return matrices[:, keep][:, :, keep]
