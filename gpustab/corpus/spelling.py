"""One word, one number: tokens that are numbered as they are spelled get the numbers of the words that they mean.

What a token means is asked once for each spelling, when all are counted: folding characters and joining broken words so
costs by the size of the vocabulary, not of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpustab.corpus.broken import BREAK, HYPHENS, Breaks, taken_apart
from gpustab.corpus.compact import Ids
from gpustab.corpus.filed import Filed, in_parts
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.variants import LETTER_APOSTROPHES, with_plain_apostrophe
from gpustab.corpus.words import Own, spelling
from gpustab.errors import option
from gpustab.spaces.words import printable

_HYPHEN = re.compile(f"[{HYPHENS}]")
_SHOWN = 3

Changes = Mapping[int, tuple[str, ...]]
"""The words that a token means, by its number, where they are others than itself."""


def one_spelling(
    words: Sequence[str], ids: Ids, counts: NDArray[np.int64], options: CorpusOptions, own: Own | None
) -> tuple[list[str], Ids, tuple[str, ...]] | None:
    """Return the words that tokens mean, their numbers ``(n,)``, and what is to be said of them.

    Words that ``own`` cut stay as they are; ``None`` where all tokens mean themselves.
    """
    changes, notes = _meant(words, counts, options, own)
    return (*_renumbered(words, ids, changes), notes) if changes else None


def _meant(
    words: Sequence[str], counts: NDArray[np.int64], options: CorpusOptions, own: Own | None
) -> tuple[dict[int, tuple[str, ...]], tuple[str, ...]]:
    """Return what tokens mean that mean other words than themselves, and what is to be said of it."""
    spell, folded = spelling(options, own), Counter[str]()
    changes = dict[int, tuple[str, ...]]()
    breaks = any(BREAK in word for word in words)
    hyphens = options.cut == "words" and options.join_broken == "auto"  # then they are within tokens
    apart = own is None and (breaks or hyphens)
    for k, word in enumerate(words):
        if not (apart and _HYPHEN.search(word)) and (one := spell(word)) != word:
            changes[k], folded[f"{word} → {one}"] = (one,), int(counts[k])
    notes = list[str]()
    if apart:
        mended, notes = _mended(words, counts, options, spell)
        changes |= mended
    if not options.keep_variants and own is None:
        for k, meant in _letters_that_are_signs(words, changes).items():
            changes[k], folded[f"{words[k]} → {meant[0]}"] = meant, int(counts[k])
    if folded:
        notes.insert(0, _told(folded))
    return changes, tuple(notes)


def _mended(
    words: Sequence[str], counts: NDArray[np.int64], options: CorpusOptions, spell: Callable[[str], str]
) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """Return what tokens with breaks and hyphens mean."""
    breaks, hyphens_part = Breaks(), options.cut == "words"
    tokens = {}
    for k, word in enumerate(words):
        token = taken_apart(word, hyphens_part=hyphens_part)
        if not all(token.parts):  # a dash
            continue
        tokens[k] = token._replace(parts=tuple(map(spell, token.parts)))
        breaks.see(tokens[k], int(counts[k]))
    found = dict[int, tuple[str, ...]]()
    for k, (parts, signs) in breaks.mended(tokens, counts).items():
        if not hyphens_part:
            found[k] = (*map("".join, zip(parts, signs, strict=False)), parts[-1])
        elif options.drop_punctuation:
            found[k] = parts
        else:
            found[k] = (parts[0], *(word for pair in zip(signs, parts[1:], strict=True) for word in pair))
    return found, list(breaks.notes(option("join_broken", "all")))


def _letters_that_are_signs(words: Sequence[str], changes: Changes) -> dict[int, tuple[str, ...]]:
    """Return the words with an apostrophe that is a letter, which stand with a plain one as well."""
    suspects = {k for k, word in enumerate(words) if any(letter in word for letter in LETTER_APOSTROPHES)}
    if not suspects:
        return {}
    known = {word for k, one in enumerate(words) for word in changes.get(k, (one,))}
    plain = {k: tuple(map(with_plain_apostrophe, changes.get(k, (words[k],)))) for k in suspects}
    return {k: one for k, one in plain.items() if one != changes.get(k, (words[k],)) and known.issuperset(one)}


def _told(folded: Counter[str]) -> str:
    shown = ", ".join(f"{printable(one)} ({n:,})" for one, n in folded.most_common(_SHOWN))
    keep = option("keep_variants")
    what = f"{folded.total():,} running words with characters that are written in several ways"
    return f"one spelling for {what}: {shown}; {keep} keeps them apart"


def _renumbered(words: Sequence[str], tokens: Ids, changes: Changes) -> tuple[list[str], Ids]:
    """Return the words that are meant, which may be several for one token, and their numbers."""
    numbers = dict[str, int]()
    meant = [
        tuple(numbers.setdefault(word, len(numbers)) for word in changes.get(k, (one,))) for k, one in enumerate(words)
    ]
    lengths, filed = np.array([len(ids) for ids in meant]), Filed(np.int32)
    nth = [
        np.array([ids[place] if len(ids) > place else -1 for ids in meant], np.int32) for place in range(lengths.max())
    ]
    for _, part in in_parts(tokens):
        sizes = lengths[part]
        ids, starts = np.repeat(nth[0][part], sizes), np.cumsum(sizes) - sizes
        for place in range(1, len(nth)):
            longer = np.flatnonzero(sizes > place)
            ids[starts[longer] + place] = nth[place][part[longer]]
        filed.add(ids)
    return list(numbers), filed.all()
