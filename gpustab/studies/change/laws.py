"""Does change follow frequency? The law of conformity by a mixed model (Rettenmeier 2020, §4.2, eq. 4.3).

``log Δ(w, t)`` over ``log f(w, t)``, both standardised, with a random intercept per word; f is the relative frequency
in the earlier epoch, as in the thesis' program. Noise of sampled documents follows frequency too, and averaging
runs does not take it away: only the difference to a control, whose epochs are documents dealt out at random, says
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.statistics.mixed import fit_random_intercept
from gpustab.studies.change.epoch import Between

Floats = NDArray[np.float64]


LEAST = 20
"""Words from which on a law is fitted."""


class Rows(NamedTuple):
    """Words of one pair of epochs.

    Attributes:
        first: the earlier epoch.
        second: the later one.
        words: ``(v,)`` what they are.
        frequency: ``(v,)`` relative, in the earlier epoch.
        changes: by number n of runs that were averaged, ``(k, v)`` of k disjoint averages.
        without: the same without each run of an average, ``(k, n, v)``; nothing for n = 1.
    """

    first: str
    second: str
    words: list[str]
    frequency: Floats
    changes: dict[int, Floats]
    without: dict[int, Floats]


class Fitted(NamedTuple):
    """One fit.

    Attributes:
        beta: effect of log frequency on log change, both standardised.
        beta_se: its standard error over words.
        r2_marginal: share of the variance that frequency explains.
        r2_conditional: share that frequency and the word explain.
        residuals: ``(N,)`` log change less what the law says, natural logarithm.
    """

    beta: float
    beta_se: float
    r2_marginal: float
    r2_conditional: float
    residuals: Floats


def rows_of(found: Between) -> Rows | None:
    """Return what the laws need of a pair of epochs; ``None`` without counts or tested words."""
    first = found.counts[0]
    if first is None or found.counts[1] is None or not found.tested.any():
        return None
    tested = found.tested.numpy()
    words = [word for word, kept in zip(found.words, tested, strict=True) if kept]
    changes, without = {}, {}
    for n, level, lacking in found.by_size():
        changes[n] = np.stack([own.numpy()[tested] for own in level])
        if lacking:
            without[n] = np.stack([own.numpy()[tested] for own in lacking]).reshape(len(level), n, len(words))
    frequency = first.numpy()[tested] / found.first.tokens
    return Rows(found.first.name, found.second.name, words, frequency, changes, without)


class Laws:
    """The fits of one series.

    Args:
        parts: its pairs of epochs.
        per_pair: whether change and frequency are standardised in every pair, or over all.

    Raises:
        InputError: for fewer than 20 words, if no word stands in two pairs of epochs, or nothing varies.
    """

    def __init__(self, parts: Sequence[Rows], per_pair: bool) -> None:
        self.parts, self.per_pair = list(parts), per_pair
        names = [np.array(part.words, dtype=object).astype(str) for part in parts]
        self.groups = np.unique(np.concatenate(names), return_inverse=True)[1]
        if (many := int(self.groups.max()) + 1) < LEAST:
            raise InputError(f"{many} words, wanted {LEAST} or more")
        self.x = standardised([np.log(part.frequency) for part in parts], per_pair)
        self.sizes = sorted(n for n in parts[0].changes if all(n in part.changes for part in parts))

    def blocks(self, n: int) -> list[Fitted]:
        """Return the fit of every disjoint average of n runs."""
        many = min(len(part.changes[n]) for part in self.parts)
        return [self.fit([part.changes[n][k] for part in self.parts]) for k in range(many)]

    def without(self, n: int) -> list[list[Fitted]]:
        """Return the fits without each run of every average of n runs; none of single runs."""
        if not all(n in part.without for part in self.parts):
            return []
        many = min(len(part.without[n]) for part in self.parts)
        return [[self.fit([part.without[n][k, left] for part in self.parts]) for left in range(n)] for k in range(many)]

    def fit(self, changes: Sequence[Floats]) -> Fitted:
        """Fit the law to the changes of all pairs of epochs."""
        y = self.response(changes)
        found = fit_random_intercept(y, self.x, self.groups)
        residuals = y - found.beta[0] - found.beta[1] * self.x
        sds = [np.full(len(own), own.std(ddof=1)) for own in _groups([_log(own) for own in changes], self.per_pair)]
        return Fitted(
            float(found.beta[1]),
            float(found.beta_se[1]),
            found.r2_marginal,
            found.r2_conditional,
            residuals * np.concatenate(sds),
        )

    def response(self, changes: Sequence[Floats]) -> Floats:
        """Log changes, standardised."""
        return standardised([_log(own) for own in changes], self.per_pair)


def standardised(parts: Sequence[Floats], per_part: bool) -> Floats:
    """Return values of all parts one after the other, of mean 0 and SD 1 (ddof 1): in each part, or over all.

    Raises:
        InputError: if they do not vary.

    >>> standardised([np.array([1.0, 3.0]), np.array([10.0, 30.0])], True).round(3).tolist()
    [-0.707, 0.707, -0.707, 0.707]
    """
    groups = _groups(parts, per_part)
    for own in groups:
        if len(own) < 2 or not np.std(own) > 0:
            raise InputError("change or frequency does not vary between words")
    return np.concatenate([(own - own.mean()) / own.std(ddof=1) for own in groups])


def _groups(parts: Sequence[Floats], per_part: bool) -> list[Floats]:
    return list(parts) if per_part else [np.concatenate(list(parts))]


def _log(change: Floats) -> Floats:
    """Logarithms; a word that did not move at all counts as moved by rounding noise."""
    return np.log(np.maximum(change, np.finfo(np.float64).eps))
