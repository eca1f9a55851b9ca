"""A model's distances over the corpus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.localization.bootstrap import Array
from gpustab.studies.localization.builder import Corpus
from gpustab.studies.localization.chains import KINDS, Kind, Step
from gpustab.studies.localization.comparisons import UNRELATED, Distances
from gpustab.studies.localization.models.model import Model


def measure(corpus: Corpus, model: Model) -> Distances:
    """Return the distances of all sentences from their bases; every sentence is embedded once.

    Changed sentences are read in the trees of their bases, whose words stand in the same places: a tree of their own
    would measure the parser.
    """
    first = [base.tokens for base in corpus.bases]
    second = [base.paraphrase for base in corpus.bases]
    bases = len(first)
    for kind in KINDS:
        for base in corpus.bases:
            first += [base.tokens] * len(base.chains[kind])
            second += [step.tokens for step in base.chains[kind]]
    like = [*second[:bases], *first[bases:]]
    others = unrelated(corpus)
    first, second, like = (
        [*texts, *more]
        for texts, more in (
            (first, [corpus.bases[n].tokens for n in others]),
            (second, [corpus.bases[m].tokens for m in others.values()]),
            (like, [corpus.bases[m].tokens for m in others.values()]),
        )
    )
    values = model.distances(first, second, like)
    chains: dict[str, Array] = {}
    start = bases
    for kind in KINDS:
        lengths = corpus.lengths(kind)
        chains[kind] = _table(values[start : start + sum(lengths)], lengths)
        start += sum(lengths)
    chains[UNRELATED] = np.full((bases, 1), np.nan)
    chains[UNRELATED][list(others), 0] = values[start:]
    return Distances(values[:bases], chains, {kind: _known(corpus, kind, model) for kind in KINDS})


def unrelated(corpus: Corpus) -> dict[int, int]:
    """Return for every base one of another component: half of the corpus further on, or else the first that is."""
    of = [base.component for base in corpus.bases]
    second = next((m for m, component in enumerate(of) if component != of[0]), None)
    if second is None:
        return {}
    found = {}
    for n, component in enumerate(of):
        other = (n + len(of) // 2) % len(of)
        found[n] = other if of[other] != component else 0 if of[0] != component else second
    return found


def _table(values: Array, lengths: list[int]) -> Array:
    """Values of bases, one after the other, as ``(B, K)``; NaN beyond a base's length."""
    found = np.full((len(lengths), max(lengths, default=0)), np.nan)
    found[np.arange(found.shape[1])[None] < np.array(lengths)[:, None]] = values
    return found


def _known(corpus: Corpus, kind: Kind, model: Model) -> NDArray[np.bool_]:
    lengths = corpus.lengths(kind)
    found = np.zeros((len(lengths), max(lengths, default=0)), bool)
    for n, base in enumerate(corpus.bases):
        found[n, : lengths[n]] = np.cumprod([_knows(model, step) for step in base.chains[kind]]).astype(bool)
    return found


def _knows(model: Model, step: Step) -> bool:
    return step.position < 0 or (model.knows(step.old) and model.knows(step.new))


def unknown_shares(corpus: Corpus, model: Model) -> tuple[float, float]:
    """Return which shares of the tokens of all bases, and of the words put in as nouns' synonyms, a model lacks."""
    old = [model.knows(word) for base in corpus.bases for word in base.tokens]
    new = [model.knows(step.new) for base in corpus.bases for step in base.chains["noun_synonym"]]
    return _lacking(old), _lacking(new)


def _lacking(known: list[bool]) -> float:
    return 1 - sum(known) / len(known) if known else 0.0
