"""Is p@n of a word unrelated to how far the word lies apart in the runs? Rettenmeier 2020, §2.2.2.

The thesis concludes so from table 2.5: p@n is nearly its structure factor, which knows no distance. Here p@n stands
beside the word's PIP loss itself, by halves of the runs as in :mod:`.consistency`: noise of few runs makes any two
quantities look unrelated, and p@n and loss of the same runs share it.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab import engine
from gpustab.kernels.arithmetic import product
from gpustab.machine.device import Compute
from gpustab.statistics.ranks import spearman
from gpustab.studies.instability.consistency import corrected, corrected_error, halves_of, mean_overlap, pair_weights

LENGTHS = (1, 10)


class WithDistance(NamedTuple):
    """Spearman's ρ over words between p@n and the word-wise PIP loss.

    Attributes:
        measured: of all runs, noise and all.
        reliability: of p@n between two halves of the runs; ``pip_reliability``: of the loss.
        correlation: freed of noise; NaN where a reliability is not above 0.
        se: its error, by the jackknife over batches of words.
    """

    technique: str
    n: int
    words: int
    runs_each: int
    splits: int
    measured: float
    reliability: float
    pip_reliability: float
    correlation: float
    se: float


def with_distance(
    name: str, found: engine.NeighbourPass, losses: Tensor, compute: Compute, seed: int
) -> list[WithDistance]:
    """Return the correlation of p@n with the PIP loss for every list length that there is; nothing below 4 runs.

    Args:
        name: of the technique.
        found: neighbours of the targets; those that a run lacks are left out.
        losses: ``(t, R, R)`` word-wise PIP losses of the targets.
        compute: how to compute.
        seed: of the splits and of the batches of words.
    """
    runs, everywhere = len(found.indices), found.present.all(0)
    lengths = tuple(n for n in LENGTHS if n <= found.k)
    if runs < 4 or not lengths:
        return []
    splits = halves_of(runs, seed)
    subsets = [tuple(range(runs)), *(half for split in splits for half in split)]
    p = mean_overlap(found._replace(indices=found.indices[:, everywhere]), lengths, subsets, compute)
    losses = losses[everywhere.to(losses.device)].cpu()
    distance = product(pair_weights(subsets, runs), losses.flatten(1).mT)  # (subsets, t)
    rows = []
    for n, shares in zip(lengths, p.round(decimals=10), strict=True):
        both = torch.stack([shares, distance])
        measured = float(spearman(both[0, :1], both[1, :1])[0])
        values = both[:, 1:].unflatten(1, (len(splits), 2))
        correlation, *reliabilities = corrected(values)
        se = corrected_error(values, seed)
        numbers = (values.shape[3], runs // 2, len(splits), measured, *reliabilities, correlation, se)
        rows.append(WithDistance(name, n, *numbers))
    return rows
