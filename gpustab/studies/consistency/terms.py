"""The terms whose consistency is asked for: from a file, drawn at random, or keywords of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.words import tokeniser
from gpustab.errors import InputError, option
from gpustab.results.page import counted
from gpustab.spaces.words import show, some_words
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import eligible, sentences_of
from gpustab.studies.consistency.text import Ids, Term, Text

_TERMS = 2
"""Stream of the seed."""

_FREQUENT = 100
"""So many of the most frequent words of a text are function words, which are not drawn."""


def read_terms(path: Path, language: str) -> list[Term]:
    """Return the terms of a file, one a line, cut into words as the text is; each once, in their order.

    Raises:
        InputError: if there is no such file, it is no UTF-8, or a line has no word.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except OSError:
        raise InputError(
            f"{path}: there is no such file; {option('terms')} is a file, 'random' or 'keywords'"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8") from None
    cut = tokeniser(CorpusOptions(language=language))
    found = dict[Term, None]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        words = tuple(word.encode() for word in cut([line]) if word != "\n")
        if not words:
            raise InputError(f"{path}, line {number}: '{line.strip()}' has no word")
        found[words] = None
    if not found:
        raise InputError(f"{path}: there is no term in it")
    return list(found)


def listed(text: Text, terms: Sequence[Term], options: ConsistencyOptions) -> tuple[list[int], list[str]]:
    """Return the terms of a list that have sentences enough, in their order, and a sentence on the others.

    Args:
        text: with its terms of several words joined.
        terms: that were asked for.
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
    own, n = text.counts, len(text.tokens)
    score = {word: _keyness(int(own[word]), n, int(counts[word]), total) for word in pool if counts[word]}
    best = sorted(score, key=lambda word: (-score[word], word))[: options.number]
    found = [word for word in best if score[word] > 0]
    were = counted(len(found), "keyword", "was/were")
    return sorted(found), [f"{were} taken from the text, by Dunning's G² against the background's counts."]


def _keyness(a: int, n: int, b: int, m: int) -> float:
    """G² of a in n tokens against b in m, negative where the word is rarer in the text."""
    expected = [n * (a + b) / (n + m), m * (a + b) / (n + m)]
    g = 2 * sum(x * math.log(x / e) for x, e in zip((a, b), expected, strict=True) if x)
    return math.copysign(g, a - expected[0])


def _pool(text: Text, options: ConsistencyOptions) -> list[int]:
    frequent = set(np.argsort(-text.counts, kind="stable")[:_FREQUENT].tolist())
    found = sentences_of(text, [k for k in range(len(text.words)) if k not in frequent])
    return eligible(found, text, options)


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
