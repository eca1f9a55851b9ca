"""What a model of sentences is, its runs, the bag of words, any function that embeds, and models in files."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gpustab.errors import InputError
from gpustab.formats.atomic import clear_abandoned, replacing
from gpustab.formats.plain_text import read_utf8
from gpustab.kernels.cosine import cosines
from gpustab.results.page import counted
from gpustab.sentences.language import Tokens, detokenise

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

    def distances(
        self, first: Sequence[Tokens], second: Sequence[Tokens], like: Sequence[Tokens] | None = None
    ) -> NDArray[np.float64]:
        """Return the distance of every pair of sentences, ``(n,)``; NaN where the model has none.

        Args:
            first: sentences, read in their own trees by models that have trees.
            second: sentences beside them.
            like: the sentence of as many words in whose tree each second one is read; default: its own.
        """

    def knows(self, word: str) -> bool:
        """Return whether the model has a word; a model without a vocabulary has them all."""


@dataclass(frozen=True)
class Runs:
    """Several runs of a model that is trained.

    Attributes:
        name: of the model.
        make: the model of a run, from 1.
        number: of runs.
        key: a name for all that its vectors depend on beside the run; what a model without one says is not kept for a
            call that goes on.
    """

    name: str
    make: Callable[[int], Model]
    number: int = 1
    key: str | None = None


class Flaws(NamedTuple):
    """Sentences that a model gave no vector.

    Attributes:
        texts: different sentences that it was asked for.
        zero: those whose vector is zero.
        unfinite: those whose vector is not finite.
    """

    texts: int = 0
    zero: int = 0
    unfinite: int = 0


@dataclass
class Embedding:
    """A model whose distance is the cosine distance of its sentences' vectors.

    Attributes:
        name: shown to people.
        embed: vectors ``(n, d)`` of n tokenised sentences; zero or not finite where it has none.
        vocabulary: the words it has; ``None``: all.
        device: where distances are computed.
        notes: what a reader must know of it.
        shaped: for models that read trees, vectors of sentences in the trees of others of as many words.
        flaws: of the vectors that distances were asked of last.
    """

    name: str
    embed: Callable[[Sequence[Tokens]], Any]
    vocabulary: frozenset[str] | None = None
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    notes: list[str] = field(default_factory=list)
    shaped: Callable[[Sequence[Tokens], Sequence[Tokens]], Any] | None = None
    flaws: Flaws = field(default_factory=Flaws)

    def knows(self, word: str) -> bool:
        """Return whether the model has a word."""
        return self.vocabulary is None or word in self.vocabulary

    def distances(
        self, first: Sequence[Tokens], second: Sequence[Tokens], like: Sequence[Tokens] | None = None
    ) -> NDArray[np.float64]:
        """Return the cosine distances of pairs of sentences, each embedded once.

        Raises:
            InputError: if ``embed`` gives another shape, or no numbers.
        """
        shapes = second if like is None or self.shaped is None else like
        pairs = [list(zip(texts, own, strict=True)) for texts, own in ((first, first), (second, shapes))]
        row = {pair: k for k, pair in enumerate(dict.fromkeys([*pairs[0], *pairs[1]]))}
        texts, trees = ([pair[side] for pair in row] for side in (0, 1))
        vectors = self.vectors(texts, trees)
        finite = vectors.isfinite().all(1)
        self.flaws = Flaws(len(texts), int((~vectors.any(1)).sum()), int((~finite).sum()))
        one, two = (torch.tensor([row[pair] for pair in own], dtype=torch.long, device="cpu") for own in pairs)
        parts = [
            cosine_distances(vectors[a], vectors[b]).cpu()
            for a, b in zip(one.split(_BATCH), two.split(_BATCH), strict=True)
        ]
        found: NDArray[np.float64] = torch.cat(parts).numpy() if parts else np.zeros(0)
        return found

    def vectors(self, texts: Sequence[Tokens], like: Sequence[Tokens] | None = None) -> Tensor:
        """Return the vectors of some sentences on the device, read in the trees of others if it reads trees.

        Raises:
            InputError: if they are no numbers, or not one for each sentence.
        """
        given = self.embed(texts) if like is None or self.shaped is None else self.shaped(texts, like)
        try:
            found = given if isinstance(given, Tensor) else torch.from_numpy(np.asarray(given)).to(self.device)
        except (TypeError, ValueError, RuntimeError):
            raise InputError(f"{self.name}: gave no numbers for {len(texts):,} sentences, wanted (n, d)") from None
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1] or found.is_complex():
            raise InputError(
                f"{self.name}: gave vectors of shape {tuple(found.shape)} for {len(texts):,} sentences, wanted (n, d)"
            )
        return found


def cosine_distances(x: Tensor, y: Tensor) -> Tensor:
    """Return 1 − cosine of paired rows, float64; exactly 0 for equal rows, NaN for a zero row."""
    found = 1 - cosines(x, y)
    return torch.where((x == y).all(-1) & found.isfinite(), torch.zeros_like(found), found)


def of_callable(name: str, embed: Callable[[list[str]], Any]) -> Embedding:
    """Return the model of a function that embeds sentences; it is given sentences, not tokens."""
    return Embedding(name, lambda texts: embed([detokenise(text) for text in texts]))


class BagOfWords:
    """Counts of the tokens as they stand, punctuation and capitals included (White 2015, §6.1.3), in whole numbers.

    cos² = dot² / (|x|² |y|²) is one division of whole numbers below 2⁵³, rounded once: equal fractions are equal
    floats, and two fractions of such small numbers differ by far more than a rounding. Vectors brought to length 1
    first would break the ties: 7 to 13 % of table 3.
    """

    def __init__(self) -> None:
        self.name = "bag of words"
        self.notes: list[str] = []

    def knows(self, word: str) -> bool:  # noqa: ARG002  # it has every word
        """Return true: every token is a dimension."""
        return True

    def distances(
        self,
        first: Sequence[Tokens],
        second: Sequence[Tokens],
        like: Sequence[Tokens] | None = None,  # noqa: ARG002  # bags have no trees
    ) -> NDArray[np.float64]:
        """Return the cosine distances of the bags."""

        @lru_cache(maxsize=8192)
        def counts(text: Tokens) -> Counter[str]:
            return Counter(text)

        dots, norms = [], []
        for a, b in zip(first, second, strict=True):
            x, y = counts(a), counts(b)
            dots.append(sum(n * y[word] for word, n in x.items()))
            norms.append(sum(n * n for n in x.values()) * sum(n * n for n in y.values()))
        dot = np.array(dots, np.float64)
        return 1 - np.sqrt(dot * dot / np.array(norms, np.float64))


_FEWEST = 10
"""Sentences that a model is trained on at least."""


def write_saved(path: str | os.PathLike[str], form: str, content: dict[str, Any]) -> None:
    """Write a model's content, whole or not at all."""
    clear_abandoned(path)
    with replacing(path) as new:
        torch.save({"form": form} | content, new)


@contextmanager
def read_saved(path: str | os.PathLike[str], form: str, what: str) -> Iterator[dict[str, Any]]:
    """Give the content of a saved model to who builds it.

    Raises:
        InputError: if it is another file, or the model cannot be built of it.
    """
    try:
        content = torch.load(Path(path), weights_only=True)
        if not isinstance(content, dict) or content.get("form") != form:
            raise InputError(f"{path}: holds no {what} of this study")
        yield content
    except InputError:
        raise
    except (OSError, RuntimeError, EOFError, KeyError, TypeError, ValueError, AttributeError, pickle.UnpicklingError):
        raise InputError(f"{path}: could not be read as {what} of this study") from None


def read_sentences(path: str | os.PathLike[str]) -> list[Tokens]:
    """Read a corpus of one tokenised sentence a line, spaces between tokens.

    Raises:
        InputError: if it cannot be read, or has fewer than ten sentences.
    """
    found = [tuple(line.split()) for line in read_utf8(path).replace("\r", "\n").split("\n") if line.split()]
    if len(found) < _FEWEST:
        raise InputError(f"{path}: has {counted(len(found), 'sentence')}, wanted {_FEWEST} or more, one a line")
    return found
