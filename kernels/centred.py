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
from gpustab.kernels.gram import block_positions, blocks_of_run, run_squares, runs_of
from gpustab.kernels.pip_loss import PipLoss, WordwisePip, over_pairs
from gpustab.kernels.run_blocks import side_by_side, word_products
from gpustab.kernels.shapes import want

__all__ = [
    "DeviationGram",
    "centred_pip_loss",
    "centred_rows",
    "centred_wordwise_pip",
    "distances",
    "plain_gram",
    "products_alone",
]

_FEW = 16
"""Pairs whose blocks are formed at a time, a dozen of each: at d = 300, 140 MB."""


def centred_rows(chunk: Tensor, maps: Tensor, present: Tensor | None = None) -> Tensor:
    """Return the mean of the aligned runs and their deviations from it.

    Args:
        chunk: ``(R, c, d)`` rows of all runs, float64 or float32.
        maps: ``(R, d, d)`` orthogonal maps ``A_i`` into one frame, in the dtype of ``chunk``. The nearer they bring the
            runs to each other, the more accurate the losses; any orthogonal maps are right.
        present: ``(R, c)`` bool, which run has which word, the rows of others being zero: the mean is over those that
            have it. Default: all.

    Returns:
        ``(R + 1, c, d)``: first ``M``, then ``E_1 ... E_R``.
    """
    want("chunk", chunk, "(R, c, d)")
    want("maps", maps, "(R, d, d)")
    aligned = product(chunk, maps)
    mean = aligned.mean(0, keepdim=True)
    if present is not None:
        mean *= len(chunk) / present.sum(0).clamp(min=1).to(mean.dtype)[:, None]
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
    frame, products, sizes = DeviationGram.of(gram), [], []
    own = run_squares(frame.blocks)  # ‖E_i‖²
    for i, others in frame.few_pairs():
        ee, es, ss = frame.of_pairs(i, others)
        terms = torch.stack([_inner(ee, ss), _inner(es, es.mT)])
        products.append(terms.sum(0) / 2)
        sizes.append(terms.abs().sum(0) / 2 * (own[i] + own[others]) / _trace(ee).clamp(min=0))
    squares = torch.cat(products).clamp(min=0)
    return PipLoss(root(squares), torch.cat(sizes) / squares)


def distances(gram: Tensor) -> Tensor:
    """Return ``‖E_i − E_j‖`` of every pair, ``(R(R-1)/2,)``: how far apart the frames leave the runs."""
    frame = DeviationGram.of(gram)
    return root(torch.cat([_trace(frame.of_pairs(i, others)[0]) for i, others in frame.few_pairs()]))


def centred_wordwise_pip(rows: Tensor, gram: Tensor, words: int, present: Tensor) -> WordwisePip:
    """Return mean, SD and standard error over all pairs of the word-wise reduced PIP loss; nothing cancels.

    A row of ``V_iV_iᵀ`` is ``M mᵀ + z_i`` with ``z_i = M e_iᵀ + E_i u_iᵀ``, ``u_i = m + e_i``; the first part is that
    of all runs: ``4v word² = ‖z_i − z_j‖²``. A pair takes one product, that of ``u_i E_iᵀE_j u_jᵀ``, as in the
    plain form; see :func:`products_alone` for the rest of ``⟨z_i, z_j⟩``.

    Args:
        rows: ``(R + 1, c, d)`` mean and deviations, of :func:`centred_rows`.
        gram: ``((R+1)(R+2)/2, d, d)`` of these over the whole vocabulary.
        words: size ``v`` of the vocabulary behind ``gram``.
        present: ``(R, c)`` bool, which run has which word.
    """
    frame, e = DeviationGram.of(gram), rows[1:]
    u = rows[0] + e
    side, alone = side_by_side(u), products_alone(e, u, frame.mean, frame.with_mean)

    def inner(i: int) -> Tensor:
        cross = frame.of_run(i).transpose(0, 1).to(u.dtype)  # (d, R - i, d)
        return word_products(side[:, i], cross, side[:, i:]) + alone[i, i:]

    return over_pairs(inner, words, present)


class DeviationGram(NamedTuple):
    """The block Gram of mean and deviations, as words are measured by it.

    Attributes:
        mean: ``(d, d)``, ``MᵀM``.
        with_mean: ``(R, d, d)``, ``MᵀE_i``.
        blocks: ``(R(R+1)/2, d, d)``, ``E_iᵀE_j``.
    """

    mean: Tensor
    with_mean: Tensor
    blocks: Tensor

    @classmethod
    def of(cls, gram: Tensor) -> DeviationGram:
        """Take apart ``((R+1)(R+2)/2, d, d)``; nothing is copied."""
        runs = runs_of(gram) - 1
        return cls(gram[0], gram[1 : runs + 1], gram[runs + 1 :])

    def of_run(self, i: int) -> Tensor:
        """``E_iᵀE_j`` for all ``j >= i``, ``(R - i, d, d)``."""
        return blocks_of_run(self.blocks, len(self.with_mean), i)

    def few_pairs(self) -> Iterator[tuple[int, slice]]:
        """A run i and a few others ``j > i``, for all pairs: what is made of all pairs at once takes gigabytes."""
        runs = len(self.with_mean)
        for i in range(runs - 1):
            yield from ((i, slice(j, min(j + _FEW, runs))) for j in range(i + 1, runs, _FEW))

    def of_pairs(self, i: int, others: slice) -> tuple[Tensor, Tensor, Tensor]:
        """``EᵀE``, ``EᵀS``, ``SᵀS`` of the pairs ``(i, j)``, j among the others, each ``(J, d, d)``."""
        places = block_positions(len(self.with_mean), self.blocks.device)
        square = self.blocks[places[i, i]] + self.blocks[places.diagonal()[others]]
        cross = self.blocks[places[i, others]]  # E_iᵀE_j
        other = self.with_mean[i] + self.with_mean[others]
        ee = square - cross - cross.mT
        ss = 4 * self.mean + 2 * (other + other.mT) + square + cross + cross.mT
        es = 2 * (self.with_mean[i] - self.with_mean[others]).mT + cross - cross.mT
        es += self.blocks[places[i, i]] - self.blocks[places.diagonal()[others]]
        return ee, es, ss


def products_alone(e: Tensor, u: Tensor, mean: Tensor, with_mean: Tensor) -> Tensor:
    """Return ``⟨z_i, z_j⟩`` of every word without ``u_i E_iᵀE_j u_jᵀ``, ``(R, R, c)``: no product for every pair.

    ``e_i MᵀM e_jᵀ + e_i MᵀE_j u_jᵀ + u_i E_iᵀM e_jᵀ = ½ (e_i c_jᵀ + c_i e_jᵀ)``, ``c_i = e_i MᵀM + 2 u_i E_iᵀM``.

    Args:
        e: ``(R, c, d)`` deviations.
        u: ``(R, c, d)`` aligned rows.
        mean: ``(d, d)``, ``MᵀM``.
        with_mean: ``(R, d, d)``, ``MᵀE_i``.
    """
    c = product(e, mean.to(e.dtype)) + 2 * product(u, with_mean.mT.to(e.dtype))
    half = product(side_by_side(e), side_by_side(c).mT) / 2  # (c, R, R)
    return (half + half.mT).permute(1, 2, 0)


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
