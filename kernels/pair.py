"""The PIP loss of two matrices, as a loss to train by: right near equality, in ``O(d²)`` memory, with gradients.

The plain form ``‖XᵀX‖² + ‖YᵀY‖² − 2‖XᵀY‖²`` loses the digits that its condition number says. Where that is more than
:data:`CONDITION`, the loss is a function of ``E = XA − Y`` and ``S = XA + Y`` instead, see
:mod:`gpustab.kernels.centred`: first with A = 1, which is right for two spaces of one frame (fine-tuning begins with a
copy), then with the Procrustes map. The loss is the same for every orthogonal A, so A has no part in the gradient.

The gradient of ``‖D‖²``, ``D = XXᵀ − YYᵀ``, is ``4DX`` and ``−4DY``, and ``D = ½ (E Sᵀ + S Eᵀ)`` up to A. So it needs
no more than the three products ``EᵀE``, ``EᵀS``, ``SᵀS``, and each part of it is as small as E is.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.pair_function import Passes, Value, Wanted, pair_function
from gpustab.kernels.pair_rows import PairRows, above_rounding, pair_rows, refuse_unmeasurable, summed_products
from gpustab.kernels.procrustes import procrustes

__all__ = ["CONDITION", "pair_pip_loss", "pair_pip_square"]

CONDITION = 2500.0
"""Largest condition number of a form that is taken: a float32 loss then errs by 1e-5 (4e-9 per unit)."""


def pair_pip_loss(x: Tensor, y: Tensor, *, weights: Tensor | None = None, unit: bool = False) -> Tensor:
    """Return ``‖XXᵀ − YYᵀ‖``, the total PIP loss of two matrices over the same words (Rettenmeier 2020, eq. 2.27).

    Args:
        x: ``(v, d1)`` of any float dtype; products of float64 rows are float64, all others float32, in short
            accumulations. Unit rows make :func:`gpustab.kernels.pip_loss.reduced` of the loss lie in [0, 1].
        y: ``(v, d2)``, row k being the same word; the dimensions need not agree.
        weights: ``(v,)`` by which the words count: ``Σ_kl w_k w_l D_kl²`` under the root; no gradient flows to them.
        unit: scale rows to unit length first, in float64, without a copy of the matrices.

    Returns:
        ``()`` float64; relative error about 1e-5 for float32 rows, however near they are. At equality the loss is 0 and
        its gradient too, which is one of its subgradients. Forward and backward take ``O(d²)`` memory beside the
        gradients; derivatives of gradients, and ``torch.func.grad``, a few times ``v d``. ``torch.func.vmap`` takes
        one pair after the other.

    Raises:
        ValueError: for shapes other than these, or by the rule of
            :func:`gpustab.kernels.pair_rows.refuse_unmeasurable`.

    Example:
        >>> x = torch.eye(2, requires_grad=True)
        >>> loss = pair_pip_loss(x, torch.tensor([[1.0], [1.0]]))
        >>> loss.backward()
        >>> round(loss.item(), 6), [[round(g, 4) for g in row] for row in x.grad.tolist()]
        (1.414214, [[0.0, -1.4142], [-1.4142, 0.0]])
        >>> pair_pip_loss(x, x.detach()).item()
        0.0
    """
    return root(pair_pip_square(x, y, weights=weights, unit=unit))


def pair_pip_square(x: Tensor, y: Tensor, *, weights: Tensor | None = None, unit: bool = False) -> Tensor:
    """Return ``‖XXᵀ − YYᵀ‖²`` of two matrices, which is smooth at equality; see :func:`pair_pip_loss`."""
    return _PIP_SQUARE(pair_rows(x, y, weights, unit)).value


def _square(rows: PairRows) -> Value:
    """Return the squared loss, the frame A ``(d, d)``, and ``EᵀE``, ``EᵀS``, ``SᵀS`` in it, ``(3, d, d)``."""
    refuse_unmeasurable(rows)
    xx, xy, yy = summed_products(part.prepared() for part in rows.parts())
    size = xx.square().sum() + yy.square().sum()
    square = size - 2 * xy.square().sum()
    frame = torch.eye(len(xx), dtype=torch.float64, device=xx.device)
    if bool(size <= CONDITION * square):
        sums = torch.stack([xx - xy - xy.mT + yy, xx + xy - xy.mT - yy, xx + xy + xy.mT + yy])
        return Value(square.clamp(min=0), frame, sums)
    sums = summed_products(part.differences_and_sums() for part in rows.parts())
    if not _resolved(sums):
        frame = procrustes(xy[None]).maps[0]
        sums = summed_products(part.differences_and_sums(frame) for part in rows.parts())
    ee, es, ss = sums
    square = ((ee * ss).sum() + (es * es.mT).sum()) / 2
    return Value(above_rounding(square, size, len(frame)), frame, sums)


def _resolved(sums: Tensor) -> bool:
    """Tell whether the two terms of the squared loss, and the entries of each, add up instead of cancelling."""
    ee, es, ss = sums
    size = (torch.linalg.matrix_norm(ee) * torch.linalg.matrix_norm(ss) + es.square().sum()) / 2
    # Not <, or equal spaces would be turned.
    return bool(size <= CONDITION * ((ee * ss).sum() + (es * es.mT).sum()) / 2)


def _gradients(rows: PairRows, frame: Tensor | None, sums: Tensor, wanted: Wanted) -> tuple[Tensor, Tensor]:
    """Return ``4DX`` and ``−4DY`` by the raw rows: with ``X = ½ (E + S) Aᵀ`` and ``Y = ½ (S − E)`` nothing cancels."""
    e, s = rows.differences_and_sums(frame)
    ee, es, ss = sums.to(e.dtype)
    on_e, on_s = ss + es.mT, es + ee
    if frame is not None:
        on_e, on_s = (product(part, frame.mT.to(e.dtype)) for part in (on_e, on_s))
    return (
        rows.of_raw(product(e, on_e) + product(s, on_s), rows.x) if wanted[0] else rows.x[:0],
        rows.of_raw(product(e, es.mT - ss) + product(s, ee - es), rows.y) if wanted[1] else rows.y[:0],
    )


def _renewed(rows: PairRows, frame: Tensor) -> tuple[Tensor, Tensor]:
    """The loss is the same in every frame, so that only the sums vary with x and y."""
    return frame, summed_products(part.differences_and_sums(frame) for part in rows.parts())


_PIP_SQUARE = pair_function(Passes("pair_pip_square", 3, _square, _gradients, _renewed))
