"""The unfolding recursive auto-encoder (Socher et al. 2011): neighbours are folded into one vector up to the root.

Each merge folds two vectors, ``p = tanh(W [l; r] + b)``; unfolding goes the other way, ``[l'; r'] = tanh(V p + c)``,
down to the words. The loss is the squared difference of the words and what every node unfolds to. Words' vectors are
fixed: were they trained too, all of them could become one vector, at no loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gpustab.errors import InputError
from gpustab.studies.localization.models.trees import Forest, Merges, plant

_BATCH = 64

Trees = Callable[[Sequence[int]], list[Merges]]
"""Merges of some of the sentences at hand, by their places. A net's own trees change as it learns: ask when needed."""


@dataclass(frozen=True)
class FoldOptions:
    """How the net is trained.

    Attributes:
        dim: of words and sentences.
        tree: ``balanced``, ``right`` or ``greedy``, see :mod:`gpustab.studies.localization.models.shapes`.
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
    """The net.

    Args:
        dim: of every vector.
        seed: of its first weights.
    """

    def __init__(self, dim: int, seed: int = 0) -> None:
        super().__init__()
        self.fold = nn.Linear(2 * dim, dim)
        self.unfold = nn.Linear(dim, 2 * dim)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in (self.fold, self.unfold):
                bound = (6 / sum(layer.weight.shape)) ** 0.5  # Glorot and Bengio 2010
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.zero_()

    def nodes(self, forest: Forest, leaves: Tensor) -> Tensor:
        """Return the vectors of all nodes, ``(nodes, d)``.

        Args:
            forest: of the sentences.
            leaves: ``(L, d)`` vectors of the words.
        """
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
        at = torch.arange(len(left)) + words
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
    """Train a net, and return the mean loss of every epoch.

    Args:
        net: changed in place.
        sentences: numbers of words.
        words: ``(v, d)`` their vectors, fixed, within (−1, 1).
        options: see :class:`FoldOptions`.
        seed: of the order of sentences.
        trees: merges of sentences.

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
        order = torch.randperm(len(long), generator=generator).tolist()
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
    found = torch.zeros(len(sentences), words.shape[1])
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
