"""The unfolding recursive auto-encoder (Socher et al. 2011): neighbours are folded into one vector up to the root.

Each merge folds two vectors, ``p = tanh(W [l; r] + b)``; unfolding goes the other way, ``[l'; r'] = tanh(V p + c)``,
down to the words. The loss is the squared difference of the words and what every node unfolds to. Words' vectors are
fixed: were they trained too, all of them could become one vector, at no loss.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from gpustab.errors import InputError
from gpustab.installing import install
from gpustab.sentences.language import Tokens, package
from gpustab.sentences.model import Embedding, read_saved, write_saved
from gpustab.sentences.trees import Forest, Merges, Shaping, Trees, plant

_BATCH = 64


@dataclass(frozen=True)
class FoldOptions:
    """How the net is trained.

    Attributes:
        dim: of words and sentences.
        tree: ``balanced``, ``right`` or ``greedy``, see :mod:`gpustab.sentences.trees`.
        epochs: over the sentences; 0 leaves the net as it begins, the control.
        rate: of Adam.
        min_count: words that are rarer share one vector.
    """

    dim: int = 50
    tree: str = "balanced"
    epochs: int = 5
    rate: float = 0.003
    min_count: int = 2


class UnfoldingAutoEncoder(nn.Module):
    """The net."""

    def __init__(self, dim: int, seed: int = 0) -> None:
        super().__init__()
        self.fold = nn.Linear(2 * dim, dim, device="cpu")
        self.unfold = nn.Linear(dim, 2 * dim, device="cpu")
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in (self.fold, self.unfold):
                bound = (6 / sum(layer.weight.shape)) ** 0.5  # Glorot and Bengio 2010
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.zero_()

    def nodes(self, forest: Forest, leaves: Tensor) -> Tensor:
        """Return the vectors of all nodes, ``(nodes, d)``, by those of the words, ``(L, d)``."""
        found = leaves
        for left, right in forest.levels:
            merged = torch.tanh(self.fold(torch.cat([found[left], found[right]], 1)))
            found = torch.cat([found, merged])
        return found

    def loss(self, forest: Forest, leaves: Tensor) -> Tensor:
        """Return the mean squared difference of words and what all nodes above them unfold to, per dimension.

        Zero for sentences of one word each.
        """
        words = len(leaves)
        if not forest.levels:
            return leaves.sum() * 0
        left, right = (torch.cat([level[side] for level in forest.levels]) for side in (0, 1))
        vectors = self.nodes(forest, leaves)[words:]
        at = torch.arange(len(left), device="cpu") + words
        total, number = leaves.new_zeros(()), 0
        while len(at):
            sides = torch.tanh(self.unfold(vectors)).chunk(2, 1)
            below = torch.cat([left[at - words], right[at - words]])
            vectors = torch.cat(sides)
            down = below < words
            total = total + (vectors[down] - leaves[below[down]]).square().sum()
            number += int(down.sum())
            at, vectors = below[~down], vectors[~down]
        return total / (number * leaves.shape[1])


def train(
    net: UnfoldingAutoEncoder,
    sentences: Sequence[Sequence[int]],
    words: Tensor,
    options: FoldOptions,
    seed: int,
    trees: Trees,
) -> list[float]:
    """Train a net in place, words ``(v, d)`` within (−1, 1) being fixed, and return the mean loss of every epoch.

    Raises:
        InputError: if no sentence has two words.
    """
    long = [k for k, own in enumerate(sentences) if len(own) > 1]
    if not long:
        raise InputError("no sentence of the corpus has two words, there is nothing to fold")
    optimiser = torch.optim.Adam(net.parameters(), lr=options.rate)
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(options.epochs):
        order = torch.randperm(len(long), generator=generator, device="cpu").tolist()
        total = 0.0
        for part in _batches(order):
            places = [long[k] for k in part]
            forest = plant([sentences[k] for k in places], trees(places))
            optimiser.zero_grad()
            loss = net.loss(forest, words[forest.leaves])
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(part)
        losses.append(total / len(long))
    return losses


def roots(net: UnfoldingAutoEncoder, sentences: Sequence[Sequence[int]], words: Tensor, trees: Trees) -> Tensor:
    """Return the vectors of sentences, ``(n, d)``; zero for a sentence without words."""
    found = torch.zeros(len(sentences), words.shape[1], device="cpu")
    there = [k for k, own in enumerate(sentences) if own]
    with torch.no_grad():
        for part in _batches(there):
            forest = plant([sentences[k] for k in part], trees(part))
            found[part] = net.nodes(forest, words[forest.leaves])[forest.roots]
    return found


def bounded(vectors: Tensor) -> Tensor:
    """Return vectors centred and scaled into (−1, 1), where a tanh can reach them: three SDs become 0.9."""
    centred = vectors.float() - vectors.float().mean(0)
    scale = centred.std().clamp_min(1e-12)
    return (0.3 * centred / scale).clamp(-0.95, 0.95)


def _batches(order: Sequence[int]) -> Iterator[list[int]]:
    return (list(order[k : k + _BATCH]) for k in range(0, len(order), _BATCH))


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
        """Return the model of sentences; ``parses`` are trees of all that it will be asked for, instead of its own."""

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

    Sentences without a parse have the trees of the options.

    Raises:
        InputError: if gensim, of the extra ``train``, is missing, or no word is frequent enough.
    """
    rows, vectors = _words(sentences, seed, options)
    words = torch.cat([bounded(vectors), torch.zeros(1, options.dim, device="cpu")])
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
    models = package("gensim.models", f"word vectors of a corpus need gensim: {install('train')}")
    counts = Counter(token for tokens in sentences for token in tokens)
    if not any(count >= options.min_count for count in counts.values()):
        raise InputError(f"no word of the corpus stands there {options.min_count} times")
    model = models.Word2Vec(
        [list(tokens) for tokens in sentences],
        vector_size=options.dim, min_count=options.min_count, sg=1, seed=seed + 1, workers=1, epochs=10,
    )  # fmt: skip
    return dict(model.wv.key_to_index), torch.from_numpy(model.wv.vectors.copy())
