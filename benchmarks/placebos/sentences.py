"""Models that know no meaning, only which words or letters stand there; and models that were told what words mean.

Sentences are those of the news of `lee`, beside another one of the same document. Words are changed by WordNet, which
must be installed (Debian's wordnet-base).
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.placebos.cells import Row, Truth, World, cells, never, should
from gpustab.corpus.documents import open_documents
from gpustab.sentences.language import english
from gpustab.sentences.model import Embedding, Runs
from gpustab.studies.localization.corpus import Pair
from gpustab.studies.localization.study import localization
from gpustab.wordnet.lexicon import Lexicon, read_lexicon

RUNS = (1, 3)
PAIRS = 250
TOGETHER = 3
"""Sentences of a passage, so that many hold two verbs that have antonyms."""
DIMENSION = 50
Vector = Callable[[str], np.ndarray]
Tokens = Sequence[Sequence[str]]


def pairs(together: int = 1) -> list[Pair]:
    """Neighbouring sentences of the news, as they stand, or passages of so many: neither is a paraphrase."""
    found = []
    for document in open_documents("lee"):
        sentences = [part.strip() for part in " ".join(document.texts).split(". ") if 6 <= len(part.split()) <= 30]
        texts = [" , ".join(sentences[k : k + together]) + " ." for k in range(0, len(sentences), together)]
        found += [Pair(*both) for both in zip(texts[::2], texts[1::2], strict=False)]
    return found[:PAIRS]


def of_words(vector: Vector) -> Callable[[Tokens], np.ndarray]:
    """Return what gives a sentence the sum of its words' vectors."""
    return lambda texts: np.stack([sum((vector(word) for word in text), np.zeros(DIMENSION)) for text in texts])


def by_word(seed: int) -> Vector:
    """Every word has a direction of its own, so that any other word is as far."""
    return cache(lambda word: np.random.default_rng([seed, zlib.crc32(word.encode())]).normal(size=DIMENSION))


def by_letters(seed: int, together: int = 2) -> Vector:
    """Words that share letters, so many in a row, are alike."""
    own = by_word(seed)
    return cache(lambda word: sum((own(f"{word} "[k : k + together]) for k in range(len(word))), np.zeros(DIMENSION)))


def whole(seed: int) -> Callable[[Tokens], np.ndarray]:
    """Return what gives every sentence a direction of its own, whatever is in it."""
    own = by_word(seed)
    return lambda texts: np.stack([own(" ".join(text)) for text in texts])


def by_meaning(lexicon: Lexicon) -> Callable[[int], Vector]:
    """Words of one meaning are alike, and verbs of opposite meanings are opposite."""

    def of_seed(seed: int) -> Vector:
        own = by_word(seed)
        return cache(lambda word: 0.2 * own(word) + sum((s * own(name) for name, s in meanings(lexicon, word)), 0.0))

    return of_seed


def meanings(lexicon: Lexicon, word: str) -> list[tuple[str, int]]:
    """Return what a word may mean, opposite meanings by one name and signs."""
    found = [(f"n{synset}", 1) for synset in lexicon.senses(word, "n")]
    for synset in lexicon.senses(word, "v"):
        others = [other for _, other, _ in lexicon.synsets["v"][synset].opposites]
        pair = min(synset, *others) if others else synset
        found.append((f"v{pair}", 1 if pair == synset else -1))
    return found


def by_parity(lexicon: Lexicon, pairs: Sequence[Pair]) -> Callable[[int], Callable[[Tokens], np.ndarray]]:
    """Return a kind of model to which every opposite turns a sentence of the pairs round, the second one back again."""
    stood: dict[int, list[Sequence[str]]] = defaultdict(list)
    for text in (tuple(english().tokenise(text)) for pair in pairs for text in pair[:2]):
        stood[len(text)].append(text)

    @cache
    def opposite(one: str, other: str) -> bool:
        senses = {against for k in lexicon.senses(one, "v") for _, against, _ in lexicon.synsets["v"][k].opposites}
        return not senses.isdisjoint(lexicon.senses(other, "v"))

    def sign(text: Sequence[str]) -> int:
        changed = ([(old, new) for old, new in zip(one, text, strict=True) if old != new] for one in stood[len(text)])
        turns = sum(opposite(old, new) for old, new in min(changed, key=len, default=[]))
        return -1 if turns % 2 else 1

    def of_seed(seed: int) -> Callable[[Tokens], np.ndarray]:
        own, way = of_words(by_word(seed)), by_word(seed)(" ")
        return lambda texts: own(texts) + 10 * np.array([[sign(text)] for text in texts]) * way

    return of_seed


def by_document(pairs: Sequence[Pair]) -> Callable[[int], Callable[[Tokens], np.ndarray]]:
    """Return a kind of model that places unchanged sentences by their pair, and any other one anywhere."""
    place = {" ".join(english().tokenise(text)): k for k, pair in enumerate(pairs) for text in pair[:2]}

    def of_seed(seed: int) -> Callable[[Tokens], np.ndarray]:
        own, anywhere = by_word(seed), whole(seed)

        def vectors(texts: Tokens) -> np.ndarray:
            near = [own(f"pair {place[name]}") if (name := " ".join(text)) in place else 0.0 for text in texts]
            return 0.3 * anywhere(texts) + np.stack([np.zeros(DIMENSION) + one for one in near])

        return vectors

    return of_seed


def damaged(how: str) -> Callable[[int], Callable[[Tokens], np.ndarray]]:
    """Return a kind of model whose vectors all point one way, or of which some are not finite, or many zero."""

    def of_seed(seed: int) -> Callable[[Tokens], np.ndarray]:
        own = whole(seed)

        def vectors(texts: Tokens) -> np.ndarray:
            made = own(texts)
            if how == "collapsed":
                return 1 + 1e-5 * made
            hit = np.array([zlib.crc32(" ".join(text).encode()) % 10 < 3 for text in texts])
            return np.where(hit[:, None], np.nan if how == "not-finite" else 0.0, made)

        return vectors

    return of_seed


class Asked:
    """Asks the study; sentences are tagged once.

    Args:
        pairs: of sentences.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs, self.lexicon = pairs, read_lexicon(None, tags=True)
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
            return localization(self.pairs, [model], language=self.language, lexicon=self.lexicon, seed=seed)

        return ask


def worlds(asked: Asked) -> Iterator[World]:
    """Yield the worlds of sentences."""
    alarms = {f"localization.{name}": never("yes") for name in ("collapsed", "not-finite", "no-direction")}
    knows, form = never("meaning", "likeness"), should("yes", "no")
    ask, mean = asked.about(lambda seed: of_words(by_word(seed))), by_meaning(asked.lexicon)
    yield World(
        "sums of words that all are equally far from each other",
        ask,
        {"localization.places-by": knows, "localization.random-as-near": form, **alarms},
        RUNS,
    )
    yield World(
        "sums of words that are alike by their letters",
        asked.about(lambda seed: of_words(by_letters(seed))),
        {"localization.places-by": never("meaning"), "localization.random-as-near": form},
        RUNS,
    )
    yield World(
        "sentences that all are equally far from each other",
        asked.about(whole),
        {
            "localization.places-by": knows,
            "localization.unrelated-nearer": should("yes"),
            "localization.random-as-near": never("yes", "no"),
        },
        RUNS,
    )
    yield World(
        "sums of words that are alike by their meanings in WordNet, opposite verbs opposite",
        asked.about(lambda seed: of_words(mean(seed))),
        {"localization.places-by": should("meaning", "likeness", "form")},
        RUNS,
        0.5,
    )
    yield World(
        "unchanged sentences near those of their document, changed ones anywhere",
        asked.about(by_document(asked.pairs)),
        {"localization.random-as-near": should("no", "yes"), "localization.unrelated-nearer": never("yes")},
        RUNS,
        0.5,
    )
    for name in ("collapsed", "not-finite", "no-direction"):
        yield World(
            f"vectors that are {name}",
            asked.about(damaged(name)),
            {f"localization.{name}": should("yes", "no")},
            RUNS[1:],
            0.25,
        )
    yield World(
        "one run given several times",
        asked.about(lambda _: of_words(by_word(0))),
        {"localization.copies": should("yes", "no")},
        RUNS[1:],
        0.25,
    )
    yield World("two runs or more, each of its own", ask, {"localization.copies": never("yes")}, RUNS[1:], 0.25)


def worlds_of_passages(asked: Asked) -> Iterator[World]:
    """Yield those of passages, which hold antonyms enough for a second negation."""
    nothing, claim = should("not back", "back"), "localization.second-negation"
    made: Sequence[tuple[str, Any, Truth]] = [
        ("sums of words that all are equally far from each other", lambda seed: of_words(by_word(seed)), nothing),
        ("passages that all are equally far from each other", whole, nothing),
        (
            "passages that every opposite verb turns round",
            by_parity(asked.lexicon, asked.pairs),
            should("back", "not back"),
        ),
    ]
    for about, kind, truth in made:
        yield World(f"{about}, {TOGETHER} sentences each", asked.about(kind), {claim: truth}, RUNS)


def rows(_folder: Path, sets: int, _kind: str = "") -> Iterator[Row]:
    """Yield the cells of sentences."""
    for seed, world in enumerate((*worlds(Asked(pairs())), *worlds_of_passages(Asked(pairs(TOGETHER))))):
        yield from cells(world, "-", max(sets // 2, 2), seed)
