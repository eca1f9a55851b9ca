"""Which terms are learned, which sentences each of their samples holds, and which samples may be compared.

Terms come from a list, at random, or as keywords; their samples are drawn at random, or are the halves of the text
(Bloem et al. 2019, section 4). What a sample of one term is compared with are samples of other terms without a common
sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.errors import InputError, option
from gpustab.results.page import counted
from gpustab.spaces.words import show, some_words
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.text import Ids, Term, Text

_DRAW, _TERMS = 1, 2
"""Streams of the seed."""

_FREQUENT = 100
"""So many of the most frequent words of a text are function words, which are not drawn."""

_WHOLE = 1 << 24
"""So many pairs are kept; of more samples (4,096) they are found block by block, whenever they are wanted."""


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


def eligible(sentences: Mapping[int, Ids], text: Text, options: ConsistencyOptions) -> list[int]:
    """Return the words, ascending, that have the wanted number of sentences: in all, or in each half."""
    if options.split == "half":
        cut = middle(text)
        least = {word: min(int((s < cut).sum()), int((s >= cut).sum())) for word, s in sentences.items()}
        return sorted(word for word, n in least.items() if n >= options.least)
    return sorted(word for word, s in sentences.items() if len(s) >= options.least)


def listed(text: Text, terms: Sequence[Term], options: ConsistencyOptions) -> tuple[list[int], list[str]]:
    """Return the terms of a list that have sentences enough, in their order, and a sentence on the others.

    Args:
        text: with its terms of several words joined.
        terms: of the list.
        options: how many sentences are enough.
    """
    number = {word: k for k, word in enumerate(text.words)}
    ids = [number.get(b"_".join(term), -1) for term in terms]
    enough = set(eligible(sentences_of(text, [k for k in ids if k >= 0]), text, options))
    kept = [k for k in ids if k in enough]
    lost = [b" ".join(term) for term, k in zip(terms, ids, strict=True) if k not in enough]
    where = "in each half" if options.split == "half" else "of the text"
    notes = [
        f"{counted(len(lost), 'term', 'stands/stand', of=len(terms))} in fewer than "
        f"{counted(options.least, 'sentence')} {where} and {'is' if len(lost) == 1 else 'are'} left "
        f"out: {some_words(lost)}."
    ]
    return kept, notes if lost else []


def drawn(text: Text, options: ConsistencyOptions) -> tuple[list[int], list[str]]:
    """Return words of the text drawn at random, and a sentence on it; the 100 most frequent are not drawn from."""
    pool = _pool(text, options)
    order = np.random.default_rng([options.seed, _TERMS]).permutation(pool)[: options.number]
    note = (
        f"{counted(len(order), 'term', 'was/were')} drawn from the {counted(len(pool), 'word')} with sentences "
        f"enough, without the {_FREQUENT} most frequent (seed {options.seed})."
    )
    return sorted(order.tolist()), [note]


def keywords(text: Text, counts: Ids | None, total: int, options: ConsistencyOptions) -> tuple[list[int], list[str]]:
    """Return the words most over-represented in the text, by Dunning's G² against the background's counts.

    Args:
        text: of n tokens.
        counts: of every word of the text in the background, 0 where it is unknown; ``None`` if the background has none.
        total: all its tokens.
        options: how many.

    Raises:
        InputError: if the background has no counts.
    """
    if counts is None:
        raise InputError(
            f"{option('terms', 'keywords')} needs a background with counts, and this one has none; give a file of "
            "terms, or 'random'"
        )
    pool = _pool(text, options)
    occurrences, n = text.counts, len(text.tokens)
    score = {word: _keyness(int(occurrences[word]), n, int(counts[word]), total) for word in pool if counts[word]}
    best = sorted(score, key=lambda word: (-score[word], word))[: options.number]
    over = [word for word in best if score[word] > 0]
    were = counted(len(over), "keyword", "was/were")
    return sorted(over), [f"{were} taken from the text, by Dunning's G² against the background's counts."]


def _keyness(a: int, n: int, b: int, m: int) -> float:
    """G² of a in n tokens against b in m, negative where the word is rarer in the text."""
    expected = [n * (a + b) / (n + m), m * (a + b) / (n + m)]
    g = 2 * sum(x * math.log(x / e) for x, e in zip((a, b), expected, strict=True) if x)
    return math.copysign(g, a - expected[0])


def _pool(text: Text, options: ConsistencyOptions) -> list[int]:
    frequent = set(np.argsort(-text.counts, kind="stable")[:_FREQUENT].tolist())
    sentences = sentences_of(text, [k for k in range(len(text.words)) if k not in frequent])
    return eligible(sentences, text, options)


def want_two(text: Text, terms: Sequence[int], options: ConsistencyOptions) -> None:
    """Refuse fewer than two terms: nothing could be compared with them."""
    if len(terms) < 2:
        which = f"only '{show(text.words[terms[0]])}'" if terms else "no term"
        where = " in each half" if options.split == "half" else ""
        drawn = (
            ""
            if options.sample_file or options.terms not in ("random", "keywords")
            else (f"; the {_FREQUENT} most frequent words are not taken, {option('terms', ...)} names others")
        )
        raise InputError(
            f"{text.name}: {which} stands in {counted(options.least, 'sentence')} or more{where}; wanted two terms at "
            "least, see "
            f"{option('cutoff')}{drawn}"
        )


def draw_samples(text: Text, terms: Sequence[int], options: ConsistencyOptions) -> Samples:
    """Return the samples of terms that are eligible.

    Random: of ``samples · sentences`` sentences drawn without replacement, or of all where a term has fewer, each
    sample takes every ``samples``-th, so that their sizes differ by one at most. Half: all sentences of each half. A
    term's draw depends on the seed and the term's place alone.
    """
    sentences = sentences_of(text, terms)
    cut = middle(text)
    owner, members = list[NDArray[np.int64]](), list[NDArray[np.int64]]()
    parts = 2 if options.split == "half" else options.samples
    for k, word in enumerate(terms):
        order = np.random.default_rng([options.seed, _DRAW, k]).permutation(sentences[word])
        if options.split == "half":
            groups = [order[order < cut], order[order >= cut]]
        else:
            order = order[: parts * options.sentences]
            groups = [order[j::parts] for j in range(parts)]
        members += groups
        owner += [np.full(len(group), k * parts + j) for j, group in enumerate(groups)]
    term = np.repeat(np.arange(len(terms)), parts)
    return of_members(np.array(terms, dtype=np.int64), term, np.concatenate(owner), np.concatenate(members))


class NullPairs:
    """Null pairs of P samples: of different terms, without a common sentence, of like numbers of context words.

    Those numbers are within a factor of two of each other. ``pairs[3:8]`` gives the rows of some samples, ``(5, P)``
    bool: all rows together would take 400 MB at P = 20,000.

    Args:
        samples: P of them.
        words: ``(P,)`` context words of each.
    """

    def __init__(self, samples: Samples, words: Tensor) -> None:
        self._term = torch.from_numpy(samples.term).to(words.device)
        self._words = words
        sentences, column = np.unique(samples.members, return_inverse=True)
        ones = np.ones(len(column), dtype=np.int32)
        self._incidence = sparse.csr_matrix((ones, (samples.owner, column)), (len(samples.term), len(sentences)))
        self._sentences = self._incidence.T.tocsr()
        self._kept = self._rows(slice(0, len(words))) if len(words) ** 2 <= _WHOLE else None

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, rows: slice) -> Tensor:
        """Return rows, ``(k, P)``."""
        return self._rows(rows) if self._kept is None else self._kept[rows]

    def any(self) -> bool:
        """Tell whether there is one."""
        size = max(1, _WHOLE // max(len(self), 1))
        return any(bool(self[start : start + size].any()) for start in range(0, len(self), size))

    def _rows(self, rows: slice) -> Tensor:
        words = self._words[rows, None]
        low, high = torch.minimum(words, self._words), torch.maximum(words, self._words)
        shared = torch.from_numpy((self._incidence[rows] @ self._sentences).toarray() > 0)
        return (self._term[rows, None] != self._term) & ~shared.to(words.device) & (high <= 2 * low)
