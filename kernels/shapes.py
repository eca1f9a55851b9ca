"""The check that kernels begin with: a tensor of another shape than they want is named with both shapes."""

from __future__ import annotations

from torch import Tensor

__all__ = ["want", "want_tensor"]


def want(name: str, tensor: Tensor, shape: str) -> None:
    """Raise unless a tensor is one, and has as many dimensions as a shape that is written like ``(R, v, d)``.

    Args:
        name: what the caller calls the tensor.
        tensor: the tensor.
        shape: in brackets, with commas.

    Raises:
        ValueError: names the tensor, its shape and the shape wanted; or what is no tensor.

    Example:
        >>> import torch
        >>> want("stack", torch.zeros(3, 2), "(R, v, d)")
        Traceback (most recent call last):
        ValueError: stack has shape (3, 2), wanted (R, v, d)
    """
    want_tensor(name, tensor)
    if tensor.ndim != shape.count(",") + 1:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}, wanted {shape}")


def want_tensor(name: str, given: object) -> None:
    """Raise unless something is a tensor: lists and arrays are not taken, since no gradient would come back to them.

    Example:
        >>> want_tensor("x", [[1.0, 0.0]])
        Traceback (most recent call last):
        ValueError: x is a list, wanted a tensor: torch.as_tensor(x)
    """
    if not isinstance(given, Tensor):
        kind = "None" if given is None else f"a {type(given).__name__}"
        raise ValueError(f"{name} is {kind}, wanted a tensor: torch.as_tensor({name})")
