"""Does change follow frequency? The law of conformity by a mixed model (Rettenmeier 2020, §4.2, eq. 4.3).

``log Δ(w, t)`` over ``log f(w, t)``, both standardised, with a random intercept per word; f is the relative frequency
in the earlier epoch, as in the thesis' program. Noise of sampled documents follows frequency too, and averaging
runs does not take it away: only the difference to a control, whose epochs are documents dealt out at random, says
anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.statistics.mixed import MixedFit, fit_random_intercept
from gpustab.studies.change.epoch import Between
from gpustab.studies.change.options import ChangeOptions

Floats = NDArray[np.float64]


class Rows(NamedTuple):
    """Words of one pair of epochs.

    Attributes:
        words: ``(v,)`` what they are.
        frequency: ``(v,)`` relative, in the earlier epoch.
        changes: by number of runs that were averaged, ``(k, v)`` of k disjoint averages.
    """

    words: list[str]
    frequency: Floats
    changes: dict[int, Floats]


class Law(NamedTuple):
    """The fit of one series at one number of averaged runs; means over the disjoint averages of so many.

    Attributes:
        series: name.
        control: whether nothing changed in it.
        n: runs averaged.
        averages: disjoint averages of so many in each epoch.
        words: different words.
        rows: words times pairs of epochs.
        beta: effect of frequency.
        beta_se: its standard error, over words.
        r2_marginal: share of the variance that frequency explains.
        r2_conditional: share that frequency and the word explain.
        r2_se: bootstrap error of ``r2_marginal`` over words; NaN without draws.
    """

    series: str
    control: bool
    n: int
    averages: int
    words: int
    rows: int
    beta: float
    beta_se: float
    r2_marginal: float
    r2_conditional: float
    r2_se: float


def rows_of(found: Between) -> Rows | None:
    """Return what the laws need of a pair of epochs; ``None`` without counts or tested words."""
    first = found.counts[0]
    if first is None or found.counts[1] is None or not found.tested.any():
        return None
    tested = found.tested.numpy()
    changes = {n: np.stack([own.cpu().numpy()[tested] for own in level]) for n, level in found.by_size()}
    words = [word for word, kept in zip(found.words, tested, strict=True) if kept]
    return Rows(words, first.numpy()[tested] / found.first.tokens, changes)


def laws(series: str, control: bool, parts: Sequence[Rows], options: ChangeOptions) -> Iterator[Law]:
    """Yield the fit of a series for every number of averaged runs.

    Raises:
        InputError: if no word stands in two pairs of epochs, or nothing varies.
    """
    sizes = [n for n in parts[0].changes if all(n in part.changes for part in parts)]
    names = np.unique(np.concatenate([np.array(part.words, dtype=object) for part in parts]).astype(str))
    groups = np.concatenate([np.searchsorted(names, np.array(part.words).astype(str)) for part in parts])
    x = standardised([np.log(part.frequency) for part in parts], options.per_pair)
    for n in sizes:
        many = min(len(part.changes[n]) for part in parts)
        ys = [standardised([_log(part.changes[n][k]) for part in parts], options.per_pair) for k in range(many)]
        fits = [fit_random_intercept(y, x, groups) for y in ys]
        yield Law(
            series,
            control,
            n,
            many,
            len(np.unique(groups)),
            len(groups),
            fmean(float(fit.beta[1]) for fit in fits),
            fmean(float(fit.beta_se[1]) for fit in fits),
            fmean(fit.r2_marginal for fit in fits),
            fmean(fit.r2_conditional for fit in fits),
            bootstrap_error(ys[0], x, groups, options) if n == max(sizes) else float("nan"),
        )


def standardised(parts: Sequence[Floats], per_part: bool) -> Floats:
    """Return values of all parts one after the other, of mean 0 and SD 1 (ddof 1): in each part, or over all.

    Raises:
        InputError: if they do not vary.

    >>> standardised([np.array([1.0, 3.0]), np.array([10.0, 30.0])], True).round(3).tolist()
    [-0.707, 0.707, -0.707, 0.707]
    """
    groups = list(parts) if per_part else [np.concatenate(list(parts))]
    for own in groups:
        if len(own) < 2 or not np.std(own) > 0:
            raise InputError("change or frequency does not vary between words")
    return np.concatenate([(own - own.mean()) / own.std(ddof=1) for own in groups])


def bootstrap_error(y: Floats, x: Floats, groups: NDArray[np.int64], options: ChangeOptions) -> float:
    """Return the standard error of the marginal R² over draws of words, each with all its rows; NaN without draws."""
    if options.resamples < 2:
        return float("nan")
    rng = np.random.default_rng(options.seed)
    order = np.argsort(groups, kind="stable")
    places = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    found: list[float] = []
    for _ in range(options.resamples):
        drawn = [places[k] for k in rng.integers(len(places), size=len(places))]
        names = np.repeat(np.arange(len(drawn)), [len(own) for own in drawn])
        fit = _fit(y[np.concatenate(drawn)], x[np.concatenate(drawn)], names)
        found += [] if fit is None else [fit.r2_marginal]
    return float(np.std(found, ddof=1)) if len(found) > 1 else float("nan")


def _fit(y: Floats, x: Floats, groups: NDArray[np.int64]) -> MixedFit | None:
    try:
        return fit_random_intercept(y, x, groups)
    except InputError:  # the few words that were drawn do not determine it
        return None


def _log(change: Floats) -> Floats:
    """Logarithms; a word that did not move at all counts as moved by rounding noise."""
    return np.log(np.maximum(change, np.finfo(np.float64).eps))
