"""A sum of squares over the rows of two matrices, as a function with gradients in ``O(d²)`` memory.

Autograd would keep copies of all rows. Here the rows pass by twice, a few at a time: once for the number and the
``d × d`` matrices that its gradients are made of, once for the gradients. The same two passes serve compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.pair_rows import PairRows

__all__ = ["Passes", "Value", "Wanted", "pair_function"]

Wanted = tuple[bool, bool]
"""Whether the gradients by x and by y are wanted."""


class Value(NamedTuple):
    """A number, and what its gradients are made of.

    Attributes:
        value: ``()`` float64.
        frame: ``(d, d)`` float64 orthogonal map that x was turned by.
        sums: ``(n, d, d)`` float64 sums of products.
    """

    value: Tensor
    frame: Tensor
    sums: Tensor


class Passes(NamedTuple):
    """The two passes of a number.

    Attributes:
        name: of the operators that compiled code calls.
        sums: n of :class:`Value`.
        value: of all rows.
        gradients: of some rows, by the raw x and y, given frame (``None`` for the identity), sums, and which are
            wanted: the other has no rows. Made of operations that autograd knows.
        renewed: frame and sums as functions of x and y, for derivatives of gradients.
    """

    name: str
    sums: int
    value: Callable[[PairRows], Value]
    gradients: Callable[[PairRows, Tensor | None, Tensor, Wanted], tuple[Tensor, Tensor]]
    renewed: Callable[[PairRows, Tensor], tuple[Tensor, Tensor]]


def pair_function(passes: Passes) -> Callable[[PairRows], Value]:
    """Return the function of a pair that these passes make; of what it returns, the value has gradients.

    They are of any order; ``torch.compile`` takes it whole; ``torch.func.vmap`` takes one pair after the other.
    """
    operator, gradients_operator = _operators(passes)

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(x: Tensor, y: Tensor, roots: Tensor | None, unit: bool) -> tuple[Tensor, Tensor, Tensor]:
            return tuple(passes.value(PairRows(x, y, roots, unit)))  # type: ignore[return-value]  # of three

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
            x, y, roots, ctx.unit = inputs
            ctx.save_for_backward(x, y, roots, *output)
            ctx.mark_non_differentiable(*output[1:])

        @staticmethod
        def backward(ctx: Any, factor: Tensor, *_: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
            x, y, roots, value, frame, sums = ctx.saved_tensors
            rows, (want_x, want_y) = PairRows(x, y, roots, ctx.unit), ctx.needs_input_grad[:2]
            if torch.is_grad_enabled():  # to be differentiated again: frame and sums are functions, not numbers
                found = passes.gradients(rows, *passes.renewed(rows, frame), (want_x, want_y))
                of_x, of_y = ((factor * part).to(like.dtype) for part, like in zip(found, (x, y), strict=True))
            else:
                factor = factor * (value != 0)  # 0 is the least there is: what a gradient says there is rounding
                if torch.compiler.is_compiling():
                    of_x, of_y = gradients_operator(*rows, frame, sums, factor, want_x, want_y)
                else:
                    of_x, of_y = _few_at_a_time(passes, rows, Value(factor, frame, sums), (want_x, want_y))
            return of_x if want_x else None, of_y if want_y else None, None, None

        @staticmethod
        def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Any) -> tuple[Any, Any]:
            members = (
                [part if dim is None else part.select(dim, b) for part, dim in zip(inputs, in_dims, strict=True)]
                for b in range(info.batch_size)
            )
            results = zip(*(Function.apply(*pair) for pair in members), strict=True)  # type: ignore[no-untyped-call]
            return tuple(torch.stack(result) for result in results), (0, 0, 0)

    operator.register_autograd(Function.backward, setup_context=Function.setup_context)

    def value(rows: PairRows) -> Value:
        apply: Callable[..., tuple[Tensor, ...]] = operator if torch.compiler.is_compiling() else Function.apply
        return Value(*apply(*rows))

    return value


def _few_at_a_time(passes: Passes, rows: PairRows, given: Value, wanted: Wanted) -> tuple[Tensor, Tensor]:
    """Return the gradients times a factor; one that is not wanted has no rows."""
    found = _room(rows.x, wanted[0]), _room(rows.y, wanted[1])
    frame = (
        None
        if torch.equal(given.frame, torch.eye(len(given.frame), dtype=given.frame.dtype, device=given.frame.device))
        else given.frame
    )
    start = 0
    for part in rows.parts():
        here = slice(start, start := start + len(part.x))
        for target, gradient, want in zip(
            found, passes.gradients(part, frame, given.sums, wanted), wanted, strict=True
        ):
            if want:
                target[here] = given.value * gradient
    return found


def _room(matrix: Tensor, wanted: bool) -> Tensor:
    return torch.empty_like(matrix) if wanted else matrix.new_empty(0)


def _operators(passes: Passes) -> tuple[Any, Any]:
    """Make the operators that compiled code calls, since it cannot branch on numbers."""

    def value(x: Tensor, y: Tensor, roots: Tensor | None, unit: bool) -> tuple[Tensor, Tensor, Tensor]:
        return tuple(passes.value(PairRows(x, y, roots, unit)))  # type: ignore[return-value]  # of three

    def shapes(x: Tensor, y: Tensor, roots: Tensor | None, unit: bool) -> tuple[Tensor, Tensor, Tensor]:  # noqa: ARG001
        d = max(x.shape[1], y.shape[1])
        return tuple(x.new_empty(shape, dtype=torch.float64) for shape in ((), (d, d), (passes.sums, d, d)))  # type: ignore[return-value]

    def gradients(
        x: Tensor,
        y: Tensor,
        roots: Tensor | None,
        unit: bool,
        frame: Tensor,
        sums: Tensor,
        factor: Tensor,
        want_x: bool,
        want_y: bool,
    ) -> tuple[Tensor, Tensor]:
        rows, given = PairRows(x, y, roots, unit), Value(factor, frame, sums)
        return _few_at_a_time(passes, rows, given, (want_x, want_y))

    def shapes_of_gradients(x: Tensor, y: Tensor, *others: Any) -> tuple[Tensor, Tensor]:
        want_x, want_y = others[-2:]
        return _room(x, want_x), _room(y, want_y)

    operator = torch.library.custom_op(f"gpustab::{passes.name}", value, mutates_args=())
    operator.register_fake(shapes)
    of_gradients = torch.library.custom_op(f"gpustab::{passes.name}_gradients", gradients, mutates_args=())
    of_gradients.register_fake(shapes_of_gradients)
    return operator, of_gradients
