"""What a model of sentences is to this study, and the model of any function that embeds sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError
from gpustab.kernels.cosine import cosines
from gpustab.studies.localization.language import Tokens, detokenise

_BATCH = 65_536
"""Pairs whose distances are found at a time."""


class Model(Protocol):
    """Distances between sentences.

    Attributes:
        name: shown to people.
        notes: what a reader must know of it.
    """

    name: str
    notes: list[str]

    def distances(self, first: Sequence[Tokens], second: Sequence[Tokens]) -> NDArray[np.float64]:
        """Return the distance of every pair of sentences, ``(n,)``; NaN where the model has none."""

    def knows(self, word: str) -> bool:
        """Return whether the model has a word; a model without a vocabulary has them all."""


@dataclass
class Embedding:
    """A model whose distance is the cosine distance of its sentences' vectors.

    Attributes:
        name: shown to people.
        embed: vectors ``(n, d)`` of n tokenised sentences; zero or not finite where it has none.
        vocabulary: the words it has; ``None``: all.
        device: where distances are computed.
        notes: what a reader must know of it.
    """

    name: str
    embed: Callable[[Sequence[Tokens]], Any]
    vocabulary: frozenset[str] | None = None
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    notes: list[str] = field(default_factory=list)

    def knows(self, word: str) -> bool:
        """Return whether the model has a word."""
        return self.vocabulary is None or word in self.vocabulary

    def distances(self, first: Sequence[Tokens], second: Sequence[Tokens]) -> NDArray[np.float64]:
        """Return the cosine distances of pairs of sentences, each embedded once.

        Raises:
            InputError: if ``embed`` gives another shape.
        """
        texts = list(dict.fromkeys([*first, *second]))
        row = {text: k for k, text in enumerate(texts)}
        vectors = self.vectors(texts)
        one = torch.tensor([row[text] for text in first], dtype=torch.long)
        two = torch.tensor([row[text] for text in second], dtype=torch.long)
        parts = [
            cosine_distances(vectors[a], vectors[b]).cpu()
            for a, b in zip(one.split(_BATCH), two.split(_BATCH), strict=True)
        ]
        found: NDArray[np.float64] = torch.cat(parts).numpy() if parts else np.zeros(0)
        return found

    def vectors(self, texts: Sequence[Tokens]) -> Tensor:
        """Return the vectors of some sentences on the device."""
        found = torch.as_tensor(self.embed(texts)).to(self.device)
        if found.ndim != 2 or len(found) != len(texts):
            raise InputError(f"{self.name}: gave vectors of shape {tuple(found.shape)} for {len(texts)} sentences")
        return found


def cosine_distances(x: Tensor, y: Tensor) -> Tensor:
    """Return 1 − cosine of paired rows, float64; exactly 0 for equal rows, NaN for a zero row."""
    found = 1 - cosines(x, y)
    return torch.where((x == y).all(-1) & found.isfinite(), torch.zeros_like(found), found)


def of_callable(name: str, embed: Callable[[list[str]], Any]) -> Embedding:
    """Return the model of a function that embeds sentences; it is given sentences, not tokens.

    Args:
        name: shown to people.
        embed: ``(n, d)`` vectors of n sentences.
    """
    return Embedding(name, lambda texts: embed([detokenise(text) for text in texts]))
