"""Texts whose halves, terms or authors differ in nothing, and terms that have no contexts of their own.

Texts are made of the news of `lee`: in random order, dealt out to two texts, or with made-up words put into other
sentences of the documents that a real word stands in. Backgrounds are LSA runs of the same news, or their vectors dealt
out to other words.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.placebos.cells import Row, World, batch, cells, never, seeds, should, wanted
from benchmarks.placebos.runsets import Source, knowing_nothing, placed
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import prepare_corpus
from gpustab.runs.load import open_groups
from gpustab.runs.runs import Runs
from gpustab.small_data.text import Text
from gpustab.studies.consistency.claims import HALVES_DIFFER
from gpustab.studies.consistency.comparisons import halves_and_random
from gpustab.studies.consistency.options import ConsistencyOptions
from gpustab.studies.consistency.samples import prepare
from gpustab.studies.consistency.study import consistency

CPU = torch.device("cpu")
BACKGROUNDS = (1, 3)
TERMS, LENGTH = 40, 12
"""How many terms are asked about; words of a made sentence."""
OTHER = "minister"
"""A word that is no term."""


def news() -> list[list[str]]:
    """The documents of lee as lists of words."""
    corpus = prepare_corpus("lee", CorpusOptions(min_count=3))
    bounds = corpus.texts[corpus.documents].tolist()
    return [[corpus.vocabulary.text(int(k)) for k in corpus.tokens[a:b]] for a, b in pairwise(bounds)]


def chapters(sets: int) -> Iterator[Row]:
    """News in random order, ten a chapter: nothing develops, as one document and as 24."""
    texts = news()
    words = sorted({word for text in texts for word in text})
    vectors = np.random.default_rng(0).normal(size=(len(words), 20))
    runs = open_groups([(words, vectors)], single_runs=True)[0].load()
    for kind in ("documents", "blocks"):
        about = f"news in random order, by {kind}"
        if count := wanted(about, "-", 1, sets):
            said = sum(differ(texts, seed, runs, kind) for seed in seeds(count))
            yield Row("consistency.halves-differ", about, "-", 1, count, said, said, 0, batch())
    about = "news in random order, half of the words exchanged in the second half"
    if count := wanted(about, "-", 1, max(2, sets // 4)):
        said = sum(differ(texts, seed, runs, "documents", planted=True) for seed in seeds(count))
        yield Row("consistency.halves-differ", about, "-", 1, count, said, 0, count - said, batch())


def differ(texts: list[list[str]], seed: int, runs: Runs, kind: str, *, planted: bool = False) -> bool:
    """Tell whether the halves of news in random order are said to differ; where planted, words of one are exchanged."""
    options = ConsistencyOptions(
        split="half", cutoff=4, subsample=0, permutations=99, number=40, terms="random", seed=seed
    )
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(texts))[:240]
    parts_of = [[texts[k] for k in chapter] for chapter in np.sort(order.reshape(24, 10), 1)]
    if planted:
        words = sorted({word for text in texts for word in text})
        chosen = rng.permutation(words)[: len(words) // 2].tolist()
        other = dict(zip(chosen, np.roll(chosen, 1).tolist(), strict=True))
        parts_of[12:] = [[[other.get(word, word) for word in text] for text in part] for part in parts_of[12:]]
    lists = [text[a : a + 12] for chapter in parts_of for text in chapter for a in range(0, len(text), 12)]
    sizes = [sum(-(-len(text) // 12) for text in chapter) for chapter in parts_of]
    number = np.repeat(np.arange(24), sizes) if kind == "documents" else np.zeros(len(lists), np.int64)
    prepared = prepare(text_of(lists, number), None, runs, options, CPU)
    return HALVES_DIFFER.judge(halves_and_random(prepared, runs, options)[0]) == "differ"


def text_of(lists: list[list[str]], documents: np.ndarray) -> Text:
    """A text of lists of words."""
    number = {word: k for k, word in enumerate(dict.fromkeys(word for one in lists for word in one))}
    tokens = np.array([number[word] for one in lists for word in one], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    return Text("news", [word.encode() for word in number], tokens, starts, documents.astype(np.int64), 0)


def sentences() -> list[list[list[str]]]:
    """The documents of lee, each as sentences of twelve words."""
    return [[text[a : a + LENGTH] for a in range(0, len(text), LENGTH)] for text in news()]


def middle_words(documents: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """Words that stand in twelve to sixty sentences."""
    counts: dict[str, int] = {}
    for document in documents:
        for sentence in document:
            for word in set(sentence):
                counts[word] = counts.get(word, 0) + 1
    return sorted(word for word, n in counts.items() if 12 <= n <= 60 and len(word) > 3)


def written(documents: Sequence[Sequence[Sequence[str]]], path: Path) -> Path:
    """Write documents as one sentence a line, a blank line between."""
    path.write_text("\n\n".join("\n".join(map(" ".join, document)) for document in documents) + "\n", encoding="utf-8")
    return path


def with_made_up_words(
    documents: Sequence[Sequence[Sequence[str]]], words: Sequence[str], rng: np.random.Generator, *, beside: bool
) -> list[list[list[str]]]:
    """Return documents where for every word a made-up one stands as often, at random places.

    Args:
        documents: as sentences.
        words: the real ones.
        rng: of the places.
        beside: in other sentences of the same documents; else in any.
    """
    made = [[list(sentence) for sentence in document] for document in documents]
    everywhere = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
    for number, word in enumerate(words):
        for d, document in enumerate(documents):
            for sentence in document:
                if word in sentence:
                    free = [s for s, other in enumerate(document) if word not in other]
                    if beside and free:
                        at = d, int(rng.choice(free))
                    else:
                        at = everywhere[int(rng.integers(len(everywhere)))]
                    place = made[at[0]][at[1]]
                    place.insert(
                        int(rng.integers(len(place) + 1)), f"{chr(113 + number // 26)}x{chr(97 + number % 26)}zz"
                    )
    return made


def made_up(count: int) -> list[str]:
    """The made-up words of :func:`with_made_up_words`."""
    return [f"{chr(113 + number // 26)}x{chr(97 + number % 26)}zz" for number in range(count)]


class Texts:
    """Asks the study about made texts.

    Args:
        source: of the backgrounds.
        folder: for the texts.
    """

    def __init__(self, source: Source, folder: Path) -> None:
        self.source, self.folder, self.documents = source, folder, sentences()
        self.words = middle_words(self.documents)

    def background(self, r: int, rng: np.random.Generator, *, empty: bool = False) -> list[Runs]:
        """R runs, or one."""
        runs = self.source.dealt([placed()])(r, rng)
        return [knowing_nothing(one, rng) for one in runs] if empty else runs

    def terms(self, words: Sequence[str]) -> str:
        """Write a file of terms."""
        path = self.folder / "terms.txt"
        path.write_text("\n".join(words) + "\n", encoding="utf-8")
        return str(path)

    def ask(
        self,
        texts: Sequence[Path],
        runs: list[Runs],
        terms: Sequence[str],
        rng: np.random.Generator,
        encoders: Sequence[Path] = (),
    ) -> object:
        """Ask the study."""
        seed = int(rng.integers(1 << 30))
        how: dict[str, Any] = {"layout": "blocks", "subsample": 0, "samples": 3, "sentences": 4, "cutoff": 12}
        how["encoders"] = tuple(map(str, encoders)) or None
        return consistency(runs, texts, terms=self.terms(terms), seed=seed, **how)

    def placebo_words(self, r: int, rng: np.random.Generator, *, beside: bool, encoders: Sequence[Path] = ()) -> object:
        """Terms that are made up."""
        chosen = rng.choice(self.words, TERMS, replace=False).tolist()
        made = with_made_up_words(self.documents, chosen, rng, beside=beside)
        text = [written(made, self.folder / "made.txt")]
        return self.ask(text, self.background(r, rng), made_up(TERMS), rng, encoders)

    def random_encoder(self, r: int, rng: np.random.Generator, *, beside: bool) -> object:
        """Terms that are made up, read by an encoder whose weights are drawn."""
        from tests.encoders.tiny import save

        model = save(self.folder / "random", seed=int(rng.integers(1 << 30)), limit=256)
        return self.placebo_words(r, rng, beside=beside, encoders=[model])

    def real_words(self, r: int, rng: np.random.Generator) -> object:
        """Terms of the text, in it."""
        chosen = rng.choice(self.words, TERMS, replace=False).tolist()
        return self.ask([written(self.documents, self.folder / "real.txt")], self.background(r, rng), chosen, rng)

    def marked_words(self, r: int, rng: np.random.Generator) -> object:
        """Terms that are made up, each beside a word of its own, twelve times in every sentence."""
        chosen = rng.choice(self.words, TERMS, replace=False).tolist()
        made = with_made_up_words(self.documents, chosen, rng, beside=False)
        known = [word for word in self.words if word in self.source.runs.vocabulary]
        own = dict(zip(made_up(TERMS), rng.choice(known, TERMS, replace=False).tolist(), strict=True))
        for document in made:
            for sentence in document:
                sentence += [own[word] for word in sentence if word in own for _ in range(LENGTH)]
        return self.ask([written(made, self.folder / "marked.txt")], self.background(r, rng), made_up(TERMS), rng)

    def two_texts(
        self, r: int, rng: np.random.Generator, second: Callable[[list[list[str]]], list[list[str]]] | None = None
    ) -> object:
        """The documents, dealt out to two texts, those of the second changed where wanted."""
        order = rng.permutation(len(self.documents)).tolist()
        half = len(order) // 2
        documents = [[self.documents[k] for k in part] for part in (order[:half], order[half:])]
        if second:
            documents[1] = [second(document) for document in documents[1]]
        texts = [
            written(part, self.folder / f"{name}.txt") for name, part in zip(("one", "two"), documents, strict=True)
        ]
        frequent = [
            word for word in self.words if all(self._often(word, part) for part in (order[:half], order[half:]))
        ]
        return self.ask(texts, self.background(r, rng), frequent[:TERMS], rng)

    def _often(self, word: str, part: Sequence[int]) -> bool:
        return sum(word in sentence for k in part for sentence in self.documents[k]) >= 12

    def empty_background(self, r: int, rng: np.random.Generator) -> object:
        """A background whose vectors are dealt out to other words."""
        chosen = rng.choice(self.words, TERMS, replace=False).tolist()
        text = [written(self.documents, self.folder / "real.txt")]
        return self.ask(text, self.background(r, rng, empty=True), chosen, rng)


def worlds(texts: Texts) -> Iterator[World]:
    """Yield the worlds of texts."""
    yield World(
        "made-up words in other sentences of the documents of real ones",
        lambda r, rng: texts.placebo_words(r, rng, beside=True),
        {"consistency.told-apart": never("apart")},
        BACKGROUNDS,
    )
    yield World(
        "made-up words in any sentences",
        lambda r, rng: texts.placebo_words(r, rng, beside=False),
        {
            "consistency.told-apart": never("apart", "documents"),
            "consistency.mostly-common": should("yes", "no"),
            "consistency.near-as-sums": should("yes"),
        },
        BACKGROUNDS,
    )
    yield World(
        "made-up words in any sentences, each beside a word of its own",
        texts.marked_words,
        {
            "consistency.told-apart": should("apart", "alike"),
            "consistency.mostly-common": should("no", "yes"),
            "consistency.near-as-sums": should("no", "yes"),
        },
        BACKGROUNDS,
        0.5,
    )
    yield World(
        "words of news, beside made-up ones",
        texts.real_words,
        {"consistency.told-apart": should("apart", "alike"), "consistency.own-nearer": should("nearer", "farther")},
        BACKGROUNDS,
    )
    yield World(
        "news dealt out to two texts",
        texts.two_texts,
        {"consistency.better-text": never("higher", "lower"), "consistency.higher-cosine": never("higher", "lower")},
        BACKGROUNDS,
    )
    filler = sorted(texts.words)[:LENGTH]
    yield World(
        "news dealt out to two texts, the same twelve words added to every sentence of the second",
        lambda r, rng: texts.two_texts(r, rng, lambda document: [[*sentence, *filler] for sentence in document]),
        {"consistency.better-text": should("higher", "lower")},
        BACKGROUNDS,
        0.5,
    )
    yield World(
        f"news dealt out to two texts, '{OTHER}' three times after every word of the second",
        lambda r, rng: texts.two_texts(
            r, rng, lambda document: [[word for own in s for word in (own, OTHER, OTHER, OTHER)] for s in document]
        ),
        {"consistency.higher-cosine": should("lower", "higher")},
        BACKGROUNDS,
        0.5,
    )
    yield World(
        "a background whose vectors are dealt out to other words",
        texts.empty_background,
        {"consistency.own-nearer": never("nearer", "farther")},
        BACKGROUNDS,
    )


def worlds_of_encoders(texts: Texts) -> Iterator[World]:
    """Yield the worlds that are read by an encoder that knows nothing, beside sums."""
    for beside, where in ((True, "in other sentences of the documents of real ones"), (False, "in any sentences")):
        truths = {"consistency.told-apart": never("apart"), "consistency.better-model": never("better", "worse")}
        yield World(
            f"made-up words {where}, by sums and by an encoder with random weights",
            lambda r, rng, beside=beside: texts.random_encoder(r, rng, beside=beside),  # type: ignore[misc]
            truths,
            BACKGROUNDS[:1],
        )


def rows_of_encoders(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of encoders, beside sums of one kind of run."""
    source = Source(folder, "shuffled")
    with tempfile.TemporaryDirectory() as name:
        for seed, world in enumerate(worlds_of_encoders(Texts(source, Path(name)))):
            yield from cells(world, source.noise, sets, seed)


def rows(folder: Path, sets: int) -> Iterator[Row]:
    """Yield the cells of texts."""
    yield from chapters(2 * sets)
    for kind in ("shuffled", "bootstrap"):
        yield from _of_kind(folder, sets, kind)


def _of_kind(folder: Path, sets: int, kind: str) -> Iterator[Row]:
    source = Source(folder, kind)
    with tempfile.TemporaryDirectory() as name:
        for seed, world in enumerate(worlds(Texts(source, Path(name)))):
            yield from cells(world, f"{source.noise}", sets, seed)
