"""Doubts about documents: what one is, how many are copies, what most share, whether they are of two languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gpustab.corpus.compact import Record
from gpustab.corpus.evidence.doubt import Doubt, shown
from gpustab.corpus.evidence.look import Look
from gpustab.errors import option

_MUCH = 0.3
"""Part of the tokens, from which what documents share decides which words are frequent and stable."""
_COPIES = 0.2
"""Of the documents, how many are copies: more than reprints of a newspaper are."""
_FEW = 5
"""Near copies from which they are no accident."""
_ALIKE = 0.35
"""Overlap (Bhattacharyya) of the common words of two groups of documents: two subjects of one language share 0.6 and
more, two languages 0.2 and less."""
_PART = 0.02
"""Of the words, how many the smaller language has at least."""
_TO_DRAW = 30
"""Values of a column from which there is enough to draw from."""
_WORDS, _MOST, _FOREIGN = 100, 20, 0.07
"""Common words of the smaller language, as of fewer any text lacks most; and what the 20 commonest words of the larger
one are of it at most: of another subject in one language they are a tenth and more."""
_WORD = re.compile(r"[^\W\d_]{2}")
_COMMON = 300
_LEAST = 3
"""Common words from which a document has a language."""
_TRIED = 4
"""Ways to part the documents that are tried: the clearest may set a few odd ones apart."""


def layout(look: Look) -> Doubt | None:
    """Doubt what a document is, where blank lines leave it open."""
    if look.layout == "paragraphs" and look.runs_on and not look.options.layout:
        ways = f"{option('layout', 'files')} for one document, {option('layout', 'lines')} for one a line"
        return Doubt(
            "layout", 1.0, (), False, "documents stand between blank lines, as many lines run on", f"or say {ways}"
        )
    if not look.question:
        return None
    says, _, way = look.question.partition(" say ")
    return Doubt("layout", 1.0, (), True, says, f"say {way}")


def copies(look: Look) -> Doubt | None:
    """Doubt documents most of which were left out as copies of others."""
    share = look.copies / max(look.copies + len(look.sizes), 1)
    if share < _COPIES:
        return None
    says = f"{look.copies:,} of {look.copies + len(look.sizes):,} documents are copies, left out"
    return Doubt(
        "copies", share, shown(look.copied), False, says, f"say {option('drop_duplicates', False)} to keep them"
    )


def near(look: Look) -> Doubt | None:
    """Doubt documents that differ from another by a few words, which bootstrap runs draw as if they were others."""
    share = look.near / max(len(look.sizes), 1)
    if share < _COPIES or look.near < _FEW or look.repeated or look.options.unit != "document":
        return None  # what most documents have is told as such
    says = f"near copies: {look.near:,} of {len(look.sizes):,} documents are nearly the same as another"
    why = "as bootstrap runs differ too little with both"
    way = f"leave one of each out, or say {option('unit', ...)} with a column that both share, {why}"
    return Doubt("near", share, tuple(f"{one} and {other}" for one, other in look.nearest), False, says, way)


def boilerplate(look: Look) -> Doubt | None:
    """Doubt what most documents have, or what stands around texts, which two lines tell: that is a note in any case."""
    if not look.repeated:
        return None
    share, documents, examples, frames = look.repeated
    what = f"are sequences that {documents:,} of {len(look.sizes):,} documents have"
    if frames:
        texts = "the text" if documents == 1 else f"{documents:,} texts"
        what = f"stand outside of two lines between signs that frame {texts}"
    says = f"boilerplate: {share:.1%} of its words {what}"
    return Doubt(
        "boilerplate",
        share,
        examples,
        share >= _MUCH and not frames,
        says,
        f"say {option('cut_boilerplate')} to leave them out",
    )


def together(look: Look) -> Doubt | None:
    """Doubt documents that hang together, as speeches of one president do, where each is drawn by itself."""
    return shared_column(look.records) if look.options.unit == "document" else None


def shared_column(records: Sequence[Record]) -> Doubt | None:
    """Return the doubt about documents that share the values of a column, if there is one that they hang together by.

    It has something in every document, enough values to draw from, half as many as documents at most, and words: a
    column of numbers counts or dates.
    """
    found = []
    for name in records[0].metadata if records else ():
        values = {record.metadata.get(name, "") for record in records}
        if _TO_DRAW <= len(values) <= len(records) / 2 and all(map(_WORD.search, values)):
            found.append((len(values), name))
    if not found:
        return None
    number, name = max(found)
    says = f"documents share a {name} ({number:,} of them for {len(records):,} documents)"
    why = "if those of one are alike; else bootstrap runs differ too little, and tests that deal them out find too much"
    return Doubt("together", 1 - number / len(records), (), False, says, f"say {option('unit', name)} {why}")


class _Parted(NamedTuple):
    """Documents in two groups.

    Attributes:
        alike: the overlap of their words, from 0 to 1.
        part: of the words, how many the second has.
        second: ``(m,)`` whether a document is of the second.
        profiles: ``(2, w)`` shares of the common words in each.
    """

    alike: float
    part: float
    second: NDArray[np.bool_]
    profiles: NDArray[np.float64]

    @property
    def foreign(self) -> float:
        """What the commonest words of the larger group are of the smaller one."""
        small = int(self.part <= 0.5)
        most = np.argsort(-self.profiles[1 - small])[:_MOST]
        return float(self.profiles[small][most].sum())


def two_languages(look: Look) -> Doubt | None:
    """Doubt documents that fall into two groups which share hardly any of their common words."""
    common = [look.words[i] for i in np.argsort(-look.counts, kind="stable")[:_COMMON] if look.counts[i]]
    ids = {word: i for i, word in enumerate(common)}
    rows = [[ids[word] for word in words if word in ids] for words in look.tokens]
    named = [(piece.id, row) for piece, row in zip(look.pieces, rows, strict=True) if len(row) >= _LEAST]
    if len({name for name, _ in named}) < 2 or len(named) < 2:
        return None
    table = _counted([row for _, row in named], len(common))
    least = max(_PART, _WORDS / max(table.sum(), 1))
    parted = [one for one in _ways_to_part(table) if least <= one.part <= 1 - least and one.foreign <= _FOREIGN]
    best = min(parted, key=lambda one: one.alike, default=None)
    if best is None or best.alike > _ALIKE:
        return None
    small = int(best.part <= 0.5)  # the group that is less
    share = best.part if small else 1 - best.part
    groups = [", ".join(common[i] for i in np.argsort(-profile)[:4]) for profile in best.profiles]
    names = dict.fromkeys(name for (name, _), second in zip(named, best.second, strict=True) if second == bool(small))
    says = f"two languages: {share:.0%} of the words stand with {groups[small]}; the others with {groups[1 - small]}"
    return Doubt("languages", share, tuple(names)[:3], False, says, "give the documents of one language alone")


def _counted(rows: Sequence[Sequence[int]], words: int) -> sparse.csr_matrix:
    """Return how often each document has each word: most have few of them."""
    places = np.fromiter(chain.from_iterable(rows), np.int32)
    return sparse.csr_matrix((np.ones(len(places)), places, np.cumsum([0, *map(len, rows)])), (len(rows), words))


def _ways_to_part(table: sparse.csr_matrix) -> list[_Parted]:
    """Return ways to part documents so that the words of a group stand together (spectral, Dhillon 2001)."""
    table = table[:, table.sum(0).A1 > 0]
    rows, columns = table.sum(1).A1, table.sum(0).A1
    scaled = sparse.diags(1 / np.sqrt(rows)) @ table @ sparse.diags(1 / np.sqrt(columns))
    _, vectors = np.linalg.eigh((scaled.T @ scaled).toarray())
    ways = []
    for vector in vectors.T[::-1][1 : 1 + _TRIED]:  # the first is the same for all
        place = table @ (vector / np.sqrt(columns)) / rows
        # Not 0: groups that share no word at all have one eigenvalue, and any of them may stand at 0.
        second = place > (place.min() + place.max()) / 2
        if not second.any():
            continue
        sums = np.stack([table[~second].sum(0).A1, table[second].sum(0).A1])
        profiles = sums / sums.sum(1, keepdims=True)
        alike = float(np.sqrt(profiles[0] * profiles[1]).sum())
        ways.append(_Parted(alike, float(sums[1].sum() / sums.sum()), second, profiles))
    return ways
