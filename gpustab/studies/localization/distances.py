"""A model's distances over the corpus, run by run: measured, and kept until the study is done."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.formats.atomic import replacing
from gpustab.machine.device import Compute
from gpustab.machine.environment import environment
from gpustab.sentences.model import Embedding, Flaws, Model, Runs
from gpustab.studies.localization.corpus import Corpus, distinct
from gpustab.studies.localization.example import measure_papers
from gpustab.studies.localization.substitution import KINDS, Kind
from gpustab.studies.localization.tables import UNRELATED
from gpustab.studies.shared.finished import Finished, digest_of

Array = NDArray[np.float64]


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


def measure(corpus: Corpus, model: Model) -> Distances:
    """Return the distances of all sentences from their bases; every sentence is embedded once.

    Changed sentences are read in the trees of their bases, whose words stand in the same places: a tree of their own
    would measure the parser.
    """
    asked = [(base.tokens, base.paraphrase, base.paraphrase) for base in corpus.bases]  # first, second, and like what
    for kind in KINDS:
        for base in corpus.bases:
            asked += [(base.tokens, step.tokens, base.tokens) for step in base.chains[kind]]
    others, tokens = unrelated(corpus), [base.tokens for base in corpus.bases]
    asked += [(tokens[n], tokens[m], tokens[m]) for n, m in others.items()]
    values = model.distances(*map(list, zip(*asked, strict=True)))
    chains: dict[str, Array] = {}
    start = bases = len(corpus.bases)
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
        known = [step.position < 0 or (model.knows(step.old) and model.knows(step.new)) for step in base.chains[kind]]
        found[n, : lengths[n]] = np.cumprod(known).astype(bool)
    return found


def unknown_shares(corpus: Corpus, model: Model) -> tuple[float, float]:
    """Return which shares of the tokens of all bases, and of the words put in as nouns' synonyms, a model lacks."""
    old = [model.knows(word) for base in corpus.bases for word in base.tokens]
    new = [model.knows(step.new) for base in corpus.bases for step in base.chains["noun_synonym"]]
    lacking = [1 - sum(known) / len(known) if known else 0.0 for known in (old, new)]
    return lacking[0], lacking[1]


class Encoded(NamedTuple):
    """One run.

    Attributes:
        distances: of all sentences.
        lacks: share of the tokens, and of the words put in as synonyms, that the model lacks.
        notes: of the model.
        flaws: sentences that it gives no vector.
        papers: distances of the paper's example; none where it is not among the sentences.
    """

    distances: Distances
    lacks: tuple[float, float]
    notes: list[str]
    flaws: Flaws
    papers: list[float]


KEPT = (Encoded, Distances, Flaws)
"""What is kept of a run, see :class:`~gpustab.studies.shared.finished.Finished`."""


def encode(
    source: Runs, run: int, corpus: Corpus, digest: str, compute: Compute, finished: Finished
) -> tuple[Encoded, Tensor | None]:
    """Return one run, and the vectors of the bases if the model has several; a run that was finished is not made.

    Args:
        source: of the model.
        run: from 1.
        corpus: of sentences.
        digest: of the corpus, see :func:`digest_of_corpus`.
        compute: where it is encoded.
        finished: runs that a stopped call left.
    """
    version, device = environment(compute.device).get("gpustab"), compute.device.type
    key = None if source.key is None else digest_of(source.key, run, digest, version, device)
    if key is not None and finished.folder is not None and (encoded := finished.get(key)) is not None:
        encoded = encoded._replace(lacks=tuple(encoded.lacks))
        if source.number == 1:
            return encoded, None
        with suppress(OSError, ValueError, EOFError):  # else it is made again
            return encoded, torch.from_numpy(np.load(finished.folder / f"{key}.npy", allow_pickle=False))
    model = source.make(run)
    distances = measure(corpus, model)
    vectors = vectors_of(model, corpus) if source.number > 1 else None
    flaws, notes = getattr(model, "flaws", Flaws()), list(model.notes)  # of the corpus, before anything else is asked
    encoded = Encoded(distances, unknown_shares(corpus, model), notes, flaws, measure_papers(corpus, model))
    if key is not None and (source.number == 1 or vectors is not None):
        finished.put(key, encoded)
        if finished.folder is not None and vectors is not None:
            with replacing(finished.folder / f"{key}.npy") as file:
                np.save(file, vectors.numpy())
    return encoded, vectors


def digest_of_corpus(corpus: Corpus) -> str:
    """Return a name for all sentences that are encoded, in their order."""
    return digest_of([[base.tokens, base.paraphrase, base.component, base.chains] for base in corpus.bases])


def vectors_of(model: Model, corpus: Corpus) -> Tensor | None:
    """Return the vectors of the different base sentences, ``(n, d)`` on the CPU; ``None`` for other models."""
    if not isinstance(model, Embedding):
        return None
    return model.vectors([base.tokens for base in distinct(corpus.bases)]).float().cpu()
