"""A linear mixed model with a random intercept per group: restricted maximum likelihood by a one-dimensional search.

``y = Xβ + z(group) + ε``, z ~ N(0, σ_z²), ε ~ N(0, σ²). For a given ratio λ = σ_z²/σ² everything else has a closed form
from sums over groups, so that only λ is searched for; a fit takes milliseconds and cannot fail to invert a Hessian.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError

Floats = NDArray[np.float64]

_LOWEST, _HIGHEST = -12.0, 12.0
"""Natural logarithms of the variance ratios that are tried: below and above nothing changes."""
_GOLDEN = (math.sqrt(5) - 1) / 2
_WIDTH = 1e-6
"""Of the interval in ln λ that is left; likelihoods of float64 tell no nearer ones apart."""


class MixedFit(NamedTuple):
    """A fitted model.

    Attributes:
        beta: ``(p,)`` fixed effects, the intercept first.
        beta_se: ``(p,)`` standard errors, λ taken for known.
        between: σ_z², variance of the groups' intercepts.
        within: σ², variance of the rest.
        likelihood: restricted log-likelihood, with its constants.
        r2_marginal: part of the variance that the fixed effects explain (Nakagawa & Schielzeth 2013).
        r2_conditional: part that they and the groups explain.
    """

    beta: Floats
    beta_se: Floats
    between: float
    within: float
    likelihood: float
    r2_marginal: float
    r2_conditional: float


class _Sums(NamedTuple):
    """What the likelihood depends on."""

    rows: int
    sizes: Floats
    xs: Floats
    ys: Floats
    xx: Floats
    xy: Floats
    yy: float


def fit_random_intercept(y: Floats, x: Floats, groups: NDArray[np.int64]) -> MixedFit:
    """Fit ``y = β₀ + x β + z(group) + ε`` by REML.

    Args:
        y: ``(N,)``.
        x: ``(N,)`` or ``(N, p − 1)``, without the intercept.
        groups: ``(N,)`` any whole numbers.

    Raises:
        InputError: if no group has two rows, so that the two variances cannot be told apart; or for fewer rows than
            effects, values that are not finite, or columns that depend on each other.
    """
    design = np.column_stack([np.ones(len(y)), x])
    if not (np.isfinite(y).all() and np.isfinite(design).all()):
        raise InputError("a mixed model wants finite values")
    sums = _sums(y, design, np.unique(groups, return_inverse=True)[1])
    if len(sums.sizes) == len(y):
        raise InputError("no group has two rows: the variance between groups cannot be told from the rest")
    if len(y) <= design.shape[1] or np.linalg.matrix_rank(design) < design.shape[1]:
        raise InputError(f"{len(y)} rows do not determine {design.shape[1]} effects")
    ratio = _best_ratio(sums)
    beta, precision, within, likelihood = _profile(sums, ratio)
    fixed, between = float(np.var(design @ beta)), ratio * within
    everything = fixed + between + within
    return MixedFit(
        beta,
        np.sqrt(within * np.diag(np.linalg.inv(precision))),
        between,
        within,
        likelihood,
        fixed / everything if everything else math.nan,
        (fixed + between) / everything if everything else math.nan,
    )


def _sums(y: Floats, design: Floats, groups: NDArray[np.int64]) -> _Sums:
    xs = np.column_stack([np.bincount(groups, weights=column) for column in design.T])
    return _Sums(
        len(y),
        np.bincount(groups).astype(np.float64),
        xs.astype(np.float64),
        np.bincount(groups, weights=y).astype(np.float64),
        design.T @ design,
        design.T @ y,
        float(y @ y),
    )


def _profile(sums: _Sums, ratio: float) -> tuple[Floats, Floats, float, float]:
    """Effects, their precision in units of 1/σ², σ² and the restricted log-likelihood at a variance ratio λ.

    The inverse of ``I + λ J`` on a group of n rows is ``I − λ/(1 + nλ) J``, its determinant ``1 + nλ``.
    """
    shrink = ratio / (1 + sums.sizes * ratio)
    a = sums.xx - (sums.xs * shrink[:, None]).T @ sums.xs
    b = sums.xy - sums.xs.T @ (shrink * sums.ys)
    beta, freedom = np.linalg.solve(a, b), sums.rows - len(b)
    within = max((sums.yy - float(shrink @ sums.ys**2) - float(b @ beta)) / freedom, float(np.finfo(np.float64).tiny))
    logs = np.log1p(sums.sizes * ratio).sum() + np.linalg.slogdet(a)[1]
    likelihood = -0.5 * (freedom * (math.log(2 * math.pi * within) + 1) + logs)
    return np.asarray(beta, np.float64), np.asarray(a, np.float64), within, float(likelihood)


def _best_ratio(sums: _Sums) -> float:
    """The λ of highest restricted likelihood: a grid of 25, a golden section around its best, and λ = 0."""
    grid = np.linspace(_LOWEST, _HIGHEST, 25)
    best = int(np.argmax([_at(sums, log) for log in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = _at(sums, left), _at(sums, right)
    while high - low > _WIDTH:
        if at_left > at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = _at(sums, left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = _at(sums, right)
    found = math.exp((low + high) / 2)
    return found if _profile(sums, found)[3] > _profile(sums, 0.0)[3] else 0.0


def _at(sums: _Sums, log: float) -> float:
    return _profile(sums, math.exp(log))[3]
