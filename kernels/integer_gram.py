"""The block Gram of rows that are rounded to whole numbers: exact sums in the integer units of tensor cores.

A row ``x`` becomes ``t n``: ``n`` whole numbers of 15 or 22 bits, drawn from the two next to ``x / t`` so that their
mean is ``x / t`` (stochastic rounding). They are cut into digits to base 128, which are int8, and products of digits
are added up in int32 without any error (Ootomo, Ozaki & Yokota 2024, "DGEMM on integer matrix multiplication unit"). So
the Gram is that of the rounded rows to the last bit, on any card and in any order, and all that is to be bounded is
what rounding does.

Why not one term of float16. Tensor cores truncate their own float32 sums, by how much is nowhere promised: a card lost
four times what a model of it loses. In the worst case truncated sums of 256 rows err by ``2⁻²³ · 16 · 4`` of the sums
of absolute values, 8e-6 before anything amplifies it; and rounding to 11 bits has the bound below times 16, 8e-5 where
that of 15 bits is 5e-6 (200,000 words, reduced loss 0.02). A model of such sums errs far less, but no bound that could
be proven was below 1e-5. Relative errors of the losses of 3 runs of 8,192 words in 32 dimensions, reduced loss 0.029
(`python -m benchmarks.tensor_core_sums`):

================ ========= ======= ================= ======= =======
float16, rows    truncated rounded whole numbers     error   bound
================ ========= ======= ================= ======= =======
64               8.4e-7    7.3e-7  2 digits, 15 bits 1.3e-6  1.3e-5
256              1.1e-6    7.3e-7  3 digits, 22 bits 1.2e-8  9.5e-8
1,024            2.1e-6    7.4e-7
4,096            6.2e-6    7.2e-7
================ ========= ======= ================= ======= =======

What rounding does. ``V_i = M + E_i`` are the aligned runs, δ their errors: independent, of mean 0, in an interval of
width t, variance at most t²/4. The loss that comes out is exactly that of ``V_i + δ_M + δ_i``. With
``D = V_i V_iᵀ − V_j V_jᵀ``:

- what is linear in δ has ``⟨D, L⟩ = 2 ⟨D V_i, δ_i⟩ − 2 ⟨D V_j, δ_j⟩ + 2 ⟨D (E_i − E_j), δ_M⟩``, a sum of independent
  terms. Hoeffding (1963): beyond ``2 ‖D‖ ρ √(Λ/2)`` with probability ``2 e^−Λ`` at most, where
  ``ρ² = t_i² ‖V_i‖₂² + t_j² ‖V_j‖₂² + t_M² ‖E_i − E_j‖²``.
- what is not, needs ``τ ≥ ‖δᵀδ‖₂``. Matrix Chernoff bound (Tropp 2012, theorem 1.1) of a sum of v matrices of norm
  ``d t²`` at most and of mean sum ``v t² / 4``: ``τ = v t² / 2 + 3 d t² (Λ + ln d)`` with probability ``1 − e^−Λ``.
  ``‖L‖ ≤ 2 (√τ_i ‖V_i‖ + √τ_j ‖V_j‖ + √τ_M ‖E_i − E_j‖)`` and
  ``‖Q‖ ≤ √d (τ_i + τ_j + 2 √τ_M (√τ_i + √τ_j))``, as ``δ_M δ_Mᵀ`` cancels.

So ``η = |‖D + L + Q‖² / ‖D‖² − 1| ≤ (2 ⟨D, L⟩ + 2 ‖D‖ ‖Q‖ + (‖L‖ + ‖Q‖)²) / ‖D‖²``, and a loss errs by ``η / (2 − η)``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels import centred
from gpustab.kernels.arithmetic import product
from gpustab.kernels.gram import Moments, blocks_of_run, diagonal_blocks, run_pairs, run_squares
from gpustab.kernels.run_blocks import run_groups
from gpustab.kernels.shapes import want

__all__ = ["LONGEST", "Digits", "add_digits_", "largest", "round_rows", "rounding_error", "word_error"]

_BASE = 128
_ALIGNED = 16
"""Rows and words are padded to a multiple of so many bytes, as tensor cores read them."""

LONGEST = 1 << 16
"""Words of one product: int32 holds 133,000 products of two digits."""

_FAILS = 1e-6
"""Probability that any loss of a group errs by more than its bound, over the draws of the rounding."""


class Digits(NamedTuple):
    """Rounded rows of some words.

    Attributes:
        digits: ``(m, slices, width, c)`` int8 of m members, the highest digit first; words lie next to each other.
        steps: ``(m,)`` float64, what a whole number stands for.
    """

    digits: Tensor
    steps: Tensor


def largest(slices: int) -> int:
    """Return the largest whole number of so many digits.

    >>> largest(2), largest(3)
    (16319, 2088895)
    """
    number = _BASE - 1  # of int8
    for _ in range(slices - 1):
        number = number * _BASE + _BASE // 2 - 1
    return number


def round_rows(rows: Tensor, slices: int, generator: torch.Generator) -> Digits:
    """Round rows to whole numbers, up or down at random, so that their means are right.

    Args:
        rows: ``(m, c, d)`` float64 of m members; each has a step of its own. At most 65,536 words.
        slices: 2 for 15 bits, 3 for 22.
        generator: of the draws, on the device of the rows.
    """
    want("rows", rows, "(m, c, d)")
    members, words, d = rows.shape
    if words > LONGEST:
        raise ValueError(f"rows hold {words} words, wanted at most {LONGEST}")
    steps = rows.abs().amax((1, 2)) / largest(slices)
    scaled = rows / steps.masked_fill(steps == 0, 1)[:, None, None]
    numbers = scaled.floor()
    chance = torch.rand(rows.shape, dtype=rows.dtype, device=rows.device, generator=generator)
    numbers += chance < scaled - numbers
    del scaled, chance
    digits = torch.zeros(
        members, slices, d + -d % _ALIGNED, words + -words % _ALIGNED, dtype=torch.int8, device=rows.device
    )
    for place in range(slices - 1, 0, -1):
        higher = ((numbers + _BASE // 2) / _BASE).floor()
        digits[:, place, :d, :words] = (numbers - higher * _BASE).mT
        numbers = higher
    digits[:, 0, :d, :words] = numbers.mT
    return Digits(digits, steps)


def add_digits_(some: Moments, rounded: Digits, rows: Tensor, counted: Tensor) -> None:
    """Add the words of rounded rows to moments, in place.

    Args:
        some: of as many members; its sums are those of the rows before rounding.
        rounded: of these rows.
        rows: ``(m, c, d)``.
        counted: ``(c,)`` bool, which words count; the rows of others must be zero.
    """
    members, _, d = rows.shape
    for first, end in run_groups(members, rows.transpose(0, 1)):
        blocks = _cross_blocks(rounded.digits[first:end], rounded.digits[first:])[:, :d, :, :d]
        blocks *= rounded.steps[first:end, None, None, None] * rounded.steps[first:, None]
        for i in range(first, end):
            blocks_of_run(some.gram, members, i).add_(blocks[i - first, :, i - first :].transpose(0, 1))
    some.sums.add_(rows.sum(1))
    some.words.add_(counted.sum())


def _cross_blocks(x: Tensor, y: Tensor) -> Tensor:
    """``X_iᵀ Y_j`` of whole numbers, ``(I, width, J, width)`` float64, of their digits ``(I, slices, width, c)``."""
    (i, slices, width, _), j = x.shape, len(y)
    products = torch._int_mm(x.flatten(0, 2), y.flatten(0, 2).mT)  # torch has no other name for it
    products = products.view(i, slices, width, j, slices, width)
    found = torch.zeros(i, width, j, width, dtype=torch.float64, device=x.device)
    for a in range(slices):
        for b in range(slices):
            found.add_(products[:, a, :, :, b], alpha=_BASE ** (2 * slices - 2 - a - b))
    return found


def rounding_error(centred_gram: Tensor, plain: Tensor, total: Tensor, steps: Tensor, words: int) -> Tensor:
    """Return bounds on the relative errors of the losses of all pairs, ``(R(R-1)/2,)``; see the head of this module.

    All of them hold together with a probability of at least 1 − 10⁻⁶ over the draws of the rounding.

    Args:
        centred_gram: ``((R+1)(R+2)/2, d, d)`` of mean and deviations.
        plain: ``(R(R+1)/2, d, d)`` of the runs.
        total: ``(R(R-1)/2,)`` losses.
        steps: ``(R + 1,)``, the largest of every member.
        words: how many were summed over.
    """
    runs, d = len(steps) - 1, plain.shape[1]
    i, j = run_pairs(runs, plain.device)
    chance = math.log(2 * (len(i) + runs + 1) / _FAILS)  # Λ
    spread = (words / 2 + 3 * d * (chance + math.log(d))) ** 0.5 * steps  # √τ
    mean, own = spread[0], spread[1:]
    apart, length = centred.distances(centred_gram), run_squares(plain).sqrt()
    reach = (steps[1:].square() * _spectral_norms(diagonal_blocks(plain))).clamp(min=0)
    linear = 2 * (chance / 2) ** 0.5 * (reach[i] + reach[j] + (steps[0] * apart).square()).sqrt()
    whole = 2 * ((own * length)[i] + (own * length)[j] + mean * apart)
    square = d**0.5 * (own[i].square() + own[j].square() + 2 * mean * (own[i] + own[j]))
    eta = (2 * (linear + square) + (whole + square).square() / total) / total
    bounds: Tensor = (eta / (2 - eta)).where(eta < 1, torch.inf)
    return bounds


def word_error(centred_gram: Tensor, plain: Tensor, total: Tensor, steps: Tensor, words: int) -> Tensor:
    """Return bounds on the errors of words' losses for all pairs, as shares of the root mean square loss of a word.

    With the Gram of rounded rows, and unrounded ones of the word, the loss is the length of ``D_k + z``, where ``D_k``
    is its row of D and ``z = δ_i v_i − δ_j v_j + δ_M (v_i − v_j)``: so ``⟨D_k, z⟩ / d_k + ‖z‖² / 2 d_k`` away at most.
    Hoeffding bounds the first, whatever ``d_k``, over all words and pairs; ``‖δ v‖² ≤ τ ‖v‖²`` the second, for words
    whose loss is at least a tenth of that mean. It holds for words whose rows are as long, and as far from each other
    in the common frame, as the root mean square of all; others err in proportion.

    Args:
        centred_gram: see :func:`rounding_error`.
        plain: see there.
        total: see there.
        steps: see there.
        words: see there.
    """
    runs, d = len(steps) - 1, plain.shape[1]
    i, j = run_pairs(runs, plain.device)
    chance = math.log(2 * len(i) * words / _FAILS)
    own = steps[1:].square() * run_squares(plain) / words  # t² ‖v‖²
    width = own[i] + own[j] + steps[0].square() * centred.distances(centred_gram).square() / words
    linear = (chance / 2 * width).sqrt()
    whole = 3 * (words / 2 + 3 * d * (chance + math.log(d))) * width  # ‖z‖², of three terms
    usual = total / words**0.5
    bounds: Tensor = (linear + 5 * whole / usual) / usual
    return bounds


def _spectral_norms(blocks: Tensor) -> Tensor:
    """Upper bounds on ``‖C‖₂`` of blocks, ``(R,)``: ``‖C⁴‖^¼`` in the Frobenius norm, d^⅛ too high at most."""
    size = torch.linalg.vector_norm(blocks, dim=(1, 2))
    unit = blocks / size.masked_fill(size == 0, 1)[:, None, None]  # else powers leave the range of numbers
    square = product(unit, unit)
    norms: Tensor = size * torch.linalg.vector_norm(product(square, square), dim=(1, 2)) ** 0.25
    return norms
