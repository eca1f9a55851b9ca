"""Co-occurrence counts of the State of the Union addresses, beside a plain loop and one dense array.

The loop counts a part of the texts and is extrapolated. The second size is the text twice.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from benchmarks.harness import Bench, Contender, Row, start
from gpustab.corpus.cooccurrence import Weighting, count
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.tokenise import CorpusOptions, prepare_corpus

SHARE = 20
"""The loop counts one text in so many."""


def plain(corpus: Corpus, texts: np.ndarray, window: int) -> dict[tuple[int, int], float]:
    """Harmonic counts, token by token in Python."""
    counts: dict[tuple[int, int], float] = {}
    for n in texts.tolist():
        tokens = corpus.tokens[corpus.texts[n] : corpus.texts[n + 1]].tolist()
        for i, word in enumerate(tokens):
            for k, other in enumerate(tokens[i + 1 : i + 1 + window], start=1):
                for pair in ((word, other), (other, word)):
                    counts[pair] = counts.get(pair, 0.0) + 1 / k
    return counts


def dense(corpus: Corpus, window: int) -> np.ndarray:
    """Harmonic counts in one v × v array, distance by distance."""
    v, tokens = len(corpus.vocabulary), corpus.tokens.astype(np.int64)
    text = np.repeat(np.arange(len(corpus.texts) - 1), np.diff(corpus.texts))
    total = np.zeros(v * v)
    for k in range(1, window + 1):
        same = text[:-k] == text[k:]
        total += np.bincount(tokens[:-k][same] * v + tokens[k:][same], minlength=v * v) / k
    counts = total.reshape(v, v)
    return counts + counts.T


def race(bench: Bench, corpus: Corpus, window: int, weighting: Weighting = "harmonic") -> list[Row]:
    v = len(corpus.vocabulary)
    truth = dense(corpus, window)
    lengths = np.diff(corpus.texts)
    texts = np.flatnonzero(np.arange(len(lengths)) % SHARE == 0)
    part = np.concatenate([[0], np.cumsum(lengths[texts])])
    tokens = np.concatenate([corpus.tokens[corpus.texts[n] : corpus.texts[n + 1]] for n in texts])
    of_part = count(tokens, part, v, window, weighting)

    def difference(found: sparse.csr_matrix | np.ndarray) -> float:
        return float(np.abs(np.asarray(found - truth)).max())

    def difference_of_part(found: dict[tuple[int, int], float]) -> float:
        rows, columns = np.array(list(found)).T
        other = sparse.csr_matrix((list(found.values()), (rows, columns)), (v, v))
        return float(abs(of_part - other).max())

    contenders = [
        Contender(
            "plain loop",
            partial(plain, corpus, texts, window),
            difference_of_part,
            1e-6,
            share=len(tokens) / len(corpus.tokens),
        ),
        Contender("one dense array", partial(dense, corpus, window), difference, 1e-6),
        Contender("gpustab", partial(count, corpus.tokens, corpus.texts, v, window, weighting), difference, 1e-6),
    ]
    size = {"tokens": len(corpus.tokens), "v": v, "window": window}
    rows = bench.race("co-occurrence counts, harmonic", size, contenders)
    for row in rows:
        row.note = f"{len(corpus.tokens) / row.median:,.0f} tokens per second" if row.median else row.note
    return rows


def repeated(corpus: Corpus, times: int) -> Corpus:
    """The same texts several times."""
    texts = np.concatenate([corpus.texts[:1], *(corpus.texts[1:] + n * len(corpus.tokens) for n in range(times))])
    units = np.arange(len(texts), dtype=np.int64)
    tokens = np.tile(corpus.tokens, times)
    return Corpus(corpus.name, corpus.vocabulary, tokens, texts, units, corpus.unit, corpus.dropped)


def main() -> None:
    bench = start("cooccurrence", __doc__)
    corpus = prepare_corpus("sotu", CorpusOptions(fraction=0.05 if bench.quick else 1.0))
    for window in (5, 10, 15):
        race(bench, corpus, window)
    race(bench, repeated(corpus, 2), 10)
    bench.finish()


if __name__ == "__main__":
    main()
