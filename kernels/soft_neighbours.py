"""A smooth surrogate of how many neighbours two spaces share, to train by.

**Soft lists.** The list of the n nearest neighbours of a target is a set of memberships ``a_k`` in {0, 1} of sum n that
maximises ``Σ a_k s_k``, ``s_k`` being the cosine of word k. With ``τ Σ H(a_k)`` added, H the entropy of a yes or no,
the maximum over ``0 ≤ a_k ≤ 1``, ``Σ a_k = n`` lies where the derivative ``s_k − τ ln(a_k / (1 − a_k))`` is the same
number θ for all k:

    a_k = σ((s_k − θ) / τ),  θ such that Σ a_k = n.

The implicit function theorem gives ``∂θ/∂s_k = w_k / Σ w`` with ``w = a (1 − a)``. As τ → 0 the list becomes hard.

**Agreement.** Of two lists, ``T = Σ ab / (Σ a² + Σ b² − Σ ab)``: for hard lists that is shared / (2n − shared), the
Jaccard index j@n (Rettenmeier 2020, eq. 2.9); for soft ones it is 1 only where they are equal. What is trained by is
``1 − T = Σ (a − b)² / (Σ a² + Σ b² − Σ ab)``, in [0, 1], smooth, and with the gradient 0 at equality.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from gpustab.kernels.arithmetic import product
from gpustab.kernels.pair_rows import lengths, pair_rows, refuse_unmeasurable, row_numbers

__all__ = ["refuse_temperature", "soft_disagreement", "soft_list"]

_STEPS = 100
"""Newton steps that keep to their bracket: bisection alone would be done in 60."""

_SURPLUS = 1e-13
"""Part of a word by which the members of a list may be more or fewer than n, for every word."""


def soft_list(scores: Tensor, n: int, temperature: float) -> Tensor:
    """Return the memberships of soft lists of n, ``(t, c)`` float64 in [0, 1], each row of sum n.

    Args:
        scores: ``(t, c)`` float64; ``-inf`` is never a member.
        n: length of the lists, less than the finite scores of every row.
        temperature: τ above 0, in units of the scores.

    Example:
        >>> soft_list(torch.tensor([[3.0, 2.0, 1.0, 0.0]], dtype=torch.float64), 2, 0.01).round(decimals=9).tolist()
        [[1.0, 1.0, 0.0, 0.0]]
    """
    threshold = _Threshold.apply(scores, n, temperature)  # type: ignore[no-untyped-call]
    return torch.sigmoid((scores - threshold) / temperature)


class _Threshold(torch.autograd.Function):
    """θ as a function of the scores: its derivative by the implicit function theorem, itself differentiable."""

    @staticmethod
    def forward(scores: Tensor, n: int, temperature: float) -> Tensor:
        return _threshold(scores, n, temperature)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, int, float], output: Tensor) -> None:
        scores, _, ctx.temperature = inputs
        ctx.save_for_backward(scores, output)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        scores, threshold = ctx.saved_tensors
        member = torch.sigmoid((scores - threshold) / ctx.temperature)
        weight = member * (1 - member)
        share = weight / weight.sum(1, keepdim=True).clamp(min=torch.finfo(weight.dtype).tiny)
        return gradient * share, None, None


def _threshold(scores: Tensor, n: int, temperature: float) -> Tensor:
    """Return θ ``(t, 1)`` by Newton's method within a bracket: ``Σ σ((s − θ)/τ)`` falls as θ grows."""
    finite = scores.isfinite()
    few = int(finite.sum(1).min())
    if not 1 <= n < few:
        raise ValueError(f"n is {n}, wanted 1 to {few - 1}, less than the {few} other words")
    most = math.log(scores.shape[1] / n)
    high = scores.amax(1, keepdim=True) + temperature * most
    least = max(0.0, math.log(n / (few - n)))
    low = scores.masked_fill(~finite, torch.inf).amin(1, keepdim=True) - temperature * least
    theta = scores.topk(n + 1, dim=1).values[:, -2:].mean(1, keepdim=True)
    for _ in range(_STEPS):
        member = torch.sigmoid((scores - theta) / temperature)
        surplus = member.sum(1, keepdim=True) - n
        if bool((surplus.abs() <= _SURPLUS * scores.shape[1]).all()):
            break
        low, high = torch.where(surplus > 0, theta, low), torch.where(surplus > 0, high, theta)
        step = theta + temperature * surplus / (member * (1 - member)).sum(1, keepdim=True)
        theta = torch.where((step > low) & (step < high), step, (low + high) / 2)
    return theta


def soft_disagreement(
    x: Tensor, y: Tensor, targets: Tensor, n: int, temperature: float, *, numbers: int = 1 << 22
) -> Tensor:
    """Return ``1 − T`` of the soft lists of every target in two spaces; 0 where they are equal.

    Args:
        x: ``(v, d1)`` of any float dtype; cosines are formed in it, at least in float32.
        y: ``(v, d2)``, row k being the same word.
        targets: ``(t,)`` row numbers.
        n: length of the lists, less than ``v − 1``.
        temperature: τ in cosines.
        numbers: cosines that are held at a time, for both spaces together a dozen times as many float64. Targets are
            taken in tiles, and each tile is computed again in backward: a threshold needs all words.

    Returns:
        ``(t,)`` float64 in [0, 1], with derivatives of every order.

    Raises:
        ValueError: for other shapes, a row of zeros, a target that is no row, or an n or τ out of range.
    """
    rows = pair_rows(x, y, None, True)
    refuse_unmeasurable(rows)
    x, y = rows.x, rows.y
    targets = row_numbers(targets, len(x))
    refuse_temperature(temperature)
    if len(x) < 3:
        raise ValueError(f"x has shape {tuple(x.shape)}, wanted 3 rows at least: a list is of some of the other words")
    if not 1 <= n < len(x) - 1:
        raise ValueError(f"n is {n}, wanted 1 to {len(x) - 2}, less than the {len(x) - 1} other words")
    x, y = (part.to(torch.promote_types(part.dtype, torch.float32)) for part in (x, y))
    tiles = targets.split(max(1, numbers // len(x)))
    return torch.cat([checkpoint(_disagreement, x, y, tile, n, temperature, use_reentrant=False) for tile in tiles])


def refuse_temperature(temperature: float) -> None:
    """Refuse a temperature that is no number above 0."""
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError(f"temperature is {temperature}, wanted a number above 0")


def _disagreement(x: Tensor, y: Tensor, targets: Tensor, n: int, temperature: float) -> Tensor:
    a, b = (soft_list(_cosines(part, targets), n, temperature) for part in (x, y))
    apart = a - b
    # Of a copy that is turned or scaled, what rounding leaves is taken off: by it a table would move that lies right.
    rounding = _SURPLUS * len(x) + 8 * x.shape[1] * torch.finfo(torch.float64).eps / temperature
    same = apart.detach().abs().amax(1, keepdim=True) <= rounding
    apart = apart - apart.detach() * same  # its derivatives are those of a − b
    difference = apart.square().sum(1)
    return difference / (difference + (a * b).sum(1))  # Σa² + Σb² − Σab = Σ(a − b)² + Σab


def _cosines(x: Tensor, targets: Tensor) -> Tensor:
    """Cosines of the targets with all words, ``(t, v)`` float64; −∞ with themselves."""
    unit = (x.double() / lengths(x.double(), x.dtype)).to(x.dtype)
    scores = product(unit[targets], unit.mT).double()
    own = targets[:, None] == torch.arange(len(x), device=x.device)
    return scores.masked_fill(own, -torch.inf)
