"""Paragraph vectors by gensim: PV-DM with concatenation and PV-DBOW (White 2015, §6.1.2; Le and Mikolov 2014).

Hierarchical softmax without negative samples draws nothing in inference but its start. gensim takes that from Python's
hash of the words, which differs from call to call; here all sentences start at one vector, drawn by the seed, so that
equal trainings give equal vectors and a changed word moves a sentence by nothing but itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gpustab.errors import InputError
from gpustab.installing import install
from gpustab.sentences.language import Tokens, package
from gpustab.sentences.model import Embedding, read_saved, write_saved

_FIRST = 20
"""Epochs of inference at first."""

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


FORM = "gpustab.paragraphs/1"


@dataclass(frozen=True)
class ParagraphOptions:
    """How paragraph vectors are trained and inferred; the paper's 300 dimensions and window of 8.

    Attributes:
        memory: PV-DM; else PV-DBOW.
        dim: of the vectors.
        window: words to each side.
        epochs: of training.
        rate: of learning, at the start.
        min_count: words that are rarer are left out.
        tolerance: inference doubles its epochs until the median change of the vectors' cosine distance is below it.
        inference: epochs of inference at most.
    """

    memory: bool = True
    dim: int = 300
    window: int = 8
    epochs: int = 20
    rate: float = 0.025
    min_count: int = 5
    tolerance: float = 0.005
    inference: int = 80


@dataclass
class Paragraphs:
    """A trained model."""

    model: Any
    options: ParagraphOptions
    seed: int

    def embedding(self, name: str, device: torch.device | None = None) -> Embedding:
        """Return the model of sentences."""
        notes: list[str] = []
        infer = Inference(self.model, self.options.tolerance, self.options.inference, self.seed, notes)
        known = frozenset(self.model.wv.key_to_index)
        return Embedding(name, infer, known, device or torch.device("cpu"), notes)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write words, weights and options into one file."""
        words = self.model.wv
        content = {
            "words": {word: int(words.get_vecattr(word, "count")) for word in words.index_to_key},
            "vectors": torch.from_numpy(self.model.wv.vectors),
            "outer": torch.from_numpy(self.model.syn1),
            "options": asdict(self.options),
            "seed": self.seed,
        }
        write_saved(path, FORM, content)


_FEWEST = 2
"""Words of a model at least."""

_NULL = "\0"
"""gensim's word beyond the ends of a sentence, in models that concatenate."""


def load_paragraphs(path: str | os.PathLike[str]) -> Paragraphs:
    """Read what :meth:`Paragraphs.save` wrote; no code in the file is run.

    Raises:
        InputError: if it is no such file.
    """
    with read_saved(path, FORM, "paragraph vectors") as content:
        options, seed = ParagraphOptions(**content["options"]), int(content["seed"])
        model = _with_words(content["words"], options, seed)
        shapes = model.wv.vectors.shape, model.syn1.shape
        arrays = (content[name].numpy() for name in ("vectors", "outer"))
        model.wv.vectors, model.syn1 = (np.ascontiguousarray(array, np.float32) for array in arrays)
        if (model.wv.vectors.shape, model.syn1.shape) != shapes:
            raise KeyError
    return Paragraphs(model, options, seed)


def train_paragraphs(sentences: Sequence[Tokens], seed: int, options: ParagraphOptions) -> Paragraphs:
    """Return the model of one training, by one worker.

    Raises:
        InputError: if gensim, of the extra ``train``, is missing, or fewer than two words are frequent enough.
    """
    model = _empty(options, seed)
    from gensim.models.doc2vec import TaggedDocument

    documents = [TaggedDocument(list(tokens), [n]) for n, tokens in enumerate(sentences)]
    model.build_vocab(documents)
    if len(set(model.wv.key_to_index) - {_NULL}) < _FEWEST:  # of one word gensim's training does not end
        raise InputError(f"fewer than {_FEWEST} words of the corpus stand there {options.min_count} times")
    model.train(documents, total_examples=len(documents), epochs=options.epochs)
    return Paragraphs(model, options, seed)


def _with_words(counts: dict[str, int], options: ParagraphOptions, seed: int) -> Any:
    """A model of words in their order; the same counts in the same order give the same Huffman tree."""
    model = _empty(replace(options, min_count=0), seed)
    model.build_vocab_from_freq({word: count for word, count in counts.items() if word != _NULL})
    model.wv.index_to_key = list(counts)
    model.wv.key_to_index = {word: row for row, word in enumerate(counts)}
    for word, count in counts.items():
        model.wv.set_vecattr(word, "count", count)
    model.create_binary_tree()
    return model


def _empty(options: ParagraphOptions, seed: int) -> Any:
    doc2vec = package("gensim.models.doc2vec", f"paragraph vectors need gensim: {install('train')}")
    kind = {"dm": 1, "dm_concat": 1} if options.memory else {"dm": 0}
    return doc2vec.Doc2Vec(
        vector_size=options.dim, window=options.window, min_count=options.min_count, epochs=options.epochs,
        alpha=options.rate, hs=1, negative=0, sample=0, seed=seed + 1, workers=1, **kind,
    )  # fmt: skip
