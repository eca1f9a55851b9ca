"""What similarity is compared with: path lengths in WordNet for all pairs, or a value for some pairs.

Two kinds suffice. A baseline of *levels* gives a small whole number for every pair of its words, block by block on
the device (WordNet; 5·10⁸ pairs). One of *scored pairs* gives values for a few (people's scores, any function of two
words).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from gpustab.errors import InputError
from gpustab.evaluation.files import read_similarity
from gpustab.evaluation.lookup import Lookup
from gpustab.formats.gensim.native import DOCUMENTS
from gpustab.formats.options import read_word_list
from gpustab.kernels.hypernyms import hypernym_distances
from gpustab.kernels.similarity_groups import Block
from gpustab.results.page import counted
from gpustab.runs.group import Group
from gpustab.runs.runs import Runs
from gpustab.spaces.words import readings, show, some_words
from gpustab.studies.thresholds.options import NONE, ThresholdsOptions
from gpustab.trainers import NOT_OF_WORDS
from gpustab.wordnet.lmf import nouns_of
from gpustab.wordnet.nouns import Nouns
from gpustab.wordnet.taxonomy import taxonomy_of

Similarity = Callable[[str, str], float | None]
"""A value of two words, ``None`` where it has none."""

FEWEST = 3
"""Words that a baseline must know."""

_FREQUENT = 100

_FEW = 0.2
"""Of words of texts a third to two thirds are nouns of WordNet; of numbers and n-grams 10 to 13 %."""

_KEPT = 16_000
"""Of so many words all levels are kept, a byte each: 256 MB at most."""

_AT_ONCE = 256


class Levels(NamedTuple):
    """A whole number for every pair of words.

    Attributes:
        name: of the measure.
        rows: ``(w,)`` row numbers of the words that it knows.
        values: ``(K,)`` float64 value of every level; NaN for the last, which has none.
        block: gives the levels, see :data:`gpustab.kernels.similarity_groups.Block`.
        notes: sentences on what it knows.
    """

    name: str
    rows: Tensor
    values: Tensor
    block: Block
    notes: tuple[str, ...]


class Scored(NamedTuple):
    """A value for some pairs of words.

    Attributes:
        name: of the measure.
        rows: ``(w,)`` row numbers of the words.
        pairs: ``(n, 2)`` their places in ``rows``.
        values: ``(n,)`` float64.
        notes: sentences on what it knows.
    """

    name: str
    rows: Tensor
    pairs: Tensor
    values: Tensor
    notes: tuple[str, ...]


Baseline = Levels | Scored


class UnknownWordsError(InputError):
    """Raised where a baseline knows too few words of a group: it has no thresholds, but its similarities a law."""


def leacock_chodorow(runs: Runs, nouns: Nouns, options: ThresholdsOptions, excluded: Sequence[bytes] = ()) -> Levels:
    """Return Leacock and Chodorow's measure over WordNet's nouns: ``ln(2 · depth / (1 + d))``.

    depth is 19 in WordNet 3.0, so that equal nouns have ln 38 = 3.64, the paper's scale; d is the least sum of two ways
    up to a common hypernym. Of words with several senses the nearest two count; the paper does not say.

    Raises:
        UnknownWordsError: if fewer than three joint words are nouns.
    """
    left_out = frozenset(own for word in excluded for own in readings(word))
    joint = runs.joint.nonzero().flatten().tolist()
    senses = {
        row: found
        for row in joint
        if (word := runs.vocabulary[row]) not in left_out and (found := nouns.senses(word, options.morphy))
    }
    rows = sorted(senses)
    if options.sample is not None and options.sample < len(rows):
        picked = torch.randperm(len(rows), generator=torch.Generator().manual_seed(options.seed), device="cpu")[
            : options.sample
        ]
        rows = sorted(rows[k] for k in picked.tolist())
    _want_words(len(rows), f"are nouns of {nouns.name}", runs)
    own = [senses[row][:1] if options.senses == "first" else senses[row] for row in rows]
    taxonomy = taxonomy_of(nouns, own).to(runs.device)
    longest = range(2 * nouns.depth + 1 if nouns.depth else 0)  # without hypernyms nothing has a value
    values = [math.log(2 * nouns.depth / (1 + d)) for d in longest]
    return Levels(
        "Leacock-Chodorow",
        torch.tensor(rows, device="cpu"),
        torch.tensor([*values, math.nan], dtype=torch.float64, device=runs.device),
        _kept(lambda start, stop: hypernym_distances(taxonomy, start, stop), len(rows)),
        tuple(_notes(runs, rows, joint, senses, nouns, options)),
    )


def _kept(block: Block, words: int) -> Block:
    """Find all levels at once where memory holds them: every run of a group asks for them twice."""
    if words > _KEPT:
        return block
    levels = torch.cat([block(start, min(start + _AT_ONCE, words)) for start in range(0, words, _AT_ONCE)])
    return lambda start, stop: levels[start:stop]


def _notes(
    runs: Runs,
    rows: Sequence[int],
    joint: Sequence[int],
    senses: dict[int, list[int]],
    nouns: Nouns,
    options: ThresholdsOptions,
) -> list[str]:
    found = [
        *nouns.notes,
        f"{len(senses):,} of {len(joint):,} words are nouns of {nouns.name}; pairs with one of the others are left "
        "out.",
    ]
    if len(senses) < _FEW * len(joint):
        found.append(
            "That is few. Names of documents and pieces of words may look like nouns: if these are not words, "
            "the baseline none tells how their similarities are distributed, and no more."
        )
    if len(rows) < len(senses):
        found.append(f"Of these, {len(rows):,} were drawn (seed {options.seed}).")
    if runs.counts is not None:
        frequent = [row for row in joint[:_FREQUENT] if row in senses]
        words = some_words([runs.vocabulary[row] for row in frequent], 8)
        found.append(
            f"{len(frequent)} of the {min(_FREQUENT, len(joint))} most frequent words count as nouns ({words}): "
            f"{nouns.name} knows short words as symbols and units. A file of words to leave out takes them away."
        )
    return found


def of_callable(runs: Runs, similarity: Similarity, options: ThresholdsOptions, name: str = "callable") -> Scored:
    """Return a function's values of random pairs of different joint words, ``options.pairs`` of them.

    Raises:
        UnknownWordsError: if it has a value for fewer than three words.
    """
    joint = runs.joint_words()
    generator = torch.Generator().manual_seed(options.seed)
    first = torch.randint(len(joint), (options.pairs,), generator=generator, device="cpu")
    step = torch.randint(1, max(len(joint), 2), (options.pairs,), generator=generator, device="cpu")
    drawn = torch.stack([first, (first + step) % len(joint)], 1).sort(1).values.unique(dim=0)
    kept, values = [], []
    for a, b in drawn.tolist():
        value = similarity(show(joint[a]), show(joint[b])) if a != b else None
        if value is not None and math.isfinite(value):
            kept.append((joint[a], joint[b]))
            values.append(float(value))
    return _scored(runs, name, kept, values)


def _scored(
    runs: Runs, name: str, pairs: Sequence[tuple[bytes, bytes]], values: Sequence[float], said: Sequence[str] = ()
) -> Scored:
    lookup = Lookup(runs, None, ignore_case=None)
    pairs, notes = lookup.known(pairs)
    rows = [(lookup.row(a), lookup.row(b)) for a, b in pairs]
    known = [k for k, (a, b) in enumerate(rows) if a is not None and b is not None and a != b]
    both = torch.tensor([rows[k] for k in known], dtype=torch.long, device="cpu").view(-1, 2)
    words, places = both.unique(return_inverse=True)
    why = "".join(f"; {note.rstrip('.')}" for note in notes[-1:])
    _want_words(len(words), f"are in '{name}'", runs, why)
    notes = (
        *said,
        *notes,
        f"{len(known):,} of {len(pairs):,} scored pairs have two words that every run has; they are few for groups of "
        "0.01, so groups are joined to 30 pairs.",
    )
    return Scored(
        name, words, places, torch.tensor([values[k] for k in known], dtype=torch.float64, device="cpu"), notes
    )


def _want_words(found: int, what: str, runs: Runs, why: str = "") -> None:
    if found < FEWEST:
        words = counted(int(runs.joint.sum()), "word")
        raise UnknownWordsError(f"{found} of {words} {what}, wanted at least {FEWEST}{why}")


Bases = Callable[[Runs, str], tuple[Baseline | None, str]]
"""The baseline of a group, or why it has none; asked with what its vectors are of, if not of words."""


def items_of(group: Runs | Group) -> str:
    """Return what the vectors of a group are of: ``"documents"``, say; empty for words, and where nobody knows."""
    loading = group.loading if isinstance(group, Group) else None
    asked = "documents" if loading is not None and loading.options.tensor == DOCUMENTS else ""
    items = NOT_OF_WORDS.get(group.key.technique, asked)
    return "sentences" if items == "documents" and group.key.unit == "sentence" else items


def bases_of(options: ThresholdsOptions, similarity: Similarity | None) -> Bases:
    """Return what makes the baseline of a group; files are read once, and before the work.

    Raises:
        InputError: if WordNet is not here, or a file cannot be read.
    """
    if similarity is None and options.baseline == NONE:
        return lambda *_: (None, "distributions alone were asked for")
    made = _made(options, similarity)
    of_words = similarity is None and options.baseline is None

    def known(runs: Runs, items: str) -> tuple[Baseline | None, str]:
        if of_words and items:
            return None, f"its items are {items}, and WordNet knows words"
        try:
            return made(runs), ""
        except UnknownWordsError as error:
            return None, str(error)

    return known


def _made(options: ThresholdsOptions, similarity: Similarity | None) -> Callable[[Runs], Baseline]:
    if similarity is not None:
        return lambda runs: of_callable(runs, similarity, options)
    if options.baseline is not None:
        columns = {"word_columns": options.word_columns, "score_column": options.score_column}
        test = read_similarity(Path(options.baseline), **columns)
        return lambda runs: _scored(runs, test.name, test.pairs, test.gold, test.notes)
    nouns = nouns_of(options.wordnet, options.hypernyms, options.lemmas)
    excluded = [] if options.exclude is None else read_word_list(options.exclude)
    return lambda runs: leacock_chodorow(runs, nouns, options, excluded)
