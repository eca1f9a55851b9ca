"""Which sentences each sample of a term holds: drawn at random, or those of each half (Bloem et al. 2019, §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.text import Ids, Text

_DRAW = 1
"""Stream of the seed."""


class Samples(NamedTuple):
    """P samples of T terms; those of one term follow each other and share no sentence.

    Attributes:
        terms: ``(T,)`` word ids of the terms in the text.
        term: ``(P,)`` place of each sample's term in ``terms``.
        members: ``(m,)`` sentences, sample by sample, in an order drawn at random.
        starts: ``(P + 1,)`` offsets of the samples into ``members``.
    """

    terms: Ids
    term: Ids
    members: Ids
    starts: Ids

    @property
    def sizes(self) -> Ids:
        """``(P,)`` sentences of each sample."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Ids:
        """``(m,)`` sample of every member."""
        return np.repeat(np.arange(len(self.term)), self.sizes)

    def first(self, n: int) -> Samples:
        """Return the first n sentences of each sample of the terms whose samples all have that many."""
        enough = np.bincount(self.term, self.sizes < n, len(self.terms)) == 0
        place = np.arange(len(self.members)) - np.repeat(self.starts[:-1], self.sizes)
        kept = enough[self.term[self.owner]] & (place < n)
        return of_members(self.terms, self.term, self.owner[kept], self.members[kept])


def of_members(terms: Ids, term: Ids, owner: Ids, members: Ids) -> Samples:
    """Return samples of members in the order of their owners; terms and samples without any are left out."""
    there = np.unique(owner)
    used, renumbered = np.unique(term[there], return_inverse=True)
    sizes = np.bincount(owner, minlength=len(term))[there]
    return Samples(terms[used], renumbered, members, np.concatenate([[0], np.cumsum(sizes)]))


def sentences_of(text: Text, words: Sequence[int]) -> dict[int, Ids]:
    """Return the sentences that each word stands in, ascending; words without any are left out."""
    wanted = np.zeros(len(text.words), dtype=np.bool_)
    wanted[list(words)] = True
    here = wanted[text.tokens]
    pairs = np.unique(np.stack([text.tokens[here], text.sentence[here]], 1), axis=0)
    ids, first = np.unique(pairs[:, 0], return_index=True)
    return dict(zip(ids.tolist(), np.split(pairs[:, 1], first[1:]), strict=True)) if len(ids) else {}


def middle(text: Text) -> int:
    """Return the first sentence of the second half: where the document begins that is nearest to half of the tokens.

    A text of one document is cut at the sentence nearest to it.
    """
    begins = np.flatnonzero(np.diff(text.documents)) + 1
    begins = begins if len(begins) else np.arange(1, len(text.documents))
    if not len(begins):
        return len(text.documents)
    return int(begins[np.abs(text.starts[begins] - len(text.tokens) / 2).argmin()])


def eligible(found: Mapping[int, Ids], text: Text, options: ConsistencyOptions) -> list[int]:
    """Return the words, ascending, that have the wanted number of sentences: in all, or in each half."""
    if options.split == "half":
        cut = middle(text)
        least = {word: min(int((s < cut).sum()), int((s >= cut).sum())) for word, s in found.items()}
        return sorted(word for word, n in least.items() if n >= options.least)
    return sorted(word for word, s in found.items() if len(s) >= options.least)


def draw_samples(text: Text, terms: Sequence[int], options: ConsistencyOptions) -> Samples:
    """Return the samples of terms that are eligible.

    Random: of ``samples · sentences`` sentences drawn without replacement, or of all where a term has fewer, each
    sample takes every ``samples``-th, so that their sizes differ by one at most. Half: all sentences of each half. A
    term's draw depends on the seed and the term's place alone.
    """
    found = sentences_of(text, terms)
    cut = middle(text)
    owner, members = list[NDArray[np.int64]](), list[NDArray[np.int64]]()
    parts = 2 if options.split == "half" else options.samples
    for k, word in enumerate(terms):
        order = np.random.default_rng([options.seed, _DRAW, k]).permutation(found[word])
        if options.split == "half":
            groups = [order[order < cut], order[order >= cut]]
        else:
            order = order[: parts * options.sentences]
            groups = [order[j::parts] for j in range(parts)]
        members += groups
        owner += [np.full(len(group), k * parts + j) for j, group in enumerate(groups)]
    term = np.repeat(np.arange(len(terms)), parts)
    return of_members(np.array(terms, dtype=np.int64), term, np.concatenate(owner), np.concatenate(members))
