"""HSIC and CKA of two matrices by Gaussian kernels, whose ``v × v`` entries are made tile by tile."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pdist
from torch.utils.checkpoint import checkpoint

from gpustab.kernels.arithmetic import product
from gpustab.kernels.pair_rows import pair_rows, powers, refuse_unmeasurable
from gpustab.kernels.similarity import unrounded

__all__ = ["MEDIAN_ROWS", "median_distance", "pair_rbf_hsics"]

MEDIAN_ROWS = 4000
"""Rows, evenly spaced, whose distances the median is taken of: eight million."""


def median_distance(rows: Tensor) -> Tensor:
    """Return the median distance of two different rows, ``()`` float64 without a gradient.

    Args:
        rows: ``(v, d)``. Of more than :data:`MEDIAN_ROWS` as many, evenly spaced, are taken.

    Example:
        >>> median_distance(torch.tensor([[0.0], [1.0], [3.0]])).item()
        2.0
    """
    rows = rows.detach().double()
    some = torch.linspace(0, len(rows) - 1, min(len(rows), MEDIAN_ROWS), dtype=torch.float64, device=rows.device)
    distances = pdist(rows[some.round().long()]).sort().values
    middle: Tensor = distances[[(len(distances) - 1) // 2, len(distances) // 2]].mean()
    return middle


def pair_rbf_hsics(
    x: Tensor,
    y: Tensor,
    widths: tuple[float, float] | None = None,
    *,
    share: float = 1.0,
    unit: bool = False,
    debiased: bool = True,
    numbers: int = 1 << 22,
) -> Tensor:
    """Return HSIC of x with itself, of x with y, and of y with itself, ``(3,)`` float64, for Gaussian kernels.

    ``exp(−‖x_k − x_l‖² / (2σ²))``; kernels are centred (biased estimate), or have the diagonal 0 (unbiased: Song et al.
    2012).

    Args:
        x: ``(v, d1)`` of any float dtype.
        y: ``(v, d2)``, row k being the same word.
        widths: σ of both; default: ``share`` of the median distance of two rows.
        share: see there.
        unit: scale rows to unit length first.
        debiased: the unbiased estimate, of at least 4 rows.
        numbers: entries of a kernel that are held at a time; backward makes each tile again.

    Raises:
        ValueError: for a width that is no number above 0, as where most rows of a matrix are equal, or too few rows.
    """
    rows = pair_rows(x, y, None, unit)
    refuse_unmeasurable(rows, degree=0)
    v = len(x)
    if v < (4 if debiased else 2):
        raise ValueError(f"there are {v} rows, wanted at least {4 if debiased else 2}")
    parts = rows.prepared(torch.float64)
    sizes = [powers(part.detach().abs().amax()) for part in parts]
    scaled = [part / size for part, size in zip(parts, sizes, strict=True)]
    centred = [part - part.detach().mean(0) for part in scaled]  # distances near the origin lose no digits
    medians = [float(median_distance(part)) for part in centred]
    if widths is None:
        chosen = [share * median for median in medians]
    else:
        chosen = [width / float(size) for width, size in zip(widths, sizes, strict=True)]
    wide = [width > median for width, median in zip(chosen, medians, strict=True)]
    for name, width in zip("xy", chosen, strict=True):
        if not 0 < width < float("inf"):
            raise ValueError(f"the width of the kernel of {name} is {width}, wanted a number above 0")
    products, sums = [], []
    for tile in torch.arange(v, device=x.device).split(max(1, numbers // v)):
        found = checkpoint(_tile, *centred, tile, chosen, wide, debiased, use_reentrant=False)
        products.append(found[0])
        sums.append(found[1])
    return _hsics(torch.stack(products).sum(0), torch.cat(sums, 1), debiased)


def _tile(
    x: Tensor, y: Tensor, rows: Tensor, widths: list[float], wide: list[bool], debiased: bool
) -> tuple[Tensor, Tensor]:
    """Sums of products of two kernels ``(3,)``, and sums of their rows ``(2, t)``."""
    k = _kernel(x, rows, widths[0], wide[0], debiased)
    m = _kernel(y, rows, widths[1], wide[1], debiased)
    return torch.stack([k.square().sum(), (k * m).sum(), m.square().sum()]), torch.stack([k.sum(1), m.sum(1)])


def _kernel(x: Tensor, rows: Tensor, width: float, wide: bool, debiased: bool) -> Tensor:
    """``(t, v)``, less 1 where it is wide: neither HSIC sees it, and the numbers near 1 would lose what tells them."""
    lengths = x.square().sum(1)
    squares = lengths[rows][:, None] + lengths - 2 * product(x[rows], x.mT)
    exponents = -squares.clamp(min=0) / (2 * width**2)
    kernel = torch.expm1(exponents) if wide else torch.exp(exponents)
    own = rows[:, None] == torch.arange(len(x), device=x.device)
    return kernel.masked_fill(own, 0 if wide or debiased else 1)


def _hsics(products: Tensor, sums: Tensor, debiased: bool) -> Tensor:
    v = sums.shape[1]
    whole = sums.sum(1)
    a, b = [0, 0, 1], [0, 1, 1]
    rows = (sums[a] * sums[b]).sum(1)
    pairs = whole[a] * whole[b] / ((v - 1) * (v - 2) if debiased else v**2)
    rows = 2 / (v - 2 if debiased else v) * rows
    return unrounded(products + pairs - rows, products, pairs, rows) / (v * (v - 3) if debiased else 1)
