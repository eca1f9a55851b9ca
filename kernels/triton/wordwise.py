"""Word-wise PIP loss of all pairs of runs, fused: the twin of :func:`gpustab.kernels.pip_loss.wordwise_pip`."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.jackknife import jackknife
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.kernels.triton.packed_gram import PRODUCTS, PackedGram, fitting_tile, rounded_to
from gpustab.kernels.triton.wordwise_kernel import wordwise_sums


def packed_wordwise(
    rows: Tensor, gram: PackedGram, present: Tensor | None = None, tile: int | None = None
) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss, by the fused kernel.

    Args:
        rows: ``(R, c, d)`` of any floating dtype, rounded to the precision of ``gram``; in float16 no entry may
            exceed 65,504. Many words at a time fill a GPU: one program takes up to 128.
        gram: from :func:`~gpustab.kernels.triton.packed_gram.pack_gram`.
        present: ``(R, c)`` bool, which run has which word; default: all of them.
        tile: words per program, 16 to 128, a power of two; default: what fits the device.
    """
    runs, words, d = rows.shape
    width = gram.blocks.shape[-1]
    fitting, columns, stages = fitting_tile(width, gram.precision, rows.device)
    tile = tile or fitting
    have = torch.ones(runs, words, dtype=torch.bool, device=rows.device) if present is None else present
    spare = -words % tile
    rounded = rounded_to(rows, gram.precision)
    own = torch.stack([_quadratic(run.float(), block) for run, block in zip(rounded, gram.own, strict=True)])
    sums, total = wordwise_sums(
        pad(rounded, (0, width - d, 0, spare)),
        pad(own, (0, spare)),
        gram.blocks,
        pad(have.to(torch.uint8), (0, spare)),
        tile,
        columns,
        stages,
        PRODUCTS[gram.precision],
    )
    return _statistics(sums[:, :words] * gram.factor.sqrt(), total[:words] * gram.factor, have)


def _quadratic(x: Tensor, block: Tensor) -> Tensor:
    return row_dot(product(x, block), x)


def _statistics(sums: Tensor, total: Tensor, present: Tensor) -> WordwisePip:
    n = present.sum(0).double()
    pairs = n * (n - 1) / 2
    mean = sums.sum(0) / (2 * pairs)
    # A difference, but of float64 numbers made of float32 ones: what is lost, they never had.
    moment = (total - pairs * mean.square()).clamp(min=0)
    sd = (moment / (pairs - 1)).sqrt().where(pairs > 1, torch.nan)
    return WordwisePip(mean, sd, jackknife(sums, present), pairs.long(), total / pairs)
