"""Are two groups of runs one distribution? By a permutation test: pairs of runs are not independent, but runs are.

The statistic is the energy distance, twice the mean loss between the groups less the mean losses within both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import normalize

from gpustab.kernels.gram import block_gram
from gpustab.kernels.jackknife import pair_matrix
from gpustab.kernels.pip_loss import pip_from_gram, reduced

PERMUTATIONS = 9_999

Floats = NDArray[np.float32]
Losses = NDArray[np.float64]


class Distance(NamedTuple):
    """How far two groups lie apart.

    Attributes:
        between: mean loss between a run of one and a run of the other.
        energy: the energy distance.
        permutation_p: the share of relabellings, the true one among them, with at least this energy distance.
    """

    between: float
    energy: float
    permutation_p: float


def loss_matrix(runs: Sequence[Floats]) -> Losses:
    """Return the reduced PIP losses of all pairs of runs ``(v, d)`` over the same words, ``(R, R)``."""
    unit = normalize(torch.from_numpy(np.stack(runs)).double(), dim=2)
    total = pip_from_gram(block_gram(unit)).total
    return pair_matrix(reduced(total, unit.shape[1]), len(runs)).numpy()


def within(losses: Losses, rows: slice) -> float:
    """Return the mean loss of the pairs within a group."""
    block = losses[rows, rows]
    return float(block[np.triu_indices(len(block), 1)].mean())


def energy(losses: Losses, half: int) -> float:
    """Return twice the mean between the first ``half`` and the others, less the means within both."""
    first, second = slice(0, half), slice(half, len(losses))
    return 2 * float(losses[first, second].mean()) - within(losses, first) - within(losses, second)


def permutation_test(losses: Losses) -> float:
    """Return the share of relabellings, the true one among them, with at least the true energy distance."""
    half, random = len(losses) // 2, np.random.default_rng(0)
    true, reached = energy(losses, half), 1
    for _ in range(PERMUTATIONS):
        order = random.permutation(len(losses))
        # Rounding must not hide relabellings that only exchange the two groups.
        reached += energy(losses[np.ix_(order, order)], half) >= true - 1e-12
    return reached / (PERMUTATIONS + 1)


def distance(losses: Losses) -> Distance:
    """Return how far the first half of the runs lies from the second."""
    half = len(losses) // 2
    return Distance(float(losses[:half, half:].mean()), energy(losses, half), permutation_test(losses))
