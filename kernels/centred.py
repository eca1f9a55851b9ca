"""The PIP loss of runs in one frame, as a function of their mean and their deviations: nothing cancels.

With orthogonal ``A_i``, ``V_i A_i = M + E_i``; the loss does not see the rotation. For a pair, ``E = E_i − E_j`` and
``S = 2M + E_i + E_j``, and ``V_iV_iᵀ − V_jV_jᵀ = ½ (E Sᵀ + S Eᵀ)``. All that it needs is the block Gram of
``(M, E_1, ..., E_R)``: as many products as the plain form takes, and each of them relative to the deviations. So inputs
of 8 bits of precision give losses that the plain form does not give with 24; and float64 resolves runs that are equal
but for their last bits, where the plain form finds noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product, root, row_dot
from gpustab.kernels.gram import block_positions, runs_of
from gpustab.kernels.pip_loss import PipLoss, WordwisePip, over_pairs
from gpustab.kernels.shapes import want

_FEW = 16
"""Pairs whose blocks are formed at a time, a dozen of each: at d = 300, 140 MB."""


def centred_rows(chunk: Tensor, maps: Tensor) -> Tensor:
    """Return the mean of the aligned runs and their deviations from it.

    Args:
        chunk: ``(R, c, d)`` rows of all runs, float64 or float32.
        maps: ``(R, d, d)`` orthogonal maps ``A_i`` into one frame, in the dtype of ``chunk``. The nearer they bring the
            runs to each other, the more accurate the losses; any orthogonal maps are right.

    Returns:
        ``(R + 1, c, d)``: first ``M``, then ``E_1 ... E_R``.
    """
    want("chunk", chunk, "(R, c, d)")
    want("maps", maps, "(R, d, d)")
    aligned = product(chunk, maps)
    mean = aligned.mean(0, keepdim=True)
    return torch.cat([mean, aligned - mean])


def centred_pip_loss(gram: Tensor) -> PipLoss:
    """Return the PIP loss of every pair from the block Gram of mean and deviations.

    ``total² = ½ [⟨EᵀE, SᵀS⟩ + ⟨EᵀS, SᵀE⟩]``

    Args:
        gram: ``((R+1)(R+2)/2, d, d)`` float64, of the rows of :func:`centred_rows`.

    Returns:
        The losses. Their condition is 1 where nothing cancels: ``(|⟨EᵀE, SᵀS⟩| + |⟨EᵀS, SᵀE⟩|) / (2 total²)``, times
        ``(‖E_i‖² + ‖E_j‖²) / ‖E‖²``, which is large for two runs that are much nearer to each other than to the others.

    Example:
        >>> from gpustab.kernels.gram import block_gram
        >>> x = torch.eye(2, dtype=torch.float64)
        >>> y = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
        >>> rows = centred_rows(torch.stack([x, y]), torch.stack([x, x]))
        >>> round(centred_pip_loss(block_gram(rows)).total.item(), 6)
        1.414214
    """
    pairs = _PairGrams.of(gram)
    products, sizes = [], []
    for i, others in pairs.few():
        ee, es, ss = pairs.of_run(i, others)
        terms = torch.stack([_inner(ee, ss), _inner(es, es.mT)])
        products.append(terms.sum(0) / 2)
        sizes.append(terms.abs().sum(0) / 2 * (_trace(pairs.own[i : i + 1]) + _trace(pairs.own[others])) / _trace(ee))
    squares = torch.cat(products).clamp(min=0)
    return PipLoss(root(squares), torch.cat(sizes) / squares)


def distances(gram: Tensor) -> Tensor:
    """Return ``‖E_i − E_j‖`` of every pair, ``(R(R-1)/2,)``: how far apart the frames leave the runs."""
    pairs = _PairGrams.of(gram)
    return root(torch.cat([_trace(pairs.of_run(i, others)[0]) for i, others in pairs.few()]))


def centred_wordwise_pip(rows: Tensor, gram: Tensor, words: int, present: Tensor) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss; nothing cancels.

    ``4 word² = e SᵀS eᵀ + s EᵀE sᵀ + 2 e SᵀE sᵀ``

    Args:
        rows: ``(R + 1, c, d)`` mean and deviations, of :func:`centred_rows`.
        gram: ``((R+1)(R+2)/2, d, d)`` of these over the whole vocabulary.
        words: size ``v`` of the vocabulary behind ``gram``.
        present: ``(R, c)`` bool, which run has which word.
    """
    pairs, mean, deviations = _PairGrams.of(gram), rows[0], rows[1:]

    def squares(i: int) -> Tensor:
        e, s = deviations[i] - deviations[i + 1 :], 2 * mean + deviations[i] + deviations[i + 1 :]
        ee, es, ss = (block.to(rows.dtype) for block in pairs.of_run(i, slice(i + 1, None)))
        square = row_dot(product(e, ss), e) + row_dot(product(s, ee), s) + 2 * row_dot(product(e, es.mT), s)
        return square.clamp(min=0).double() / (16 * words)

    return over_pairs(squares, present)


class _PairGrams(NamedTuple):
    """Blocks of which the Grams of ``E`` and ``S`` of a pair are sums."""

    mean: Tensor  # MᵀM
    with_mean: Tensor  # MᵀE_i, (R, d, d)
    own: Tensor  # E_iᵀE_i, (R, d, d)
    gram: Tensor
    positions: Tensor

    @classmethod
    def of(cls, gram: Tensor) -> _PairGrams:
        positions = block_positions(runs_of(gram), gram.device)
        return cls(gram[0], gram[positions[0, 1:]], gram[positions.diagonal()[1:]], gram, positions)

    def few(self) -> Iterator[tuple[int, slice]]:
        """A run i and a few others ``j > i``, for all pairs: the blocks of all pairs at once are gigabytes."""
        runs = len(self.own)
        for i in range(runs - 1):
            yield from ((i, slice(j, min(j + _FEW, runs))) for j in range(i + 1, runs, _FEW))

    def of_run(self, i: int, others: slice) -> tuple[Tensor, Tensor, Tensor]:
        """``EᵀE``, ``EᵀS``, ``SᵀS`` of the pairs ``(i, j)``, j among the others, each ``(J, d, d)``."""
        cross = self.gram[self.positions[i + 1, 1:][others]]  # E_iᵀE_j
        square, other = self.own[i] + self.own[others], self.with_mean[i] + self.with_mean[others]
        ee = square - cross - cross.mT
        ss = 4 * self.mean + 2 * (other + other.mT) + square + cross + cross.mT
        es = 2 * (self.with_mean[i] - self.with_mean[others]).mT + self.own[i] - self.own[others] + cross - cross.mT
        return ee, es, ss


def plain_gram(gram: Tensor, maps: Tensor) -> Tensor:
    """Return the block Gram of the runs themselves, ``C_ij = A_i (M + E_i)ᵀ (M + E_j) A_jᵀ``.

    Args:
        gram: ``((R+1)(R+2)/2, d, d)`` of mean and deviations.
        maps: ``(R, d, d)`` the maps ``A_i`` that were used.

    Returns:
        ``(R(R+1)/2, d, d)``, as :func:`gpustab.kernels.gram.block_gram` gives it.
    """
    runs = runs_of(gram) - 1
    positions = block_positions(runs + 1, gram.device)
    mean, with_mean = gram[positions[0, 0]], gram[positions[0, 1:]]
    plain = []
    for i in range(runs):  # (R - i, d, d) at a time
        aligned = mean + with_mean[i:] + with_mean[i].mT + gram[positions[i + 1, i + 1 :]]
        plain.append(product(product(maps[i], aligned), maps[i:].mT))
    return torch.cat(plain)


def _trace(x: Tensor) -> Tensor:
    return x.diagonal(dim1=1, dim2=2).sum(1)


def _inner(x: Tensor, y: Tensor) -> Tensor:
    return row_dot(x.flatten(1), y.flatten(1))
