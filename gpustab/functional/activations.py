"""Activations of convolutions as rows."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.shapes import want_tensor

__all__ = ["activation_rows"]


def activation_rows(activations: Tensor, items: Literal["examples", "positions"] = "examples") -> Tensor:
    """Return activations ``(n, c, ...)`` as a matrix whose rows every function here takes.

    Args:
        activations: ``(n, c, h, w)``, or with any number of places after the channels.
        items: what a row is. ``"examples"``: an example with all its numbers ``(n, c h w)``, as for CKA (Kornblith et
            al. 2019). ``"positions"``: a place of an example with its channels ``(n h w, c)``, as for SVCCA (Raghu et
            al. 2017), which so compares layers whose places are the same.

    Raises:
        ValueError: for fewer than two dimensions, or another name.

    Shape:
        - activations: ``(n, c, ...)``.
        - Output: ``(n, c h w)`` or ``(n h w, c)``.

    Example:
        >>> import torch
        >>> images = torch.zeros(8, 3, 5, 5)
        >>> activation_rows(images).shape, activation_rows(images, "positions").shape
        (torch.Size([8, 75]), torch.Size([200, 3]))
    """
    want_tensor("activations", activations)
    if activations.ndim < 2:
        raise InputError(f"activations have shape {tuple(activations.shape)}, wanted (n, c, ...)")
    if items == "examples":
        return activations.flatten(1)
    if items == "positions":
        return activations.movedim(1, -1).flatten(0, -2)
    raise InputError(f"items is {items!r}, wanted 'examples' or 'positions'")
