"""Words of like frequency: for every word the words nearest to it in the order of frequency.

Values are ``(T,)`` in descending frequency. A window is as many neighbours as there are on both sides, and lies at the
edge where a side has too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

LIKE = 200
"""Words of like frequency beside the word itself."""

_ROWS = 1 << 14
SURE = 0.97
"""So sure are the words that are said to stand out, on the average. One in twenty may be wrong: of words named at 0.95
6 to 8 % were, against 35 held-out runs, at 0.97 4 to 5 %."""
FEWEST = 5
"""Fewer words are not named: a tail that is estimated from thousands of words has one or two by itself. Of five
bootstrap runs of LSA on 293 news two words of 1,635 would be, most often wrongly."""


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
    starts = (torch.arange(len(values), device="cpu") - width // 2).clamp(0, len(values) - width)
    every = values.unfold(0, width, 1)
    yield from ((own, every[part]) for own, part in zip(values.split(_ROWS), starts.split(_ROWS), strict=True))


def standing_out(probability: Tensor, sure: float = SURE, fewest: int = FEWEST) -> Tensor:
    """Return the words of highest probability, as many as are as sure on the average; row numbers, best first.

    Args:
        probability: ``(T,)``.
        sure: mean probability of those that are named.
        fewest: if they are fewer, none is.

    >>> standing_out(torch.tensor([0.2, 0.99, 0.92, 0.9]), 0.95, fewest=1).tolist()
    [1, 2]
    """
    ranked, order = probability.nan_to_num().sort(descending=True, stable=True)
    named = int((ranked.cumsum(0) / torch.arange(1, len(ranked) + 1, device="cpu") >= sure).sum())
    return order[: named if named >= fewest else 0]
