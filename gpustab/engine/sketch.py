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
from gpustab.machine.device import DEFAULT, Compute, telling_memory, with_smaller_tiles
from gpustab.runs.runs import Runs

_GROUPS, _MEMBERS = 8, 2
_SEED = 20_261_129


class Sketch(NamedTuple):
    """What a sketch tells of every pair of runs.

    Attributes:
        distances: ``(G, R, R)`` float64, independent estimates of ``‖V_i V_iᵀ − V_j V_jᵀ‖²`` without bias.
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
def sketch_pass(runs: Runs, compute: Compute = DEFAULT) -> Sketch:
    """Estimate the losses of all pairs over the joint words, with the same signs on every device.

    Args:
        runs: the runs.
        compute: how to compute; the products are of float64.

    Raises:
        InputError: see :func:`gpustab.engine.joint_words`, and for values that are not finite.
    """
    words = joint_words(runs)
    r, d, columns = len(runs), runs.dimension, _GROUPS * _MEMBERS
    bits = torch.randint(0, 2, (runs.words, columns), generator=torch.Generator().manual_seed(_SEED), device="cpu")
    signs = (2.0 * bits.double() - 1).to(runs.device) * runs.joint[:, None]

    def work(tile: int) -> tuple[Tensor, Tensor, Tensor]:
        inner, sums, squares = (signs.new_zeros(r, *shape) for shape in ((d, columns), (d,), ()))
        for start, chunk in runs.chunks(tile, share=compute.ranks.share):
            chunk *= runs.joint[start : start + tile, None]
            inner += product(chunk.mT, signs[start : start + tile])
            sums += chunk.sum(1)
            squares += chunk.square().sum((1, 2))
        compute.ranks.total_(inner, sums, squares)
        require_finite(runs, [sums])
        gram = signs.new_zeros(_GROUPS, r, r)
        for start, chunk in runs.chunks(tile, share=compute.ranks.share):
            chunk *= runs.joint[start : start + tile, None]
            rows = product(chunk, inner).unflatten(2, (_GROUPS, _MEMBERS)).permute(2, 0, 1, 3).flatten(2)
            gram += product(rows, rows.mT)
        compute.ranks.total_(gram)
        return gram, sums, squares

    gram, sums, squares = with_smaller_tiles(work, compute.tile(r * (24 * d + 32 * columns), runs.words), compute.ranks)
    own = gram.diagonal(dim1=1, dim2=2)
    distances = (own[:, :, None] + own[:, None] - 2 * gram).clamp(min=0) / _MEMBERS
    stretch = float(torch.linalg.matrix_norm(product(signs.mT, signs), 2)) / columns
    return Sketch(distances, stretch, squares, sums, words)
