"""Models that know no meaning: which words stand there, or which letters, and nothing else.

Sentences are those of the news of `lee`, beside another one of the same document. Words are changed by WordNet, which
must be installed (Debian's wordnet-base).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.placebos.cells import Row, World, cells, never, should
from gpustab.corpus.documents import open_documents
from gpustab.sentences.language import english
from gpustab.sentences.model import Embedding, Runs
from gpustab.studies.localization.corpus import Pair
from gpustab.studies.localization.study import localization
from gpustab.wordnet.lexicon import read_lexicon

RUNS = (1, 3)
PAIRS = 250
DIMENSION = 50
Vector = Callable[[str], np.ndarray]


def pairs() -> list[Pair]:
    """Neighbouring sentences of the news, as they stand: neither is a paraphrase."""
    found = []
    for document in open_documents("lee"):
        sentences = [
            part.strip() + " ." for part in " ".join(document.texts).split(". ") if 6 <= len(part.split()) <= 30
        ]
        found += [Pair(*both) for both in zip(sentences[::2], sentences[1::2], strict=False)]
    return found[:PAIRS]


def of_words(vector: Vector) -> Callable[[Sequence[Sequence[str]]], np.ndarray]:
    """Return what gives a sentence the sum of its words' vectors."""
    return lambda texts: np.stack([sum((vector(word) for word in text), np.zeros(DIMENSION)) for text in texts])


def by_word(seed: int) -> Vector:
    """Every word has a direction of its own, so that any other word is as far."""
    return cache(lambda word: np.random.default_rng([seed, zlib.crc32(word.encode())]).normal(size=DIMENSION))


def by_letters(seed: int) -> Vector:
    """Words that share letters are alike."""
    own = by_word(seed)
    return cache(lambda word: sum((own(f"{word} "[k : k + 2]) for k in range(len(word))), np.zeros(DIMENSION)))


def whole(seed: int) -> Callable[[Sequence[Sequence[str]]], np.ndarray]:
    """Return what gives every sentence a direction of its own, whatever is in it."""
    own = by_word(seed)
    return lambda texts: np.stack([own(" ".join(text)) for text in texts])


class Asked:
    """Asks the study; sentences are tagged once."""

    def __init__(self) -> None:
        self.pairs, self.lexicon = pairs(), read_lexicon(None, tags=True)
        language, known = english(), dict[Any, Any]()

        def tag(texts: Sequence[Any]) -> list[Any]:
            new = [text for text in map(tuple, texts) if text not in known]
            known.update(zip(new, language.tag(new), strict=True))
            return [known[tuple(text)] for text in texts]

        self.language = language._replace(tag=tag)

    def about(self, kind: Callable[[int], Any]) -> Callable[[int, np.random.Generator], object]:
        """Return what asks about R runs of a kind of model."""

        def ask(r: int, rng: np.random.Generator) -> object:
            seed = int(rng.integers(1 << 30))
            model = Runs("model", lambda run: Embedding("model", kind(seed + run)), r)
            return localization(self.pairs, [model], language=self.language, lexicon=self.lexicon, seed=seed, draws=300)

        return ask


def worlds(asked: Asked) -> Iterator[World]:
    """Yield the worlds of sentences."""
    alarms = {f"localization.{name}": never("yes") for name in ("collapsed", "not-finite", "no-direction")}
    knows = never("meaning", "likeness")
    ask = asked.about(lambda seed: of_words(by_word(seed)))
    yield World(
        "sums of words that all are equally far from each other",
        ask,
        {"localization.places-by": knows, "localization.second-negation": never("back", "not back"), **alarms},
        RUNS,
    )
    yield World(
        "sums of words that are alike by their letters",
        asked.about(lambda seed: of_words(by_letters(seed))),
        {"localization.places-by": never("meaning")},
        RUNS,
    )
    yield World(
        "sentences that all are equally far from each other",
        asked.about(whole),
        {
            "localization.places-by": knows,
            "localization.unrelated-nearer": should("yes"),
            "localization.second-negation": never("back", "not back"),
        },
        RUNS,
    )
    yield World("two runs or more, each of its own", ask, {"localization.copies": never("yes")}, RUNS[1:], 0.25)


def rows(_folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of sentences."""
    for seed, world in enumerate(worlds(Asked())):
        yield from cells(world, "-", max(sets // 2, 2), seed)
