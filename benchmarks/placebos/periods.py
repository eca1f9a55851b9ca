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
from gpustab.runs.load import open_groups
from gpustab.studies.change.study import change
from gpustab.training import read_settings, train_epochs

FEWER = (3, 5, 8)
TECHNIQUES: dict[str, dict[str, Any]] = {"lsa": {"lsa": {"dim": 30}}, "ppmi_svd": {"ppmi_svd": {"dim": 20}}}
AUTHORS, RESAMPLES = 24, 99


def middle_words(texts: Sequence[Sequence[str]]) -> list[str]:
    """Words that occur ten to sixty times, from frequent to rare."""
    counts = Counter(word for text in texts for word in text)
    return sorted((word for word, n in counts.items() if 10 <= n <= 60), key=lambda word: (-counts[word], word))


@dataclass(frozen=True)
class Periods:
    """Asks the study about documents dealt out to two periods.

    Attributes:
        technique: whose runs are trained.
        part: of the words of middle frequency that are exchanged in the last one.
        count: of periods; a law of frequency wants three.
        authors: whether documents have authors, dealt out at random.
    """

    technique: str
    part: float = 0.0
    count: int = 2
    authors: bool = False

    def __call__(self, r: int, rng: np.random.Generator) -> object:
        """Deal out, train R runs of each period, of each sampling and of two controls, and ask."""
        texts = news()
        with tempfile.TemporaryDirectory() as name:
            corpus = Path(name) / "news.jsonl"
            self._write(texts, corpus, rng)
            settings = {
                "corpus": str(corpus),
                "techniques": [self.technique],
                "samplings": ["shuffled"] if self.authors else ["shuffled", "bootstrap"],
                "runs": r,
                "seed": int(rng.integers(1 << 30)),
                "epochs_by": f"year:1800-{1800 + 100 * self.count}:100",
                "options": {"min_count": 3},
            }
            train_epochs(read_settings(settings | TECHNIQUES[self.technique]), Path(name) / "runs", splits=2)
            more = {"authors": "author"} if self.authors else {}
            return change(open_groups([Path(name) / "runs"]), min_count=10, resamples=RESAMPLES, **more)

    def _write(self, texts: Sequence[Sequence[str]], path: Path, rng: np.random.Generator) -> None:
        period = rng.permutation(len(texts)) % self.count
        middle = middle_words(texts)
        chosen = rng.permutation(middle)[: round(self.part * len(middle))].tolist()
        other = dict(zip(chosen, rng.permutation(chosen).tolist(), strict=True))
        with path.open("w", encoding="utf-8") as file:
            for k, text in enumerate(texts):
                late = period[k] == self.count - 1
                words = [other.get(word, word) for word in text] if late else text
                record: dict[str, Any] = {"text": " ".join(words), "year": 1850 + 100 * int(period[k])}
                if self.authors:
                    record["author"] = f"author {rng.integers(AUTHORS)}"
                file.write(json.dumps(record) + "\n")


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


def rows(_folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of periods."""
    for technique in TECHNIQUES:
        for seed, world in enumerate(worlds(technique)):
            yield from cells(world, technique, sets, seed)
    authors = World(
        "documents dealt out to authors and periods at random",
        Periods("lsa", authors=True),
        {"change.words-differ": never("yes")},
        FEWER[:1],
        0.5,
    )
    yield from cells(authors, "lsa", sets)
