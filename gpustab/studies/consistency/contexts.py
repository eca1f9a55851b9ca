"""From a text and a background to samples with their context words (Bloem et al. 2019, section 5).

The context words of every sample are one sparse matrix of counts. Frequent words are thinned out as word2vec does, by
their counts in the background where it has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from gpustab.errors import InputError
from gpustab.results.page import counted
from gpustab.runs.runs import Runs
from gpustab.spaces.words import some_words
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import (
    NullPairs,
    Samples,
    draw_samples,
    drawn,
    keywords,
    listed,
    of_members,
    want_two,
)
from gpustab.studies.consistency.text import Ids, Term, Text, joined, rows_in

_KEEP = 3
"""Stream of the seed."""

Chances = NDArray[np.float64]


class Instances(NamedTuple):
    """The tokens of all members of all samples, one after the other; a sentence of two samples is there twice.

    Attributes:
        place: ``(n,)`` place of the token in the text.
        member: ``(n,)`` member that it belongs to, see :class:`~gpustab.studies.consistency.samples.Samples`.
        target: ``(n,)`` bool: it is the term itself.
    """

    place: Ids
    member: Ids
    target: NDArray[np.bool_]

    def take(self, kept: NDArray[np.bool_]) -> Instances:
        """Return some of them; the others' neighbours close ranks."""
        return Instances(self.place[kept], self.member[kept], self.target[kept])


def instances(text: Text, samples: Samples) -> Instances:
    """Return the tokens of all members."""
    starts = text.starts[samples.members]
    lengths = text.starts[samples.members + 1] - starts
    ends = np.cumsum(lengths)
    place = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    member = np.repeat(np.arange(len(lengths)), lengths)
    term = samples.terms[samples.term[samples.owner]]
    return Instances(place, member, text.tokens[place] == term[member])


def chances(counts: NDArray[np.int64], total: int | NDArray[np.int64], threshold: float) -> Chances:
    """Return word2vec's probability that a word is kept, ``min(1, (√(c/tN) + 1) · tN/c)``; 1 for c = 0 and t = 0.

    Args:
        counts: c of every word.
        total: N, all tokens; or one for each word.
        threshold: t.
    """
    if not threshold:
        return np.ones(len(counts))
    share = np.maximum(counts, 1) / (threshold * total)
    return np.where(counts > 0, np.minimum(1.0, (np.sqrt(share) + 1) / share), 1.0)


def kept_tokens(text: Text, chance: Chances, seed: int) -> NDArray[np.bool_]:
    """Draw which tokens of the text are kept, ``(n,)``: once for all samples."""
    uniform = np.random.default_rng([seed, _KEEP]).random(len(text.tokens))
    kept: NDArray[np.bool_] = uniform < chance[text.tokens]
    return kept


def distance_to_target(tokens: Instances) -> Ids:
    """Return the distance of every token to the nearest target of its member, ``(n,)``; n + 1 where there is none."""
    n = len(tokens.place)
    order = np.arange(n)
    before = np.maximum.accumulate(np.where(tokens.target, order, -1))
    after = np.minimum.accumulate(np.where(tokens.target, order, n)[::-1])[::-1]
    left = np.where((before >= 0) & (tokens.member[before] == tokens.member), order - before, n + 1)
    inside = np.minimum(after, n - 1)
    right = np.where((after < n) & (tokens.member[inside] == tokens.member), after - order, n + 1)
    nearest: Ids = np.minimum(left, right)
    return nearest


def context_counts(
    text: Text, samples: Samples, rows: Ids, words: int, kept: NDArray[np.bool_], options: ConsistencyOptions
) -> sparse.csr_matrix:
    """Return how often every background word is a context word of every sample, ``(P, v)``.

    Subsampling comes before the window: kept tokens close ranks. A token is a context word once, if one of its
    sentence's occurrences of the term is at most ``window`` away; the term itself never is.

    Args:
        text: of n tokens.
        samples: P of them.
        rows: row in the background of every word of the text, −1 where it has none.
        words: v, size of the background.
        kept: ``(n,)`` tokens that subsampling left; the term always stays.
        options: window, and whether tokens or types count.
    """
    tokens = instances(text, samples)
    tokens = tokens.take(kept[tokens.place] | tokens.target)
    row = rows[text.tokens[tokens.place]]
    context = (distance_to_target(tokens) <= options.window) & ~tokens.target & (row >= 0)
    owner = samples.owner[tokens.member[context]]
    shape = (len(samples.term), words)
    counts = sparse.coo_matrix((np.ones(len(owner)), (owner, row[context])), shape).tocsr()
    if options.count == "types":
        counts.data[:] = 1
    return counts


class Frequencies(NamedTuple):
    """How frequent the words of the text are, where subsampling asks.

    Attributes:
        counts: of every word of the text in the background; 0 where it is unknown there; ``None`` without counts.
        total: all the background's tokens.
        rows: row of every word of the text, −1 where the background lacks it.
    """

    counts: Ids | None
    total: int
    rows: Ids


def frequencies(text: Text, runs: Runs) -> Frequencies:
    """Return the counts of the text's words in the background, means over its runs."""
    rows = rows_in(text, runs.vocabulary)
    there = rows >= 0
    joint = runs.joint.cpu().numpy()
    rows[there] = np.where(joint[rows[there]], rows[there], -1)  # a zero vector is no background
    if runs.counts is None:
        return Frequencies(None, 0, rows)
    counts = (runs.counts.cpu().numpy() / len(runs)).astype(np.int64)
    return Frequencies(np.where(rows >= 0, counts[rows], 0), int(counts.sum()), rows)


def keeping(text: Text, words: Frequencies, options: ConsistencyOptions) -> tuple[Chances, str]:
    """Return the chance of every word of the text to be kept, and a sentence on where its frequency comes from."""
    if not options.subsample:
        return np.ones(len(text.words)), "No context word was subsampled."
    if words.counts is None:
        chance, source = chances(text.counts, len(text.tokens), options.subsample), "the text, the background has none"
    else:
        chance, source = chances(words.counts, words.total, options.subsample), "the background"
    return chance, f"Context words were subsampled at {options.subsample:g} by counts of {source}."


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

    @property
    def term_rows(self) -> Tensor:
        """``(P,)`` background row of every sample's term, −1 for none."""
        return torch.from_numpy(self.frequencies.rows[self.samples.terms[self.samples.term]]).to(self.words.device)

    def of(self, samples: Samples, runs: Runs, options: ConsistencyOptions) -> Prepared:
        """Return the same of other samples."""
        counts = context_counts(self.text, samples, self.frequencies.rows, runs.words, self.kept, options)
        return self.with_counts(samples, counts)

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

    Args:
        text: as it was read.
        terms: of a file; ``None`` where they are drawn or keywords.
        runs: the background.
        options: of the study.
        device: where tensors shall lie.
        samples: that were not drawn from the text, but came with it.
        group: what both are called in the tables; default: as the background.

    Raises:
        InputError: if fewer than two terms have samples, or the background knows none of the text's words.
    """
    text = joined(text, terms or [])
    words = frequencies(text, runs)
    if not (words.rows[text.tokens] >= 0).any():
        raise InputError(f"'{runs.name}' knows none of the {len(text.words):,} words of {text.name}")
    chance, subsampling = keeping(text, words, options)
    kept = kept_tokens(text, chance, options.seed)
    samples, notes = (samples, []) if samples is not None else _drawn(text, terms, words, options)
    counts = context_counts(text, samples, words.rows, runs.words, kept, options)
    sizes = torch.from_numpy(np.asarray(counts.sum(1)).ravel()).to(device)
    notes = [*_of_text(text), *notes, subsampling]
    null = NullPairs(samples, sizes)
    prepared = _with_words(
        Prepared(text, samples, words, kept, counts, sizes, null, notes, group or runs.name), runs, options
    )
    if not prepared.allowed.any():
        raise InputError(
            f"{text.name}: no two terms have samples without a common sentence and with like numbers of context words, "
            "so there is no null level; give more terms or more text"
        )
    return prepared


def _with_words(prepared: Prepared, runs: Runs, options: ConsistencyOptions) -> Prepared:
    """Leave out terms of which a sample has no context word, with a note."""
    full, lost = _without_empty(prepared.samples, prepared.words.cpu().numpy())
    if not lost:
        return prepared
    names = some_words([prepared.text.words[k] for k in lost])
    prepared.notes.append(
        f"{counted(len(lost), 'term', 'has/have')} a sample without any context word that the background knows "
        f"and {'is' if len(lost) == 1 else 'are'} left out: {names}."
    )
    want_two(prepared.text, full.terms.tolist(), options)
    return prepared.of(full, runs, options)


def _without_empty(samples: Samples, words: NDArray[np.float64]) -> tuple[Samples, list[int]]:
    """Return the samples of the terms all of whose samples have context words, and the other terms."""
    bad = np.bincount(samples.term, words == 0, len(samples.terms)) > 0
    good = ~bad[samples.term[samples.owner]]
    kept = of_members(samples.terms, samples.term, samples.owner[good], samples.members[good])
    return kept, samples.terms[bad].tolist()


def _drawn(
    text: Text, terms: list[Term] | None, words: Frequencies, options: ConsistencyOptions
) -> tuple[Samples, list[str]]:
    """Choose terms, and draw their samples; with sentences on the choice."""
    if terms is not None:
        ids, notes = listed(text, terms, options)
    elif options.terms == "keywords":
        ids, notes = keywords(text, words.counts, words.total, options)
    else:
        ids, notes = drawn(text, options)
    want_two(text, ids, options)
    return draw_samples(text, ids, options), notes


def _of_text(text: Text) -> list[str]:
    n = len(text.starts) - 1
    parts = counted(n, "different sentence"), counted(len(text.tokens), "token"), text.documents[-1] + 1
    size = f"{text.name}: {parts[0]}, {parts[1]}, {counted(parts[2], 'document')}."
    if not text.duplicates:
        return [size]
    share = text.duplicates / (n + text.duplicates)
    return [
        size,
        f"{counted(text.duplicates, 'sentence', 'was/were')} left out ({share:.1%}), since the same words had stood "
        "before: else consistency would be the finding of copies.",
    ]


def known_share(prepared: Prepared) -> float:
    """Return the share of the text's tokens that the background knows."""
    return float((prepared.frequencies.rows[prepared.text.tokens] >= 0).mean())
