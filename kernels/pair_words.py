"""The PIP loss of two matrices word by word, with gradients; nothing cancels, however near the matrices are."""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root, row_dot
from gpustab.kernels.gram import ROWS_PER_MATMUL
from gpustab.kernels.pair_rows import above_rounding, pair_rows, refuse_unmeasurable, summed_products
from gpustab.kernels.procrustes import procrustes

__all__ = ["pair_wordwise_pip"]


def pair_wordwise_pip(x: Tensor, y: Tensor, *, unit: bool = False) -> Tensor:
    """Return the norms of the rows of ``XXᵀ − YYᵀ``, the total word-wise PIP losses (Rettenmeier 2020, eq. 2.29).

    ``4 word² = e SᵀS eᵀ + s EᵀE sᵀ + 2 e SᵀE sᵀ`` with ``e`` and ``s`` the rows of ``E = XA − Y`` and ``S = XA + Y``,
    for any orthogonal A: here the Procrustes map, or the identity where it brings the rows nearer.

    Args:
        x: ``(v, d1)`` of any float dtype.
        y: ``(v, d2)``, row k being the same word.
        unit: scale rows to unit length first.

    Returns:
        ``(v,)`` float64, computed in float64. A word without a loss has the gradient 0. Gradients take a few times the
        memory of the matrices, since every word has one.

    Raises:
        ValueError: as :func:`gpustab.kernels.pair.pair_pip_loss`.

    Example:
        >>> pair_wordwise_pip(torch.eye(2), torch.tensor([[1.0], [1.0]]))  # cosine 0 in x, 1 in y
        tensor([1.0000, 1.0000], dtype=torch.float64)
    """
    rows = pair_rows(x, y, None, unit)
    refuse_unmeasurable(rows)
    x, y = rows.prepared(torch.float64)
    turned = product(x, _frame(x.detach(), y.detach()))
    e, s = turned - y, turned + y
    pieces = zip(e.split(ROWS_PER_MATMUL), s.split(ROWS_PER_MATMUL), strict=True)
    ee, es, ss = summed_products(pieces)
    square = row_dot(product(e, ss), e) + row_dot(product(s, ee), s) + 2 * row_dot(product(e, es.mT), s)
    size = row_dot(s, s) * ss.diagonal().sum()  # what the square is of where nothing cancels
    return root(above_rounding(square / 4, size, len(ss)))


def _frame(x: Tensor, y: Tensor) -> Tensor:
    """The identity for equal matrices, so that their losses are 0; else the Procrustes map where there is one."""
    cross = product(x.mT, y)
    identity = torch.eye(len(cross), dtype=cross.dtype, device=cross.device)
    if torch.equal(x, y) or not bool(cross.isfinite().all() & cross.any()):
        return identity
    frame = procrustes(cross[None]).maps[0]
    kept, turned = ((product(x, a) - y).square().sum() for a in (identity, frame))
    return frame if bool(turned < kept) else identity
