"""The checks that kernels begin with: a tensor of another shape than they want is named with both shapes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from numbers import Integral
from typing import Any

import torch
from torch import Tensor

__all__ = ["want", "want_count", "want_tensor"]


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
    """Raise unless something is a tensor that holds numbers.

    Lists and arrays are not taken, since no gradient would come back to them.

    Example:
        >>> want_tensor("x", [[1.0, 0.0]])
        Traceback (most recent call last):
        ValueError: x is a list, wanted a tensor: torch.as_tensor(x)
    """
    if not isinstance(given, Tensor):
        kind = "None" if given is None else f"a {type(given).__name__}"
        raise ValueError(f"{name} is {kind}, wanted a tensor{_made_tensor(name, given)}")
    if given.layout != torch.strided:
        raise ValueError(f"{name} is sparse, wanted a dense tensor: {name}.to_dense()")
    if given.device.type == "meta":
        raise ValueError(f"{name} lies on the device meta, where a tensor has no numbers")


def _made_tensor(name: str, given: Any) -> str:
    """How something becomes a tensor, after *wanted a tensor*; empty where no such way is known."""
    if isinstance(getattr(given, "weight", None), Tensor):
        return f": {name}.weight"
    ways: dict[str, Callable[[], object]] = {
        f"torch.as_tensor({name})": lambda: torch.as_tensor(given, device="cpu"),
        f"torch.stack({name})": lambda: torch.stack(given),
        f"torch.as_tensor({name}.copy())": lambda: torch.as_tensor(given.copy(), device="cpu"),
        f"torch.as_tensor({name}.to_numpy().copy())": lambda: torch.as_tensor(given.to_numpy().copy(), device="cpu"),
        f"torch.as_tensor({name}.vectors)": lambda: torch.as_tensor(given.vectors, device="cpu"),
    }
    for way, make in ways.items():
        with suppress(Exception):
            make()
            return f": {way}"
    return ""


def want_count(name: str, number: object, least: int = 1) -> None:
    """Raise unless something is a whole number from ``least``.

    Example:
        >>> want_count("k", 2.5)
        Traceback (most recent call last):
        ValueError: k is 2.5, wanted a whole number from 1
    """
    if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
        raise ValueError(f"{name} is {number!r}, wanted a whole number from {least}")
