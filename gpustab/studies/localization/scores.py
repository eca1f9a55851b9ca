"""Which of two sentences a model puts farther from a base, by number of changes (White 2015, tables 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.intervals import wilson
from gpustab.studies.localization.bootstrap import Array, bootstrap_interval, bootstrap_weights
from gpustab.studies.localization.comparisons import Case, Distances, cases, hits_of


class Score(NamedTuple):
    """How often one sentence is farther from its base than another.

    Attributes:
        model: whose distances.
        run: of the model, from 1.
        subset: ``all``, or ``known``: sentences whose new and old words the model knows.
        comparison: see :data:`COMPARISONS`.
        k: changed words.
        n: sentences.
        farther: how often the first is farther.
        equal: how often both are equally far.
        share: table 1 counts "no farther", so equal ones count there; elsewhere ``farther / n``.
        equal_share: of n.
        half: ``(farther + equal / 2) / n``, 0.5 by chance.
        wilson_low: Wilson's 95 % interval of the share, as if sentences were independent.
        wilson_high: its upper end.
        low: 95 % interval of the share, by bootstrap over components of pairs that share a sentence.
        high: its upper end.
        half_low: the same of ``half``.
        half_high: its upper end.
        components: that hold these sentences.
    """

    model: str
    run: int
    subset: str
    comparison: str
    k: int
    n: int
    farther: int
    equal: int
    share: float
    equal_share: float
    half: float
    wilson_low: float
    wilson_high: float
    low: float
    high: float
    half_low: float
    half_high: float
    components: int


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
    return [
        _score(model, run, case, case.far[0], case.near[0], numbers[case.there], weights)
        for case in cases([distances], open_)
    ]


def _score(
    model: str, run: int, case: Case, far: Array, near: Array, component: NDArray[np.int64], weights: Array
) -> Score:
    share, half = hits_of(case.comparison, far, near)
    n, equal = len(far), far == near
    return Score(
        model,
        run,
        case.subset,
        case.comparison.name,
        case.k,
        n,
        int((far > near).sum()),
        int(equal.sum()),
        float(share.mean()),
        float(equal.mean()),
        float(half.mean()),
        *wilson(int(share.sum()), n),
        *bootstrap_interval(share, component, weights),
        *bootstrap_interval(half, component, weights),
        len(np.unique(component)),
    )
