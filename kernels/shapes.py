"""The check that kernels begin with: a tensor of another shape than they want is named with both shapes."""

from __future__ import annotations

from torch import Tensor


def want(name: str, tensor: Tensor, shape: str) -> None:
    """Raise unless a tensor has as many dimensions as a shape that is written like ``(R, v, d)``.

    Args:
        name: what the caller calls the tensor.
        tensor: the tensor.
        shape: in brackets, with commas.

    Raises:
        ValueError: names the tensor, its shape and the shape wanted.

    Example:
        >>> import torch
        >>> want("stack", torch.zeros(3, 2), "(R, v, d)")
        Traceback (most recent call last):
        ValueError: stack has shape (3, 2), wanted (R, v, d)
    """
    if tensor.ndim != shape.count(",") + 1:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}, wanted {shape}")
