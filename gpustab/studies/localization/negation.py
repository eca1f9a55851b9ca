"""Does a second negation bring a sentence back? Within sentences, beside verbs' synonyms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gpustab.studies.localization.scores import Array, Distances, bootstrap_interval, bootstrap_weights

FEWEST = 30
"""Components of sentences that the question needs."""


class Negation(NamedTuple):
    """How far two changes lie below the middle of one and three, on the scale of the distance.

    Attributes:
        model: its name.
        run: from 1.
        n: sentences with three changes of both kinds.
        components: that hold them.
        antonyms: mean of ``d(2) − (d(1) + d(3)) / 2`` for antonyms.
        synonyms: the same for verbs' synonyms.
        difference: antonyms less synonyms; below 0 if the second negation brings sentences back.
        low: its 95 % interval, by bootstrap over components.
        high: its upper end.
        verdict: ``back``, ``not back``, ``open`` or ``cannot be judged``.
    """

    model: str
    run: int
    n: int
    components: int
    antonyms: float
    synonyms: float
    difference: float
    low: float
    high: float
    verdict: str


def negation(model: str, run: int, distances: Distances, component: Sequence[int], draws: int, seed: int) -> Negation:
    """Return what a model's distances say of double negation.

    Distances grow with every change, whatever it means; so antonyms are compared with synonyms in the same sentence,
    and two changes with one and three of the same chain.
    """
    one, two = (_bend(distances, kind) for kind in ("verb_antonym", "verb_synonym"))
    there = np.isfinite(one) & np.isfinite(two)
    numbers = np.asarray(component)[there]
    held = len(np.unique(numbers))
    if not there.any():
        nan = float("nan")
        return Negation(model, run, 0, 0, nan, nan, nan, nan, nan, "cannot be judged")
    difference = (one - two)[there]
    weights = bootstrap_weights(int(np.max(component)) + 1, draws, seed)
    low, high = bootstrap_interval(difference, numbers, weights)
    antonyms, synonyms, mean = (float(part.mean()) for part in (one[there], two[there], difference))
    said = verdict_of(held, low, high)
    return Negation(model, run, int(there.sum()), held, antonyms, synonyms, mean, low, high, said)


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
