"""How often a sentence lies farther from its base than another, in a run and over runs (White 2015, tables 1 to 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.intervals import t_quantile, wilson
from gpustab.studies.localization.claims import SECOND_NEGATION
from gpustab.studies.localization.distances import Array, Distances
from gpustab.studies.localization.tables import COMPARISONS, Comparison, Negation, OverRuns, Score


def bootstrap_weights(components: int, draws: int, seed: int) -> Array:
    """Return how often every component is in every bootstrap sample, ``(draws, C)``."""
    if not components:
        return np.zeros((draws, 0))
    generator = np.random.default_rng(seed)
    return generator.multinomial(components, np.full(components, 1 / components), size=draws).astype(np.float64)


def bootstrap_interval(hits: Array, component: NDArray[np.int64], weights: Array) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean of ``hits``, drawn by whole components.

    Args:
        hits: ``(n,)``.
        component: ``(n,)`` of each.
        weights: of :func:`bootstrap_weights`.

    Returns:
        Both ends; NaN for fewer than two components.
    """
    size = weights.shape[1]
    if len(np.unique(component)) < 2:
        return math.nan, math.nan
    sums, numbers = np.bincount(component, hits, size), np.bincount(component, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ sums) / (weights @ numbers)
    low, high = np.nanquantile(means, (0.025, 0.975))
    return float(low), float(high)


def interval_over_runs(hits: Array, component: NDArray[np.int64], weights: Array) -> tuple[float, float, float]:
    """Return the SD over runs of the mean over sentences, and the 95 % interval of its mean over runs.

    Other sentences and another training are two errors: the bootstrap over components of the sentences' means over
    runs, and ± t(R − 1) SD / √R; they are added as squares, on either side. One run has the first alone, which says
    nothing of another training.

    Args:
        hits: ``(R, n)``.
        component: ``(n,)`` of each sentence.
        weights: of :func:`bootstrap_weights`.
    """
    low, high = bootstrap_interval(hits.mean(0), component, weights)
    if len(hits) < 2:
        return math.nan, low, high
    mean, sd = float(hits.mean()), float(hits.mean(1).std(ddof=1))
    trained = t_quantile(len(hits) - 1) * sd / math.sqrt(len(hits))
    return sd, mean - math.hypot(mean - low, trained), mean + math.hypot(high - mean, trained)


def share_interval(hits: Array, component: NDArray[np.int64], weights: Array) -> tuple[float, float, float]:
    """Return the SD over runs of a share, and its 95 % interval within 0 to 1, which t of few runs can leave.

    Of sentences that all are alike every draw is too, and the bootstrap's interval would be a point: then it is
    Wilson's, as of so many components.

    Args:
        hits: ``(R, n)`` in 0 to 1.
        component: ``(n,)`` of each sentence.
        weights: of :func:`bootstrap_weights`.
    """
    sd, low, high = interval_over_runs(hits, component, weights)
    components = len(np.unique(component))
    if components > 1 and (share := float(hits.mean())) in (0.0, 1.0):
        return sd, *wilson(share * components, components)
    return sd, max(low, 0.0) if low == low else low, min(high, 1.0) if high == high else high


class Case(NamedTuple):
    """A comparison with k changes, in the sentences of a subset that every run has distances of.

    Attributes:
        comparison: which one.
        k: changed words.
        subset: ``all`` or ``known``.
        there: ``(B,)`` which bases.
        far: ``(R, n)`` distances of the first sentence in these bases.
        near: of the second.
    """

    comparison: Comparison
    k: int
    subset: str
    there: NDArray[np.bool_]
    far: Array
    near: Array


def cases(runs: Sequence[Distances], open_: bool) -> Iterator[Case]:
    """Yield all comparisons that some sentence has.

    Args:
        runs: distances of every run of a model.
        open_: whether the model lacks words, so that the sentences that it knows are a subset of their own.
    """
    longest = max((own.shape[1] for own in runs[0].chains.values()), default=0)
    for comparison in COMPARISONS:
        for k in range(1, longest + 1):
            far, near = (np.stack([run.of(what, k) for run in runs]) for what in (comparison.far, comparison.near))
            there: NDArray[np.bool_] = np.all(np.isfinite(far + near), axis=0)
            subsets = {"all": there}
            if open_:
                know = [run.knows(what, k) for run in runs for what in (comparison.far, comparison.near)]
                subsets["known"] = there & np.stack(know).all(0)
            for subset, mask in subsets.items():
                if mask.any():
                    yield Case(comparison, k, subset, mask, far[:, mask], near[:, mask])


def hits_of(comparison: Comparison, far: Array, near: Array) -> tuple[Array, Array]:
    """Return what counts for the share and for the half-share, sentence by sentence.

    Table 1 counts "no farther", so equal distances count there.
    """
    farther, equal = far > near, far == near
    counted = farther | equal if comparison.far == "paraphrase" else farther
    return counted.astype(np.float64), farther + 0.5 * equal


def scores(
    model: str, run: int, distances: Distances, component: Sequence[int], draws: int, seed: int, open_: bool
) -> list[Score]:
    """Return all scores of a model that some sentence has.

    Args:
        model: its name.
        run: from 1.
        distances: of the model.
        component: ``(B,)`` of every base.
        draws: bootstrap samples.
        seed: of them.
        open_: whether the model lacks words, so that the sentences that it knows are scored apart too.
    """
    numbers = np.asarray(component)
    weights = bootstrap_weights(int(numbers.max(initial=-1)) + 1, draws, seed)
    rows = []
    for case in cases([distances], open_):
        far, near, own = case.far[0], case.near[0], numbers[case.there]
        share, half = hits_of(case.comparison, far, near)
        n, equal = len(far), far == near
        rows.append(
            Score(
                model, run, case.subset, case.comparison.name, case.k,
                n, int((far > near).sum()), int(equal.sum()),
                float(share.mean()), float(equal.mean()), float(half.mean()),
                *wilson(int(share.sum()), n),
                *share_interval(share[None], own, weights)[1:],
                *share_interval(half[None], own, weights)[1:],
                len(np.unique(own)),
            )
        )  # fmt: skip
    return rows


def over_runs(
    model: str, runs: Sequence[Distances], component: Sequence[int], draws: int, seed: int, open_: bool
) -> list[OverRuns]:
    """Return all comparisons of a model over its runs; none for a model of one run.

    Args:
        model: its name.
        runs: distances of every run.
        component: ``(B,)`` of every base.
        draws: bootstrap samples.
        seed: of them.
        open_: whether the model lacks words.
    """
    if len(runs) < 2:
        return []
    numbers = np.asarray(component)
    weights = bootstrap_weights(int(numbers.max(initial=-1)) + 1, draws, seed)
    rows = []
    for case in cases(runs, open_):
        own = numbers[case.there]
        share, half = hits_of(case.comparison, case.far, case.near)
        share_sd, low, high = share_interval(share, own, weights)
        half_sd, half_low, half_high = share_interval(half, own, weights)
        rows.append(
            OverRuns(
                model, case.subset, case.comparison.name, case.k, len(runs), share.shape[1],
                float(share.mean()), share_sd, low, high,
                float(half.mean()), half_sd, half_low, half_high,
                float((case.far == case.near).mean()), len(np.unique(own)),
            )
        )  # fmt: skip
    return rows


def negation(model: str, runs: Sequence[Distances], component: Sequence[int], draws: int, seed: int) -> Negation:
    """Return what a model's distances say of double negation.

    Distances grow with every change, whatever it means; so antonyms are compared with synonyms in the same sentence,
    and two changes with one and three of the same chain.
    """
    one, two = (np.stack([_bend(run, kind) for run in runs]) for kind in ("verb_antonym", "verb_synonym"))
    there = np.isfinite(one + two).all(0)
    row = Negation(model, len(runs), 0, 0, *(math.nan,) * 7, "")
    if there.any():
        numbers, one, two = np.asarray(component)[there], one[:, there], two[:, there]
        weights = bootstrap_weights(int(np.max(component)) + 1, draws, seed)
        sd, low, high = interval_over_runs(one - two, numbers, weights)
        step = np.stack([run.of("verb_antonym", 1)[there] for run in runs])
        counts, means = (
            (int(there.sum()), len(np.unique(numbers))),
            (float(x.mean()) for x in (one, two, step, one - two)),
        )
        row = Negation._make((model, len(runs), *counts, *means, sd, low, high, ""))
    return row._replace(verdict=SECOND_NEGATION.judge(row))


def _bend(distances: Distances, kind: str) -> Array:
    one, two, three = (distances.of(kind, k) for k in (1, 2, 3))
    bend: Array = two - (one + three) / 2
    return bend
