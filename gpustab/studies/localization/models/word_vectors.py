"""The mean of a sentence's word vectors, of any space."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from gpustab.spaces.space import Space
from gpustab.spaces.words import show
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.model import Embedding


def mean_of_words(space: Space, name: str | None = None, device: torch.device | None = None) -> Embedding:
    """Return the model of a space.

    A token is looked up as it stands, and in small letters where the space does not have it so. Unknown tokens are
    left out; a sentence of unknown tokens has no distance.

    Args:
        space: words and vectors.
        name: shown to people; default: the mean of the space's name.
        device: where distances are computed.
    """
    row = {show(word): k for k, word in enumerate(space.vocabulary)}
    dimension = space.vectors.shape[1]

    def embed(texts: Sequence[Tokens]) -> Tensor:
        means = torch.zeros(len(texts), dimension, dtype=torch.float64)
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
