"""Both hypotheses on the cosines of random word pairs over the runs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.cosines import pair_values
from gpustab.errors import InputError
from gpustab.machine.device import DEFAULT, Compute
from gpustab.runs.runs import Runs
from gpustab.statistics.hypotheses import (
    SIMULATED,
    Independence,
    Uniformity,
    independence,
    kurtosis,
    shapiro_p,
    simulated_p,
    uniformity,
    whiten,
)
from gpustab.studies.shared.spaces import as_copies


class Distribution(NamedTuple):
    """Distribution of the cosines of M random word pairs over R runs.

    Attributes:
        words: ``(M, 4)`` row numbers (a, b, c, d) of different words; the pairs are (a, b).
        values: ``(M, R)`` cosines of the pairs.
        normal_p: ``(M,)`` Shapiro-Wilk p-values.
        normality: uniformity of these.
        disjoint: independence of (a, b) and (c, d).
        sharing: independence of (a, b) and (a, c), which share a word.
        kurtosis: of all whitened values together; normals have :func:`whitened_kurtosis`.
    """

    words: Tensor
    values: Tensor
    normal_p: Tensor
    normality: Uniformity
    disjoint: Independence
    sharing: Independence
    kurtosis: float


def cosine_distribution(
    runs: Runs,
    count: int,
    seed: int,
    compute: Compute = DEFAULT,
    *,
    simulated: int = SIMULATED,
    same: Tensor | None = None,
) -> Distribution:
    """Test normality and independence of the cosines of random word pairs.

    Args:
        runs: at least 4.
        count: number M of couples of word pairs.
        seed: of the words, the simulated normals and the permutations.
        compute: how to compute.
        simulated: rows of normals that the p-values are compared with.
        same: ``(R, R)`` bool, pairs of runs that are one space twice.

    Raises:
        InputError: if no cosine varies over the runs, for fewer than 4 runs or 4 words that all runs have.
    """
    if len(runs) < 4:
        raise InputError(f"{len(runs)} runs were given; the distribution over runs wants at least 4")
    joint = runs.joint.nonzero().flatten().cpu()
    words = joint[draw_words(len(joint), count, seed)]
    a, b, c, d = words.T
    values, other, sharing = (
        as_copies(pair_values(runs, x, y, compute).cpu(), same) for x, y in ((a, b), (c, d), (a, c))
    )
    normal_p = shapiro_p(values)
    return Distribution(
        words,
        values,
        normal_p,
        uniformity(normal_p, simulated_p(shapiro_p, len(runs), seed, count=simulated)),
        independence(values, other, seed, simulated=simulated),
        independence(values, sharing, seed, simulated=simulated),
        kurtosis(whiten(values)),
    )


def draw_words(words: int, count: int, seed: int) -> Tensor:
    """Draw ``(count, 4)`` words, different within a row; none comes again before all have come."""
    if words < 4 or count < 1:
        raise InputError(f"{count} times 4 of {words} words are wanted; it takes at least 1 row and 4 words")
    generator = torch.Generator().manual_seed(seed)
    rounds = -(-count // (words // 4))
    orders = [torch.randperm(words, generator=generator)[: words // 4 * 4].view(-1, 4) for _ in range(rounds)]
    return torch.cat(orders)[:count]
