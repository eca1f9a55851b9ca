"""Authors of real text, dealt out at random to two periods, and words that are exchanged in a part of the later one.

The whole test of words is made: spaces of both periods and of every deal, z against the pooled deals, Benjamini and
Hochberg. Where nothing changed every word found is false, so that sets with one are to be no more than the rate. Then
words of like frequency are exchanged in a share of the second period's documents. Authors are presidents on a quarter
of the speeches (every fourth), and ten news in a row in Lee's corpus, which tells none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.placebos.cells import Row, batch, discovered, seeds, wanted
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.studies.change.authors import Tested, discoveries, documents_of

RATE, DEALS, PAIRS = 0.05, 39, 10
SHARES = (0.25, 0.5, 0.75, 1.0)


def text(name: str) -> tuple[Corpus, int, int]:
    """Return a corpus with a column ``author``, the least count of a word in both periods, and dimensions."""
    corpus = prepare_corpus(name, CorpusOptions(min_count=5 if name == "lee" else 20))
    if name != "lee":
        corpus = corpus.take(range(0, len(corpus.records), 4))
    who = [record.metadata.get("president", str(k // 10)) for k, record in enumerate(corpus.records)]
    records = [record._replace(metadata={"author": own}) for record, own in zip(corpus.records, who, strict=True)]
    return replace(corpus, records=tuple(records)), (20 if name == "lee" else 100), (20 if name == "lee" else 50)


def dealt(corpus: Corpus, rng: np.random.Generator) -> list[Corpus]:
    """Return two periods: whole authors in random order, half of the documents in each, as nearly as that goes."""
    authors = np.array([record.metadata["author"] for record in corpus.records])
    names, sizes = np.unique(authors, return_counts=True)
    order = rng.permutation(len(names))
    first = set(names[order[np.cumsum(sizes[order]) - sizes[order] / 2 < len(authors) / 2]])
    inside = np.array([own in first for own in authors])
    return [corpus.take(np.flatnonzero(which).tolist()) for which in (inside, ~inside)]


def exchanged(corpus: Corpus, pairs: list[tuple[int, int]], share: float, rng: np.random.Generator) -> Corpus:
    """Return a corpus in which each pair of words has changed places in a share of the documents."""
    tokens, map_to = corpus.tokens.copy(), np.arange(len(corpus.vocabulary), dtype=corpus.tokens.dtype)
    for a, b in pairs:
        map_to[[a, b]] = b, a
    for k in np.flatnonzero(rng.random(len(corpus.records)) < share):
        start, stop = corpus.texts[corpus.documents[k]], corpus.texts[corpus.documents[k + 1]]
        tokens[start:stop] = map_to[tokens[start:stop]]
    return replace(corpus, tokens=tokens)


def of_like_frequency(periods: list[Corpus], least: int) -> list[tuple[int, int]]:
    """Return pairs of words next to each other in frequency, spread over all that are frequent enough."""
    counts = np.stack([np.bincount(own.tokens, minlength=len(own.vocabulary)) for own in periods])
    known = np.flatnonzero((counts >= least).all(0))
    known = known[np.argsort(-counts.sum(0)[known])]
    places = np.linspace(0, len(known) - 2, PAIRS).astype(int)
    return [(int(known[k]), int(known[k + 1])) for k in places]


def rows(_folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of words that differ; of exchanged words, how many of those found are others."""
    for name, draws in (("lee", 5 * sets), ("sotu", 5 * sets // 2)):
        corpus, least, dim = text(name)
        about, wrong = "authors dealt out at random to two periods, a word found", 0
        count = wanted(about, name, 1, draws)
        for seed in seeds(count):
            words = _tested(dealt(corpus, np.random.default_rng([41, seed])), least, dim, seed)
            wrong += any(row.q <= RATE for row in words)
        if count:
            yield Row("change.words-differ", about, name, 1, count, wrong, wrong, 0, batch())
    for share in SHARES:
        about = f"{2 * PAIRS} words exchanged in {100 * share:.0f} % of the later documents, share of those found"
        found: list[dict[bool, int]] = []
        for seed in seeds(wanted(about, name, 1, sets)):
            rng = np.random.default_rng([43, seed])
            first, second = dealt(corpus, rng)
            pairs = of_like_frequency([first, second], least)
            words = _tested([first, exchanged(second, pairs, share, rng)], least, dim, seed)
            names = {corpus.vocabulary.text(word) for pair in pairs for word in pair}
            found.append(Counter(row.word not in names for row in words if row.q <= RATE))
        if found:
            yield discovered("change.words-differ", about, name, found)


def _tested(periods: list[Corpus], least: int, dim: int, seed: int) -> list[Tested]:
    """All words, by the test."""
    return discoveries(documents_of(periods, "author", min_count=least), deals=DEALS, dim=dim, seed=seed)
