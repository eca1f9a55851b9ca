"""The tables of this study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpustab.results import Table
from gpustab.studies.localization.builder import Base, Corpus
from gpustab.studies.localization.chains import KINDS

DRAWN = 30
"""Sentences behind every point of a figure, at least."""

PAPER_COUNTS = {
    "nouns": (7168, 5503, 3395, 1747, 813, 309, 104, 22, 9),
    "verbs": (3061, 590, 82, 12, 2),
    "overlap": (2829, 449, 46, 4),
}
"""White 2015, §4, of the Microsoft corpus's 7,800 sentences."""


def counts(corpus: Corpus) -> Table:
    """Return how many sentences have k changes: nouns, verbs, both."""
    nouns, verbs = corpus.lengths("noun_synonym"), corpus.lengths("verb_antonym")
    rows = [
        {
            "k": k,
            "nouns": sum(n >= k for n in nouns),
            "verbs": sum(n >= k for n in verbs),
            "overlap": sum(n >= k <= m for n, m in zip(nouns, verbs, strict=True)),
        }
        for k in range(1, max([*nouns, *verbs], default=0) + 1)
    ]
    return Table.of(rows, ("k", "nouns", "verbs", "overlap"))


def outcomes(corpus: Corpus) -> Table:
    """Return why words were changed or left, counted over different sentences."""
    seen = Counter((one.relation, one.outcome) for base in distinct(corpus.bases) for one in base.decisions)
    rows = [
        {"relation": r, "outcome": o, "words": n} for (r, o), n in sorted(seen.items(), key=lambda x: (x[0][0], -x[1]))
    ]
    return Table.of(rows, ("relation", "outcome", "words"))


def decisions(corpus: Corpus) -> Table:
    """Return every decision on every word, with all candidates."""
    rows = (
        {
            "sentence": " ".join(base.tokens),
            "position": one.position,
            "word": one.word,
            "tag": one.tag,
            "relation": one.relation,
            "outcome": one.outcome,
            "candidates": " ".join(candidate.form for candidate in one.candidates),
        }
        for base in distinct(corpus.bases)
        for one in base.decisions
    )
    return Table.of(rows, ("sentence", "position", "word", "tag", "relation", "outcome", "candidates"), long=True)


def sentences(corpus: Corpus) -> Table:
    """Return the corpus: every sentence with its base, kind, number of changes, and the change."""
    return Table.of(_sentences(corpus.bases), ("pair", "side", "component", "kind", "k"), long=True)


def _sentences(bases: Iterable[Base]) -> Iterator[dict[str, Any]]:
    for base in bases:
        own = {"pair": base.pair, "side": base.side, "component": base.component}
        for kind, tokens in (("base", base.tokens), ("paraphrase", base.paraphrase)):
            yield own | {"kind": kind, "k": 0, "position": -1, "old": "", "new": "", "text": " ".join(tokens)}
        for kind in KINDS:
            for k, step in enumerate(base.chains[kind], 1):
                change = {"position": step.position, "old": step.old, "new": step.new}
                yield own | {"kind": kind, "k": k, **change, "text": " ".join(step.tokens)}


SHARED = (
    "model", "subset", "comparison", "k", "n", "share", "low", "high", "equal_share", "half", "half_low", "half_high",
    "components",
)  # fmt: skip


def of_models(found: Mapping[str, Table]) -> Table:
    """Return the scores of every model once: over its runs where it has several, else those of its only run.

    Args:
        found: the tables ``scores`` and ``over_runs``.
    """
    several = set(found["over_runs"]["model"])
    rows = [row for row in found["scores"].records() if row["model"] not in several]
    return Table.of([{name: row[name] for name in SHARED} for row in (*rows, *found["over_runs"].records())], SHARED)


def distinct(bases: Iterable[Base]) -> Iterator[Base]:
    """Yield the first base of every sentence."""
    seen: set[str] = set()
    for base in bases:
        if base.sentence not in seen:
            seen.add(base.sentence)
            yield base
