"""The inner products of the runs' matrices of cosines, which losses of runs and of their means are made of."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.engine.gram import counted_words, gram_fits, gram_pass
from gpustab.engine.tiles import tile_pass
from gpustab.kernels.gram import squared_norms
from gpustab.machine.device import DEFAULT, Compute, telling_memory
from gpustab.runs.runs import Runs


@telling_memory
def norms_pass(runs: Runs, compute: Compute = DEFAULT, words: Tensor | None = None) -> Tensor:
    """Return ``‖C_ij‖²`` of all pairs of runs and of every run with itself, ``(R, R)``, by float64 products.

    Where the block Gram is larger than memory should be, it is formed and read tile by tile.

    Args:
        runs: the runs.
        compute: how to compute.
        words: ``(v,)`` bool, those to sum over; default: the joint ones.
    """
    if gram_fits(runs, compute):
        return squared_norms(gram_pass(runs, compute, torch.float64, words).gram)
    return tile_pass(runs, compute, counted_words(runs, words), torch.float64).norms
