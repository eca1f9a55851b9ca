"""Which of two sentences a model puts farther from a base, by number of changes (White 2015, tables 1 to 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.statistics.shares import wilson

Array = NDArray[np.float64]


class Comparison(NamedTuple):
    """Two sentences whose distances from the base are compared.

    Attributes:
        name: of the comparison.
        far: the sentence whose share of larger distances is counted.
        near: the other.
        table: of the paper, or an empty text.
    """

    name: str
    far: str
    near: str
    table: str = ""


COMPARISONS = (
    Comparison("noun synonym within paraphrase", "paraphrase", "noun_synonym", "table 1"),
    Comparison("verb antonym beyond paraphrase", "verb_antonym", "paraphrase", "table 2"),
    Comparison("verb antonym beyond noun synonym", "verb_antonym", "noun_synonym", "table 3"),
    Comparison("random noun within paraphrase", "paraphrase", "random_noun"),
    Comparison("random noun beyond noun synonym", "random_noun", "noun_synonym"),
    Comparison("random verb beyond paraphrase", "random_verb", "paraphrase"),
    Comparison("random verb beyond verb antonym", "random_verb", "verb_antonym"),
    Comparison("verb synonym within paraphrase", "paraphrase", "verb_synonym"),
    Comparison("random verb beyond verb synonym", "random_verb", "verb_synonym"),
    Comparison("verb antonym beyond verb synonym", "verb_antonym", "verb_synonym"),
    Comparison("shuffle beyond paraphrase", "shuffle", "paraphrase"),
)
"""Those of the paper first, then the controls."""


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


class Distances(NamedTuple):
    """Distances of a model from every base; NaN where there is no such sentence.

    Attributes:
        paraphrase: ``(B,)``.
        chains: by kind ``(B, K)``, column k − 1 for k changes.
        known: by kind ``(B, K)`` whether the model knows all words that were changed, and their new ones.
    """

    paraphrase: Array
    chains: dict[str, Array]
    known: dict[str, NDArray[np.bool_]]

    def of(self, what: str, k: int) -> Array:
        """Return the distances of one kind of sentence with k changes, ``(B,)``."""
        if what == "paraphrase":
            return self.paraphrase
        own = self.chains[what]
        return own[:, k - 1] if k <= own.shape[1] else np.full(len(own), np.nan)

    def knows(self, what: str, k: int) -> NDArray[np.bool_]:
        """Return in which bases the model knows the changed words, ``(B,)``."""
        if what == "paraphrase" or k > self.known[what].shape[1]:
            return np.ones(len(self.paraphrase), bool)
        return self.known[what][:, k - 1]


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
    found = []
    longest = max((own.shape[1] for own in distances.chains.values()), default=0)
    for comparison in COMPARISONS:
        for k in range(1, longest + 1):
            far, near = distances.of(comparison.far, k), distances.of(comparison.near, k)
            there = np.isfinite(far) & np.isfinite(near)
            known = there & distances.knows(comparison.far, k) & distances.knows(comparison.near, k)
            for subset, mask in [("all", there), *([("known", known)] if open_ else [])]:
                if mask.any():
                    found.append(
                        _score(model, run, subset, comparison, k, far[mask], near[mask], numbers[mask], weights)
                    )
    return found


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
        return float("nan"), float("nan")
    sums, numbers = np.bincount(component, hits, size), np.bincount(component, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (weights @ sums) / (weights @ numbers)
    low, high = np.nanquantile(means, (0.025, 0.975))
    return float(low), float(high)


def _score(
    model: str,
    run: int,
    subset: str,
    comparison: Comparison,
    k: int,
    far: Array,
    near: Array,
    component: NDArray[np.int64],
    weights: Array,
) -> Score:
    n, farther, equal = len(far), far > near, far == near
    counted = farther | equal if comparison.far == "paraphrase" else farther
    share, half = counted.astype(np.float64), farther + 0.5 * equal
    return Score(
        model,
        run,
        subset,
        comparison.name,
        k,
        n,
        int(farther.sum()),
        int(equal.sum()),
        float(share.mean()),
        float(equal.mean()),
        float(half.mean()),
        *wilson(int(counted.sum()), n),
        *bootstrap_interval(share, component, weights),
        *bootstrap_interval(half, component, weights),
        len(np.unique(component)),
    )
