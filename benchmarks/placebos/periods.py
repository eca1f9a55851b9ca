"""Periods that differ in nothing: documents dealt out to them at random, and the same with words exchanged in one.

The truth is known for whole periods (documents dealt out at random differ in nothing), for words (those that were not
exchanged did not move for their own sake), for authors and for targets whose labels are drawn.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from benchmarks.placebos.terms import news
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.slices import epoch_slices
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.runs.load import open_groups
from gpustab.studies.change.authors import discoveries, documents_of
from gpustab.studies.change.claims import of_words
from gpustab.studies.change.study import change
from gpustab.studies.change.tables import Discovery
from gpustab.training import read_settings, train_epochs

FEWER = (3, 5, 8)
TECHNIQUES: dict[str, dict[str, Any]] = {"lsa": {"lsa": {"dim": 30}}, "ppmi_svd": {"ppmi_svd": {"dim": 20}}}
AUTHORS, DEALS, RATE, RESAMPLES = 24, 39, 0.05, 99


def middle_words(texts: Sequence[Sequence[str]]) -> list[str]:
    """Words that occur ten to sixty times, from frequent to rare."""
    counts = Counter(word for text in texts for word in text)
    return sorted((word for word, n in counts.items() if 10 <= n <= 60), key=lambda word: (-counts[word], word))


def exchanged_words(texts: Sequence[Sequence[str]], part: float, rng: np.random.Generator) -> dict[str, str]:
    """Return what a part of the words of middle frequency become."""
    middle = middle_words(texts)
    chosen = rng.permutation(middle)[: round(part * len(middle))].tolist()
    return dict(zip(chosen, rng.permutation(chosen).tolist(), strict=True))


@dataclass(frozen=True)
class Periods:
    """Asks the study about documents dealt out to two periods.

    Attributes:
        technique: whose runs are trained.
        part: of the words of middle frequency that are exchanged in the last one.
        count: of periods; a law of frequency wants three.
    """

    technique: str
    part: float = 0.0
    count: int = 2

    def __call__(self, r: int, rng: np.random.Generator) -> object:
        """Deal out, train R runs of each period, of each sampling and of two controls, and ask."""
        texts = news()
        with tempfile.TemporaryDirectory() as name:
            corpus = Path(name) / "news.jsonl"
            self._write(texts, corpus, rng)
            settings = {
                "corpus": str(corpus),
                "techniques": [self.technique],
                "samplings": ["shuffled", "bootstrap"],
                "runs": r,
                "seed": int(rng.integers(1 << 30)),
                "epochs_by": f"year:1800-{1800 + 100 * self.count}:100",
                "options": {"min_count": 3},
            }
            train_epochs(read_settings(settings | TECHNIQUES[self.technique]), Path(name) / "runs", splits=2)
            return change(open_groups([Path(name) / "runs"]), min_count=10, resamples=RESAMPLES)

    def _write(self, texts: Sequence[Sequence[str]], path: Path, rng: np.random.Generator) -> None:
        period = rng.permutation(len(texts)) % self.count
        other = exchanged_words(texts, self.part, rng)
        with path.open("w", encoding="utf-8") as file:
            for k, text in enumerate(texts):
                late = period[k] == self.count - 1
                words = [other.get(word, word) for word in text] if late else text
                file.write(json.dumps({"text": " ".join(words), "year": 1850 + 100 * int(period[k])}) + "\n")


def worlds(technique: str) -> Iterator[World]:
    """Yield the worlds of periods."""
    runs = FEWER if technique == "lsa" else FEWER[:1]

    def genuine(truth: Truth) -> Truth:
        return truth._replace(about=lambda pair: not pair.control and not pair.bootstrap)

    yield World(
        "documents dealt out at random to two periods",
        Periods(technique),
        {
            "change.beyond-sampling": genuine(never("more")),
            "change.more-than-at-random": never("more"),
            "change.two-camps": never("yes"),
            "change.collapsed": never("yes"),
        },
        runs,
        0.5,
    )
    yield World(
        "all words of middle frequency exchanged in the later of two periods",
        Periods(technique, 1.0),
        {"change.beyond-sampling": genuine(should("more", "no more")), "change.more-than-at-random": should("more")},
        runs,
        0.25,
    )
    if technique != "lsa":  # of a third of the news hardly a word is in all runs
        return
    yield World(
        "documents dealt out at random to three periods",
        Periods(technique, count=3),
        {"change.frequency": never("more", "less"), "change.word-beyond-law": never("yes")},
        runs[:2],
        0.5,
    )


class Authors:
    """Asks which words' contexts differ beyond the sampling of authors.

    Attributes:
        texts: the news, those that are alike beside each other.
    """

    def __init__(self) -> None:
        texts = news()
        number = {word: k for k, word in enumerate(sorted({word for text in texts for word in text}))}
        counts = np.zeros((len(texts), len(number)))
        for k, text in enumerate(texts):
            np.add.at(counts[k], [number[word] for word in text], 1)
        unit = np.sqrt(counts) / np.sqrt(counts.sum(1, keepdims=True))
        first = np.linalg.svd(unit - unit.mean(0), full_matrices=False)[0][:, 0]
        self.texts = [texts[k] for k in np.argsort(first)]

    def __call__(self, _: int, rng: np.random.Generator, *, topics: bool = False, part: float = 0.0) -> None:
        """Deal authors out to two periods; where wanted, each writes on a topic, or words are exchanged in the later.

        Of authors without topics each document is dealt out by itself, so that an author is in both periods.
        """
        texts = self.texts
        author = np.arange(len(texts)) * AUTHORS // len(texts) if topics else rng.integers(AUTHORS, size=len(texts))
        period = (rng.permutation(AUTHORS) % 2)[author] if topics else rng.permutation(len(texts)) % 2
        other = exchanged_words(texts, part, rng)
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "news.jsonl"
            with path.open("w", encoding="utf-8") as file:
                for text, who, late in zip(texts, author.tolist(), period.tolist(), strict=True):
                    words = [other.get(word, word) for word in text] if late else text
                    record = {"text": " ".join(words), "year": 1850 + 100 * late, "author": f"author {who}"}
                    file.write(json.dumps(record) + "\n")
            corpus = prepare_corpus(str(path), CorpusOptions(min_count=3))
        parts = [one.corpus for one in epoch_slices(corpus, "year:1800-2000:100")]
        documents = documents_of(parts, "author", min_count=10)
        found = discoveries(documents, deals=DEALS, dim=20, seed=int(rng.integers(1 << 30)))
        of_words([Discovery("1800-1899", "1900-1999", *word, found=word.q <= RATE) for word in found], RATE)


def worlds_of_authors() -> Iterator[World]:
    """Yield the worlds of authors."""
    ask, none = Authors(), {"change.words-differ": never("yes")}
    yield World("documents dealt out to authors and periods at random", ask, none, (1,))
    yield World(
        "authors who write on a topic each, dealt out to periods at random",
        lambda r, rng: ask(r, rng, topics=True),
        none,
        (1,),
    )
    yield World(
        "documents dealt out to authors and periods, a tenth of the middle words exchanged in the later period",
        lambda r, rng: ask(r, rng, part=0.1),
        {"change.words-differ": should("yes")},
        (1,),
        0.5,
    )


def rows(_folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of periods."""
    for technique in TECHNIQUES:
        for seed, world in enumerate(worlds(technique)):
            yield from cells(world, technique, sets, seed)
    yield from _of_authors(_folder, sets)


def _of_authors(_folder: Path, sets: int, _kind: str = "") -> Iterator[Row]:
    for seed, world in enumerate(worlds_of_authors()):
        yield from cells(world, "-", sets, seed)
