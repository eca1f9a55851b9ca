"""Which tree a sentence is read in: by its number of words, by a parse, or as the net unfolds it best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gpustab.errors import InputError, near, option
from gpustab.studies.localization.language import Tokens
from gpustab.studies.localization.models.trees import SHAPES, Merges
from gpustab.studies.localization.models.urae import Trees, UnfoldingAutoEncoder

GREEDY = "greedy"


@dataclass(frozen=True)
class Shaping:
    """Trees of sentences.

    Attributes:
        tree: ``balanced``, ``right`` or ``greedy``.
        net: that greedy trees are the best of.
        words: ``(v, d)`` vectors of its words.
        parses: trees by sentence, instead.
        partly: whether sentences without a parse have those of ``tree``.

    Raises:
        InputError: for an unknown tree.
    """

    tree: str
    net: UnfoldingAutoEncoder
    words: Tensor
    parses: Mapping[Tokens, Merges] | None = None
    partly: bool = False

    def __post_init__(self) -> None:
        if self.tree not in (*SHAPES, GREEDY):
            raise InputError(
                f"{option('tree')} is '{self.tree}'{near(self.tree, [*SHAPES, GREEDY])}; wanted balanced, right or "
                "greedy"
            )

    def trees(self, sentences: Sequence[Tokens], numbers: Sequence[Sequence[int]]) -> Trees:
        """Return what gives the trees of some of these sentences.

        Args:
            sentences: all of them.
            numbers: of their words.

        Raises:
            InputError: if parses were given, and a sentence has none.
        """
        parsed = [None if self.parses is None else self.parses.get(own) for own in sentences]
        if self.parses is not None and not self.partly and None in parsed:
            raise InputError(
                f"{option('parses')}: {parsed.count(None):,} of {len(parsed):,} sentences have no parse, the first is: "
                f"{' '.join(sentences[parsed.index(None)])}"
            )

        def of(places: Sequence[int]) -> list[Merges]:
            free = [k for k in places if parsed[k] is None]
            if self.tree == GREEDY:
                found = dict(zip(free, greedy(self.net, [numbers[k] for k in free], self.words), strict=True))
            else:
                found = {k: SHAPES[self.tree](len(numbers[k])) for k in free}
            return [own if (own := parsed[k]) is not None else found[k] for k in places]

        return of


def greedy(net: UnfoldingAutoEncoder, sentences: Sequence[Sequence[int]], words: Tensor) -> list[Merges]:
    """Return trees that join, time after time, the two neighbours that the net unfolds best (Socher et al. 2011, RAE).

    The error of a pair is the squared difference of its vectors and what their fold unfolds to; of equal ones the
    first is joined.

    Args:
        net: folds and unfolds.
        sentences: numbers of words.
        words: ``(v, d)``.
    """
    merges: list[Merges] = [[] for _ in sentences]
    longest = max((len(own) for own in sentences), default=0)
    if longest < 2:
        return merges
    rows = torch.tensor([[*own, *[0] * (longest - len(own))] for own in sentences])
    vectors = words[rows]  # (B, n, d): what is still to be joined, in order
    nodes = torch.arange(longest).repeat(len(sentences), 1)
    left = torch.tensor([len(own) for own in sentences])  # of every sentence: how many are to be joined
    free = left.clone()
    with torch.no_grad():
        for width in range(longest, 1, -1):
            pairs = torch.cat([vectors[:, :-1], vectors[:, 1:]], 2)  # (B, width − 1, 2d)
            folded = torch.tanh(net.fold(pairs))
            errors = (torch.tanh(net.unfold(folded)) - pairs).square().sum(2)
            errors[torch.arange(width - 1)[None] >= left[:, None] - 1] = torch.inf
            best, active = errors.argmin(1), left > 1
            for b in active.nonzero()[:, 0].tolist():
                k = int(best[b])
                merges[b].append((int(nodes[b, k]), int(nodes[b, k + 1])))
            vectors = _joined(
                vectors, folded.gather(1, best[:, None, None].expand(-1, 1, vectors.shape[2])), best, active
            )
            nodes = _joined(nodes[..., None], free[:, None, None], best, active)[..., 0]
            free, left = free + active, left - active.long()
    return merges


def _joined(rows: Tensor, new: Tensor, at: Tensor, active: Tensor) -> Tensor:
    """Rows ``(B, n, d)`` with a new one in the place of rows ``at`` and ``at + 1``, one less; its end cut elsewhere."""
    place = torch.arange(rows.shape[1] - 1)[None]
    source = torch.where(active[:, None] & (place > at[:, None]), place + 1, place)
    found = rows.gather(1, source[..., None].expand(-1, -1, rows.shape[2]))
    here = (active[:, None] & (place == at[:, None]))[..., None]
    return torch.where(here, new, found)
