"""Vectors of new sentences by a trained Doc2Vec, from one start, with as many epochs as they need to stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.localization.language import Tokens

_FIRST = 20
_LOOKED_AT = 50
"""Sentences by which convergence is judged."""

Vectors = NDArray[np.float32]


class Inference:
    """Infers vectors; zero ones for sentences of which the model has no word.

    Args:
        model: gensim's Doc2Vec, with hierarchical softmax and no negative samples.
        tolerance: epochs are doubled until the median change of the vectors' cosine distance is below it.
        most: epochs at most. Nothing holds vectors back, they grow and turn with every doubling: 20 to 320 epochs moved
            shares of sentences by 2 points, and half of the vectors by 0.013 to 0.02 a time.
        seed: of the start.
        notes: what is found of the inference is added.
    """

    def __init__(self, model: Any, tolerance: float, most: int, seed: int, notes: list[str]) -> None:
        self.model, self.tolerance, self.most, self.notes = model, tolerance, most, notes
        generator = np.random.default_rng(seed)
        size = model.vector_size
        self._start, self._other = ((generator.random((1, size)) - 0.5) / size for _ in range(2))
        self.epochs = 0

    def __call__(self, texts: Sequence[Tokens]) -> Vectors:
        """Return the vectors of some sentences, ``(n, d)``; the first sentences choose the epochs of all."""
        self.epochs = self.epochs or self._converged(texts[:: max(1, len(texts) // _LOOKED_AT)])
        return self._infer(texts, self.epochs, self._start)

    def _converged(self, texts: Sequence[Tokens]) -> int:
        """The first number of epochs whose double hardly changes the vectors; the most if none does."""
        epochs = min(_FIRST, self.most)
        before = self._infer(texts, epochs, self._start)
        while True:
            after = self._infer(texts, 2 * epochs, self._start)
            moved = _apart(before, after)
            if moved < self.tolerance or 2 * epochs > self.most:
                break
            epochs, before = 2 * epochs, after
        floor = _apart(before, self._infer(texts, epochs, self._other))
        said = f"twice as many move half of the vectors by {moved:.4f} or less"
        if moved >= self.tolerance:
            said = f"twice as many still move half of the vectors by {moved:.4f} or more, so that no distance is final"
        self.notes.append(
            f"Inference takes {epochs} epochs: {said}. A sentence inferred from another start lies {floor:.4f} from "
            "itself."
        )
        return epochs

    def _infer(self, texts: Sequence[Tokens], epochs: int, start: NDArray[np.float64]) -> Vectors:
        known = self.model.wv.key_to_index
        found = np.zeros((len(texts), self.model.vector_size), np.float32)
        for k, text in enumerate(texts):
            if any(token in known for token in text):
                found[k] = self._one(list(text), epochs, start.astype(np.float32))
        return found

    def _one(self, text: list[str], epochs: int, vector: Vectors) -> Vectors:
        """Descend from a start ``(1, d)``, the rate falling from step to step, as gensim's ``infer_vector`` does."""
        from gensim.models.doc2vec import train_document_dbow, train_document_dm_concat

        model = self.model
        memory = [] if model.sg else [np.zeros(model.layer1_size, np.float32)]
        work = np.zeros(model.layer1_size, np.float32)
        step = train_document_dbow if model.sg else train_document_dm_concat
        fixed = {"doctag_vectors": vector, "doctags_lockf": np.ones(1, np.float32)}
        for alpha in np.linspace(model.alpha, model.min_alpha, epochs).tolist():
            step(model, text, [0], alpha, work, *memory, learn_words=False, learn_hidden=False, **fixed)
        found: Vectors = vector[0]
        return found


def _apart(x: Vectors, y: Vectors) -> float:
    """The median cosine distance of paired rows."""
    norms = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    return max(0.0, float(np.median(1 - (x * y).sum(1) / np.maximum(norms, 1e-12))))
