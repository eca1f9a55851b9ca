"""Does a second negation bring a sentence back? Within sentences, beside verbs' synonyms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpustab.studies.localization.bootstrap import Array, bootstrap_weights, interval_over_runs
from gpustab.studies.localization.comparisons import Distances

FEWEST = 30
"""Components of sentences that the question needs."""


_NONE = (float("nan"),) * 6


class Negation(NamedTuple):
    """How far two changes lie below the middle of one and three, on the scale of the distance.

    Attributes:
        model: its name.
        runs: how many.
        n: sentences with three changes of both kinds.
        components: that hold them.
        antonyms: mean of ``d(2) − (d(1) + d(3)) / 2`` for antonyms.
        synonyms: the same for verbs' synonyms.
        difference: antonyms less synonyms, the mean over runs; below 0 if the second negation brings sentences back.
        sd: its standard deviation over runs.
        low: its 95 % interval, by bootstrap over components, and over runs where there are several.
        high: its upper end.
        verdict: ``back``, ``not back``, ``open`` or ``cannot be judged``.
    """

    model: str
    runs: int
    n: int
    components: int
    antonyms: float
    synonyms: float
    difference: float
    sd: float
    low: float
    high: float
    verdict: str


def negation(model: str, runs: Sequence[Distances], component: Sequence[int], draws: int, seed: int) -> Negation:
    """Return what a model's distances say of double negation.

    Distances grow with every change, whatever it means; so antonyms are compared with synonyms in the same sentence,
    and two changes with one and three of the same chain.
    """
    one, two = (np.stack([_bend(run, kind) for run in runs]) for kind in ("verb_antonym", "verb_synonym"))
    there = np.isfinite(one + two).all(0)
    numbers = np.asarray(component)[there]
    held = len(np.unique(numbers))
    if not there.any():
        return Negation(model, len(runs), 0, 0, *_NONE, "cannot be judged")
    one, two = one[:, there], two[:, there]
    weights = bootstrap_weights(int(np.max(component)) + 1, draws, seed)
    sd, low, high = interval_over_runs(one - two, numbers, weights)
    antonyms, synonyms, mean = (float(part.mean()) for part in (one, two, one - two))
    said = verdict_of(held, low, high)
    return Negation(model, len(runs), int(there.sum()), held, antonyms, synonyms, mean, sd, low, high, said)


def verdict_of(components: int, low: float, high: float) -> str:
    """Return the verdict of an interval.

    >>> verdict_of(10, -0.2, -0.1), verdict_of(80, -0.2, -0.1), verdict_of(80, -0.1, 0.1), verdict_of(80, 0.1, 0.2)
    ('cannot be judged', 'back', 'open', 'not back')
    """
    if components < FEWEST:
        return "cannot be judged"
    return "back" if high < 0 else "not back" if low > 0 else "open"


def _bend(distances: Distances, kind: str) -> Array:
    one, two, three = (distances.of(kind, k) for k in (1, 2, 3))
    found: Array = two - (one + three) / 2
    return found
