"""The words' own levels behind noisy means: which distribution they have, and what follows for ranks and for tails.

A word's mean over runs is its level plus noise. Neither levels nor noise need be normal over words: of bootstrap runs a
few function words have a p@10 far above all others, and Pearson's correlation of two sets of runs, which these few
carry, says nothing of the order of the others. So the distribution of the levels is estimated without a form, as
weights on a grid (Kiefer & Wolfowitz 1956; by expectation and maximisation, Laird 1978), from every word's mean and the
noise of words of like level. Everything else is a sum over that grid.

Which words are really less stable than others of their frequency? "Equal to the others" is the wrong null: nearly all
words differ, so that with enough runs half of a vocabulary rejects it. What is decided is membership: *in the least
stable tenth of the words of like frequency*. By a normal law of the levels 22 to 25 % of the words that were named were
not in it, at 3 to 12 runs.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.kernels.arithmetic import product
from gpustab.statistics.windows import LIKE, local_mean

LIKE_LEVEL = 40
"""Words of like level whose noise is pooled: of more the bulk takes over the noise of the few far from it."""
_GRID, _STEPS = 100, 200
_BINS = 4000
"""Groups of words of nearly equal means by which the weights are found, where there are more words."""
_KNOWN = 0.5
"""Part of the variance of the means that must be of the levels: else their tail is made of noise, and of two groups of
one law a word or two would be named."""
_BANDS = 32
"""Bands of frequency that are at work at once."""


class Levels(NamedTuple):
    """The distribution of the levels of words, or of each of B bands of words.

    Attributes:
        grid: ``(…, G)`` levels, equally far apart.
        weight: ``(…, G)`` which part of the words has each; sums to 1.
        noise: ``(…, G)`` squared error of a mean whose word has this level.
        posterior: ``(…, T, G)`` how likely each word has each level; rows sum to 1.
    """

    grid: Tensor
    weight: Tensor
    noise: Tensor
    posterior: Tensor

    @property
    def known(self) -> Tensor:
        """``(…)`` the part of the variance of the means that is of the levels, in [0, 1]; 0 of equal words."""
        mean = (self.weight * self.grid).sum(-1, keepdim=True)
        own = (self.weight * (self.grid - mean).square()).sum(-1)
        return (own / (own + (self.weight * self.noise).sum(-1))).nan_to_num(0.0)

    def order(self, noise: float = 1.0) -> float:
        """Return Spearman's correlation of two sets of runs over these words, in [0, 1].

        With F the distribution of the means and w a word's level it is ``12 E_w[E[F(mean) | w]²] − 3``: given its level
        a word's means in the two sets are independent.

        Args:
            noise: squared error of the means of these sets, as a part of that of the set at hand.

        Example:
            >>> two = torch.tensor([0.0, 1.0])
            >>> Levels(two, torch.tensor([0.5, 0.5]), torch.zeros(2), torch.eye(2)).order()  # equal words have no order
            0.75
        """
        gap = self.grid[:, None] - self.grid
        error = (noise * (self.noise[:, None] + self.noise)).sqrt()
        above = torch.special.ndtr(gap / error.clamp(min=1e-300 if gap.dtype == torch.float64 else 1e-30))
        place = (above * self.weight).sum(-1)
        return float(12 * (self.weight * place.square()).sum() - 3)

    def highest(self, share: float) -> Tensor:
        """Return the probability that a word's level is among the highest share of all levels, ``(…, T)``.

        Of a level at the border so much counts as belongs to the share.

        Args:
            share: in (0, 1).

        Example:
            >>> two = torch.tensor([0.0, 1.0])
            >>> Levels(two, torch.tensor([0.8, 0.2]), torch.zeros(2), torch.eye(2)).highest(0.1).tolist()
            [0.0, 0.5]
        """
        above = self.weight.flip(-1).cumsum(-1).flip(-1) - self.weight
        part = ((share - above) / self.weight).clamp(0, 1).nan_to_num(0.0)
        return (self.posterior * part[..., None, :]).sum(-1)


def levels(values: Tensor, noise: Tensor, *, cautious: bool = False) -> Levels:
    """Return the distribution of levels behind means.

    Args:
        values: ``(…, T)`` means, T ≥ 2.
        noise: ``(…, T)`` squared errors of single words, some perhaps negative; pooled over words of like level.
        cautious: no word's noise is taken for less than that of half of the words. A mean near 0 of shares of common
            neighbours seems to have none, and of three runs nobody can tell it word by word.
    """
    values, noise = values.double(), noise.double()
    low, high = values.amin(-1, keepdim=True), values.amax(-1, keepdim=True)
    grid = low + (high - low) * torch.linspace(0, 1, _GRID, dtype=values.dtype, device="cpu")
    order = values.argsort(dim=-1, stable=True)
    pooled = _over_like(noise.gather(-1, order)).clamp(min=0)
    if cautious:
        pooled = torch.maximum(pooled, pooled.median(-1, keepdim=True).values)
    step = ((high - low) / _GRID).square() / 12  # what the grid itself rounds off
    pooled = torch.maximum(pooled, step.where(step > 0, 1.0))
    bins = torch.linspace(0, values.shape[-1], min(values.shape[-1], _BINS) + 1, device="cpu").round().long()
    size = bins.diff().double()
    middle = (bins[:-1] + bins[1:] - 1) // 2
    ranked = values.gather(-1, order)
    likely = _likelihood(ranked[..., middle], pooled[..., middle], grid)
    weight = torch.full_like(grid, 1 / _GRID)
    share = size / size.sum()
    for _ in range(_STEPS):  # the mean of all posteriors, likely · weight in rows of sum 1, of which none is formed
        every = product(likely, weight[..., None]).squeeze(-1)
        weight = weight * product((share / every)[..., None, :], likely).squeeze(-2)
    own = torch.empty_like(pooled).scatter(-1, order, pooled)
    posterior = _normed(_likelihood(values, own, grid) * weight[..., None, :])
    held = posterior.sum(-2)
    at = (own[..., None] * posterior).sum(-2) / held
    return Levels(grid, weight, at.where(held > 0, pooled.mean(-1, keepdim=True)), posterior)


def _over_like(noise: Tensor) -> Tensor:
    """Means over words of like level, of every row."""
    flat = [local_mean(row, LIKE_LEVEL) for row in noise.reshape(-1, noise.shape[-1])]
    return torch.stack(flat).reshape(noise.shape)


def _likelihood(values: Tensor, noise: Tensor, grid: Tensor) -> Tensor:
    log = -0.5 * ((values[..., None] - grid[..., None, :]).square() / noise[..., None] + noise[..., None].log())
    return (log - log.amax(-1, keepdim=True)).exp()


def _normed(rows: Tensor) -> Tensor:
    return rows / rows.sum(-1, keepdim=True)


def of_shares(shares: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Return shares in [0, 1] and their squared errors on the scale ``arcsin √share``, where noise hardly varies.

    On their own scale the noise falls with the share, and a share of 0 seems to be known exactly: it has that of the
    least shares above. Of five runs whose lists agree by chance alone the order was told at 0.6 without.

    Args:
        shares: ``(T,)`` means, such as p@n.
        noise: ``(T,)`` squared errors; pooled over words of like share.
    """
    order = shares.argsort(stable=True)
    pooled, share = (local_mean(x.double()[order], LIKE_LEVEL) for x in (noise, shares))
    ranked = pooled / (4 * share * (1 - share)).clamp(min=1e-6)
    first = min(int((shares <= 0).sum()) + LIKE_LEVEL // 2, len(shares) - 1)  # its window has hardly a share of 0
    ranked[:first] = ranked[:first].clamp(min=float(ranked[first]))
    turned = torch.empty_like(ranked)
    turned[order] = ranked
    return shares.double().clamp(0, 1).sqrt().asin(), turned


def of_losses(losses: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Return logarithms of losses and their squared errors: the noise of a loss is in proportion to it.

    Args:
        losses: ``(T,)`` means, at least 0; one of 0 stands with the least that is not.
        noise: ``(T,)`` squared errors; pooled over words of like loss.
    """
    losses = losses.double()
    positive = losses[losses > 0]
    if not len(positive):
        return losses, torch.zeros_like(losses)
    order = losses.argsort(stable=True)
    pooled, loss = (local_mean(x.double()[order], LIKE_LEVEL) for x in (noise, losses))
    turned = torch.empty_like(pooled)
    turned[order] = pooled / loss.clamp(min=float(positive.min())).square()
    return losses.clamp(min=float(positive.min())).log(), turned


def highest_tenth(values: Tensor, noise: Tensor, like: int = LIKE) -> Tensor:
    """Return the probability that a word's level is in the highest tenth of the words of like frequency, ``(T,)``.

    The tenth is that of the levels' own distribution, band by band of frequency, each of as many words as a window has;
    every word is judged in the band in whose middle it is.

    Args:
        values: ``(T,)`` means, words in descending frequency.
        noise: ``(T,)`` squared errors of single words.
        like: words of like frequency.
    """
    count, width = len(values), min(like + 1, len(values))
    if width < 2:
        return torch.zeros(count, dtype=torch.float64, device="cpu")
    starts = torch.arange(0, count - width + 1, max(width // 4, 1), device="cpu")
    if int(starts[-1]) != count - width:
        starts = torch.cat([starts, torch.tensor([count - width], device="cpu")])
    band = (torch.arange(count, device="cpu")[:, None] - (starts + (width - 1) / 2)).abs().argmin(1)
    found = []
    for rows in (starts[:, None] + torch.arange(width, device="cpu")).split(_BANDS):
        own = levels(values[rows], noise[rows], cautious=True)
        found.append(own.highest(0.1) * (own.known >= _KNOWN)[:, None])
    return torch.cat(found)[band, torch.arange(count, device="cpu") - starts[band]]
