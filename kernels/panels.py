"""Integrals of ``φ_s(x) P[N_s(x) ≤ n − 1]`` over x, panel by panel: the numerical half of the predicted overlap.

Why these panels and these sums: :func:`gpustab.kernels.prediction.top_n_probabilities`. Words without spread are steps,
and their integral is one value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

__all__ = ["REACH", "above", "integrate", "with_one_more"]

REACH = 8.5
"""A normal is within so many standard deviations of its mean, up to 2e-17."""

_SURE = 7.3
"""A panel takes a word that is so many standard deviations above or below it to be there, up to 2e-13."""

_NODES = 20

_AT_ONCE = 1 << 14
"""Words times panels that are worked on at a time: what is held of them stays in a processor's cache."""


def above(mean: Tensor, sd: Tensor, x: Tensor, first: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Probabilities of lying above and below x; words without spread that equal x are above it where ``first``."""
    z = (mean - x) / sd
    step = mean > x if first is None else (mean > x) | ((mean == x) & first)
    sharp = sd == 0
    return torch.where(sharp, step, torch.special.ndtr(z)), torch.where(sharp, ~step, torch.special.ndtr(-z))


def with_one_more(law: Tensor, q: Tensor, rest: Tensor) -> Tensor:
    """Law ``(n, ...)`` of a number of successes below n, after one more trial with probability q."""
    more = law * rest
    more[1:].addcmul_(law[:-1], q)
    return more


def integrate(mean: Tensor, sd: Tensor, start: Tensor, lengths: Sequence[int], width: float, numbers: int) -> Tensor:
    """Return the integrals of all words for every n, ``(N, T, K)``.

    Args:
        mean: ``(T, K)``; −∞ is no word.
        sd: ``(T, K)``, 0 for a word without spread.
        start: ``(T,)`` where to begin: below it lies nothing that counts.
        lengths: values of n.
        width: of a panel, at most so many standard deviations.
        numbers: how many numbers may be held at a time.
    """
    targets, words = mean.shape
    result = mean.new_zeros(targets * words, len(lengths))
    own, left, right = _panels(mean, sd, start, width)
    for part in torch.arange(len(own), device=mean.device).split(max(1, numbers // (8 * words))):
        for at, places, sure, high in _uncertain(mean, sd, own[part], left[part], right[part], max(lengths), numbers):
            panels = part[at]
            inside = _panel_integrals(
                mean[own[panels, None], places].mT.contiguous()[..., None],
                sd[own[panels, None], places].mT.contiguous()[..., None],
                left[panels, None],
                right[panels, None],
                high,
                [n - sure for n in lengths],
            )
            result.index_add_(0, (own[panels, None] * words + places).flatten(), inside.flatten(0, 1))
    result = result.view(targets, words, len(lengths))
    _add_sharp(result, mean, sd, lengths, max(1, numbers // (words * max(lengths))))
    return result.permute(2, 0, 1)


def _uncertain(
    mean: Tensor, sd: Tensor, own: Tensor, left: Tensor, right: Tensor, n: int, numbers: int
) -> Iterator[tuple[Tensor, Tensor, int, int]]:
    """Yield panels, the places ``(P, k)`` of the words that may lie on both sides, and how many surely lie above.

    The last number says how many of these places, from the first on, hold a word that is likelier above than below a
    node of its panel.
    """
    surely = (mean[own] - right[:, None]) / sd[own] > _SURE
    from_left = (mean[own] - left[:, None]) / sd[own]
    never = from_left < -_SURE
    from_left = from_left.nan_to_num(0).clamp(-_SURE, _SURE)  # without spread at the left end: below
    places = from_left.masked_fill(surely, torch.inf).masked_fill(never, -torch.inf).argsort(dim=1, descending=True)
    first, last, likely = surely.sum(1), (~never).sum(1), (surely | (from_left > 0)).sum(1)
    waiting = last.argsort(descending=True)
    while len(waiting):
        most = int(last[waiting[0]])
        tile = max(1, min(numbers // (n * _NODES), _AT_ONCE) // max(most, 1))
        at, waiting = waiting[:tile], waiting[tile:]
        sure = int(first[at].min())
        if sure < min(n, most):
            yield at, places[at, sure:most], sure, int(likely[at].max()) - sure


def _panel_integrals(
    mean: Tensor, sd: Tensor, left: Tensor, right: Tensor, high: int, lengths: Sequence[int]
) -> Tensor:
    """Integrate over P panels, ``(P, k, N)``, for ``(k, P, 1)`` words."""
    nodes, weights = (torch.from_numpy(part).to(mean.device) for part in np.polynomial.legendre.leggauss(_NODES))
    half = (right - left) / 2
    x = left + half * (1 + nodes)  # (P, X)
    density = torch.exp(-((x - mean) / sd).square() / 2) / (sd * math.sqrt(2 * math.pi))
    mass = torch.where(sd > 0, density * (half * weights), 0)
    return torch.einsum("knpx,kpx->pkn", _at_most(*above(mean, sd, x), high, lengths), mass)


def _add_sharp(result: Tensor, mean: Tensor, sd: Tensor, lengths: Sequence[int], tile: int) -> None:
    """Fill in the words without spread: ``p_#n(s) = P[N_s(μ_s) ≤ n − 1]``; ``(T, K, N)``."""
    places = torch.arange(mean.shape[1], device=mean.device)[:, None, None]
    for own, word in (part.T for part in ((sd == 0) & (mean > -torch.inf)).nonzero().split(tile)):
        x = mean[own, word][:, None]
        sides = above(mean[own].mT[..., None], sd[own].mT[..., None], x, places < word[:, None])
        result[own, word] = _at_most(*sides, len(sides[0]), lengths)[
            word, :, torch.arange(len(word), device=mean.device), 0
        ]


def _panels(mean: Tensor, sd: Tensor, start: Tensor, width: float) -> tuple[Tensor, Tensor, Tensor]:
    """Target, left and right end of every panel: at most ``width`` SDs of each word in reach, ends where one is 0."""
    low, high = mean - REACH * sd, mean + REACH * sd
    end = high.amax(1)
    x = torch.maximum(start, low.masked_fill(mean == -torch.inf, torch.inf).amin(1)).minimum(end)
    edges = [x]
    while bool((x < end).any()):
        at = x[:, None]
        step = torch.where(at < low, torch.maximum(low - at, width * sd), width * sd)
        x = torch.minimum(x + step.masked_fill(at >= high, torch.inf).amin(1), end)
        edges.append(x)
    grid = torch.stack(edges, 1)
    own, place = (grid[:, 1:] > grid[:, :-1]).nonzero().unbind(1)
    return own, grid[own, place], grid[own, place + 1]


def _at_most(above: Tensor, below: Tensor, high: int, lengths: Sequence[int]) -> Tensor:
    """Return ``P[N_s ≤ n − 1]`` without the word itself, ``(K, N, P, X)``, of ``(K, P, X)`` probabilities.

    Of the first ``high`` words prefixes and suffixes of the product meet. The others lie above with a probability of at
    most ½: from the law F of all words ``G(n) = (F(n) − above G(n − 1)) / below`` divides one out, where an error grows
    by no more than 2u with n.
    """
    words, most = len(above), max(lengths)
    law = _law(above[high:], below[high:], most)
    inside = above.new_zeros(words, len(lengths), *above.shape[1:])
    if high:
        law = _without_each(law, above[:high], below[:high], lengths, inside)
    above, below = above[high:], below[high:].reciprocal()
    one_less = torch.zeros_like(above)
    for count, fewer in enumerate(law.cumsum(0), 1):
        one_less = torch.addcmul(fewer, above, one_less, value=-1).mul_(below)
        for i, n in enumerate(lengths):
            if n == count:
                inside[high:, i] = one_less
    return inside


def _law(above: Tensor, below: Tensor, most: int) -> Tensor:
    """Return the law of how many of some words lie above, ``(most, P, X)``; what is more than most − 1 is cut off.

    Laws of two halves of the words are joined, level by level: few operations on much, where word after word would be
    many on little.
    """
    if not len(above):
        law = above.new_zeros(most, *above.shape[1:])
        law[0] = 1
        return law
    laws = torch.stack([below, above])[:most]  # (length, words, P, X)
    while laws.shape[1] > 1:
        half = laws.shape[1] // 2
        first, second, odd = laws[:, :half], laws[:, half : 2 * half], laws[:, 2 * half :]
        joined = laws.new_zeros(min(2 * len(laws) - 1, most), *first.shape[1:])
        for i in range(len(laws)):
            kept = min(len(laws), len(joined) - i)
            joined[i : i + kept].addcmul_(first[:kept], second[i])
        if odd.shape[1]:
            joined = torch.cat([joined, torch.cat([odd, odd.new_zeros(len(joined) - len(odd), *odd.shape[1:])])], 1)
        laws = joined
    return torch.cat([laws[:, 0], laws.new_zeros(most - len(laws), *laws.shape[2:])])


def _without_each(law: Tensor, above: Tensor, below: Tensor, lengths: Sequence[int], inside: Tensor) -> Tensor:
    """Fill in ``P[N_s ≤ n − 1]`` for each of some words, beside others of this law; return the law of all."""
    words, most = len(above), len(law)
    earlier, later = law.new_empty(2, words, *law.shape)
    # Entry i holds P[fewer than most − i of the later words], so that equal indices of both sides meet.
    later[-1] = 1
    for s in range(words - 1, 0, -1):
        torch.mul(later[s], below[s], out=later[s - 1])
        later[s - 1, :-1].addcmul_(later[s, 1:], above[s])
    for s in range(words):
        earlier[s] = law
        law = with_one_more(law, above[s], below[s])
    for i, n in enumerate(lengths):
        if n > 0:
            torch.sum(earlier[:, :n] * later[:, most - n :], 1, out=inside[:words, i])
    return law
