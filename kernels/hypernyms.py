"""Distances of words through common hypernyms, for blocks of words against all: one sweep down the taxonomy.

``distance(a, b) = min over senses s of a, t of b and common hypernyms h of up(s, h) + up(t, h)``, with ``up`` the
fewest edges upwards: the path length of Leacock & Chodorow (1998). A search in the undirected graph is not it: that
one may go down and up again.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["NO_PATH", "Edges", "Taxonomy", "hypernym_distances"]

NO_PATH = 100
"""Distance of synsets without a common hypernym; ways down from there count on, and stay below 256."""


class Edges(NamedTuple):
    """Edges from synsets of one level to hypernyms; every child once.

    Attributes:
        child: ``(e,)`` row numbers, or a slice of them.
        parent: ``(e,)`` row numbers, of lower levels.
    """

    child: Tensor | slice
    parent: Tensor


class Taxonomy(NamedTuple):
    """Synsets in the order of their levels, and the words that have senses among them.

    Attributes:
        synsets: how many there are, S.
        sweeps: the edges of every level from 1 downwards, in this order; where synsets have several hypernyms, several
            entries for one level.
        first: ``(w,)`` synset of the first sense of every word.
        further: for the second, third, ... sense: the words that have one, ``(n,)``, and its synset ``(n,)``.
        start: ``(w + 1,)`` where the hypernyms of every word begin in the next two.
        above: ``(a,)`` synsets that are a sense of the word or lie above one.
        up: ``(a,)`` uint8, how many edges above the nearest sense.
    """

    synsets: int
    sweeps: tuple[Edges, ...]
    first: Tensor
    further: tuple[tuple[Tensor, Tensor], ...]
    start: Tensor
    above: Tensor
    up: Tensor

    @property
    def words(self) -> int:
        """How many words have a sense, w."""
        return len(self.first)

    def to(self, device: torch.device) -> Taxonomy:
        """Return the same on a device."""
        sweeps = tuple(
            Edges(e.child if isinstance(e.child, slice) else e.child.to(device), e.parent.to(device))
            for e in self.sweeps
        )
        further = tuple((words.to(device), synsets.to(device)) for words, synsets in self.further)
        tensors = (part.to(device) for part in (self.start, self.above, self.up))
        return Taxonomy(self.synsets, sweeps, self.first.to(device), further, *tensors)


def hypernym_distances(taxonomy: Taxonomy, start: int, stop: int) -> Tensor:
    """Return how far the words ``start .. stop`` are from all words, ``(b, w)`` uint8; :data:`NO_PATH` or more: no way.

    The distances of the block's hypernyms are laid down, and every level takes the nearest of its hypernyms' ones plus
    one. Rows are synsets, so that every step copies whole rows; memory is ``S × b`` bytes.

    Args:
        taxonomy: synsets and words.
        start: first word of the block.
        stop: one beyond its last.
    """
    device = taxonomy.first.device
    own = slice(int(taxonomy.start[start]), int(taxonomy.start[stop]))
    sizes = taxonomy.start[start + 1 : stop + 1] - taxonomy.start[start:stop]
    column = torch.arange(stop - start, device=device).repeat_interleave(sizes)
    reach = torch.full((taxonomy.synsets, stop - start), NO_PATH, dtype=torch.uint8, device=device)
    reach[taxonomy.above[own], column] = taxonomy.up[own]
    for child, parent in taxonomy.sweeps:
        reach[child] = torch.minimum(reach[child], reach[parent] + 1)
    found = reach[taxonomy.first]
    for words, synsets in taxonomy.further:
        found[words] = torch.minimum(found[words], reach[synsets])
    return found.mT.contiguous()
