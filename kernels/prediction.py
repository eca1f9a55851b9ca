"""Predicted overlap of nearest-neighbour lists when the cosines of a target are independent normals.

``p_#n(s) = ∫ φ_s(x) P[N_s(x) ≤ n − 1] dx`` is the probability that word s is among the n nearest neighbours of a
target in one run, N_s(x) the number of other words above x (Poisson-binomial); ``p@n = (1/n) Σ_s p_#n(s)²`` is the
expected overlap of two runs. Rettenmeier 2020, eq. 2.22 and A.9-A.16 for n = 1, 2, here for any n (2.23 lacks 1/n).

Candidates of T targets are ``(T, K)`` means and standard deviations; a mean of −∞ fills up a row and is no candidate.
A standard deviation of at most :data:`SHARP` is taken as the limit 0: the word always has its mean cosine, and words of
equal mean rank by their place in the row.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gpustab.kernels.panels import REACH, above, integrate, law_of

__all__ = ["SHARP", "TOLERANCE", "predicted_overlap", "reaches", "top_n_probabilities", "top_n_threshold"]

SHARP = 1e-9
"""Standard deviations of cosines up to this count as 0; float32 vectors resolve no finer than 1e-8."""

TOLERANCE = 1e-8
"""Largest ``|Σ_s p_#n(s) − n|`` that is accepted."""

_CUT = 1e-12
"""Probability that the n-th neighbour lies below the first node."""


def top_n_threshold(
    mean: Tensor, sd: Tensor, n: int, epsilon: float, words: int | None = None, halvings: int = 30
) -> Tensor:
    """Return for every target a cosine that the n-th neighbour exceeds, but for a probability of ``epsilon / 2``.

    Bisects ``P[N_T(x₀) ≤ n − 1] ≤ epsilon / 2``, T some candidates of highest mean: any subset gives a valid bound. A
    word that reaches x₀ with a probability of at most ``epsilon / (2 v)`` may then be dropped: all such words together
    change any ``p_#n`` by at most epsilon and ``p@n`` by at most ``2 epsilon``, also for smaller n. (The rule of
    Rettenmeier 2020, eq. A.1, compares with the first neighbour alone and holds for n = 1 only.)

    Args:
        mean: ``(T, K)``.
        sd: ``(T, K)``.
        n: list length, at most the number of candidates.
        epsilon: the bound.
        words: how many candidates are in T; default 2n + 10.
        halvings: of the range in which the bound lies: fewer give a lower one.

    Returns:
        ``(T,)``.
    """
    _check(mean, [n])
    mean, sd = mean.double(), sd.double()
    top, places = mean.topk(min(words or 2 * n + 10, mean.shape[1]), dim=1)
    spread = sd.gather(1, places)
    # Not the lowest end itself: a word without spread is not above its own mean.
    low = (top - REACH * spread).masked_fill(top == -torch.inf, torch.inf).amin(1) - 1e-6
    high = top[:, 0]
    for _ in range(halvings):
        middle = (low + high) / 2
        beyond = law_of(*above(top.mT, spread.mT, middle), n).sum(0) <= epsilon / 2
        low, high = torch.where(beyond, middle, low), torch.where(beyond, high, middle)
    return low


def reaches(mean: Tensor, sd: Tensor, threshold: Tensor, probability: float) -> Tensor:
    """Tell which words lie above their target's threshold with more than this probability, ``(T, K)`` bool."""
    return above(mean, sd, threshold[:, None])[0] > probability


def top_n_probabilities(mean: Tensor, sd: Tensor, lengths: Sequence[int], *, numbers: int = 2**22) -> Tensor:
    """Return the probability of every candidate to be among the n nearest neighbours, for several n.

    The integral is composite Gauss-Legendre on panels no wider than eight standard deviations of any word that varies
    there, or ten of the place where the number of words above x falls below n: among many words it is narrower than
    any of them. At each node the laws of N_s come down a tree of products over the candidates, in O(K n log K): every
    term is at least 0, and nothing is divided out. Words that are above with less than 1/5 enter into the law of all,
    and are divided out of it, by twenty powers of their odds: they are most words, and cost less than n operations.

    Args:
        mean: ``(T, K)`` mean cosines.
        sd: ``(T, K)`` their standard deviations, ≥ 0.
        lengths: values of n, each in ``1 ..`` number of candidates.
        numbers: how many numbers the recursion may hold; changes memory, never the result.

    Returns:
        ``(N, T, K)`` float64 in [0, 1], summing to n over the candidates within :data:`TOLERANCE`.

    Raises:
        ArithmeticError: if the sum stays off n with panels an eighth as wide.

    Example:
        >>> mean, sd = torch.tensor([[0.65, 0.633, 0.621]]), torch.tensor([[0.010, 0.011, 0.009]])
        >>> [round(p, 3) for p in top_n_probabilities(mean, sd, [1])[0, 0].tolist()]
        [0.867, 0.124, 0.009]
    """
    _check(mean, lengths)
    if mean.isnan().any() or (mean == torch.inf).any() or not (sd.isfinite() & (sd >= 0)).all():
        raise ValueError("means must be finite or −∞, and standard deviations finite and at least 0")
    mean, sd = mean.double(), sd.double().masked_fill(sd <= SHARP, 0)
    wanted = torch.tensor(lengths, dtype=torch.float64, device=mean.device)[:, None]
    result = mean.new_empty(len(lengths), *mean.shape)
    start = top_n_threshold(mean, sd, max(lengths), _CUT, 8 * max(lengths) + 50, halvings=10)
    waiting = torch.arange(len(mean), device=mean.device)
    # Where the guess of how narrow the integrand is was wrong, finer panels are needed.
    for width in (8.0, 4.0, 2.0, 1.0):
        found = integrate(mean[waiting], sd[waiting], start[waiting], lengths, width, numbers)
        result[:, waiting] = found
        off = (found.sum(2) - wanted).abs().amax(0)
        # Not >, or NaN would be accepted.
        waiting = waiting[~(off <= TOLERANCE)]
        if not len(waiting):
            return result.clamp(max=1)
    raise ArithmeticError(f"the probabilities of a target's neighbours miss their sum by {float(off.max()):.1e}")


def predicted_overlap(probabilities: Tensor, lengths: Sequence[int]) -> Tensor:
    """Return ``p@n = (1/n) Σ_s p_#n(s)²``, ``(N, T)``, of ``(N, T, K)`` probabilities.

    >>> predicted_overlap(torch.tensor([[[0.5, 0.5, 0.0]], [[1.0, 0.5, 0.5]]]), [1, 2]).flatten().tolist()
    [0.5, 0.75]
    """
    return probabilities.square().sum(2) / torch.tensor(lengths, device=probabilities.device)[:, None]


def _check(mean: Tensor, lengths: Sequence[int]) -> None:
    candidates = int((mean > -torch.inf).sum(1).min())
    if not lengths or min(lengths) < 1 or max(lengths) > candidates:
        raise ValueError(f"list lengths {list(lengths)} must lie in 1 .. {candidates}, the fewest candidates")
