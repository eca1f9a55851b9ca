"""Which words are really less stable than others of their frequency.

"Equal to the others" is the wrong null: nearly all words differ, so that with enough runs half of a vocabulary rejects
it. What is decided is membership: *in the least stable tenth of the words of like frequency*. Selecting by value over
error is wrong as well: 26 to 61 % of the chosen are in the held-out worst tenth at 3 or 4 runs, against 55 to 97 % of
those chosen by the value itself, since an error is small by chance.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gpustab.statistics.windows import LIKE, local_mean, local_median

SURE = 0.95
"""So sure are the words that are said to stand out, on the average: one in twenty may be wrong."""
_TENTH = 1.2815515655446004
"""Quantile of the normal above which a tenth lies."""


def least_stable_tenth(instability: Tensor, error: Tensor, like: int = LIKE) -> Tensor:
    """Return the probability that a word is in the least stable tenth of the words of like frequency, ``(T,)``.

    Empirical Bayes: a word's level less the median of its window is normal with the window's own variance, what is
    measured errs by ``error``; the posterior follows. 0 where the words of a window do not differ beyond their error.

    Args:
        instability: ``(T,)``, larger is less stable; words in descending frequency. ``1 − p@10`` by default: its noise
            does not grow with its value, as that of PIP losses does.
        error: ``(T,)`` standard error, see :func:`gpustab.statistics.reliability.pooled_error`.
        like: words of like frequency.
    """
    x = instability - local_median(instability, like)
    noise = error.square()
    own = (local_mean(x.square(), like) - local_mean(noise, like)).clamp(min=0)
    known = own / (own + noise)
    mean, sd = x * known, (known * noise).sqrt()
    z = (mean - _TENTH * own.sqrt()) / sd
    chance: Tensor = torch.special.ndtr(z)
    chance = chance.where(own > 0, torch.zeros_like(chance))
    return chance.where((sd > 0) | (own == 0), (z > 0).to(chance))


def standing_out(probability: Tensor, sure: float = SURE) -> Tensor:
    """Return the words of highest probability, as many as are right in 95 % on the average; row numbers, best first.

    >>> standing_out(torch.tensor([0.2, 0.99, 0.92, 0.9]), 0.95).tolist()
    [1, 2]
    """
    ranked, order = probability.nan_to_num().sort(descending=True, stable=True)
    mean = ranked.cumsum(0) / torch.arange(1, len(ranked) + 1)
    return order[: int((mean >= sure).sum())]
