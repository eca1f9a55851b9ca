"""The PIP losses of all pairs of runs, estimated from a few random combinations of words: for what needs no digits.

``‖(V_i V_iᵀ − V_j V_jᵀ) Ω‖² / s``, with ``Ω (v, s)`` of random signs, has the squared loss as its mean: the trace by
Hutchinson (1990). It takes ``R v d s`` and ``R² v s`` operations where the losses take ``R² v d²``.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.engine.finite import require_finite
from gpustab.engine.gram import joint_words
from gpustab.kernels.arithmetic import product
from gpustab.kernels.run_blocks import side_by_side
from gpustab.machine.device import DEFAULT, Compute
from gpustab.machine.out_of_memory import telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_GROUPS = 8
_SEED = 20_261_129

_TILE_ON_CPU = 1 << 24
"""Bytes of rows at a time, which are to stay near the processor: half the time of 64 MiB and a third of 200."""


class Sketch(NamedTuple):
    """What a sketch tells of every pair of runs.

    Attributes:
        distances: ``(G, R, R)`` float64, independent estimates of ``‖V_i V_iᵀ − V_j V_jᵀ‖²``, without bias but
            for rounding below 0, which counts as 0: of equal runs they are some 1e-15 of ``v²`` too large.
        stretch: at least 1; the mean of the estimates never exceeds so many times the true square.
        squares: ``(R,)``, the sum of the squared lengths of each run's rows.
        sums: ``(R, d)``, the sum of each run's rows.
        words: over how many joint words.
    """

    distances: Tensor
    stretch: float
    squares: Tensor
    sums: Tensor
    words: int


@telling_memory
def sketch_pass(runs: Runs, compute: Compute = DEFAULT, members: int = 2) -> Sketch:
    """Estimate the losses of all pairs over the joint words, with the same signs on every device.

    Args:
        runs: the runs.
        compute: how to compute; the products are of float64.
        members: combinations of words for each of the estimates, whose error is that of one by ``√members``.

    Raises:
        InputError: see :func:`gpustab.engine.joint_words`, and for values that are not finite.
    """
    words = joint_words(runs)
    r, d, columns = len(runs), runs.dimension, _GROUPS * members
    bits = torch.randint(0, 2, (runs.words, columns), generator=torch.Generator().manual_seed(_SEED), device="cpu")
    signs = (2.0 * bits.double() - 1).to(runs.device) * runs.joint[:, None]

    def work(tile: int) -> tuple[Tensor, Tensor, Tensor]:
        inner, sums, squares = (signs.new_zeros(*shape) for shape in ((columns, r * d), (r, d), (r,)))
        for start, chunk in runs.chunks(tile, share=compute.ranks.share):
            chunk *= runs.joint[start : start + tile, None]
            inner += product(signs[start : start + tile].mT, side_by_side(chunk).flatten(1))
            sums += chunk.sum(1)
            squares += chunk.square().sum((1, 2))
        compute.ranks.total_(inner, sums, squares)
        require_finite(runs, [sums])
        maps = inner.view(columns, r, d).permute(1, 2, 0).contiguous()
        gram = signs.new_zeros(_GROUPS, r, r)
        for start, chunk in runs.chunks(tile, share=compute.ranks.share):
            chunk *= runs.joint[start : start + tile, None]
            rows = product(chunk.contiguous(), maps).unflatten(2, (_GROUPS, members))
            gram += product(side := rows.permute(2, 0, 1, 3).flatten(2), side.mT)
        compute.ranks.total_(gram)
        return gram, sums, squares

    width, most = r * (24 * d + 24 * columns), runs.words
    if compute.device.type == "cpu":
        most = min(most, max(64, _TILE_ON_CPU // (8 * r * d)))
    gram, sums, squares = with_smaller_tiles(work, compute.tile(width, most), compute.ranks)
    lengths = gram.diagonal(dim1=1, dim2=2)
    distances = (lengths[:, :, None] + lengths[:, None] - 2 * gram).clamp(min=0) / members
    stretch = float(torch.linalg.matrix_norm(product(signs.mT, signs), 2)) / columns
    return Sketch(distances, stretch, squares, sums, words)
