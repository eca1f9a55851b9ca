"""Alignment of runs: the orthogonal maps of all pairs, and averages."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.engine.gram import GramPass
from gpustab.errors import InputError
from gpustab.kernels import averaging, gram, procrustes
from gpustab.runs import Runs


def procrustes_pass(runs: Runs, basis: GramPass) -> tuple[procrustes.Procrustes, Tensor]:
    """Return the orthogonal maps ``V_i A_ij ≈ V_j`` of all pairs, and their residuals ``‖V_i A_ij − V_j‖``.

    Raises:
        InputError: if a pair has a zero cross-Gram; the message names the runs.
    """
    cross = gram.pair_blocks(basis.gram)
    zero = (cross == 0).all(-1).all(-1)
    if zero.any():
        i, j = gram.run_pairs(len(runs))[:, int(zero.nonzero()[0])].tolist()
        raise InputError(f"{runs.names[i]} and {runs.names[j]} share no direction: every alignment is equally good")
    solution = procrustes.procrustes(cross)
    unique = solution.unique & (basis.words >= runs.dimension)
    return solution._replace(unique=unique), procrustes.residuals(basis.gram, solution.maps)


def average_pass(
    runs: Runs, *, renormalise: bool = False, dtype: torch.dtype = torch.float64
) -> list[list[averaging.Average]]:
    """Return all levels of the tree of aligned averages; ``[-1][0]`` is the average of all runs.

    All runs are held at once in ``dtype``: R·v·d numbers, and as many again over all levels.
    """
    stack = [runs.run(r, dtype=dtype) for r in range(len(runs))]
    return averaging.tree_average(stack, present=runs.present, renormalise=renormalise)
