"""What a measure would be if the words of two matrices had nothing to do with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.shapes import want, want_count

__all__ = ["ChanceLevel", "chance_level"]


class ChanceLevel(NamedTuple):
    """A measure of matrices whose words were permuted against each other.

    Attributes:
        mean: ``()`` float64.
        sd: ``()`` standard deviation of a single permutation.
        values: ``(n,)`` of every permutation. A measure is beyond chance at the level ``(1 + m) / (1 + n)``, m of them
            being beyond it.
    """

    mean: Tensor
    sd: Tensor
    values: Tensor


@torch.no_grad()
def chance_level(
    measure: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor, *, permutations: int = 20, seed: int = 0
) -> ChanceLevel:
    """Return what a measure is where the words of y are permuted at random: the level beside which it is to be read.

    Args:
        measure: of two matrices, a number: any function of this module, with its options bound.
        x: ``(v, d1)``.
        y: ``(v, d2)``.
        permutations: how many, from 2.
        seed: of the permutations; the generator of the program is left alone.

    Raises:
        ValueError: for other shapes, too few permutations, or a measure that gives no single number.

    Shape:
        - x: ``(v, d1)``, y: ``(v, d2)``.
        - Output: ``()``, ``()`` and ``(permutations,)``.

    Example:
        >>> from gpustab.functional import linear_cka
        >>> x, y = torch.randn(2, 50, 200, generator=torch.Generator().manual_seed(0))
        >>> round(linear_cka(x, y).item(), 1), round(chance_level(linear_cka, x, y).mean.item(), 1)
        (0.8, 0.8)
    """
    want("x", x, "(v, d1)")
    want("y", y, "(v, d2)")
    want_count("permutations", permutations, 2)
    generator = torch.Generator(device="cpu").manual_seed(seed)
    found = []
    for _ in range(permutations):
        order = torch.randperm(len(y), generator=generator, device="cpu").to(y.device)
        value = torch.as_tensor(measure(x, y[order]), dtype=torch.float64, device=x.device)
        if value.ndim:
            raise InputError(f"the measure has shape {tuple(value.shape)}, wanted a number")
        found.append(value)
    values = torch.stack(found)
    return ChanceLevel(values.mean(), values.std(), values)
