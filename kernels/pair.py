"""The PIP loss of two matrices, as a loss to train by: right near equality, in ``O(d²)`` memory, with gradients.

The plain form ``‖XᵀX‖² + ‖YᵀY‖² − 2‖XᵀY‖²`` loses the digits that its condition number says. Where that is more than
:data:`CONDITION`, the loss is a function of ``E = XA − Y`` and ``S = XA + Y`` instead, see
:mod:`gpustab.kernels.centred`: first with A = 1, which is right for two spaces of one frame (fine-tuning begins with a
copy), then with the Procrustes map. The loss is the same for every orthogonal A, so A has no part in the gradient.

The gradient of ``‖D‖²``, ``D = XXᵀ − YYᵀ``, is ``4DX`` and ``−4DY``, and ``D = ½ (E Sᵀ + S Eᵀ)`` up to A. So it needs
no more than the three products ``EᵀE``, ``EᵀS``, ``SᵀS``, and each part of it is as small as E is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from gpustab.kernels.arithmetic import product, root
from gpustab.kernels.gram import ROWS_PER_MATMUL
from gpustab.kernels.procrustes import procrustes
from gpustab.kernels.shapes import want

CONDITION = 2500.0
"""Largest condition number of a form that is taken: a float32 loss then errs by 1e-5 (4e-9 per unit)."""


def pair_pip_loss(x: Tensor, y: Tensor) -> Tensor:
    """Return ``‖XXᵀ − YYᵀ‖``, the total PIP loss of two matrices over the same words (Rettenmeier 2020, eq. 2.27).

    Args:
        x: ``(v, d1)`` of any float dtype; products of float64 rows are float64, all others float32, in short
            accumulations. Unit rows make :func:`gpustab.kernels.pip_loss.reduced` of the loss lie in [0, 1].
        y: ``(v, d2)``, row k being the same word; the dimensions need not agree.

    Returns:
        ``()`` float64; relative error about 1e-5 for float32 rows, however near they are. At equality the loss is 0 and
        its gradient too, which is one of its subgradients. Forward and backward take ``O(d²)`` memory beside the
        gradients; derivatives of gradients, and ``torch.func.grad``, a few times ``v d``. ``torch.func.vmap`` takes
        one pair after the other.

    Raises:
        ValueError: for shapes other than these.

    Example:
        >>> x = torch.eye(2, requires_grad=True)
        >>> loss = pair_pip_loss(x, torch.tensor([[1.0], [1.0]]))
        >>> loss.backward()
        >>> round(loss.item(), 6), [[round(g, 4) for g in row] for row in x.grad.tolist()]
        (1.414214, [[0.0, -1.4142], [-1.4142, 0.0]])
        >>> pair_pip_loss(x, x.detach()).item()
        0.0
    """
    return root(pair_pip_square(x, y))


def pair_pip_square(x: Tensor, y: Tensor) -> Tensor:
    """Return ``‖XXᵀ − YYᵀ‖²`` of two matrices, which is smooth at equality; see :func:`pair_pip_loss`."""
    want("x", x, "(v, d1)")
    want("y", y, "(v, d2)")
    if len(x) != len(y) or 0 in (*x.shape, *y.shape):
        raise ValueError(f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}, wanted (v, d1) and (v, d2), not empty")
    if not (x.is_floating_point() and y.is_floating_point()):
        raise ValueError(f"x is {x.dtype} and y {y.dtype}, wanted real floating-point numbers")
    if torch.compiler.is_compiling():
        compiled: Tensor = _compiled_square(x, y)[0]
        return compiled
    square: Tensor = _Square.apply(x, y)[0]  # type: ignore[no-untyped-call]
    return square


def _square(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the squared loss, the frame A ``(d, d)``, and ``EᵀE``, ``EᵀS``, ``SᵀS`` in it, ``(3, d, d)``."""
    xx, xy, yy = _sums(_padded(*rows) for rows in _short(x, y))
    size = xx.square().sum() + yy.square().sum()
    square = size - 2 * xy.square().sum()
    frame = torch.eye(len(xx), dtype=torch.float64, device=x.device)
    # Not <=, or NaN would be taken to the other forms, which refuse it: the loss of what is NaN is NaN.
    if not bool(size > CONDITION * square):
        sums = torch.stack([xx - xy - xy.mT + yy, xx + xy - xy.mT - yy, xx + xy + xy.mT + yy])
        return square.clamp(min=0), frame, sums
    sums = _sums(_differences_and_sums(*rows) for rows in _short(x, y))
    if not _resolved(sums):
        frame = procrustes(xy[None]).maps[0]
        sums = _sums(_differences_and_sums(*rows, frame) for rows in _short(x, y))
    ee, es, ss = sums
    return ((ee * ss).sum() + (es * es.mT).sum()).clamp(min=0) / 2, frame, sums


def _resolved(sums: Tensor) -> bool:
    """Tell whether the two terms of the squared loss, and the entries of each, add up instead of cancelling."""
    ee, es, ss = sums
    size = (torch.linalg.matrix_norm(ee) * torch.linalg.matrix_norm(ss) + es.square().sum()) / 2
    # Not <, or equal spaces would be turned.
    return bool(size <= CONDITION * ((ee * ss).sum() + (es * es.mT).sum()) / 2)


def _short(x: Tensor, y: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    return zip(x.split(ROWS_PER_MATMUL), y.split(ROWS_PER_MATMUL), strict=True)


def _padded(x: Tensor, y: Tensor, dtype: torch.dtype | None = None) -> tuple[Tensor, Tensor]:
    """Return rows of equal length, by default in the dtype of the products; zeros change no inner product."""
    d = max(x.shape[1], y.shape[1])
    dtype = dtype or torch.promote_types(torch.promote_types(x.dtype, y.dtype), torch.float32)
    return pad(x.to(dtype), (0, d - x.shape[1])), pad(y.to(dtype), (0, d - y.shape[1]))


def _differences_and_sums(x: Tensor, y: Tensor, frame: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return ``XA − Y`` and ``XA + Y``, formed in float64 and rounded to the dtype of the products only then."""
    dtype = _padded(x[:0], y[:0])[0].dtype
    x, y = _padded(x, y, torch.float64)
    x = x if frame is None else product(x, frame)
    return (x - y).to(dtype), (x + y).to(dtype)


def _sums(parts: Iterable[tuple[Tensor, Tensor]]) -> Tensor:
    """Return ``AᵀA``, ``AᵀB``, ``BᵀB`` over parts of the rows, ``(3, d, d)`` float64."""
    products = (torch.stack([product(a.mT, a), product(a.mT, b), product(b.mT, b)]).double() for a, b in parts)
    total = next(products)
    for part in products:
        total = total + part  # not in place: gradients flow through here where they are differentiated again
    return total


def _gradients(x: Tensor, y: Tensor, frame: Tensor, sums: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows of ``4DX`` and ``−4DY``: with ``X = ½ (E + S) Aᵀ`` and ``Y = ½ (S − E)`` nothing cancels."""
    e, s = _differences_and_sums(x, y, frame)
    ee, es, ss = sums.to(e.dtype)
    back = frame.mT.to(e.dtype)
    of_x = product(e, product(ss + es.mT, back)) + product(s, product(es + ee, back))
    of_y = product(e, ss - es.mT) + product(s, es - ee)
    return of_x[:, : x.shape[1]], -of_y[:, : y.shape[1]]


def _scaled_gradients(x: Tensor, y: Tensor, frame: Tensor, sums: Tensor, factor: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients times a factor, few rows at a time."""
    found = torch.empty_like(x), torch.empty_like(y)
    outputs = zip(*(part.split(ROWS_PER_MATMUL) for part in found), strict=True)
    for rows, targets in zip(_short(x, y), outputs, strict=True):
        for target, gradient in zip(targets, _gradients(*rows, frame, sums), strict=True):
            target.copy_(factor * gradient)
    return found


class _Square(torch.autograd.Function):
    """The squared loss, and what its gradients are made of: the frame, and the three products in it."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return _square(x, y)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, Tensor, Tensor]) -> None:
        ctx.save_for_backward(*inputs, *output[1:])
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, factor: Tensor, *_: Tensor) -> tuple[Tensor, Tensor]:
        x, y, frame, sums = ctx.saved_tensors
        if not torch.is_grad_enabled():
            scaled = _compiled_gradients if torch.compiler.is_compiling() else _scaled_gradients
            found: tuple[Tensor, Tensor] = scaled(x, y, frame, sums, factor)
            return found
        # To be differentiated again: the products must be those of x and y, not numbers.
        sums = _sums(_differences_and_sums(*rows, frame) for rows in _short(x, y))
        of_x, of_y = _gradients(x, y, frame, sums)
        return (factor * of_x).to(x.dtype), (factor * of_y).to(y.dtype)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, int | None], x: Tensor, y: Tensor) -> tuple[Any, Any]:
        members = (
            [part if dim is None else part.select(dim, b) for part, dim in zip((x, y), in_dims, strict=True)]
            for b in range(info.batch_size)
        )
        results = zip(*(_Square.apply(*pair) for pair in members), strict=True)  # type: ignore[no-untyped-call]
        return tuple(torch.stack(result) for result in results), (0, 0, 0)


@torch.library.custom_op("gpustab::pair_pip_square", mutates_args=())
def _compiled_square(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The squared loss as compiled code calls it, which cannot branch on numbers."""
    return _square(x, y)


@_compiled_square.register_fake
def _(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    d = max(x.shape[1], y.shape[1])
    new = x.new_empty
    return new((), dtype=torch.float64), new((d, d), dtype=torch.float64), new((3, d, d), dtype=torch.float64)


_compiled_square.register_autograd(_Square.backward, setup_context=_Square.setup_context)


@torch.library.custom_op("gpustab::pair_pip_gradients", mutates_args=())
def _compiled_gradients(x: Tensor, y: Tensor, frame: Tensor, sums: Tensor, factor: Tensor) -> tuple[Tensor, Tensor]:
    return _scaled_gradients(x, y, frame, sums, factor)


@_compiled_gradients.register_fake
def _(x: Tensor, y: Tensor, frame: Tensor, sums: Tensor, factor: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    return torch.empty_like(x), torch.empty_like(y)
