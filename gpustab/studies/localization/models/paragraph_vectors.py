"""Paragraph vectors by gensim: PV-DM with concatenation and PV-DBOW (White 2015, §6.1.2; Le and Mikolov 2014).

With hierarchical softmax and no negative samples, inference draws nothing but its start, which gensim takes from
Python's hash of the words: so training and inference are the same again only where PYTHONHASHSEED is set.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.model import Embedding

_FIRST, _LAST = 20, 640
_FEWEST = 10
"""Sentences that a model is trained on at least."""
_LOOKED_AT = 50
"""Sentences by which convergence is judged."""


@dataclass(frozen=True)
class ParagraphOptions:
    """How paragraph vectors are trained and inferred; the paper's 300 dimensions and window of 8.

    Attributes:
        memory: PV-DM; else PV-DBOW.
        dim: of the vectors.
        window: words to each side.
        epochs: of training.
        min_count: words that are rarer are left out.
        tolerance: inference doubles its epochs until the median change of the vectors' cosine distance is below it.
    """

    memory: bool = True
    dim: int = 300
    window: int = 8
    epochs: int = 20
    min_count: int = 5
    tolerance: float = 0.005


def read_sentences(path: str | os.PathLike[str]) -> list[Tokens]:
    """Read a corpus of one tokenised sentence a line, spaces between tokens.

    Raises:
        InputError: if it cannot be read, or has fewer than ten sentences.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or 'is no UTF-8 text'}") from None
    found = [tuple(line.split()) for line in text.splitlines() if line.split()]
    if len(found) < _FEWEST:
        raise InputError(f"{path}: has {len(found)} sentences, wanted {_FEWEST} or more, one a line")
    return found


def train_paragraphs(
    sentences: Sequence[Tokens],
    seed: int,
    options: ParagraphOptions,
    name: str,
    device: torch.device | None = None,
) -> Embedding:
    """Return the model of one training, by one worker.

    Args:
        sentences: of the corpus.
        seed: of the training.
        options: see :class:`ParagraphOptions`.
        name: shown to people.
        device: where distances are computed.

    Raises:
        InputError: if gensim, of the extra ``train``, is missing, or no word is frequent enough.
    """
    try:
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument
    except ImportError:
        raise InputError("paragraph vectors need gensim: pip install 'gpustab[train]'") from None
    documents = [TaggedDocument(list(tokens), [n]) for n, tokens in enumerate(sentences)]
    kind = {"dm": 1, "dm_concat": 1} if options.memory else {"dm": 0}
    model = Doc2Vec(
        vector_size=options.dim, window=options.window, min_count=options.min_count, epochs=options.epochs,
        hs=1, negative=0, sample=0, seed=seed + 1, workers=1, **kind,
    )  # fmt: skip
    model.build_vocab(documents)
    if not len(model.wv):
        raise InputError(f"{name}: no word of the corpus stands there {options.min_count} times")
    model.train(documents, total_examples=len(documents), epochs=options.epochs)
    notes = [] if _hash_is_fixed() else [_UNFIXED]
    inference = _Inference(model, options.tolerance, notes)
    return Embedding(name, inference, frozenset(model.wv.key_to_index), device or torch.device("cpu"), notes)


class _Inference:
    """Vectors of sentences, inferred until they stay; what it finds is noted."""

    def __init__(self, model: Any, tolerance: float, notes: list[str]) -> None:
        self.model, self.tolerance, self.notes = model, tolerance, notes
        self.epochs = 0

    def __call__(self, texts: Sequence[Tokens]) -> NDArray[np.float32]:
        self.epochs = self.epochs or self._converged(texts[:: max(1, len(texts) // _LOOKED_AT)])
        return self._infer(texts, self.epochs)

    def _converged(self, texts: Sequence[Tokens]) -> int:
        """The first number of epochs whose double hardly changes the vectors; the last one if none does."""
        epochs, before = _FIRST, self._infer(texts, _FIRST)
        while epochs < _LAST:
            after = self._infer(texts, 2 * epochs)
            moved = float(np.median(_apart(before, after)))
            if moved < self.tolerance:
                floor = float(np.median(_apart(before, self._infer(texts, epochs))))
                self.notes.append(
                    f"Inference takes {epochs} epochs: twice as many move half of the vectors by {moved:.4f} or less. "
                    f"A sentence inferred twice lies {max(floor, 0.0):.4f} from itself."
                )
                return epochs
            epochs, before = 2 * epochs, after
        self.notes.append(f"Vectors still move after {_LAST} epochs of inference: its distances are not final.")
        return epochs

    def _infer(self, texts: Sequence[Tokens], epochs: int) -> NDArray[np.float32]:
        known = self.model.wv.key_to_index
        zero = np.zeros(self.model.vector_size, np.float32)
        return np.stack(
            [
                self.model.infer_vector(list(text), epochs=epochs) if any(token in known for token in text) else zero
                for text in texts
            ]
        )


def _apart(x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
    norms = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    found: NDArray[np.float64] = 1 - (x * y).sum(1) / np.maximum(norms, 1e-12)
    return found


def _hash_is_fixed() -> bool:
    return os.environ.get("PYTHONHASHSEED", "random") != "random"


_UNFIXED = (
    "PYTHONHASHSEED is not set: gensim starts vectors from Python's hash of words, so another call gives other "
    "numbers. Set PYTHONHASHSEED=0 before the call."
)
