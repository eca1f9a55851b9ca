"""Word-wise PIP loss of all pairs of runs, fused: twin of :func:`gpustab.kernels.centred.centred_wordwise_pip`."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.arithmetic import product, row_dot
from gpustab.kernels.centred import products_alone
from gpustab.kernels.jackknife import jackknife
from gpustab.kernels.pip_loss import WordwisePip
from gpustab.kernels.triton.packed_gram import PackedGram, fitting_tile, rounded_terms, scale_to
from gpustab.kernels.triton.wordwise_kernel import wordwise_sums


def packed_wordwise(
    rows: Tensor, gram: PackedGram, present: Tensor | None = None, *, terms: int = 2, tile: int | None = None
) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss, by the fused kernel.

    Args:
        rows: ``(R + 1, c, d)`` float32 mean and deviations, of :func:`gpustab.kernels.centred.centred_rows`. Many words
            at a time fill a GPU: one program takes up to 128; ``(R, R, c)`` numbers are made of them.
        gram: of these over the whole vocabulary, from :func:`~gpustab.kernels.triton.packed_gram.pack_gram`.
        present: ``(R, c)`` bool, which run has which word; default: all of them.
        terms: of float16 that a row is rounded to, 1 or 2; :mod:`gpustab.kernels.triton.packed_gram` tells the errors.
        tile: words per program, 16 to 128, a power of two; default: what fits the device.
    """
    deviations = rows[1:]
    runs, words, d = deviations.shape
    width = gram.blocks.shape[-1]
    fitting, columns, stages = fitting_tile(width, terms, rows.device)
    tile = tile or fitting
    have = torch.ones(runs, words, dtype=torch.bool, device=rows.device) if present is None else present
    aligned = rows[0] + deviations
    scale = scale_to(aligned.where(have[:, :, None], 0).nan_to_num(0, 0, 0).abs().amax(), 0)
    rounded = rounded_terms(aligned * scale, terms)
    # The same rounded rows in all that a loss is made of, which so stays the length of a difference.
    aligned = rounded.float().sum(0) / scale
    alone = products_alone(deviations, aligned, gram.mean, gram.with_mean)
    own = torch.stack([_quadratic(run, block) for run, block in zip(aligned, gram.own, strict=True)])
    own += alone.diagonal().mT
    spare, unit = -words % tile, gram.scale * scale.square()
    sums, total = wordwise_sums(
        pad(rounded, (0, width - d, 0, spare)),
        pad(own * unit, (0, spare)),
        pad(alone * unit, (0, spare)),
        gram.blocks,
        pad(have.to(torch.uint8), (0, spare)),
        tile,
        columns,
        stages,
    )
    factor = 1 / (4 * gram.words * unit.double())
    return _statistics(sums[:, :words] * factor.sqrt(), total[:words] * factor, have)


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
