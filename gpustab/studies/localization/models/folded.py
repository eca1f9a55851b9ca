"""Unfolding auto-encoders as models of sentences: trained on a corpus, saved, and loaded."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.atomic import replacing
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.model import Embedding
from gpustab.studies.localization.models.urae import (
    FoldOptions,
    UnfoldingAutoEncoder,
    bounded,
    roots,
    settings,
    train,
)

_FORM = "gpustab.urae/1"
_NOTE = "Words that its corpus lacks share one vector, in the place of the word: a sentence keeps its tree."


@dataclass
class Folded:
    """A net with its words.

    Attributes:
        net: the auto-encoder.
        rows: row of every word; others have the last row.
        words: ``(v + 1, d)`` vectors, the last one of all other words.
        options: it was trained by.
        losses: of every epoch.
    """

    net: UnfoldingAutoEncoder
    rows: dict[str, int]
    words: Tensor
    options: FoldOptions
    losses: list[float]

    def embedding(self, name: str) -> Embedding:
        """Return the model of sentences."""

        def embed(texts: Sequence[Tokens]) -> Tensor:
            return roots(self.net, numbered(texts, self.rows), self.words, self.options)

        return Embedding(name, embed, frozenset(self.rows), notes=[_NOTE])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write net, words and options into one file."""
        content = {
            "form": _FORM,
            "net": self.net.state_dict(),
            "rows": self.rows,
            "words": self.words,
            "options": settings(self.options),
            "losses": self.losses,
        }
        with replacing(path) as new:
            torch.save(content, new)


def load_folded(path: str | os.PathLike[str]) -> Folded:
    """Read what :meth:`Folded.save` wrote; no code in the file is run.

    Raises:
        InputError: if it is no such file.
    """
    try:
        content = torch.load(Path(path), weights_only=True)
        if not isinstance(content, dict) or content.get("form") != _FORM:
            raise InputError(f"{path}: holds no auto-encoder of this study")
        options = FoldOptions(**content["options"])
        net = UnfoldingAutoEncoder(options.dim)
        net.load_state_dict(content["net"])
    except (OSError, RuntimeError, EOFError, KeyError, TypeError, pickle.UnpicklingError):
        raise InputError(f"{path}: could not be read as an auto-encoder of this study") from None
    return Folded(net, content["rows"], content["words"], options, content["losses"])


def train_folded(sentences: Sequence[Tokens], seed: int, options: FoldOptions) -> Folded:
    """Return the net of one training; its words' vectors are gensim's skip-gram of the same sentences.

    Args:
        sentences: of the corpus.
        seed: of vectors, weights and order.
        options: see :class:`FoldOptions`.

    Raises:
        InputError: if gensim, of the extra ``train``, is missing, or no word is frequent enough.
    """
    rows, vectors = _words(sentences, seed, options)
    words = torch.cat([bounded(vectors), torch.zeros(1, options.dim)])
    net = UnfoldingAutoEncoder(options.dim, seed)
    losses = train(net, numbered(sentences, rows), words, options, seed) if options.epochs else []
    return Folded(net, rows, words, options, losses)


def numbered(sentences: Sequence[Tokens], rows: dict[str, int]) -> list[list[int]]:
    """Return sentences as numbers of words; unknown words have the number after the last."""
    return [[rows.get(token, len(rows)) for token in tokens] for tokens in sentences]


def _words(sentences: Sequence[Tokens], seed: int, options: FoldOptions) -> tuple[dict[str, int], Tensor]:
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise InputError("word vectors of a corpus need gensim: pip install 'gpustab[train]'") from None
    counts = Counter(token for tokens in sentences for token in tokens)
    if not any(count >= options.min_count for count in counts.values()):
        raise InputError(f"no word of the corpus stands there {options.min_count} times")
    model = Word2Vec(
        [list(tokens) for tokens in sentences],
        vector_size=options.dim, min_count=options.min_count, sg=1, seed=seed + 1, workers=1, epochs=10,
    )  # fmt: skip
    return dict(model.wv.key_to_index), torch.from_numpy(model.wv.vectors.copy())
