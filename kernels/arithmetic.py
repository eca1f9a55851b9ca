"""Products whose error bound is assumed: formed as they are asked for, whatever the host program has switched on.

Autocast rounds factors of float32 to 8 or 11 bits; TF32 (``torch.set_float32_matmul_precision("high")``, in nearly
every training script) to 11, on CUDA and, by oneDNN, on some CPUs. Either reaches the gradients too: they are formed
when ``backward`` is called, where other settings may hold. Float64 is reached by neither. A product of bfloat16 or
float16 is float32 here, so that "reduced precision reductions" of cuBLAS, which round to the type of the result, do
no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Any

import torch
from torch import Tensor

__all__ = ["Held", "full_precision", "product", "root", "row_dot"]

_HALVES = (torch.bfloat16, torch.float16)


class Held:
    """A setting of the whole process that is another while somebody needs it.

    The first who comes changes it and the last who leaves puts it back, also after an exception, so that threads do
    not restore what another one still relies on. Other threads of the host program see the changed setting meanwhile;
    one that changes it itself in that time may be overruled when it is put back.

    Attributes:
        change: makes the change and returns what undoes it.
    """

    def __init__(self, change: Callable[[], Callable[[], None]]) -> None:
        self.change = change
        self._lock, self._users, self._undo = Lock(), 0, _nothing

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._undo = self.change()
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._undo()


def _nothing() -> None:
    pass


def _round_no_factor() -> Callable[[], None]:
    """Switch TF32 and bfloat16 off for factors of float32, in the old settings where they are in use and in the new."""
    backends: Any = torch.backends  # some of it carries no types
    matmuls = [backends.cuda.matmul, backends.mkldnn.matmul]
    before = [matmul.fp32_precision for matmul in matmuls]
    if set(before) <= {"ieee", "none"}:
        return _nothing
    old = _old_precision()
    if old is not None:
        torch.set_float32_matmul_precision("highest")
    for matmul in matmuls:
        matmul.fp32_precision = "ieee"

    def undo() -> None:
        if old is not None:
            torch.set_float32_matmul_precision(old)
        parents = [backends.cudnn, backends.mkldnn]  # they hold the settings of all CUDA and all oneDNN
        for matmul, parent, precision in zip(matmuls, parents, before, strict=True):
            # What a matmul has from its parent it must go on to inherit, or it would outlive a change of the parent.
            matmul.fp32_precision = "none" if precision == parent.fp32_precision else precision

    return undo


def _old_precision() -> str | None:
    """The setting of ``torch.set_float32_matmul_precision``; ``None`` where the new ones are in use: it then raises."""
    try:
        return torch.get_float32_matmul_precision()
    except (RuntimeError, UserWarning):  # some versions warn that it is old, which a host may turn into errors
        return None


_UNROUNDED = Held(_round_no_factor)


@contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Keep autocast and TF32 from products on a device, and restore both; it takes 2 µs where neither is on.

    Autocast is a setting of the thread, TF32 one of the process, see :class:`Held`. ``torch.compile`` cannot look into
    it: compiled code calls :func:`product`.
    """
    kind = device.type
    cast = torch.amp.is_autocast_available(kind) and torch.is_autocast_enabled(kind)
    with _UNROUNDED, torch.autocast(kind, enabled=False) if cast else nullcontext():
        yield


def product(x: Tensor, y: Tensor) -> Tensor:
    """Return ``x @ y`` in full precision, with gradients in full precision.

    Args:
        x: ``(..., m, k)``.
        y: ``(..., k, n)``, of the same dtype; leading dimensions broadcast.

    Returns:
        ``(..., m, n)``; float32 for factors of bfloat16 and float16.

    Example:
        >>> x = torch.tensor([[1 + 2.0**-20]])
        >>> with torch.autocast("cpu", dtype=torch.bfloat16):
        ...     float(x @ x), float(product(x, x))
        (1.0, 1.0000019073486328)
    """
    if x.dtype == torch.float64:
        return x @ y  # neither reaches it, and all that follows takes 10 µs
    if torch.compiler.is_compiling():
        compiled: Tensor = _operator(x, y)
        return compiled
    if torch.is_grad_enabled() and (x.requires_grad or y.requires_grad):
        found: Tensor = _Product.apply(x, y)  # type: ignore[no-untyped-call]
        return found
    return _multiply(x, y)


def _multiply(x: Tensor, y: Tensor) -> Tensor:
    with full_precision(x.device):
        if x.dtype == y.dtype and x.dtype in _HALVES and x.is_cuda and x.ndim == y.ndim in (2, 3):
            return (torch.mm if x.ndim == 2 else torch.bmm)(x, y, out_dtype=torch.float32)
        return torch.matmul(_widened(x), _widened(y))  # a CPU would round the product of halves to halves


def _widened(x: Tensor) -> Tensor:
    return x.float() if x.dtype in _HALVES else x


class _Product(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Tensor:
        return _multiply(x, y)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:  # noqa: ARG004
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx: Any, of_x: Tensor | None, of_y: Tensor | None) -> Tensor:
        x, y = ctx.saved_tensors
        parts = [product(a, b) for a, b in ((of_x, y), (x, of_y)) if a is not None and b is not None]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None]:
        x, y = ctx.saved_tensors
        of_x, of_y = ctx.needs_input_grad
        return (
            product(gradient, _widened(y).mT).sum_to_size(x.shape).to(x.dtype) if of_x else None,
            product(_widened(x).mT, gradient).sum_to_size(y.shape).to(y.dtype) if of_y else None,
        )


@torch.library.custom_op("gpustab::product", mutates_args=())
def _operator(x: Tensor, y: Tensor) -> Tensor:
    """The product as compiled code calls it: the settings are looked at when it runs, not when it is compiled."""
    return _multiply(x, y)


@_operator.register_fake
def _(x: Tensor, y: Tensor) -> Tensor:
    return torch.matmul(_widened(x), _widened(y))


_operator.register_autograd(_Product.backward, setup_context=_Product.setup_context)


def row_dot(x: Tensor, y: Tensor) -> Tensor:
    """Return the inner products of equal rows in full precision, ``(..., d)`` twice to ``(...)``."""
    return product(x[..., None, :], y[..., :, None])[..., 0, 0]  # six times as fast as (x * y).sum(-1) on a CPU


def root(square: Tensor) -> Tensor:
    """Return the square root of a sum of squares that rounding may have made negative, with gradient 0 at 0.

    A norm has no gradient at 0. Zero is one of its subgradients, and leaves equal spaces equal; the gradient of
    ``sqrt``, infinity times zero, would make everything NaN. NaN stays NaN.

    Example:
        >>> x = torch.tensor([0.0, 4.0], requires_grad=True)
        >>> root(x).sum().backward()
        >>> x.grad.tolist()
        [0.0, 0.25]
    """
    none = square <= 0
    return square.masked_fill(none, 1).sqrt().masked_fill(none, 0)
