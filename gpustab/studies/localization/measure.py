"""A model's distances over the corpus."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.localization.builder import Corpus
from gpustab.studies.localization.chains import KINDS, Kind, Step
from gpustab.studies.localization.models.model import Model
from gpustab.studies.localization.scores import Array, Distances


def measure(corpus: Corpus, model: Model) -> Distances:
    """Return the distances of all sentences from their bases; every sentence is embedded once."""
    first = [base.tokens for base in corpus.bases]
    second = [base.paraphrase for base in corpus.bases]
    for kind in KINDS:
        for base in corpus.bases:
            first += [base.tokens] * len(base.chains[kind])
            second += [step.tokens for step in base.chains[kind]]
    values = model.distances(first, second)
    bases = len(corpus.bases)
    chains: dict[str, Array] = {}
    start = bases
    for kind in KINDS:
        lengths = corpus.lengths(kind)
        chains[kind] = _table(values[start : start + sum(lengths)], lengths)
        start += sum(lengths)
    return Distances(values[:bases], chains, {kind: _known(corpus, kind, model) for kind in KINDS})


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
