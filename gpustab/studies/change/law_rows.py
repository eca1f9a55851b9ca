"""The rows of the law of frequency, one for every number of averaged runs, with errors over runs and over words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.statistics.intervals import jackknife_error
from gpustab.statistics.mixed import MixedFit, fit_random_intercept
from gpustab.studies.change.laws import Fitted, Floats, Laws
from gpustab.studies.change.options import ChangeOptions


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
        beta_se_runs: its jackknife error, over runs; NaN for one run.
        r2_marginal: share of the variance that frequency explains.
        r2_conditional: share that frequency and the word explain.
        r2_se: bootstrap error of ``r2_marginal`` over words; NaN without draws.
        r2_se_runs: its jackknife error over runs.
        r2_conditional_se_runs: that of ``r2_conditional``.
    """

    series: str
    control: bool
    n: int
    averages: int
    words: int
    rows: int
    beta: float
    beta_se: float
    beta_se_runs: float
    r2_marginal: float
    r2_conditional: float
    r2_se: float
    r2_se_runs: float
    r2_conditional_se_runs: float


def laws(series: str, control: bool, own: Laws, options: ChangeOptions) -> Iterator[Law]:
    """Yield the law of a series for every number of averaged runs."""
    for n in own.sizes:
        fits, left = own.blocks(n), own.without(n)

        def error(name: str, fits: list[Fitted] = fits, left: list[list[Fitted]] = left) -> float:
            return run_error([getattr(x, name) for x in fits], [[getattr(x, name) for x in block] for block in left])

        y = own.response([part.changes[n][0] for part in own.parts])
        yield Law(
            series,
            control,
            n,
            len(fits),
            len(np.unique(own.groups)),
            len(own.groups),
            fmean(fit.beta for fit in fits),
            fmean(fit.beta_se for fit in fits),
            error("beta"),
            fmean(fit.r2_marginal for fit in fits),
            fmean(fit.r2_conditional for fit in fits),
            bootstrap_error(y, own.x, own.groups, options) if n == max(own.sizes) else math.nan,
            error("r2_marginal"),
            error("r2_conditional"),
        )


def run_error(values: Sequence[float], left_out: Sequence[Sequence[float]]) -> float:
    """Return the error over runs of a mean over disjoint averages; NaN for one run.

    Of single runs it is ``SD/√k``. Averages of more are independent of each other, and each has a jackknife error of
    its own: ``SE² = Σ SE²(average) / k²``. The k-th runs of all epochs are left out together.

    Args:
        values: of the k averages.
        left_out: of each average, without each of its runs.
    """
    if left_out:
        return math.sqrt(sum(jackknife_error(own) ** 2 for own in left_out)) / len(left_out)
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


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
