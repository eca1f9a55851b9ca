"""Pairwise-inner-product (PIP) loss between runs, over the whole vocabulary and word by word.

Rettenmeier 2020, eq. 2.27-2.29 (after Yin & Shen 2018): ``‖V_i V_iᵀ − V_j V_jᵀ‖``; *reduced*: divided by ``2v``;
*word-wise reduced* for word k: norm of row k of the difference, divided by ``2√v``. For unit rows both lie in
[0, 1], and the reduced loss is the root mean square over words of the word-wise one.
All of them are functions of the block Gram ``C_ij = V_iᵀ V_j``: no ``v × v`` array is ever formed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import root
from gpustab.kernels.gram import blocks_of_run, run_pairs, run_squares, squared_norms
from gpustab.kernels.run_blocks import side_by_side, word_products
from gpustab.kernels.shapes import want
from gpustab.kernels.word_pairs import PairSums
from gpustab.kernels.word_pairs import WordwisePip as WordwisePip

__all__ = [
    "UNIT",
    "PipLoss",
    "Scale",
    "WordwisePip",
    "mean_cosines",
    "over_pairs",
    "pip_from_gram",
    "pip_from_norms",
    "reduced",
    "scale",
    "scale_from",
    "wordwise_pip",
]

UNIT = 1e-3
"""Rows whose mean squared length differs from 1 by more are not unit: more than bfloat16 rounds away (4e-6)."""


class PipLoss(NamedTuple):
    """PIP loss of every pair of runs.

    Attributes:
        total: ``(R(R-1)/2,)`` float64, ``‖V_i V_iᵀ − V_j V_jᵀ‖``, eq. 2.27.
        condition: ``(R(R-1)/2,)``, ``(‖C_ii‖² + ‖C_jj‖²) / total²``: by how much the subtraction of nearly equal
            numbers amplifies relative rounding errors of the Gram. ``inf`` for equal runs.
    """

    total: Tensor
    condition: Tensor


def pip_from_gram(gram: Tensor) -> PipLoss:
    """Return the PIP loss of every pair from the block Gram: ``total² = ‖C_ii‖² + ‖C_jj‖² − 2‖C_ij‖²``.

    Args:
        gram: ``(R(R+1)/2, d, d)`` float64, from :mod:`gpustab.kernels.gram`.

    Example:
        >>> from gpustab.kernels.gram import block_gram
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
        >>> pip_from_gram(block_gram(torch.stack([x, y]))).total.round(decimals=6).tolist()  # cosine 0 in x, 1 in y
        [1.414214]
    """
    return pip_from_norms(squared_norms(gram))


def pip_from_norms(norms: Tensor) -> PipLoss:
    """Return the PIP loss of every pair from ``‖C_ij‖²``, ``(R, R)`` float64: all that it needs of a block Gram."""
    i, j = run_pairs(len(norms), norms.device)
    size = norms.diagonal()[i] + norms.diagonal()[j]
    # Equal spaces can come out at −5e-9: rounding, not a distance.
    square = (size - 2 * norms[i, j]).clamp(min=0)
    return PipLoss(root(square), size / square)


def reduced(total: Tensor, words: int) -> Tensor:
    """Return the reduced PIP loss ``total / (2v)``, eq. 2.28."""
    return total / (2 * words)


def wordwise_pip(chunk: Tensor, gram: Tensor, words: int, present: Tensor | None = None) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss.

    ``d²_k = v_ik C_ii v_ikᵀ + v_jk C_jj v_jkᵀ − 2 v_ik C_ij v_jkᵀ``, all partners of a run at once; no
    ``pairs × words`` array is kept, only one row of it and the running sums.

    Args:
        chunk: ``(R, c, d)`` rows of all runs; its dtype is the dtype of the arithmetic.
        gram: ``(R(R+1)/2, d, d)`` over the whole vocabulary.
        words: size ``v`` of the vocabulary behind ``gram``.
        present: ``(R, c)`` bool, which run has which word; default: all of them.
    """
    want("chunk", chunk, "(R, c, d)")
    runs, rows, _ = chunk.shape
    have = torch.ones(runs, rows, dtype=torch.bool, device=chunk.device) if present is None else present
    side = side_by_side(chunk)  # (c, R, d)

    def inner(i: int) -> Tensor:
        cross = blocks_of_run(gram, runs, i).transpose(0, 1).to(chunk.dtype)  # (d, R - i, d)
        return word_products(side[:, i], cross, side[:, i:])

    return over_pairs(inner, words, have)


def over_pairs(inner: Callable[[int], Tensor], words: int, have: Tensor) -> WordwisePip:
    """Return the statistics over pairs of reduced losses ``‖z_i − z_j‖ / (2√v)``, of which one run's are held.

    Args:
        inner: of ``i``: ``⟨z_i, z_j⟩`` of every word for all ``j >= i``, ``(R - i, c)``.
        words: size ``v`` of the vocabulary.
        have: ``(R, c)`` bool, which run has which word.
    """
    found, runs = PairSums(have), len(have)
    own = inner(runs - 1)  # of all later runs, hence the last one first
    for i in reversed(range(runs - 1)):
        both = inner(i)
        squares = both[:1] + own - 2 * both[1:]
        found.add(i, slice(i + 1, None), squares.clamp(min=0).double() / (4 * words))
        own = torch.cat([both[:1], own])
    return found.result()


class Scale(NamedTuple):
    """What a PIP loss must be read against.

    Attributes:
        mean_cosine: ``(R,)`` mean cosine of two different words in each run.
        chance: ``(R(R-1)/2,)`` expected reduced PIP loss (root mean square) of the same two spaces with the words of
            one permuted at random.
    """

    mean_cosine: Tensor
    chance: Tensor


def scale(gram: Tensor, row_sums: Tensor, words: int) -> Scale:
    """Return mean cosines and the chance level of the reduced PIP loss, in closed form for unit rows.

    ``chance² = [‖C_ii‖² + ‖C_jj‖² − 2 (v + v(v−1) m_i m_j)] / (4v²)`` with the mean off-diagonal cosine
    ``m = (‖Σ rows‖² − v) / (v(v−1))``.

    A run whose rows are not unit, so that their mean squared length is off 1 by more than :data:`UNIT`, has NaN.

    Args:
        gram: ``(R(R+1)/2, d, d)`` of unit rows.
        row_sums: ``(R, d)``, the sum of each run's rows.
        words: number of rows ``v``, at least 2.
    """
    want("row_sums", row_sums, "(R, d)")
    return scale_from(squared_norms(gram).diagonal(), run_squares(gram), row_sums, words)


def scale_from(own: Tensor, squares: Tensor, row_sums: Tensor, words: int) -> Scale:
    """Return :func:`scale` of what it needs of a block Gram.

    Args:
        own: ``(R,)``, ``‖C_ii‖²``.
        squares: ``(R,)``, ``tr C_ii``, the sum of the squared lengths of each run's rows.
        row_sums: see :func:`scale`.
        words: see :func:`scale`.
    """
    i, j = run_pairs(len(own), own.device)
    mean = mean_cosines(squares, row_sums, words)
    square = own[i] + own[j] - 2 * (words + words * (words - 1) * mean[i] * mean[j])
    return Scale(mean, root(square) / (2 * words))


def mean_cosines(squares: Tensor, row_sums: Tensor, words: int) -> Tensor:
    """Return the mean cosine of two different words in each run, ``(R,)``, see :func:`scale` and :func:`scale_from`."""
    mean = (row_sums.square().sum(1) - words) / (words * (words - 1))
    return mean.where((squares / words - 1).abs() <= UNIT, torch.nan)
