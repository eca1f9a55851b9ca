"""The block Gram on bfloat16 tensor cores: all runs in one frame, their mean and deviations.

Rounding to bfloat16 changes a plain loss by up to 3e-6 per unit of its condition number: by 6e-4 at a reduced loss of
0.014 (LSA on sotu). The centred form loses 2e-5 at most at any loss (0.0003 to 0.07; 6,000 to 20,000 words), for one
thin product more. Any orthogonal maps are right, so a sample of the words suffices to find them.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import centred, gram, procrustes
from gpustab.kernels.pip_loss import PipLoss
from gpustab.machine.device import Compute, with_smaller_tiles
from gpustab.runs import Runs

_FRAME_WORDS = 4 * gram.ROWS_PER_MATMUL
"""Words by which the frame is found; more of them change no digit of the losses."""


class FastPass(NamedTuple):
    """What the pass collects.

    Attributes:
        loss: of every pair.
        gram: ``(R(R+1)/2, d, d)`` float64 block Gram of the runs.
        row_sums: ``(R, d)`` float64.
    """

    loss: PipLoss
    gram: Tensor
    row_sums: Tensor


def fast_pass(runs: Runs, compute: Compute, proxy: Tensor | None = None) -> FastPass:
    """Return losses and block Gram over the joint words, or those of a mask ``(v,)``."""
    r, d = len(runs), runs.dimension
    maps = common_frame(runs)
    rotate = maps.float()  # eight bits are kept of the deviations: float32 forms them well enough

    def work(tile: int) -> FastPass:
        total = gram.empty_gram(r + 1, d, runs.device)
        sums = torch.zeros(r, d, dtype=torch.float64, device=runs.device)
        for start, chunk in runs.chunks(tile, dtype=torch.float32, joint=True):
            if proxy is not None:
                chunk *= proxy[start : start + tile, None]
            gram.add_rows(total, centred.centred_rows(chunk, rotate).bfloat16())
            sums += chunk.sum(1, dtype=torch.float64)
        return FastPass(centred.centred_pip_loss(total), centred.plain_gram(total, maps), sums)

    tile = compute.tile(r * d * 24, runs.words)
    return with_smaller_tiles(work, tile // gram.ROWS_PER_MATMUL * gram.ROWS_PER_MATMUL or tile)


def common_frame(runs: Runs) -> Tensor:
    """Return orthogonal maps ``(R, d, d)`` float64 that bring every run near to the first one."""
    words = min(runs.words, _FRAME_WORDS)
    chunk = runs.chunk(0, words, joint=True)  # the most frequent words
    cross = torch.bmm(chunk.mT, chunk[0].expand(len(runs), -1, -1))
    # A run that shares no direction with the first one may be mapped anyhow.
    cross[(cross == 0).all(-1).all(-1)] = torch.eye(runs.dimension, dtype=cross.dtype, device=cross.device)
    return procrustes.procrustes(cross).maps
