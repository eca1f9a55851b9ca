"""Unfolding auto-encoders as models of sentences: trained on a corpus, saved, and loaded."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.model import Embedding
from gpustab.studies.localization.models.saved import read_saved, write_saved
from gpustab.studies.localization.models.shapes import Shaping
from gpustab.studies.localization.models.trees import Merges
from gpustab.studies.localization.models.urae import FoldOptions, UnfoldingAutoEncoder, bounded, roots, train

FORM = "gpustab.urae/1"
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

    def embedding(self, name: str, parses: Mapping[Tokens, Merges] | None = None) -> Embedding:
        """Return the model of sentences.

        Args:
            name: shown to people.
            parses: trees of all sentences that it will be asked for, instead of those of its options.
        """

        def shaped(texts: Sequence[Tokens], like: Sequence[Tokens]) -> Tensor:
            trees = Shaping(self.options.tree, self.net, self.words, parses).trees(like, numbered(like, self.rows))
            return roots(self.net, numbered(texts, self.rows), self.words, trees)

        return Embedding(name, lambda texts: shaped(texts, texts), frozenset(self.rows), notes=[_NOTE], shaped=shaped)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write net, words and options into one file."""
        content = {
            "net": self.net.state_dict(),
            "rows": self.rows,
            "words": self.words,
            "options": asdict(self.options),
            "losses": self.losses,
        }
        write_saved(path, FORM, content)


def load_folded(path: str | os.PathLike[str]) -> Folded:
    """Read what :meth:`Folded.save` wrote; no code in the file is run.

    Raises:
        InputError: if it is no such file.
    """
    with read_saved(path, FORM, "auto-encoder") as content:
        options = FoldOptions(**content["options"])
        net = UnfoldingAutoEncoder(options.dim)
        net.load_state_dict(content["net"])
        return Folded(net, content["rows"], content["words"], options, content["losses"])


def train_folded(
    sentences: Sequence[Tokens], seed: int, options: FoldOptions, parses: Mapping[Tokens, Merges] | None = None
) -> Folded:
    """Return the net of one training; its words' vectors are gensim's skip-gram of the same sentences.

    Args:
        sentences: of the corpus.
        seed: of vectors, weights and order.
        options: see :class:`FoldOptions`.
        parses: trees of sentences that have one; the others have those of the options.

    Raises:
        InputError: if gensim, of the extra ``train``, is missing, or no word is frequent enough.
    """
    rows, vectors = _words(sentences, seed, options)
    words = torch.cat([bounded(vectors), torch.zeros(1, options.dim)])
    net = UnfoldingAutoEncoder(options.dim, seed)
    losses = []
    if options.epochs:
        numbers = numbered(sentences, rows)
        trees = Shaping(options.tree, net, words, parses, partly=True).trees(sentences, numbers)
        losses = train(net, numbers, words, options, seed, trees)
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
