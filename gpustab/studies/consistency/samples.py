"""Which terms are learned, which sentences each of their samples holds, and the context words that these have.

Terms come from a list, at random, or as keywords; their samples are drawn at random, or are the halves of the text
(Bloem et al. 2019, section 4).
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
from gpustab.results.page import counted, percent
from gpustab.runs.runs import Runs
from gpustab.small_data.additive import (
    Chances,
    Frequencies,
    additive,
    chances,
    context_counts,
    frequencies,
    kept_tokens,
)
from gpustab.small_data.text import Ids, Samples, Term, Text, joined, of_members
from gpustab.spaces.words import show, some_words
from gpustab.studies.consistency.claims import FEWEST
from gpustab.studies.consistency.measures import NullPairs
from gpustab.studies.consistency.options import ConsistencyOptions

_DRAW, _TERMS, _BESIDE = 1, 2, 8
"""Streams of the seed."""

_FREQUENT = 100
"""So many of the most frequent words of a text are function words, which are not drawn."""


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


def eligible(sentences: Mapping[int, Ids], options: ConsistencyOptions) -> list[int]:
    """Return the words, ascending, that have the wanted number of sentences.

    With a half split that is the number for both halves together: whether each has its own is asked later, of all
    splits alike (:func:`in_both_halves`), for a choice by the true one would set it apart from all others.
    """
    least = 2 * options.least if options.split == "half" else options.least
    return sorted(word for word, s in sentences.items() if len(s) >= least)


def in_both_halves(text: Text, words: Sequence[int], options: ConsistencyOptions) -> list[int]:
    """Return the words that have the wanted number of sentences in each half of the text, in their order."""
    sentences, cut = sentences_of(text, words), middle(text)
    return [
        word
        for word in words
        if min(int((sentences[word] < cut).sum()), int((sentences[word] >= cut).sum())) >= options.least
    ]


def listed(text: Text, terms: Sequence[Term], options: ConsistencyOptions) -> tuple[list[int], list[str]]:
    """Return the terms of a list that have sentences enough, in their order, and a sentence on the others.

    Terms of several words are already joined in the text.
    """
    number = {word: k for k, word in enumerate(text.words)}
    ids = [number.get(b"_".join(term), -1) for term in terms]
    enough = set(eligible(sentences_of(text, [k for k in ids if k >= 0]), options))
    kept = [k for k in ids if k in enough]
    lost = [b" ".join(term) for term, k in zip(terms, ids, strict=True) if k not in enough]
    least = 2 * options.least if options.split == "half" else options.least
    notes = [
        f"{counted(len(lost), 'term', 'stands/stand', of=len(terms))} in fewer than {counted(least, 'sentence')} of "
        f"the text and {'is' if len(lost) == 1 else 'are'} left out: {some_words(lost)}."
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

    There is a count of every word of the text, 0 where the background lacks it, and ``total`` of all its tokens.

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
    return eligible(sentences, options)


def want_two(text: Text, terms: Sequence[int], options: ConsistencyOptions) -> None:
    """Refuse fewer than two terms: nothing could be compared with them."""
    if len(terms) < 2:
        which = f"only '{show(text.words[terms[0]])}'" if terms else "no term"
        where = " in each half" if options.split == "half" else ""
        others = f"; the {_FREQUENT} most frequent words are not taken, {option('terms', ...)} names others"
        listed = options.sample_file or options.terms not in ("random", "keywords")
        raise InputError(
            f"{text.name}: {which} stands in {counted(options.least, 'sentence')} or more{where}; wanted two terms at "
            f"least, see {option('cutoff')}{'' if listed else others}"
        )


def draw_samples(text: Text, terms: Sequence[int], options: ConsistencyOptions) -> Samples:
    """Return the samples of terms that are eligible.

    Random: of ``samples · sentences`` sentences drawn without replacement, or of all where a term has fewer, each
    sample takes every ``samples``-th, so that their sizes differ by one at most. Half: all sentences of each half. A
    term's draw depends on the seed and the term's place alone.
    """
    sentences, cut, members = sentences_of(text, terms), middle(text), list[Ids]()
    parts = 2 if options.split == "half" else options.samples
    for k, word in enumerate(terms):
        order = np.random.default_rng([options.seed, _DRAW, k]).permutation(sentences[word])
        if options.split == "half":
            members += [order[order < cut], order[order >= cut]]
        else:
            members += [order[: parts * options.sentences][j::parts] for j in range(parts)]
    owner = np.repeat(np.arange(len(members)), [len(some) for some in members])
    term = np.repeat(np.arange(len(terms)), parts)
    return of_members(np.array(terms, dtype=np.int64), term, owner, np.concatenate(members))


def same_documents(text: Text, samples: Samples, seed: int) -> tuple[Text, Samples, Ids]:
    """Put a made-up word beside every term, at random places of other sentences of the same documents.

    Two samples of a term that stands in few documents are sentences of one topic, and those of two terms are not: what
    a made-up word comes to, that alone does. For every sentence of a sample another one of its document is drawn that
    lacks the term, each once for a term; where a document has no more, a sample has fewer, or none.

    Returns:
        The text with the made-up words, ``(n + m,)`` tokens; their samples; ``(n + m,)`` which token was at which place
        before, −1 for the new ones.
    """
    documents = np.searchsorted(text.documents, np.arange(int(text.documents[-1]) + 2))
    there = sentences_of(text, samples.terms.tolist())
    members, places, sizes = list[int](), list[int](), np.zeros(len(samples.term), dtype=np.int64)
    for k, word in enumerate(samples.terms.tolist()):
        generator = np.random.default_rng([seed, _BESIDE, k])
        left: dict[int, list[int]] = {}
        for p in np.flatnonzero(samples.term == k).tolist():
            for s in samples.members[samples.starts[p] : samples.starts[p + 1]].tolist():
                document = int(text.documents[s])
                if document not in left:
                    every = np.arange(documents[document], documents[document + 1])
                    left[document] = generator.permutation(np.setdiff1d(every, there[word])).tolist()
                if left[document]:
                    members.append(left[document].pop())
                    places.append(int(generator.integers(text.starts[members[-1]], text.starts[members[-1] + 1])))
                    sizes[p] += 1
    made = samples._replace(
        terms=len(text.words) + np.arange(len(samples.terms)),
        members=np.array(members, dtype=np.int64),
        starts=np.concatenate([[0], np.cumsum(sizes)]),
    )
    new = made.terms[made.term[made.owner]]
    starts = text.starts + np.concatenate([[0], np.cumsum(np.bincount(made.members, minlength=len(text.documents)))])
    words = [*text.words, *(b"\0" + text.words[word] for word in samples.terms.tolist())]
    tokens = np.insert(text.tokens, places, new)
    before = np.insert(np.arange(len(text.tokens)), places, -1)
    return text._replace(words=words, tokens=tokens, starts=starts), made, before


def are_enough(samples: Samples) -> bool:
    """Tell whether half of the terms, and as many as a verdict needs, have two samples with sentences."""
    filled = np.bincount(samples.term, samples.sizes > 0, len(samples.terms))
    return bool((filled >= 2).sum() >= max(FEWEST, len(filled) / 2))


class Prepared(NamedTuple):
    """What all models of one background share.

    Attributes:
        text: with terms of several words joined.
        samples: P of them.
        frequencies: of the text's words in the background.
        kept: ``(n,)`` tokens that subsampling left.
        counts: ``(P, v)`` context words of every sample.
        words: ``(P,)`` how many those are.
        allowed: null pairs of the samples.
        notes: sentences on all of it.
        group: what the background, and the text where they are several, is called in the tables.
        candidates: ``(C,)`` words that were chosen before any was left out because a half has too little of it.
    """

    text: Text
    samples: Samples
    frequencies: Frequencies
    kept: NDArray[np.bool_]
    counts: sparse.csr_matrix
    words: Tensor
    allowed: NullPairs
    notes: list[str]
    group: str
    candidates: Ids

    @property
    def term_rows(self) -> Tensor:
        """``(P,)`` background row of every sample's term, −1 for none."""
        return torch.from_numpy(self.frequencies.rows[self.samples.terms[self.samples.term]]).to(self.words.device)

    @property
    def known(self) -> float:
        """The share of the text's tokens that the background knows."""
        return float((self.frequencies.rows[self.text.tokens] >= 0).mean())

    def sums(self, runs: Runs, run: int) -> Tensor:
        """Return the additive model's vectors of the samples in one run, ``(P, d)``."""
        return additive(self.counts, runs, run, self.words.device)

    def of(self, samples: Samples, runs: Runs, options: ConsistencyOptions) -> Prepared:
        """Return the same of other samples, or of another window."""
        rows, types = self.frequencies.rows, options.count == "types"
        counts = context_counts(self.text, samples, rows, runs.words, self.kept, options.window, types=types)
        return self.with_counts(samples, counts)

    def having(self, terms: NDArray[np.bool_]) -> tuple[Tensor, Prepared]:
        """Return the rows of the samples of some terms, ``(T,)`` bool, and the same of these samples alone."""
        rows = np.flatnonzero(terms[self.samples.term])
        samples = self.samples.take(terms[self.samples.term[self.samples.owner]])
        return torch.from_numpy(rows).to(self.words.device), self.with_counts(samples, self.counts[rows])

    def with_counts(self, samples: Samples, counts: sparse.csr_matrix) -> Prepared:
        """Return the same of samples with other context words, ``(P, v)``."""
        words = torch.from_numpy(np.asarray(counts.sum(1)).ravel()).to(self.words.device)
        return self._replace(samples=samples, counts=counts, words=words, allowed=NullPairs(samples, words))


def prepare(
    text: Text,
    terms: list[Term] | None,
    runs: Runs,
    options: ConsistencyOptions,
    device: torch.device,
    samples: Samples | None = None,
    group: str = "",
) -> Prepared:
    """Return samples of the terms with their context words.

    Terms are drawn or keywords where they are ``None``; samples are drawn where none came with the text. The default of
    ``group``, what both are called in the tables, is the background's name.

    Raises:
        InputError: if fewer than two terms have samples, or the background knows none of the text's words.
    """
    text = joined(text, terms or [])
    words = frequencies(text, runs)
    if not (words.rows[text.tokens] >= 0).any():
        raise InputError(f"'{runs.name}' knows none of the {len(text.words):,} words of {text.name}")
    chance, subsampling = _keeping(text, words, options)
    kept = kept_tokens(text, chance, options.seed)
    candidates = np.zeros(0, np.int64) if samples is None else samples.terms
    choice = list[str]()
    if samples is None:
        samples, candidates, choice = _drawn(text, terms, words, options)
    types = options.count == "types"
    counts = context_counts(text, samples, words.rows, runs.words, kept, options.window, types=types)
    sizes = torch.from_numpy(np.asarray(counts.sum(1)).ravel()).to(device)
    null, notes = NullPairs(samples, sizes), [*_of_text(text), *choice, subsampling]
    prepared = Prepared(text, samples, words, kept, counts, sizes, null, notes, group or runs.name, candidates)
    prepared = _with_words(prepared, runs, options)
    if not prepared.allowed.any():
        raise InputError(
            f"{text.name}: no two terms have samples without a common sentence and with like numbers of context words, "
            "so there is no null level; give more terms or more text"
        )
    return prepared


def _keeping(text: Text, words: Frequencies, options: ConsistencyOptions) -> tuple[Chances, str]:
    """The chance of every word of the text to be kept, and a sentence on where its frequency comes from."""
    if not options.subsample:
        return np.ones(len(text.words)), "No context word was subsampled."
    if words.counts is None:
        chance, source = chances(text.counts, len(text.tokens), options.subsample), "the text, the background has none"
    else:
        chance, source = chances(words.counts, words.total, options.subsample), "the background"
    return chance, f"Context words were subsampled at {options.subsample:g} by counts of {source}."


def _with_words(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> Prepared:
    """Leave out terms of which a sample has no context word, with a note."""
    samples = prepared.samples
    bad = np.bincount(samples.term, prepared.words.cpu().numpy() == 0, len(samples.terms)) > 0
    if not bad.any():
        return prepared
    full, lost = samples.take(~bad[samples.term[samples.owner]]), samples.terms[bad].tolist()
    names = some_words([prepared.text.words[k] for k in lost])
    prepared.notes.append(
        f"{counted(len(lost), 'term', 'has/have')} a sample without any context word that the background knows "
        f"and {'is' if len(lost) == 1 else 'are'} left out: {names}."
    )
    want_two(prepared.text, full.terms.tolist(), options)
    return prepared.of(full, runs, options)


def _drawn(
    text: Text, terms: list[Term] | None, words: Frequencies, options: ConsistencyOptions
) -> tuple[Samples, Ids, list[str]]:
    """Choose terms, and draw their samples; with all that were chosen, and sentences on the choice."""
    if terms is not None:
        ids, notes = listed(text, terms, options)
    elif options.terms == "keywords":
        ids, notes = keywords(text, words.counts, words.total, options)
    else:
        ids, notes = drawn(text, options)
    candidates = np.array(ids, dtype=np.int64)
    if options.split == "half":
        ids = in_both_halves(text, ids, options)
        if lost := len(candidates) - len(ids):
            notes.append(
                f"{counted(lost, 'term', 'has/have', of=len(candidates))} fewer than "
                f"{counted(options.least, 'sentence')} in a half, and no samples there."
            )
    want_two(text, ids, options)
    return draw_samples(text, ids, options), candidates, notes


def _of_text(text: Text) -> list[str]:
    n, tokens, documents = len(text.starts) - 1, len(text.tokens), text.documents[-1] + 1
    words = f"{counted(tokens, 'running word')} with the rare ones"
    size = f"{counted(n, 'different sentence')}, {words}, {counted(documents, 'document')}"
    copies = (
        f"{counted(text.duplicates, 'sentence', 'was/were')} left out "
        f"({percent(text.duplicates / (n + text.duplicates), 1)}), since the same words had stood before: else "
        "consistency would be the finding of copies."
    )
    return [f"{text.name}: {size}.", copies] if text.duplicates else [f"{text.name}: {size}."]
