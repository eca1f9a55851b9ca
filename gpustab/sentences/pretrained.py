"""Models that are read from disk: the mean of a space's word vectors, and a transformer (as MiniLM is used)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.sentences.language import Tokens, detokenise
from gpustab.sentences.model import Embedding
from gpustab.spaces.space import Space
from gpustab.spaces.words import show


def mean_of_words(space: Space, name: str | None = None, device: torch.device | None = None) -> Embedding:
    """Return the model of a space.

    A token is looked up as it stands, and in small letters where the space does not have it so. Unknown tokens are
    left out; a sentence of unknown tokens has no distance.
    """
    row = {show(word): k for k, word in enumerate(space.vocabulary)}
    dimension = space.vectors.shape[1]

    def embed(texts: Sequence[Tokens]) -> Tensor:
        means = torch.zeros(len(texts), dimension, dtype=torch.float64, device="cpu")
        for k, text in enumerate(texts):
            rows = [found for token in text if (found := row.get(token, row.get(token.lower()))) is not None]
            if rows:
                means[k] = space.vectors[sorted(rows)].double().mean(0)
        return means

    known = _Known(row)
    return Embedding(
        name or f"mean of {space.name}",
        embed,
        known,
        device or torch.device("cpu"),
        ["Words that the space lacks are left out of the mean, so that a change to such a word is a deletion."],
    )


class _Known(frozenset[str]):
    """The words of a space, in any case that it is looked up in."""

    def __contains__(self, word: object) -> bool:
        return super().__contains__(word) or super().__contains__(str(word).lower())


def encoder(folder: Path, name: str | None = None, device: torch.device | None = None) -> Embedding:
    """Return the model of a folder of sentence-transformers, or of transformers alone. Nothing is downloaded.

    Sentences are given as people write them, not as tokens; those that are too long are cut, which the notes say.

    Raises:
        InputError: if transformers is missing, the folder holds no model, or one that is not computed here, see
            :class:`gpustab.formats.checkpoints.encoder.SentenceEncoder`.
    """
    model = SentenceEncoder(folder, device)

    def embed(texts: Sequence[Tokens]) -> Tensor:
        return model.encode([detokenise(text) for text in texts])

    return Embedding(name or folder.name, embed, device=device or torch.device("cpu"), notes=model.notes)
