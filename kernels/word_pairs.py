"""What the pairs of runs say of every word: mean, spread and error of a loss that is given a few pairs at a time."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import root
from gpustab.kernels.jackknife import jackknife

__all__ = ["PairSums", "WordwisePip", "of_all_pairs"]


class WordwisePip(NamedTuple):
    """Word-wise reduced PIP loss over all pairs of runs; every tensor has shape ``(c,)``.

    Attributes:
        mean: mean over the pairs in which both runs have the word; NaN without such a pair.
        sd: standard deviation over these pairs, ``ddof = 1``; NaN for fewer than two.
        se: standard error of ``mean`` by the jackknife over runs; NaN for fewer than three runs.
        pairs: number of pairs.
        square: mean of the squared loss, which for all words together gives back the reduced loss.
    """

    mean: Tensor
    sd: Tensor
    se: Tensor
    pairs: Tensor
    square: Tensor


class PairSums:
    """The statistics over pairs as these come, in any order; ``(R, c)`` numbers are held, whatever the pairs.

    Args:
        have: ``(R, c)`` bool, which run has which word.
    """

    def __init__(self, have: Tensor) -> None:
        self.have = have
        self.sums = torch.zeros(have.shape, dtype=torch.float64, device=have.device)  # Σ_j d_ij per run
        # Four tensors: parts of one could not be changed in place where gradients are wanted.
        self.square, self.moment, self.mean, self.pairs = (torch.zeros_like(self.sums[0]) for _ in range(4))

    def add(self, i: int, others: slice, squares: Tensor, known: Tensor | None = None) -> None:
        """Add the pairs of run i with some other runs.

        Args:
            i: the run.
            others: J runs, i not among them.
            squares: ``(J, c)`` squared losses.
            known: ``(J,)`` bool, the pairs to take; default: all.
        """
        valid = self.have[i] & self.have[others]
        if known is not None:
            valid = valid & known[:, None]
        losses = torch.where(valid, squares, 0)
        self.square += losses.sum(0)
        losses = root(losses)
        self.sums[i] += losses.sum(0)
        self.sums[others] += losses
        self.mean, self.moment, self.pairs = _merge(self.mean, self.moment, self.pairs, losses, valid)

    def result(self) -> WordwisePip:
        """Return the statistics of the pairs so far."""
        mean, pairs = self.mean, self.pairs
        sd = (self.moment / (pairs - 1)).sqrt().where(pairs > 1, torch.nan)
        error = jackknife(self.sums, self.have)
        return WordwisePip(mean.where(pairs > 0, torch.nan), sd, error, pairs.long(), self.square / pairs)


def of_all_pairs(inner: Tensor, words: int, have: Tensor) -> WordwisePip:
    """Return the statistics over all pairs at once of reduced losses ``‖z_i − z_j‖ / (2√v)`` of some words.

    Args:
        inner: ``(c, R, R)`` float64, ``⟨z_i, z_j⟩``; changed in place.
        words: size ``v`` of the vocabulary.
        have: ``(R, c)`` bool, which run has which word.
    """
    own = inner.diagonal(dim1=1, dim2=2).clone()
    losses = inner.mul_(-2).add_(own[:, :, None]).add_(own[:, None, :]).clamp_(min=0).div_(4 * words)
    valid = have.T[:, :, None] & have.T[:, None, :]
    valid.diagonal(dim1=1, dim2=2).fill_(False)
    losses.masked_fill_(~valid, 0)
    pairs = valid.sum((1, 2)) / 2
    square = losses.sum((1, 2)) / 2
    sums = losses.sqrt_().sum(2)  # (c, R)
    mean = sums.sum(1) / 2 / pairs
    error = jackknife(sums.T, have)
    moment = losses.sub_(mean[:, None, None]).square_().masked_fill_(~valid, 0).sum((1, 2)) / 2
    sd = (moment / (pairs - 1)).sqrt().where(pairs > 1, torch.nan)
    return WordwisePip(mean.where(pairs > 0, torch.nan), sd, error, pairs.long(), square / pairs)


def _merge(mean: Tensor, moment: Tensor, n: Tensor, values: Tensor, valid: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Merge ``(b, c)`` new values into running means, second moments and counts (Chan et al.): no cancellation."""
    m = valid.sum(0)
    batch_mean = values.sum(0) / m.clamp(min=1)
    batch_moment = torch.where(valid, values - batch_mean, 0).square().sum(0)
    total = (n + m).clamp(min=1)
    shift = batch_mean - mean
    return mean + shift * m / total, moment + batch_moment + shift.square() * n * m / total, n + m
