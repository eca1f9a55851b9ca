"""Which sentences' distances from a base are compared (White 2015, tables 1 to 3, and controls), and in which bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.localization.bootstrap import Array


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


UNRELATED = "unrelated"
"""A sentence of another pair, which no changed word has brought about."""

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
    Comparison("unrelated beyond paraphrase", UNRELATED, "paraphrase"),
)
"""Those of the paper first, then the controls."""


class Distances(NamedTuple):
    """Distances of a model from every base; NaN where there is no such sentence.

    Attributes:
        paraphrase: ``(B,)``.
        chains: by kind ``(B, K)``, column k − 1 for k changes; an unrelated sentence is one of one change.
        known: by kind ``(B, K)`` whether the model knows all words that were changed, and their new ones.
    """

    paraphrase: Array
    chains: dict[str, Array]
    known: dict[str, NDArray[np.bool_]]

    def of(self, what: str, k: int) -> Array:
        """Return the distances of one kind of sentence with k changes, ``(B,)``."""
        if what == "paraphrase":
            return self.paraphrase
        own = self.chains.get(what)
        return np.full(len(self.paraphrase), np.nan) if own is None or k > own.shape[1] else own[:, k - 1]

    def knows(self, what: str, k: int) -> NDArray[np.bool_]:
        """Return in which bases the model knows the changed words, ``(B,)``."""
        own = self.known.get(what)
        return np.ones(len(self.paraphrase), bool) if own is None or k > own.shape[1] else own[:, k - 1]


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
