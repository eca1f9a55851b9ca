"""Words of like frequency: for every word the words nearest to it in the order of frequency.

Values are ``(T,)`` in descending frequency. A window is as many neighbours as there are on both sides, and lies at the
edge where a side has too few.

Which words are really less stable than others of their frequency? "Equal to the others" is the wrong null: nearly all
words differ, so that with enough runs half of a vocabulary rejects it. What is decided is membership: *in the least
stable tenth of the words of like frequency*. Selecting by value over error is wrong as well: 26 to 61 % of the chosen
are in the held-out worst tenth at 3 or 4 runs, against 55 to 97 % of those chosen by the value itself, since an error
is small by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

LIKE = 200
"""Words of like frequency beside the word itself."""

_ROWS = 1 << 14
SURE = 0.95
"""So sure are the words that are said to stand out, on the average: one in twenty may be wrong."""
_TENTH = 1.2815515655446004
"""Quantile of the normal above which a tenth lies."""


def over_windows(values: Tensor, function: Callable[[Tensor], Tensor], like: int = LIKE) -> Tensor:
    """Return a function of every word's window ``(t, w) → (t,)``, a part of the words at a time."""
    return torch.cat([function(window) for _, window in _parts(values, like)])


def local_mean(values: Tensor, like: int = LIKE) -> Tensor:
    """Return the mean over every word's window.

    >>> local_mean(torch.tensor([1.0, 2.0, 3.0, 8.0]), like=2).tolist()
    [2.0, 2.0, 4.333333492279053, 4.333333492279053]
    """
    return over_windows(values, lambda window: window.mean(1), like)


def local_median(values: Tensor, like: int = LIKE) -> Tensor:
    """Return the median over every word's window; of an even number the lower one."""
    return over_windows(values, lambda window: window.median(1).values, like)


def place(values: Tensor, like: int = LIKE) -> Tensor:
    """Return which part of the other words of its window has a smaller value, in [0, 1]; equal ones count by half.

    >>> place(torch.tensor([4.0, 1.0, 2.0, 2.0]), like=3).tolist()
    [1.0, 0.0, 0.5, 0.5]
    """
    found = []
    for own, window in _parts(values, like):
        below, equal = (window < own[:, None]).sum(1), (window == own[:, None]).double().sum(1) - 1
        found.append((below + equal / 2) / max(window.shape[1] - 1, 1))
    return torch.cat(found)


def _parts(values: Tensor, like: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Words and their windows ``(t, w)``, a part of the words at a time: at once they are 200 times the values."""
    if not len(values):
        yield values, values[:, None]
        return
    width = min(like + 1, len(values))
    starts = (torch.arange(len(values)) - width // 2).clamp(0, len(values) - width)
    every = values.unfold(0, width, 1)
    yield from ((own, every[part]) for own, part in zip(values.split(_ROWS), starts.split(_ROWS), strict=True))


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
