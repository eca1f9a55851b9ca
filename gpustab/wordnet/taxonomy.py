"""The part of WordNet's nouns that lies above a vocabulary, as the tensors that the kernel sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import torch

from gpustab.errors import InputError
from gpustab.kernels.hypernyms import NO_PATH, Edges, Taxonomy
from gpustab.wordnet.nouns import Nouns


def taxonomy_of(nouns: Nouns, senses: Sequence[Sequence[int]]) -> Taxonomy:
    """Return the taxonomy of some words.

    Args:
        nouns: WordNet's nouns.
        senses: the synsets of every word, at least one each.

    Raises:
        InputError: if the taxonomy is too deep for distances of a byte; WordNet's has 19 edges.
    """
    if 2 * nouns.depth >= NO_PATH:
        raise InputError(f"{nouns.folder}: hypernyms are {nouns.depth} edges deep, wanted less than {NO_PATH // 2}")
    order = sorted(_closed(nouns, (synset for own in senses for synset in own)), key=lambda s: (nouns.levels[s], s))
    row = {synset: k for k, synset in enumerate(order)}
    reached = [_reached(nouns, own) for own in senses]
    start = torch.tensor([0, *(len(own) for own in reached)], device="cpu").cumsum(0)
    return Taxonomy(
        len(order),
        tuple(_sweeps(nouns, order, row)),
        torch.tensor([row[own[0]] for own in senses], dtype=torch.long, device="cpu"),
        tuple(_further(senses, row)),
        start,
        torch.tensor([row[synset] for own in reached for synset in own], dtype=torch.long, device="cpu"),
        torch.tensor([steps for own in reached for steps in own.values()], dtype=torch.uint8, device="cpu"),
    )


def _closed(nouns: Nouns, synsets: Iterable[int]) -> set[int]:
    """The synsets and all that lie above them."""
    found, waiting = set(), list(synsets)
    while waiting:
        synset = waiting.pop()
        if synset not in found:
            found.add(synset)
            waiting += nouns.hypernyms[synset]
    return found


def _reached(nouns: Nouns, senses: Sequence[int]) -> dict[int, int]:
    """All synsets at or above the senses, with the fewest edges up to each."""
    found, ring, steps = dict.fromkeys(senses, 0), list(senses), 0
    while ring:
        steps += 1
        above = dict.fromkeys(parent for synset in ring for parent in nouns.hypernyms[synset])
        ring = [synset for synset in above if synset not in found]
        found |= dict.fromkeys(ring, steps)
    return found


def _sweeps(nouns: Nouns, order: Sequence[int], row: dict[int, int]) -> Iterable[Edges]:
    """Every level's edges to first hypernyms, which all its synsets have, then those to second ones, and so on."""
    for level, members in groupby(order, key=lambda synset: nouns.levels[synset]):
        own = list(members)
        if level == 0:
            continue
        first = row[own[0]]
        parents = [nouns.hypernyms[synset] for synset in own]
        yield Edges(slice(first, first + len(own)), torch.tensor([row[up[0]] for up in parents], device="cpu"))
        for rank in range(1, max(map(len, parents))):
            having = [k for k, up in enumerate(parents) if len(up) > rank]
            yield Edges(
                torch.tensor([first + k for k in having], device="cpu"),
                torch.tensor([row[parents[k][rank]] for k in having], device="cpu"),
            )


def _further(senses: Sequence[Sequence[int]], row: dict[int, int]) -> Iterable[tuple[torch.Tensor, torch.Tensor]]:
    for rank in range(1, max(map(len, senses), default=0)):
        having = [k for k, own in enumerate(senses) if len(own) > rank]
        yield torch.tensor(having, device="cpu"), torch.tensor([row[senses[k][rank]] for k in having], device="cpu")
